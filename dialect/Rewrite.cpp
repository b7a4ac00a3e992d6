// Rewriting: what MLIR's rewriter offers to Rust beyond its C API, and the pattern that asks Rust for
// canonical forms.
#include "dialect/Bridge.h"
#include "dialect/Dialects.h"
#include "linear-layout-mlir/src/sys/bridge.rs.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

static RewriterBase &rewriterAt(size_t address) {
  return *reinterpret_cast<RewriterBase *>(address);
}
static Operation *operationAt(size_t address) { return reinterpret_cast<Operation *>(address); }

bool ll::bridge::erase(size_t rewriter, size_t address, size_t block) {
  Operation *op = operationAt(address);
  auto *limbo = reinterpret_cast<Block *>(block);
  if (!op->use_empty())
    return false;
  auto *listener =
      dyn_cast_if_present<RewriterBase::Listener>(rewriterAt(rewriter).getListener());
  // It sees the operands, whose producers may be dead now.
  if (listener)
    listener->notifyOperationErased(op);
  // What is erased may still be read, so every operand stays a value of its type.
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

void ll::bridge::move_regions(size_t rewriter, size_t from, size_t to) {
  for (auto [source, target] :
       llvm::zip_equal(operationAt(from)->getRegions(), operationAt(to)->getRegions()))
    rewriterAt(rewriter).inlineRegionBefore(source, target, target.end());
}

void ll::bridge::replace_parts(size_t op, rust::Slice<const size_t> from_attributes,
                               rust::Slice<const size_t> to_attributes,
                               rust::Slice<const size_t> from_types,
                               rust::Slice<const size_t> to_types) {
  auto attribute = [](size_t address) {
    return Attribute::getFromOpaquePointer(reinterpret_cast<void *>(address));
  };
  auto type = [](size_t address) {
    return Type::getFromOpaquePointer(reinterpret_cast<void *>(address));
  };
  llvm::DenseMap<Attribute, Attribute> attributes;
  for (size_t i = 0; i < from_attributes.size(); ++i)
    attributes[attribute(from_attributes[i])] = attribute(to_attributes[i]);
  llvm::DenseMap<Type, Type> types;
  for (size_t i = 0; i < from_types.size(); ++i)
    types[type(from_types[i])] = type(to_types[i]);
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
  // The type of a constant tensor is no sub-element of it.
  replacer.addReplacement([&](DenseElementsAttr constant) -> std::optional<Attribute> {
    auto type = cast<ShapedType>(replacer.replace(Type(constant.getType())));
    return DenseElementsAttr::getFromRawBuffer(type, constant.getRawData());
  });
  replacer.recursivelyReplaceElementsIn(operationAt(op), /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false, /*replaceTypes=*/true);
}

namespace {

struct Canonicalize : RewritePattern {
  Canonicalize(StringRef name, MLIRContext *context) : RewritePattern(name, 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    RewriterBase &base = rewriter;
    return success(
        ll::bridge::canonicalize(reinterpret_cast<size_t>(&base), ll::bridge::handle(op)));
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
