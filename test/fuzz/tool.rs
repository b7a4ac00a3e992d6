//! Runs of a tool under limits of time and memory, and the faults of its exit.

use std::fs::File;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Limit on the processor time of a tool, in seconds.
const SECONDS: u64 = 10;
/// Limit on the address space of a tool, in KiB.
const KIBIBYTES: u64 = 4 << 20;
/// Limit on the wall time of a tool, in case it blocks. The limit is generous, since the machine may be busy.
const WALL: Duration = Duration::from_secs(120);

/// Texts that no message to a user may contain, because they reveal a fault of the tool.
const CONFESSIONS: [&str; 7] = [
    "internal error",
    "panicked at",
    "PLEASE submit a bug report",
    "Assertion `",
    "LLVM ERROR",
    "MLIR's server exited",
    "UNREACHABLE",
];

/// The temporary folder of one worker.
#[derive(Debug)]
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new(name: &str) -> Self {
        let folder = folder().join(name);
        std::fs::create_dir_all(&folder).expect("the target folder can be written");
        Self(folder)
    }

    pub(crate) fn remove(&self) {
        // Files that remain are overwritten next time.
        let _ = std::fs::remove_dir_all(&self.0);
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Returns the standard error output of the tool that ran last.
    pub(crate) fn stderr(&self) -> String {
        let bytes = std::fs::read(self.path("stderr")).unwrap_or_default();
        String::from_utf8_lossy(&bytes[..bytes.len().min(1 << 20)]).into_owned()
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, bytes).expect("the target folder can be written");
        path
    }
}

/// Returns the folder that contains the temporary folders of the workers and the failing inputs.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzz")
}

/// Returns the path of a tool in the folder of `ll-opt`. Cargo states only the paths of tools in this package, but
/// `ll-layout` is in a different package.
fn binary(tool: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_BIN_EXE_ll-opt")).with_file_name(tool);
    assert!(
        path.exists(),
        "no `{tool}` beside `ll-opt`: `cargo test --no-run` builds all tools"
    );
    path
}

/// The outcome of running a tool: success, fault and processor time.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) succeeded: bool,
    /// Description of a fault of the tool, which no input may cause. `None` if there was none.
    pub(crate) fault: Option<String>,
    /// Processor time of the tool. The last sample is taken up to 20 ms before the tool ends.
    pub(crate) processor: Duration,
}

/// Reads from `/proc` the processor time that a running process has used so far. The resolution is 10 ms.
fn processor_time(process: u32) -> Option<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name, in parentheses, may hold anything; user and system ticks are the 12th and 13th after it.
    let ticks = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let ticks: u64 = ticks.take(2).filter_map(|n| n.parse::<u64>().ok()).sum();
    Some(Duration::from_millis(10 * ticks))
}

/// Runs a tool of this project under limits on time and memory.
pub(crate) fn run(
    scratch: &Scratch,
    tool: &str,
    arguments: &[&str],
    stdin: Option<&Path>,
) -> Outcome {
    let stderr = scratch.path("stderr");
    let sanitized = std::env::var_os("LL_SANITIZER").is_some();
    // The sanitizer reserves terabytes of address space for its shadow.
    let memory = if sanitized {
        "unlimited".to_owned()
    } else {
        KIBIBYTES.to_string()
    };
    let mut command = Command::new("sh");
    command
        .arg("-c")
        .arg("ulimit -c 0; ulimit -v $0; ulimit -t $1; shift; exec \"$@\"")
        .arg(memory)
        .arg((if sanitized { 10 * SECONDS } else { SECONDS }).to_string())
        .arg(binary(tool))
        .args(arguments)
        .stdin(stdin.map_or_else(Stdio::null, |path| {
            Stdio::from(File::open(path).expect("the worker wrote it"))
        }))
        .stdout(Stdio::null())
        .stderr(File::create(&stderr).expect("the target folder can be written"));
    let mut child = command.spawn().expect("there is a shell");
    let begin = Instant::now();
    let mut pause = Duration::from_millis(1);
    let mut processor = Duration::ZERO;
    let status = loop {
        processor = processor_time(child.id()).map_or(processor, |now| now.max(processor));
        if let Some(status) = child.try_wait().expect("the child is ours") {
            break Some(status);
        }
        if begin.elapsed() > WALL {
            let _ = child.kill();
            let _ = child.wait();
            break None;
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    };
    let text = scratch.stderr();
    let confession = text
        .lines()
        .find(|line| CONFESSIONS.iter().any(|words| line.contains(words)))
        .map(|line| line.chars().take(200).collect::<String>());
    let fault = match status {
        None => Some(format!("waits for more than {} seconds", WALL.as_secs())),
        Some(status) => match status.signal() {
            // The second if the first had no effect.
            Some(libc::SIGXCPU | libc::SIGKILL) => {
                Some(format!("takes more than {SECONDS} seconds"))
            }
            Some(signal) => Some(format!(
                "ends by signal {signal}{}",
                confession.map_or_else(String::new, |line| format!(": {line}"))
            )),
            None => confession.or_else(|| {
                (status.code() == Some(101)).then(|| "ends as after a panic".to_owned())
            }),
        },
    };
    Outcome {
        succeeded: status.is_some_and(|status| status.success()),
        fault,
        processor,
    }
}
