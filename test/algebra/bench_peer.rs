//! The benchmark's report on a peer program, and on an invalid one.

use crate::peer::{Peer, TURNS, columns, heads};

fn peer(command: &str) -> Option<Peer> {
    Peer::named("LL_PEER_TEST", Ok(command.to_owned()))
}

/// Writes a shell script and returns the command that runs it. In `text`, `TURNS` is replaced by the path of a
/// file. The script can count its runs in this file, and can thus print different numbers in each run.
#[track_caller]
fn script(name: &str, text: &str) -> String {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file = folder.join(name);
    let turns = folder.join(format!("{name}.turns"));
    let _ = std::fs::remove_file(&turns);
    let text = text.replace("TURNS", turns.to_str().unwrap());
    std::fs::write(&file, text).unwrap();
    format!("sh {}", file.display())
}

#[test]
fn the_best_time_of_all_turns_is_compared() {
    let text = "echo x >> TURNS\nn=$(wc -l < TURNS)\necho a heading\n\
                printf 'apply\\t%s.5\\tmore\\n' $((10 - n % 3))\nprintf \"$1\\t7\\t%s\\n\" $n\n";
    let mut peer = peer(&script("peer_turns.sh", text)).unwrap();
    assert_eq!(peer.time("apply"), None);
    for _ in 0..TURNS {
        peer.take_turn(&["a file".to_owned()]).unwrap();
    }
    assert_eq!(peer.time("apply"), Some(8.5));
    assert_eq!(peer.time("a file"), Some(7.0));
    assert_eq!(peer.figure("a file", 1), Some(1.0));
    assert_eq!(peer.figure("apply", 1), None);
    assert_eq!(columns(peer.time("apply"), 2.0), "        8.5     4.2x");
    assert_eq!(heads(Some(&peer)), "       peer    ratio");
}

#[test]
fn without_a_peer_no_ratio_is_printed() {
    assert!(peer(" ").is_none());
    assert!(Peer::named("LL_PEER_TEST", Err(std::env::VarError::NotPresent)).is_none());
    assert_eq!(columns(None, 2.0), "");
    assert_eq!(heads(None), "");
}

#[test]
fn a_peer_that_times_nothing_is_an_error() {
    let fault = |command: &str| {
        let mut peer = peer(command).unwrap();
        peer.take_turn(&[]).unwrap_err()
    };
    let text = fault("/no/such/program");
    assert!(
        text.starts_with("`LL_PEER_TEST` names `/no/such/program`, which cannot be run: "),
        "{text}"
    );
    let text = fault(&script(
        "peer_silent.sh",
        "echo a b\necho broken >&2\nexit 3\n",
    ));
    assert!(
        text.contains("printed no line `name<TAB>time` (exit status: 3): broken"),
        "{text}"
    );
}
