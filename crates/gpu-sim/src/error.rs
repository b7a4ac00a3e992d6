//! Errors of decoding, launching and running a kernel.

use std::fmt;
use std::sync::Arc;

/// The site of an instruction: the MLIR operation from which the instruction was decoded, and the source location
/// of this operation.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Site {
    /// The operation as MLIR prints it, on one line.
    pub text: Arc<str>,
    /// Location as `file:line:column`; empty if unknown.
    pub location: Arc<str>,
    /// Locations of the calls that inlined the operation, innermost call first.
    pub calls: Arc<[String]>,
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 200;
        if self.text.chars().count() > SHOWN {
            let head: String = self.text.chars().take(SHOWN).collect();
            write!(f, "`{head} ...`")?;
        } else {
            write!(f, "`{}`", self.text)?;
        }
        if !self.location.is_empty() {
            write!(f, " at {}", self.location)?;
        }
        Ok(())
    }
}

/// Identifies a thread of a launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ThreadId {
    /// Index of the block in the grid.
    pub block: [u32; 3],
    /// Index of the warp in the block.
    pub warp: u32,
    /// Index of the lane in the warp.
    pub lane: u32,
}

impl fmt::Display for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.block;
        write!(
            f,
            "lane {} of warp {} in block ({x}, {y}, {z})",
            self.lane, self.warp
        )
    }
}

/// The kind of a [`KernelError`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum FaultKind {
    /// An invalid text, module or tensor map.
    Malformed,
    /// An unsupported operation, type or attribute.
    Unsupported,
    /// A launch whose arguments, block size or shared memory do not match the kernel.
    Launch,
    /// An access outside of all buffers, or past the end of a buffer.
    OutOfBounds,
    /// An address that is not a multiple of the required alignment.
    Misaligned,
    /// A read of shared or local memory that was never written.
    Uninitialised,
    /// Two unordered accesses of different threads to the same memory, of which at least one is a write.
    Race,
    /// A conflict with an asynchronous copy or matrix product in flight: an access to the destination, a write to the
    /// source, or a use of result registers.
    InFlight,
    /// A missing proxy fence before an access through the async proxy, or a missing `wgmma.fence` before a matrix
    /// product.
    MissingFence,
    /// An invalid use of a barrier: an uninitialised `mbarrier`, more arrivals or bytes than the phase expects, or an
    /// invalid id or number of threads of a named barrier.
    Barrier,
    /// A write to constant memory.
    ReadOnly,
    /// A barrier or cross-lane operation that only some of the required threads reach.
    Divergence,
    /// An integer division by zero, or a division of the smallest integer by -1.
    Division,
    /// A use of an undefined value, which comes from `llvm.mlir.undef`, a violated flag (`nuw`, `disjoint`, `range`,
    /// ...), an oversized shift, or a masked load that skips a lane.
    Poison,
    /// An `llvm.intr.assume` whose condition is false.
    Assumption,
    /// A failed assertion of the kernel.
    Assertion,
    /// An execution of `llvm.unreachable`.
    Unreachable,
    /// A state in which no warp can make progress.
    Deadlock,
    /// A run that exceeds the instruction limit.
    StepLimit,
}

impl FaultKind {
    /// Returns the kind in kebab case, e.g. `out-of-bounds`.
    ///
    /// ```
    /// assert_eq!(gpu_sim::FaultKind::OutOfBounds.name(), "out-of-bounds");
    /// ```
    #[must_use]
    pub fn name(self) -> String {
        let mut name = String::new();
        for letter in format!("{self:?}").chars() {
            if letter.is_ascii_uppercase() && !name.is_empty() {
                name.push('-');
            }
            name.push(letter.to_ascii_lowercase());
        }
        name
    }
}

/// An error of decoding, launching or running a kernel.
///
/// The first line of the text describes the fault. The next lines name the operation and the thread. For a race,
/// they also describe the other access.
#[derive(Clone, Debug)]
pub struct KernelError(Box<Inner>);

#[derive(Clone, Debug)]
struct Inner {
    kind: FaultKind,
    message: String,
    site: Option<Site>,
    thread: Option<ThreadId>,
    notes: Vec<String>,
}

impl KernelError {
    pub(super) fn new(kind: FaultKind, message: impl Into<String>) -> Self {
        let message = message.into();
        Self(Box::new(Inner {
            kind,
            message,
            site: None,
            thread: None,
            notes: Vec::new(),
        }))
    }

    pub(super) fn at(mut self, site: Site) -> Self {
        self.0.site = Some(site);
        self
    }

    pub(super) fn by(mut self, thread: ThreadId) -> Self {
        self.0.thread = Some(thread);
        self
    }

    pub(super) fn note(mut self, note: impl Into<String>) -> Self {
        self.0.notes.push(note.into());
        self
    }

    /// Returns the kind of fault.
    pub fn kind(&self) -> FaultKind {
        self.0.kind
    }

    /// Returns the first line of the error text.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Returns the operation that caused the error, if known.
    pub fn site(&self) -> Option<&Site> {
        self.0.site.as_ref()
    }

    /// Returns the thread that caused the error, if any.
    pub fn thread(&self) -> Option<ThreadId> {
        self.0.thread
    }

    /// Returns the attached notes, one per line.
    pub fn notes(&self) -> &[String] {
        &self.0.notes
    }
}

impl fmt::Display for KernelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)?;
        if let Some(site) = &self.0.site {
            write!(f, "\n  in {site}")?;
            for call in site.calls.iter().filter(|call| !call.is_empty()) {
                write!(f, "\n  called at {call}")?;
            }
        }
        if let Some(thread) = self.0.thread {
            write!(f, "\n  by {thread}")?;
        }
        for note in &self.0.notes {
            write!(f, "\n  note: {note}")?;
        }
        Ok(())
    }
}

impl std::error::Error for KernelError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_is_shown_up_to_200_characters() {
        for (characters, shown) in [(7, 7), (200, 200), (201, 200), (900, 200)] {
            let site = Site {
                text: "\u{e4}".repeat(characters).into(),
                ..Site::default()
            };
            let text = site.to_string();
            assert_eq!(text.matches('\u{e4}').count(), shown, "{characters}");
            assert_eq!(text.ends_with(" ...`"), shown < characters, "{characters}");
        }
    }
}
