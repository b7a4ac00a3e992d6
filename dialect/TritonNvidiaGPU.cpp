// The dialect `ttng`: registration, and assembly formats that ODS cannot express.
#include "dialect/Dialects.h"

using namespace mlir;

// `[%token]`, or `[]` for a token result without operand; empty without tokens.
static ParseResult parseToken(OpAsmParser &parser,
                              std::optional<OpAsmParser::UnresolvedOperand> &dep, Type &token) {
  if (failed(parser.parseOptionalLSquare()))
    return success();
  token = ll::ttg::AsyncTokenType::get(parser.getContext());
  if (succeeded(parser.parseOptionalRSquare()))
    return success();
  return failure(parser.parseOperand(dep.emplace()) || parser.parseRSquare());
}

static void printToken(OpAsmPrinter &printer, Operation *, Value dep, Type token) {
  if (!token)
    return;
  printer << '[';
  if (dep)
    printer << dep;
  printer << ']';
}

// `, %barrier[%predicate]` any number of times
static ParseResult
parseBarriersAndPreds(OpAsmParser &parser,
                      SmallVectorImpl<OpAsmParser::UnresolvedOperand> &barriers,
                      SmallVectorImpl<OpAsmParser::UnresolvedOperand> &predicates) {
  while (succeeded(parser.parseOptionalComma()))
    if (parser.parseOperand(barriers.emplace_back()) || parser.parseLSquare() ||
        parser.parseOperand(predicates.emplace_back()) || parser.parseRSquare())
      return failure();
  return success();
}

static void printBarriersAndPreds(OpAsmPrinter &printer, Operation *, OperandRange barriers,
                                  OperandRange predicates) {
  for (auto [barrier, predicate] : llvm::zip(barriers, predicates))
    printer << ", " << barrier << '[' << predicate << ']';
}

#define LL_DIALECT ll::ttng::TritonNvidiaGPUDialect
#define LL_STEM TritonNvidiaGPUOps
#include "dialect/Definition.inc"

Type ll::ttng::TensorDescIm2ColType::parse(AsmParser &parser) {
  auto location = parser.getCurrentLocation();
  auto desc = dyn_cast_if_present<tt::TensorDescType>(tt::TensorDescType::parse(parser));
  if (!desc)
    return {};
  Type type =
      get(desc.getContext(), desc.getShape(), desc.getElementType(), desc.getSharedLayout());
  return isValidBuffer(type, [&] { return parser.emitError(location); }) ? type : Type();
}

void ll::ttng::TensorDescIm2ColType::print(AsmPrinter &printer) const {
  tt::TensorDescType::get(getContext(), getShape(), getElementType(), getSharedLayout())
      .print(printer);
}

// It only reads, also while in flight: one without uses is dead.
void ll::ttng::WarpGroupDotOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  for (OpOperand *operand : {&getAMutable(), &getBMutable()})
    if (isa<ttg::MemDescType>(operand->get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), operand, ttg::SharedMemory::get());
}

void ll::ttng::TMEMAllocOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Allocate::get(), getOperation()->getOpResult(0),
                       TensorMemory::get());
  if (getSrc())
    effects.emplace_back(MemoryEffects::Write::get(), getOperation()->getOpResult(0),
                         TensorMemory::get());
}
