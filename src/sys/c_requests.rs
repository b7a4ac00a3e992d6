//! Request functions of `linear_layout_c.h`, with text as input and output. [`Requests`] is implemented elsewhere.

use super::callbacks::{guard, internal};
use mlir_sys::MlirStringRef;
use std::sync::OnceLock;

/// Request handlers of the C API. Implementations must not panic.
pub trait Requests: Sync {
    /// Lowers a module to LLVM IR, assembly or an object file.
    fn compile(&self, source: &[u8], options: &str) -> Answer;
    /// Runs a pass pipeline on a module. The output is the text of the resulting module.
    fn rewrite(&self, source: &[u8], options: &str) -> Answer;
    /// Runs a kernel on the CPU. The kernel reads and writes `buffers`.
    fn simulate(&self, source: &[u8], options: &str, buffers: &mut [&mut [u8]]) -> Answer;
    /// Returns the answer to a request whose handler panicked, or whose arguments could not be decoded. `text` is
    /// the error message.
    fn refuse(&self, text: String) -> Answer;
}

/// Response to a request: the C type `LinearLayoutResponse`.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// True on success.
    pub succeeded: bool,
    /// Report as a JSON object.
    pub report: String,
    /// Requested text or bytes. Empty on failure.
    pub output: Vec<u8>,
}

static REQUESTS: OnceLock<&'static dyn Requests> = OnceLock::new();

/// Installs the request handlers. Only the first call has an effect.
pub fn install_requests(requests: &'static dyn Requests) {
    let _ = REQUESTS.set(requests);
}

/// Memory of a buffer for a simulated kernel, owned by the caller. Corresponds to the C type `LinearLayoutBuffer`.
#[repr(C)]
pub(crate) struct RequestBuffer {
    data: *mut u8,
    size: usize,
}

unsafe fn bytes<'a>(text: MlirStringRef) -> &'a [u8] {
    if text.length == 0 || text.data.is_null() {
        return &[];
    }
    // SAFETY: guaranteed by the caller.
    unsafe { std::slice::from_raw_parts(text.data.cast(), text.length) }
}

fn answer(
    options: MlirStringRef,
    carry_out: impl FnOnce(&'static dyn Requests, &str) -> Answer,
) -> *mut Answer {
    crate::install();
    let outcome = guard(|| {
        let requests = *REQUESTS
            .get()
            .ok_or("no handler of requests is installed")?;
        // SAFETY: the options outlive the call.
        let Ok(options) = std::str::from_utf8(unsafe { bytes(options) }) else {
            return Ok(requests.refuse("the options are not valid UTF-8".to_owned()));
        };
        let options = if options.is_empty() { "{}" } else { options };
        Ok::<_, &str>(carry_out(requests, options))
    });
    let refuse = |text: String| {
        let requests = REQUESTS.get();
        requests.map_or_else(Answer::default, |requests| requests.refuse(text))
    };
    let answer = match outcome {
        Ok(Ok(answer)) => answer,
        Ok(Err(reason)) => refuse(reason.to_owned()),
        Err(panic) => refuse(internal(&panic)),
    };
    Box::into_raw(Box::new(answer))
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn linearLayoutCompile(
    source: MlirStringRef,
    options: MlirStringRef,
) -> *mut Answer {
    answer(options, |requests, options| {
        // SAFETY: the source outlives the call.
        requests.compile(unsafe { bytes(source) }, options)
    })
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn linearLayoutRewrite(
    source: MlirStringRef,
    options: MlirStringRef,
) -> *mut Answer {
    answer(options, |requests, options| {
        // SAFETY: the source outlives the call.
        requests.rewrite(unsafe { bytes(source) }, options)
    })
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn linearLayoutSimulate(
    source: MlirStringRef,
    options: MlirStringRef,
    buffers: *const RequestBuffer,
    num_buffers: usize,
) -> *mut Answer {
    let buffers = if buffers.is_null() {
        &[]
    } else {
        // SAFETY: the caller guarantees that the array outlives the call.
        unsafe { std::slice::from_raw_parts(buffers, num_buffers) }
    };
    answer(options, |requests, options| {
        let slice = |buffer: &RequestBuffer| match buffer.size {
            0 => &mut [][..],
            // SAFETY: the caller's memory; buffers do not overlap.
            size => unsafe { std::slice::from_raw_parts_mut(buffer.data, size) },
        };
        let mut slices: Vec<&mut [u8]> = buffers.iter().map(slice).collect();
        // SAFETY: the source outlives the call.
        requests.simulate(unsafe { bytes(source) }, options, &mut slices)
    })
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn linearLayoutResponseSucceeded(answer: *const Answer) -> bool {
    // SAFETY: an answer of the functions above, or null.
    unsafe { answer.as_ref() }.is_some_and(|answer| answer.succeeded)
}

fn part(answer: *const Answer, part: impl FnOnce(&Answer) -> &[u8]) -> MlirStringRef {
    // SAFETY: as above.
    let bytes = unsafe { answer.as_ref() }.map_or(&[][..], part);
    MlirStringRef {
        data: bytes.as_ptr().cast(),
        length: bytes.len(),
    }
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn linearLayoutResponseReport(answer: *const Answer) -> MlirStringRef {
    part(answer, |answer| answer.report.as_bytes())
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn linearLayoutResponseOutput(answer: *const Answer) -> MlirStringRef {
    part(answer, |answer| &answer.output)
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn linearLayoutResponseDestroy(answer: *mut Answer) {
    if !answer.is_null() {
        // SAFETY: the caller does not use the answer any more.
        drop(unsafe { Box::from_raw(answer) });
    }
}
