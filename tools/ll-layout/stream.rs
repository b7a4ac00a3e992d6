//! `ll-layout batch`: reads a stream of cases and writes a stream of answers.

use crate::{Failure, batch};
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, ErrorKind, IsTerminal, Write};
use std::path::Path;
use std::time::Instant;

pub(crate) fn run(file: &Path, stats: bool) -> Result<(), Failure> {
    let start = Instant::now();
    let output = io::stdout().lock();
    let name = file.display();
    let counts = if file.as_os_str() == "-" {
        if io::stdin().is_terminal() {
            eprintln!("reading cases from standard input; `ll-layout batch --help` shows examples");
        }
        answer_all(BufReader::new(io::stdin().lock()), output)
    } else {
        let opened = File::open(file)
            .map_err(|reason| Failure::new(format!("cannot open `{name}`: {reason}")))?;
        answer_all(BufReader::with_capacity(1 << 16, opened), output)
    };
    let counts = match counts {
        Ok(counts) => counts,
        // The reader of the output has ended.
        Err(e) if e.kind() == ErrorKind::BrokenPipe => return Ok(()),
        Err(e) => {
            let what = format!("cannot read `{name}` or write the answers: {e}");
            return Err(Failure::new(what));
        }
    };
    if stats {
        let seconds = start.elapsed().as_secs_f64();
        let rate = counts.cases as f64 / seconds.max(1e-9);
        eprintln!(
            "{} cases, {} of them without an answer, in {seconds:.3} s: {rate:.0} a second",
            counts.cases, counts.errors
        );
    }
    Ok(())
}

#[derive(Default)]
struct Counts {
    cases: u64,
    errors: u64,
}

/// Answers all cases of the input.
///
/// The answers are flushed before each read that may block, so that a program can wait for one answer before it
/// sends the next case.
fn answer_all(mut input: BufReader<impl io::Read>, output: impl Write) -> io::Result<Counts> {
    let mut output = BufWriter::with_capacity(1 << 16, output);
    let mut counts = Counts::default();
    let mut line = Vec::new();
    loop {
        if input.buffer().is_empty() {
            output.flush()?;
        }
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            output.flush()?;
            return Ok(counts);
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let answer = batch::answer(&line);
        counts.cases += 1;
        counts.errors += u64::from(answer.contains_key("error"));
        serde_json::to_writer(&mut output, &answer)?;
        output.write_all(b"\n")?;
    }
}
