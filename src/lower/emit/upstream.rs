//! Scalar operations of `arith` and `math`, emitted in the LLVM dialect where an equivalent exists.
//!
//! MLIR's conversions would walk over the whole module. They remain responsible for operations with multi-operation
//! expansions, and for properties that the LLVM dialect cannot express.

use super::emitter::{Emitter, NamedAttr};
use crate::ir::UpstreamKind;
use crate::ir::builders::{Building, Name, llvm};
use crate::sys::attribute_id;
use crate::sys::build::Val;
use melior::ir::{Attribute, Type};

const FAST: [&str; 2] = ["fastmath", "fastmathFlags"];
/// Attributes without an equivalent in LLVM, each with its default value.
const WITHOUT: [(&str, &str); 2] = [
    ("roundingmode", "0 : i32"),
    ("overflowFlags", "#arith.overflow<none>"),
];

#[derive(Clone, Copy)]
pub(super) struct FastMathFlags<'c> {
    /// The flags as an attribute of the LLVM dialect, or `None` if no flag is set.
    llvm: Option<Attribute<'c>>,
    may_approximate: bool,
}

pub(crate) struct Upstream<'c> {
    name: Name,
    attributes: Vec<NamedAttr<'c>>,
}

impl<'c> Emitter<'c> {
    /// Emits a pure scalar operation, in the LLVM dialect where an equivalent exists.
    pub(crate) fn upstream(
        &mut self,
        kind: UpstreamKind,
        operands: &[Val<'c>],
        result: Type<'c>,
        attributes: &[NamedAttr<'c>],
    ) -> Val<'c> {
        let operation = self.as_upstream(kind, attributes);
        self.emit_upstream(&operation, operands, result)
    }

    pub(crate) fn as_upstream(
        &mut self,
        kind: UpstreamKind,
        attributes: &[NamedAttr<'c>],
    ) -> Upstream<'c> {
        let llvm =
            llvm_name(kind).and_then(|name| Some((name, self.convert_attributes(attributes)?)));
        let (name, attributes) = llvm.unwrap_or_else(|| (kind.into(), attributes.to_vec()));
        Upstream { name, attributes }
    }

    pub(crate) fn emit_upstream(
        &mut self,
        operation: &Upstream<'c>,
        operands: &[Val<'c>],
        result: Type<'c>,
    ) -> Val<'c> {
        let op = Building::<()>::new(operation.name).with_attributes(&operation.attributes);
        self.pure(op.operands(operands).results(&[result]))
    }

    pub(crate) fn upstream_intrinsic(
        &mut self,
        name: &str,
        operands: &[Val<'c>],
        result: Type<'c>,
        attributes: &[NamedAttr<'c>],
    ) -> Val<'c> {
        let attributes = self.convert_attributes(attributes).unwrap_or_default();
        self.pure(
            llvm::call_intrinsic(name, operands, &[], Some(result)).with_attributes(&attributes),
        )
    }

    pub(crate) fn may_approximate(&mut self, flags: &[NamedAttr<'c>]) -> bool {
        let fast = flags.iter().find(|(name, _)| *name == FAST[0]);
        fast.is_some_and(|(_, value)| self.fast(*value).may_approximate)
    }

    /// Translates attributes to the LLVM dialect. An attribute without an equivalent is omitted if it has its
    /// default value.
    ///
    /// Returns `None` if an attribute without an equivalent has any other value.
    fn convert_attributes(&mut self, attributes: &[NamedAttr<'c>]) -> Option<Vec<NamedAttr<'c>>> {
        let mut translated = Vec::with_capacity(attributes.len());
        for (name, value) in attributes.iter().copied() {
            if name == FAST[0] {
                translated.extend(self.fast(value).llvm.map(|flags| (FAST[1], flags)));
            } else if let Some((_, default)) = WITHOUT.iter().find(|(known, _)| *known == name) {
                if value.to_string() != *default {
                    return None;
                }
            } else {
                translated.push((name, value));
            }
        }
        Some(translated)
    }

    /// Parses `#arith.fastmath`. The flags have LLVM's names.
    fn fast(&mut self, value: Attribute<'c>) -> FastMathFlags<'c> {
        if let Some(known) = self.fast.get(&attribute_id(value)) {
            return *known;
        }
        let text = value.to_string();
        let flags = text.strip_prefix("#arith.fastmath").unwrap_or("<none>");
        let mut each = flags.split(['<', ',', '>']).map(str::trim);
        let fast = FastMathFlags {
            llvm: (flags != "<none>").then(|| self.parsed(&format!("#llvm.fastmath{flags}"))),
            may_approximate: each.any(|flag| flag == "afn" || flag == "fast"),
        };
        self.fast.insert(attribute_id(value), fast);
        fast
    }
}

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
