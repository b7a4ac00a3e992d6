//! Operations of `arith` and `math` on scalars: as those of the LLVM dialect that they are, where there is one.
//!
//! MLIR's conversions would say the same of them, after a walk over the whole module for each. What is left to them
//! are those that are several of LLVM's, and those with what the LLVM dialect keeps as a
//! property, which cannot be made as an attribute.

use super::emitter::{Emitter, Named};
use super::fast::Fast;
use crate::ir::UpstreamKind;
use crate::ir::builders::{Building, Name, llvm};
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
    name: Name,
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
        let (name, attributes) = said.unwrap_or_else(|| (kind.into(), attributes.to_vec()));
        Upstream { name, attributes }
    }

    /// The operation of one register.
    pub(crate) fn emit_upstream(
        &mut self,
        operation: &Upstream<'c>,
        operands: &[Val<'c>],
        result: Type<'c>,
    ) -> Val<'c> {
        let same = Building::<()>::new(operation.name).with_attributes(&operation.attributes);
        self.pure(same.operands(operands).results(&[result]))
    }

    /// A call of an intrinsic in place of an operation that says this of itself.
    pub(crate) fn upstream_intrinsic(
        &mut self,
        name: &str,
        operands: &[Val<'c>],
        result: Type<'c>,
        attributes: &[Named<'c>],
    ) -> Val<'c> {
        let said = self.said_by_llvm(attributes).unwrap_or_default();
        self.pure(llvm::call_intrinsic(name, operands, &[], Some(result)).with_attributes(&said))
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
fn llvm_name(kind: UpstreamKind) -> Option<Name> {
    use UpstreamKind as K;
    Some(match kind {
        K::ArithAddF => llvm::FAddOp::NAME,
        K::ArithAddI => llvm::AddOp::NAME,
        K::ArithAndI => llvm::AndOp::NAME,
        K::ArithCmpF => llvm::FCmpOp::NAME,
        K::ArithCmpI => llvm::ICmpOp::NAME,
        K::ArithDivF => llvm::FDivOp::NAME,
        K::ArithDivSI => llvm::SDivOp::NAME,
        K::ArithDivUI => llvm::UDivOp::NAME,
        K::ArithExtF => llvm::FPExtOp::NAME,
        K::ArithExtSI => llvm::SExtOp::NAME,
        K::ArithExtUI => llvm::ZExtOp::NAME,
        K::ArithFPToSI => llvm::FPToSIOp::NAME,
        K::ArithFPToUI => llvm::FPToUIOp::NAME,
        K::ArithMaximumF => llvm::MaximumOp::NAME,
        K::ArithMaxNumF => llvm::MaxNumOp::NAME,
        K::ArithMaxSI => llvm::SMaxOp::NAME,
        K::ArithMaxUI => llvm::UMaxOp::NAME,
        K::ArithMinimumF => llvm::MinimumOp::NAME,
        K::ArithMinNumF => llvm::MinNumOp::NAME,
        K::ArithMinSI => llvm::SMinOp::NAME,
        K::ArithMinUI => llvm::UMinOp::NAME,
        K::ArithMulF => llvm::FMulOp::NAME,
        K::ArithMulI => llvm::MulOp::NAME,
        K::ArithNegF => llvm::FNegOp::NAME,
        K::ArithOrI => llvm::OrOp::NAME,
        K::ArithRemF => llvm::FRemOp::NAME,
        K::ArithRemSI => llvm::SRemOp::NAME,
        K::ArithRemUI => llvm::URemOp::NAME,
        K::ArithSelect => llvm::SelectOp::NAME,
        K::ArithShLI => llvm::ShlOp::NAME,
        K::ArithShRSI => llvm::AShrOp::NAME,
        K::ArithShRUI => llvm::LShrOp::NAME,
        K::ArithSIToFP => llvm::SIToFPOp::NAME,
        K::ArithSubF => llvm::FSubOp::NAME,
        K::ArithSubI => llvm::SubOp::NAME,
        K::ArithTruncF => llvm::FPTruncOp::NAME,
        K::ArithTruncI => llvm::TruncOp::NAME,
        K::ArithUIToFP => llvm::UIToFPOp::NAME,
        K::ArithXOrI => llvm::XOrOp::NAME,
        K::MathAbsF => llvm::FAbsOp::NAME,
        K::MathCeil => llvm::FCeilOp::NAME,
        K::MathCopySign => llvm::CopySignOp::NAME,
        K::MathCos => llvm::CosOp::NAME,
        K::MathExp => llvm::ExpOp::NAME,
        K::MathExp2 => llvm::Exp2Op::NAME,
        K::MathFloor => llvm::FFloorOp::NAME,
        K::MathFma => llvm::FMAOp::NAME,
        K::MathLog => llvm::LogOp::NAME,
        K::MathLog2 => llvm::Log2Op::NAME,
        K::MathLog10 => llvm::Log10Op::NAME,
        K::MathRound => llvm::RoundOp::NAME,
        K::MathRoundEven => llvm::RoundEvenOp::NAME,
        K::MathSin => llvm::SinOp::NAME,
        K::MathSqrt => llvm::SqrtOp::NAME,
        K::MathTrunc => llvm::FTruncOp::NAME,
        _ => return None,
    })
}
