//! Modules decoded by walking operations, as in `ll-sim`, and from generic text, as in tests that mutate it.

use crate::files::{files, read};
use gpu_sim::ir::{Module, Operation, Type, Value};
use linear_layout_mlir::{driver, simulated};
use melior::ir::OperationRef;
use melior::ir::operation::{OperationLike, OperationPrintingFlags};
use std::collections::HashMap;

/// Prints a module in generic form with its locations. The locations of a module that was parsed from memory
/// contain the file name "-", which is replaced by `file`.
fn printed(module: OperationRef<'_, '_>, file: &str) -> Result<String, String> {
    let flags = OperationPrintingFlags::new()
        .print_generic_operation_form()
        .enable_debug_info(true, false);
    let printed = module.to_string_with_flags(flags);
    let printed = printed.map_err(|error| format!("error: {file}: {error}"))?;
    Ok(printed.replace("loc(\"-\":", &format!("loc({file:?}:")))
}

/// Lowers the module in a file. Returns its generic form, which tests can modify.
pub(crate) fn generic_form(input: &[u8], file: &str) -> Result<String, String> {
    generic_form_by(input, file, None)
}

/// Lowers the module in a file by `pipeline`, or by the default pipeline if it is `None`. Returns its generic form.
pub(crate) fn generic_form_by(
    input: &[u8],
    file: &str,
    pipeline: Option<&str>,
) -> Result<String, String> {
    driver::with_lowered(input, file, None, pipeline, |module| printed(module, file))
        .map_err(|failure| failure.to_string())?
}

/// The printed lines of a module, in which values are numbered in the order of their first mention.
#[derive(Default)]
struct Lines {
    values: HashMap<Value, usize>,
    lines: Vec<String>,
}

impl Lines {
    fn of(module: &Module) -> Vec<String> {
        let mut lines = Self::default();
        lines.add(&module.root);
        lines.lines
    }

    fn number(&mut self, value: Value) -> usize {
        let next = self.values.len();
        *self.values.entry(value).or_insert(next)
    }

    fn typed(&mut self, values: &[(Value, Type)]) -> String {
        let values = values.iter().map(|(value, ty)| (self.number(*value), ty));
        format!("{:?}", values.collect::<Vec<_>>())
    }

    fn add(&mut self, op: &Operation) {
        let operands = op.operands.iter().map(|value| self.number(*value));
        let operands: Vec<usize> = operands.collect();
        let results = self.typed(&op.results);
        let Operation {
            name,
            operand_types,
            successors,
            attributes,
            regions,
            location,
            ..
        } = op;
        self.lines.push(format!(
            "{results} = {name} {operands:?} {operand_types:?} {successors:?} {attributes:?} {location}"
        ));
        for (number, blocks) in regions.iter().enumerate() {
            for block in blocks {
                let arguments = self.typed(&block.arguments);
                self.lines.push(format!("region {number}: {arguments}"));
                block.operations.iter().for_each(|op| self.add(op));
            }
        }
    }
}

/// Checks that the simulator reads the same program from the MLIR module itself and from its printed text.
fn check(input: &str, file: &str) {
    let both = driver::with_lowered(input.as_bytes(), file, None, None, |module| {
        let text = printed(module, file)?;
        let read = gpu_sim::read_generic(&text).map_err(|error| error.to_string())?;
        let walked = simulated::module(module, file);
        Ok::<_, String>((Lines::of(&walked), Lines::of(&read)))
    });
    let both = both.unwrap_or_else(|failure| panic!("{failure}"));
    let (walked, read) = both.unwrap_or_else(|error| panic!("{error}"));
    for (walked, read) in walked.iter().zip(&read) {
        assert_eq!(walked, read, "{file}");
    }
    assert_eq!(walked.len(), read.len(), "{file}");
}

#[test]
fn a_module_is_what_its_text_says() {
    let text = r#"
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
  llvm.mlir.global external @shared() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
  llvm.mlir.global internal constant @table(dense<[1, -2, 3]> : tensor<3xi32>) : !llvm.array<3 x i32>
  llvm.mlir.global internal constant @name("a\00b\FF") : !llvm.array<4 x i8>
  llvm.func @g(%x: i32) -> !llvm.struct<(i32, array<2 x f16>)> {
    %0 = llvm.mlir.undef : !llvm.struct<(i32, array<2 x f16>)>
    %1 = llvm.insertvalue %x, %0[0] : !llvm.struct<(i32, array<2 x f16>)>
    llvm.return %1 : !llvm.struct<(i32, array<2 x f16>)>
  }
  llvm.func @k(%out: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128>} {
    %a = llvm.mlir.constant(0x7FC1 : bf16) : bf16
    %b = llvm.mlir.constant(dense<[1.5, -0.0]> : vector<2xf32>) : vector<2xf32>
    %c = llvm.mlir.constant(dense<-1> : vector<4xi8>) : vector<4xi8>
    %d = llvm.mlir.constant(true) : i1
    %e = llvm.add %n, %n overflow<nsw> {note = [1 : i8, "a", unit, i32, @g, @m::@g, {x = 2 : index}]} : i32
    %f = llvm.icmp "slt" %e, %n : i32
    llvm.cond_br %f, ^later(%e : i32), ^end
  ^first(%p: i32, %q: i32):
    %h = llvm.add %p, %q : i32
    llvm.br ^end
  ^later(%r: i32):
    %s:2 = builtin.unrealized_conversion_cast %r : i32 to i32, i32
    llvm.br ^first(%s#0, %s#1 : i32, i32)
  ^end:
    %t = nvvm.shfl.sync bfly %n, %n, %n, %n : i32 -> i32 loc("z"("f.py":7:1))
    %u = llvm.getelementptr inbounds %out[%t, 1] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, !llvm.struct<packed (i8, ptr<3>)>
    llvm.switch %n : i32, ^end2 [0: ^end2, -5: ^end2]
  ^end2:
    llvm.return
  }
}
"#;
    check(text, "k.mlir");
}

#[test]
fn a_lowered_kernel_is_what_its_text_says() {
    for folder in ["sm_80", "sm_90", "gfx942", "asynchronous", "convert"] {
        let kernels = files(format!("test/kernels/{folder}"), &["mlir", "ttgir"]);
        let lowered = kernels.iter().filter(|path| {
            let name = path.display().to_string();
            // Some kernels of Triton's pipeline are not supported.
            let text = read(path);
            driver::decode(text.as_bytes(), &name, None, None).is_ok() && {
                check(&text, &name);
                true
            }
        });
        assert!(lowered.count() >= 6, "{folder}");
    }
}
