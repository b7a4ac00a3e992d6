//! Replays the fuzz targets: their committed corpus, and pseudo-random inputs.

use crate::files::root;

#[path = "../fuzz/bodies/layout.rs"]
mod layout;

/// Runs `body` on every file of a corpus folder. Fails if the folder is empty.
fn replay(folder: &str, body: fn(&[u8])) {
    let folder = root().join("test/fuzz/corpus").join(folder);
    let mut files = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        body(&std::fs::read(entry.unwrap().path()).unwrap());
        files += 1;
    }
    assert!(files > 0, "{} is empty", folder.display());
}

/// Runs `body` on pseudo-random inputs (xorshift). The inputs are the same in every run.
fn stream(rounds: u64, body: fn(&[u8])) {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for _ in 0..rounds {
        let bytes: Vec<u8> = (0..48)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                (state >> 32) as u8
            })
            .collect();
        body(&bytes);
    }
}

#[test]
fn layout_text() {
    replay("layout_text", layout::text);
    stream(2_000, layout::text);
}

#[test]
fn layout_algebra() {
    replay("layout_algebra", layout::algebra);
    stream(20_000, layout::algebra);
}
