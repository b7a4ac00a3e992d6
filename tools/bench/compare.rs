//! Alternating runs of this project's implementation and a peer, printed as one table.

use crate::peer::{Peer, TURNS, columns, heads};

/// Measures this project and the peer, which is another implementation, alternately. Prints a table with one row
/// per name. A row contains the best time of this project and that of the peer, in nanoseconds.
///
/// The text that `text` returns is the input of the peer. It is written to a file, whose path is passed to the
/// peer.
#[expect(clippy::print_stdout, reason = "a benchmark says what it measured")]
pub(crate) fn compare<const N: usize>(
    mut peer: Option<Peer>,
    names: [&str; N],
    text: impl FnOnce() -> String,
    measure: impl Fn() -> [f64; N],
) -> Result<(), Box<dyn std::error::Error>> {
    let mut ours = measure();
    if let Some(peer) = &mut peer {
        let file = std::env::temp_dir().join(format!("ll-bench-{}.txt", std::process::id()));
        std::fs::write(&file, text())?;
        let arguments = [file.display().to_string()];
        for turn in 0..TURNS {
            peer.take_turn(&arguments)?;
            if turn + 1 < TURNS {
                for (best, time) in ours.iter_mut().zip(measure()) {
                    *best = time.min(*best);
                }
            }
        }
        std::fs::remove_file(&file)?;
    }
    println!("{:<28} {:>10}{}", "operation", "ns", heads(peer.as_ref()));
    for (name, ours) in names.iter().zip(ours) {
        let theirs = peer.as_ref().and_then(|peer| peer.time(name));
        println!("{name:<28} {ours:>10.1}{}", columns(theirs, ours));
    }
    Ok(())
}
