//! Operations of `arith` and `math` on scalars: as those of the LLVM dialect that they are, where there is one.
//!
//! MLIR's conversions would say the same of them, after a walk over the whole module for each. What is left to them
//! are those that are several of LLVM's, and those with what the LLVM dialect keeps as a
//! property, which cannot be made as an attribute.

use super::emitter::{Emitter, Named};
use super::fast::Fast;
use crate::ir::UpstreamKind;
use crate::sys::attribute_id;
use crate::sys::build::Val;
use melior::ir::{Attribute, Type};

/// How fast an operation may be, as `arith` and as the LLVM dialect call it.
const FAST: [&str; 2] = ["fastmath", "fastmathFlags"];
/// What an operation of the LLVM dialect has no attribute for, and the value that asks for nothing: the rounding mode,
/// whose default is `to_nearest_even`, and what does not overflow.
const WITHOUT: [(&str, &str); 2] = [
    ("roundingmode", "0 : i32"),
    ("overflowFlags", "#arith.overflow<none>"),
];

/// An operation of MLIR's own dialects as it is emitted, for any number of registers.
pub(crate) struct Upstream<'c> {
    name: &'static str,
    attributes: Vec<Named<'c>>,
}

impl<'c> Emitter<'c> {
    /// A pure operation of MLIR's own dialects on scalars: LLVM's, or one for MLIR's conversions to finish.
    pub(crate) fn upstream(
        &mut self,
        kind: UpstreamKind,
        operands: &[Val<'c>],
        result: Type<'c>,
        attributes: &[Named<'c>],
    ) -> Val<'c> {
        let operation = self.as_upstream(kind, attributes);
        self.emit_upstream(&operation, operands, result)
    }

    /// How an operation is emitted.
    pub(crate) fn as_upstream(
        &mut self,
        kind: UpstreamKind,
        attributes: &[Named<'c>],
    ) -> Upstream<'c> {
        let said = llvm_name(kind).and_then(|name| Some((name, self.said_by_llvm(attributes)?)));
        let (name, attributes) = said.unwrap_or_else(|| (kind.name(), attributes.to_vec()));
        Upstream { name, attributes }
    }

    /// The operation of one register.
    pub(crate) fn emit_upstream(
        &mut self,
        operation: &Upstream<'c>,
        operands: &[Val<'c>],
        result: Type<'c>,
    ) -> Val<'c> {
        self.pure(operation.name, operands, result, &operation.attributes)
    }

    /// Whether flags allow approximations.
    pub(crate) fn may_approximate(&mut self, flags: &[Named<'c>]) -> bool {
        let fast = flags.iter().find(|(name, _)| *name == FAST[0]);
        fast.is_some_and(|(_, value)| self.fast(*value).may_approximate)
    }

    /// Attributes as the LLVM dialect spells them, without those that say nothing; nothing where it cannot.
    fn said_by_llvm(&mut self, attributes: &[Named<'c>]) -> Option<Vec<Named<'c>>> {
        let mut said = Vec::with_capacity(attributes.len());
        for (name, value) in attributes.iter().copied() {
            if name == FAST[0] {
                said.extend(self.fast(value).said.map(|flags| (FAST[1], flags)));
            } else if let Some((_, nothing)) = WITHOUT.iter().find(|(known, _)| *known == name) {
                if value.to_string() != *nothing {
                    return None;
                }
            } else {
                said.push((name, value));
            }
        }
        Some(said)
    }

    /// What `#arith.fastmath` says, whose flags have the same names as LLVM's.
    fn fast(&mut self, value: Attribute<'c>) -> Fast<'c> {
        if let Some(known) = self.fast.get(&attribute_id(value)) {
            return *known;
        }
        let text = value.to_string();
        let flags = text.strip_prefix("#arith.fastmath").unwrap_or("<none>");
        let mut each = flags.split(['<', ',', '>']).map(str::trim);
        let fast = Fast {
            said: (flags != "<none>").then(|| self.parsed(&format!("#llvm.fastmath{flags}"))),
            may_approximate: each.any(|flag| flag == "afn" || flag == "fast"),
        };
        self.fast.insert(attribute_id(value), fast);
        fast
    }
}

/// The LLVM dialect's operation that takes the same operands and says the same of them.
#[rustfmt::skip]
fn llvm_name(kind: UpstreamKind) -> Option<&'static str> {
    use UpstreamKind as K;
    Some(match kind {
        K::ArithAddF => "llvm.fadd",
        K::ArithAddI => "llvm.add",
        K::ArithAndI => "llvm.and",
        K::ArithCmpF => "llvm.fcmp",
        K::ArithCmpI => "llvm.icmp",
        K::ArithDivF => "llvm.fdiv",
        K::ArithDivSI => "llvm.sdiv",
        K::ArithDivUI => "llvm.udiv",
        K::ArithExtF => "llvm.fpext",
        K::ArithExtSI => "llvm.sext",
        K::ArithExtUI => "llvm.zext",
        K::ArithFPToSI => "llvm.fptosi",
        K::ArithFPToUI => "llvm.fptoui",
        K::ArithMaximumF => "llvm.intr.maximum",
        K::ArithMaxNumF => "llvm.intr.maxnum",
        K::ArithMaxSI => "llvm.intr.smax",
        K::ArithMaxUI => "llvm.intr.umax",
        K::ArithMinimumF => "llvm.intr.minimum",
        K::ArithMinNumF => "llvm.intr.minnum",
        K::ArithMinSI => "llvm.intr.smin",
        K::ArithMinUI => "llvm.intr.umin",
        K::ArithMulF => "llvm.fmul",
        K::ArithMulI => "llvm.mul",
        K::ArithNegF => "llvm.fneg",
        K::ArithOrI => "llvm.or",
        K::ArithRemF => "llvm.frem",
        K::ArithRemSI => "llvm.srem",
        K::ArithRemUI => "llvm.urem",
        K::ArithSelect => "llvm.select",
        K::ArithShLI => "llvm.shl",
        K::ArithShRSI => "llvm.ashr",
        K::ArithShRUI => "llvm.lshr",
        K::ArithSIToFP => "llvm.sitofp",
        K::ArithSubF => "llvm.fsub",
        K::ArithSubI => "llvm.sub",
        K::ArithTruncF => "llvm.fptrunc",
        K::ArithTruncI => "llvm.trunc",
        K::ArithUIToFP => "llvm.uitofp",
        K::ArithXOrI => "llvm.xor",
        K::MathAbsF => "llvm.intr.fabs",
        K::MathCeil => "llvm.intr.ceil",
        K::MathCopySign => "llvm.intr.copysign",
        K::MathCos => "llvm.intr.cos",
        K::MathExp => "llvm.intr.exp",
        K::MathExp2 => "llvm.intr.exp2",
        K::MathFloor => "llvm.intr.floor",
        K::MathFma => "llvm.intr.fma",
        K::MathLog => "llvm.intr.log",
        K::MathLog2 => "llvm.intr.log2",
        K::MathLog10 => "llvm.intr.log10",
        K::MathRound => "llvm.intr.round",
        K::MathRoundEven => "llvm.intr.roundeven",
        K::MathSin => "llvm.intr.sin",
        K::MathSqrt => "llvm.intr.sqrt",
        K::MathTrunc => "llvm.intr.trunc",
        _ => return None,
    })
}
