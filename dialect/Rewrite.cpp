// Canonicalisation: Rust says what becomes of an operation, and this carries it out.
#include "dialect/Bridge.h"
#include "dialect/Dialects.h"
#include "linear-layout/src/sys/bridge.rs.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace {

struct Canonicalize : RewritePattern {
  Canonicalize(StringRef name, MLIRContext *context) : RewritePattern(name, 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    ll::bridge::RewriteAction action = ll::bridge::canonicalize(ll::bridge::handle(op));
    auto value = Value::getFromOpaquePointer(reinterpret_cast<void *>(action.value));
    switch (action.kind) {
    case 1: // the result is a value that is there already
      rewriter.replaceOp(op, value);
      return success();
    case 2: // an operand is taken from further up
      rewriter.modifyOpInPlace(op, [&] { op->setOperand(action.index, value); });
      return success();
    // What makes the operand makes the result, in the same place and with its own attributes: those of
    // what goes speak of data that no longer moves.
    case 3: {
      Operation *producer = value.getDefiningOp();
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPoint(producer);
      Operation *made = rewriter.clone(*producer);
      made->getResult(0).setType(op->getResult(0).getType());
      if (auto constant = dyn_cast<arith::ConstantOp>(made)) {
        auto splat = cast<SplatElementsAttr>(constant.getValue());
        auto type = cast<ShapedType>(op->getResult(0).getType());
        constant.setValueAttr(cast<TypedAttr>(
            Attribute(DenseElementsAttr::get(type, splat.getSplatValue<Attribute>()))));
      }
      rewriter.replaceOp(op, made->getResult(0));
      return success();
    }
    case 4: { // it is a conversion, if anything, and what passes have noted beside it stays
      auto made = ll::ttg::ConvertLayoutOp::create(rewriter, op->getLoc(),
                                                   op->getResult(0).getType(), value);
      made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
      rewriter.replaceOp(op, made);
      return success();
    }
    case 5: { // an operand is taken from further up, and the one after it follows its encoding
      Value follower = op->getOperand(action.index + 1);
      auto encoding = cast<RankedTensorType>(value.getType()).getEncoding();
      auto type = cast<RankedTensorType>(follower.getType()).cloneWithEncoding(encoding);
      Value converted = ll::ttg::ConvertLayoutOp::create(rewriter, op->getLoc(), type, follower);
      rewriter.modifyOpInPlace(op, [&] {
        op->setOperand(action.index, value);
        op->setOperand(action.index + 1, converted);
      });
      return success();
    }
    case 6: // it begins elsewhere in a larger buffer
      rewriter.modifyOpInPlace(op, [&] {
        op->setOperand(0, value);
        op->setAttr("offsets", Attribute::getFromOpaquePointer(
                                   reinterpret_cast<void *>(action.attribute)));
      });
      return success();
    case 7: { // all its elements are one number, of which no attribute can say more
      auto type = cast<RankedTensorType>(op->getResult(0).getType());
      auto number = Attribute::getFromOpaquePointer(reinterpret_cast<void *>(action.attribute));
      rewriter.replaceOpWithNewOp<arith::ConstantOp>(
          op, cast<TypedAttr>(Attribute(DenseElementsAttr::get(type, number))));
      return success();
    }
    case 8: // it is masked by what is always true
      rewriter.modifyOpInPlace(op, [&] {
        if (auto load = dyn_cast<ll::tt::LoadOp>(op)) {
          load.getMaskMutable().clear();
          load.getOtherMutable().clear();
        } else {
          cast<ll::tt::StoreOp>(op).getMaskMutable().clear();
        }
      });
      return success();
    case 9: // it does nothing
      rewriter.eraseOp(op);
      return success();
    default:
      return failure();
    }
  }
};

// What no partition uses is not captured, and nothing is captured twice.
struct DropCaptures : OpRewritePattern<ll::ttg::WarpSpecializePartitionsOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ll::ttg::WarpSpecializePartitionsOp op,
                                PatternRewriter &rewriter) const override {
    llvm::SmallMapVector<Value, unsigned, 4> places;
    for (auto [i, capture] : llvm::enumerate(op.getOperands())) {
      auto [place, isNew] = places.insert({capture, i});
      if (!isNew)
        for (Region &partition : op.getPartitionRegions())
          rewriter.replaceAllUsesWith(partition.getArgument(i),
                                      partition.getArgument(place->second));
    }
    llvm::BitVector unused(op.getNumOperands());
    for (unsigned i = 0; i != unused.size(); ++i)
      if (llvm::all_of(op.getPartitionRegions(),
                       [&](Region &partition) { return partition.getArgument(i).use_empty(); }))
        unused.set(i);
    if (unused.none())
      return failure();
    rewriter.modifyOpInPlace(op, [&] {
      for (Region &partition : op.getPartitionRegions())
        partition.front().eraseArguments(unused);
      op->eraseOperands(unused);
    });
    return success();
  }
};

// A result that nothing uses is not given.
struct DropResults : OpRewritePattern<ll::ttg::WarpSpecializeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ll::ttg::WarpSpecializeOp op,
                                PatternRewriter &rewriter) const override {
    llvm::BitVector unused(op.getNumResults());
    SmallVector<Value> used;
    for (OpResult result : op->getResults())
      if (result.use_empty())
        unused.set(result.getResultNumber());
      else
        used.push_back(result);
    if (unused.none())
      return failure();
    for (Block &block : op.getDefaultRegion())
      if (auto yield = dyn_cast<ll::ttg::WarpYieldOp>(block.getTerminator()))
        rewriter.modifyOpInPlace(yield, [&] { yield->eraseOperands(unused); });
    auto made = ll::ttg::WarpSpecializeOp::create(
        rewriter, op.getLoc(), TypeRange(ValueRange(used)), op.getPartitionNumWarpsAttr(),
        op.getWarpGroupStartIdsAttr(), op.getRequestedRegistersAttr(),
        op.getActualRegistersAttr());
    made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    for (auto [from, to] : llvm::zip_equal(op->getRegions(), made->getRegions()))
      rewriter.inlineRegionBefore(from, to, to.end());
    for (auto [from, to] : llvm::zip_equal(used, made->getResults()))
      rewriter.replaceAllUsesWith(from, to);
    rewriter.eraseOp(op);
    return success();
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
  patterns.add<DropCaptures, DropResults>(patterns.getContext());
}
