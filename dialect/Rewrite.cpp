// Rewriter functions beyond MLIR's C API, and the pattern for canonical forms in Rust.
#include "dialect/Bridge.h"
#include "dialect/Dialects.h"
#include "linear-layout-mlir/src/sys/bridge.rs.h"

#include "mlir/CAPI/Rewrite.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

bool ll::bridge::erase(MlirRewriterBase rewriter, MlirOperation erased, MlirBlock block) {
  Operation *op = unwrap(erased);
  Block *limbo = unwrap(block);
  if (!op->use_empty())
    return false;
  auto *listener =
      dyn_cast_if_present<RewriterBase::Listener>(unwrap(rewriter)->getListener());
  // The listener visits the operands, whose producers may be dead now.
  if (listener)
    listener->notifyOperationErased(op);
  // An erased operation may still be read, so every operand remains a value of its type.
  auto standIn = [&](Value value) -> Value {
    for (BlockArgument known : limbo->getArguments())
      if (known.getType() == value.getType())
        return known;
    return limbo->addArgument(value.getType(), op->getLoc());
  };
  op->walk([&](Operation *inner) {
    for (OpOperand &operand : inner->getOpOperands())
      operand.set(standIn(operand.get()));
  });
  for (BlockOperand &successor : op->getBlockOperands())
    successor.set(limbo);
  if (listener)
    op->walk([&](Operation *inner) {
      if (inner != op)
        listener->notifyOperationErased(inner);
    });
  op->remove();
  limbo->push_back(op);
  return true;
}

void ll::bridge::move_regions(MlirRewriterBase rewriter, MlirOperation from, MlirOperation to) {
  for (auto [source, target] :
       llvm::zip_equal(unwrap(from)->getRegions(), unwrap(to)->getRegions()))
    unwrap(rewriter)->inlineRegionBefore(source, target, target.end());
}

void ll::bridge::replace_parts(MlirOperation op, rust::Slice<const MlirAttribute> from_attributes,
                               rust::Slice<const MlirAttribute> to_attributes,
                               rust::Slice<const MlirType> from_types,
                               rust::Slice<const MlirType> to_types) {
  llvm::DenseMap<Attribute, Attribute> attributes;
  for (size_t i = 0; i < from_attributes.size(); ++i)
    attributes[unwrap(from_attributes[i])] = unwrap(to_attributes[i]);
  llvm::DenseMap<Type, Type> types;
  for (size_t i = 0; i < from_types.size(); ++i)
    types[unwrap(from_types[i])] = unwrap(to_types[i]);
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](Attribute found) -> std::optional<Attribute> {
    if (Attribute replaced = attributes.lookup(found))
      return replaced;
    return std::nullopt;
  });
  replacer.addReplacement([&](Type found) -> std::optional<Type> {
    if (Type replaced = types.lookup(found))
      return replaced;
    return std::nullopt;
  });
  // The type of a dense attribute is not one of its sub-elements.
  replacer.addReplacement([&](DenseElementsAttr constant) -> std::optional<Attribute> {
    auto type = cast<ShapedType>(replacer.replace(Type(constant.getType())));
    return DenseElementsAttr::getFromRawBuffer(type, constant.getRawData());
  });
  replacer.recursivelyReplaceElementsIn(unwrap(op), /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false, /*replaceTypes=*/true);
}

namespace {

struct Canonicalize : RewritePattern {
  Canonicalize(StringRef name, MLIRContext *context) : RewritePattern(name, 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    return success(ll::bridge::canonicalize(wrap(static_cast<RewriterBase *>(&rewriter)), wrap(op)));
  }
};

} // namespace

void ll::ttg::TritonGPUDialect::getCanonicalizationPatterns(RewritePatternSet &patterns) const {
#define LL_OWN_OP(Op)
#define LL_UPSTREAM_OP(Op)
#define LL_CANONICALISED_OP(Op)                                                                    \
  patterns.add<Canonicalize>(Op::getOperationName(), patterns.getContext());
#include "OpKinds.inc"
#undef LL_OWN_OP
#undef LL_UPSTREAM_OP
#undef LL_CANONICALISED_OP
}
