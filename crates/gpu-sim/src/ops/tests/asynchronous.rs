//! Test kernels with asynchronous operations: products, mbarriers and tensor copies.

use crate::{
    Arg, Arrival, FaultKind, KernelError, Launch, Memory, Report, Schedule, decode_generic,
};

/// A test kernel with 32 KiB of shared memory. Before the body, the first `loaded` bytes of the buffer `%in` are
/// copied to shared memory.
///
/// The body may use `%in`, `%out`, `%t` (the thread index), `%s` (the address of shared memory), `%c0` to `%c9`
/// (the constants 0 to 9) and `%true`.
pub(in crate::ops) struct AsyncKernel {
    pub(in crate::ops) threads: u32,
    pub(in crate::ops) body: String,
    pub(in crate::ops) input: Vec<u8>,
    /// Number of bytes that are copied from `%in` to shared memory before the body of the kernel runs. If the
    /// number is not 0, a proxy fence and a barrier follow the copy.
    pub(in crate::ops) loaded: u32,
    /// Size of the buffer `%out` in 32-bit words.
    pub(in crate::ops) words: usize,
    pub(in crate::ops) blocks: u32,
}

/// Returns an inline assembly operation without results.
pub(in crate::ops) fn asm(text: &str, constraints: &str, operands: &[(&str, &str)]) -> String {
    asm_with(text, constraints, operands, "")
}

/// Returns an inline assembly operation whose result has the name and type in `result`, such as `%r = i32`. If
/// `result` is empty, the operation has no result.
pub(in crate::ops) fn asm_with(
    text: &str,
    constraints: &str,
    operands: &[(&str, &str)],
    result: &str,
) -> String {
    let names: Vec<&str> = operands.iter().map(|(name, _)| *name).collect();
    let types: Vec<&str> = operands.iter().map(|(_, ty)| *ty).collect();
    let (names, types) = (names.join(", "), types.join(", "));
    let (left, ty) = match result.split_once(" = ") {
        Some((name, ty)) => (format!("{name} = "), ty),
        None => (String::new(), "()"),
    };
    format!(
        "{left}\"llvm.inline_asm\"({names}) <{{asm_dialect = 0 : i64, asm_string = \"{text}\", constraints = \"{constraints}\", has_side_effects}}> : ({types}) -> {ty}\n"
    )
}

pub(in crate::ops) const FENCE: &str = "fence.proxy.async.shared::cta;";

impl AsyncKernel {
    pub(in crate::ops) fn new(threads: u32, body: impl Into<String>) -> Self {
        Self {
            threads,
            body: body.into(),
            input: Vec::new(),
            loaded: 0,
            words: threads as usize,
            blocks: 1,
        }
    }

    pub(in crate::ops) fn run(&self) -> Result<Vec<u32>, KernelError> {
        self.run_as(Schedule::Lockstep, Arrival::default())
    }

    pub(in crate::ops) fn run_as(
        &self,
        schedule: Schedule,
        arrival: Arrival,
    ) -> Result<Vec<u32>, KernelError> {
        Ok(self.report_as(schedule, arrival)?.0)
    }

    /// Runs the kernel with each schedule, and returns the error of each run. Panics if a run succeeds.
    pub(in crate::ops) fn errors(&self, schedules: &[Schedule]) -> Vec<KernelError> {
        let runs = schedules.iter();
        let runs = runs.map(|schedule| self.run_as(*schedule, Arrival::Late));
        runs.map(|run| run.expect_err("it is wrong")).collect()
    }

    /// Runs the kernel with each schedule. Checks that each run fails with an error that has the kind `kind` and
    /// contains all of `words`.
    #[track_caller]
    pub(in crate::ops) fn check_errors(
        &self,
        schedules: &[Schedule],
        kind: FaultKind,
        words: &[&str],
    ) {
        for error in self.errors(schedules) {
            assert_eq!(error.kind(), kind, "{error}");
            for word in words {
                assert!(error.to_string().contains(word), "{word}: {error}");
            }
        }
    }

    /// Runs the kernel, and returns the words of `%out` and the report.
    pub(in crate::ops) fn report_as(
        &self,
        schedule: Schedule,
        arrival: Arrival,
    ) -> Result<(Vec<u32>, Report), KernelError> {
        let mut start = String::new();
        for number in 0..10 {
            start += &format!(
                "%c{number} = \"llvm.mlir.constant\"() <{{value = {number} : i32}}> : () -> i32\n"
            );
        }
        for index in 0..self.loaded / 4 / self.threads {
            let at = index * self.threads;
            start += &format!(
                "%fi{index} = \"llvm.getelementptr\"(%in, %t) <{{elem_type = i32, rawConstantIndices = array<i32: -2147483648>}}> : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>\n\
                 %fj{index} = \"llvm.getelementptr\"(%fi{index}) <{{elem_type = i32, rawConstantIndices = array<i32: {at}>}}> : (!llvm.ptr<1>) -> !llvm.ptr<1>\n\
                 %fv{index} = \"llvm.load\"(%fj{index}) : (!llvm.ptr<1>) -> i32\n\
                 %fk{index} = \"llvm.getelementptr\"(%smem, %t) <{{elem_type = i32, rawConstantIndices = array<i32: -2147483648>}}> : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>\n\
                 %fl{index} = \"llvm.getelementptr\"(%fk{index}) <{{elem_type = i32, rawConstantIndices = array<i32: {at}>}}> : (!llvm.ptr<3>) -> !llvm.ptr<3>\n\
                 \"llvm.store\"(%fv{index}, %fl{index}) : (i32, !llvm.ptr<3>) -> ()\n"
            );
        }
        if self.loaded > 0 {
            start += &asm(FENCE, "", &[]);
            start += "\"nvvm.barrier0\"() : () -> ()\n";
        }
        let (body, threads) = (&self.body, self.threads);
        let text = format!(
            "\"builtin.module\"() ({{\n\
             \"llvm.mlir.global\"() <{{addr_space = 3 : i32, global_type = !llvm.array<32768 x i8>, sym_name = \"smem\"}}> ({{\n}}) : () -> ()\n\
             \"llvm.func\"() <{{sym_name = \"k\"}}> ({{\n\
             ^bb0(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>):\n\
             %t = \"nvvm.read.ptx.sreg.tid.x\"() : () -> i32\n\
             %true = \"llvm.mlir.constant\"() <{{value = true}}> : () -> i1\n\
             %smem = \"llvm.mlir.addressof\"() <{{global_name = @smem}}> : () -> !llvm.ptr<3>\n\
             %s = \"llvm.ptrtoint\"(%smem) : (!llvm.ptr<3>) -> i32\n\
             {start}{body}\
             \"llvm.return\"() : () -> ()\n}}) {{nvvm.kernel, nvvm.reqntid = array<i32: {threads}>}} : () -> ()\n\
             }}) {{ttg.target = \"cuda:90\", \"ttg.threads-per-warp\" = 32 : i32, \"ttg.num-warps\" = {} : i32}} : () -> ()",
            threads / 32
        );
        let decoded = decode_generic(&text, None)?;
        let mut memory = Memory::default();
        let input = memory.add("in", self.input.clone());
        let out = memory.add("out", vec![0; 4 * self.words]);
        let report = Launch::new(decoded.machine)
            .args([Arg::Buffer(input), Arg::Buffer(out)])
            .grid([self.blocks, 1, 1])
            .schedule(schedule)
            .arrival(arrival)
            .run(&decoded.program, &mut memory)?;
        let words = memory.bytes(out).as_chunks::<4>().0;
        let words = words.iter().map(|word| u32::from_le_bytes(*word));
        Ok((words.collect(), report))
    }
}

/// Returns operations with which each thread stores the word `value` to column `column` of `%out`. `%out` has one
/// row of `columns` words per thread.
pub(in crate::ops) fn store(value: &str, ty: &str, column: u32, columns: u32) -> String {
    let name = format!("st{}{column}", value.trim_start_matches('%'));
    format!(
        "%{name}c = \"llvm.mlir.constant\"() <{{value = {columns} : i32}}> : () -> i32\n\
         %{name}i = \"llvm.mul\"(%t, %{name}c) : (i32, i32) -> i32\n\
         %{name}p = \"llvm.getelementptr\"(%out, %{name}i) <{{elem_type = i32, rawConstantIndices = array<i32: -2147483648>}}> : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>\n\
         %{name}q = \"llvm.getelementptr\"(%{name}p) <{{elem_type = i32, rawConstantIndices = array<i32: {column}>}}> : (!llvm.ptr<1>) -> !llvm.ptr<1>\n\
         \"llvm.store\"({value}, %{name}q) : ({ty}, !llvm.ptr<1>) -> ()\n"
    )
}
