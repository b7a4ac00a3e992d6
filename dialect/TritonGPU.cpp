// The dialect `ttg`: registration, aliases, and assembly formats that ODS cannot express.
#include "dialect/Bridge.h"
#include "dialect/Dialects.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

// `[0, 16]` without its brackets.
static ParseResult parseOffsets(OpAsmParser &parser, DenseI32ArrayAttr &offsets) {
  SmallVector<int32_t> values;
  if (parser.parseCommaSeparatedList(
          [&] { return ParseResult(parser.parseInteger(values.emplace_back())); }))
    return failure();
  offsets = parser.getBuilder().getDenseI32ArrayAttr(values);
  return success();
}

static void printOffsets(OpAsmPrinter &printer, Operation *, DenseI32ArrayAttr offsets) {
  llvm::interleaveComma(offsets.asArrayRef(), printer);
}

// `local|global_read`
static ParseResult parseAddrSpace(OpAsmParser &parser, ll::ttg::AddrSpaceAttr &spaces) {
  auto all = ll::ttg::AddrSpace::None;
  do {
    auto location = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name))
      return failure();
    std::optional<ll::ttg::AddrSpace> space = ll::ttg::symbolizeAddrSpace(name);
    if (!space)
      return parser.emitError(location)
             << "expected `none`, `local`, `global_read`, `global_write`, `tensor_read`, "
                "`tensor_write` or `all`, got `"
             << name << "`";
    all = all | *space;
  } while (succeeded(parser.parseOptionalVerticalBar()));
  spaces = ll::ttg::AddrSpaceAttr::get(parser.getContext(), all);
  return success();
}

static void printAddrSpace(OpAsmPrinter &printer, Operation *, ll::ttg::AddrSpaceAttr spaces) {
  printer << ll::ttg::stringifyAddrSpace(spaces.getValue());
}

namespace {

// Aliases of attributes in printed modules: `#blocked`, `#blocked1`, ... as in Triton, or pretty ones.
struct EncodingAliases : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attr, raw_ostream &os) const override {
    using namespace ll::ttg;
    using namespace ll::ttng;
    if (ll::printPrettyName(attr, os))
      return AliasResult::FinalAlias;
    StringRef name =
        TypeSwitch<Attribute, StringRef>(attr)
            .Case([](BlockedEncodingAttr) { return "blocked"; })
            .Case([](LinearEncodingAttr) { return "linear"; })
            .Case([](GenericLinearEncodingAttr) { return "generic_linear"; })
            .Case<NvidiaMmaEncodingAttr, AMDMfmaEncodingAttr, AMDWmmaEncodingAttr>(
                [](auto) { return "mma"; })
            .Case<SwizzledSharedEncodingAttr, AMDRotatingSharedEncodingAttr,
                  PaddedSharedEncodingAttr, PartitionedSharedEncodingAttr, NVMMASharedEncodingAttr,
                  SharedLinearEncodingAttr>([](auto) { return "shared"; })
            .Case([](SharedMemorySpaceAttr) { return "smem"; })
            .Case([](TensorMemoryEncodingAttr) { return "tmem"; })
            .Case([](TensorMemoryScalesEncodingAttr) { return "tmem_scales"; })
            .Case([](ll::cute::LayoutAttr) { return "cute_layout"; })
            .Case([](ll::tilus::RegisterAttr) { return "tilus_register"; })
            .Default(StringRef());
    if (name.empty())
      return AliasResult::NoAlias;
    os << name;
    return AliasResult::FinalAlias;
  }
};

} // namespace

#define LL_DIALECT ll::ttg::TritonGPUDialect
#define LL_STEM TritonGPUOps
#define LL_PREPARE                                                                                 \
  layoutCache = std::make_shared<LayoutCacheHolder>();                                             \
  addInterfaces<EncodingAliases>();
#include "dialect/Definition.inc"

// `<[32:+4, 128:+8] {order = [1, 0], shape = [16, 32]}>`
Attribute ll::ttg::PaddedSharedEncodingAttr::parse(AsmParser &parser, Type) {
  SmallVector<unsigned> intervals, paddings;
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
        return failure(parser.parseInteger(intervals.emplace_back()) || parser.parseColon() ||
                       parser.parsePlus() || parser.parseInteger(paddings.emplace_back()));
      }))
    return {};
  FailureOr<DictionaryAttr> linear = parseNamedBases(parser);
  if (failed(linear) || parser.parseGreater())
    return {};
  return get(parser.getContext(), intervals, paddings, *linear);
}

void ll::ttg::PaddedSharedEncodingAttr::print(AsmPrinter &printer) const {
  printer << "<[";
  llvm::interleaveComma(llvm::zip(getIntervals(), getPaddings()), printer, [&](auto pair) {
    printer << std::get<0>(pair) << ":+" << std::get<1>(pair);
  });
  printer << "] ";
  printNamedBases(printer, getLinear());
  printer << '>';
}

Type ll::ttg::MemDescType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape, allocShape;
  Type element;
  Attribute encoding, space;
  bool isMutable = false;
  auto location = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(element) || parser.parseComma() || parser.parseAttribute(encoding) ||
      parser.parseComma() || parser.parseAttribute(space))
    return {};
  if (succeeded(parser.parseOptionalComma())) {
    if (succeeded(parser.parseOptionalKeyword("mutable"))) {
      isMutable = true;
      if (succeeded(parser.parseOptionalComma()) &&
          parser.parseDimensionList(allocShape, false, /*withTrailingX=*/false))
        return {};
    } else if (parser.parseDimensionList(allocShape, false, /*withTrailingX=*/false)) {
      return {};
    }
  }
  if (parser.parseGreater())
    return {};
  if (allocShape.empty())
    allocShape = shape;
  MemDescType type =
      get(parser.getContext(), shape, element, encoding, space, isMutable, allocShape);
  if (!isValidBuffer(type, [&] { return parser.emitError(location); }))
    return {};
  return type;
}

void ll::ttg::MemDescType::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printDimensionList(getShape());
  printer << 'x' << getElementType() << ", " << getEncoding() << ", " << getMemorySpace();
  if (getMutableMemory())
    printer << ", mutable";
  if (getAllocShape() != getShape()) {
    printer << ", ";
    printer.printDimensionList(getAllocShape());
  }
  printer << '>';
}

ll::ttg::MemDescType ll::ttg::MemDescType::cloneWith(std::optional<ArrayRef<int64_t>> shape,
                                                     Type element) const {
  return get(getContext(), shape.value_or(getShape()), element, getEncoding(), getMemorySpace(),
             getMutableMemory(), shape.value_or(getAllocShape()));
}

void ll::ttg::LocalAllocOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (!getType().getMutableMemory() && !(*this)->hasAttr("allocation.offset"))
    return;
  effects.emplace_back(MemoryEffects::Allocate::get(), getOperation()->getOpResult(0),
                       SharedMemory::get());
  if (getSrc())
    effects.emplace_back(MemoryEffects::Write::get(), getOperation()->getOpResult(0),
                         SharedMemory::get());
}

void ll::ttg::InlineAsmOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (getPure())
    return;
  effects.emplace_back(MemoryEffects::Write::get());
  effects.emplace_back(MemoryEffects::Read::get());
}

// `(%a, %b) default {...} partition0(%x: i32, %y: i32) num_warps(4) {...} : (i32, i32) -> f32`
ParseResult ll::ttg::WarpSpecializeOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> captures;
  auto location = parser.getCurrentLocation();
  if (parser.parseOperandList(captures, AsmParser::Delimiter::Paren) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseKeyword("default") || parser.parseRegion(*result.addRegion()))
    return failure();

  OperationState partitions(parser.getEncodedSourceLoc(location),
                            WarpSpecializePartitionsOp::getOperationName());
  SmallVector<int32_t> numWarps;
  while (succeeded(
      parser.parseOptionalKeyword(("partition" + Twine(numWarps.size())).str()))) {
    SmallVector<OpAsmParser::Argument> arguments;
    if (parser.parseArgumentList(arguments, AsmParser::Delimiter::Paren, /*allowType=*/true) ||
        parser.parseKeyword("num_warps") || parser.parseLParen() ||
        parser.parseInteger(numWarps.emplace_back()) || parser.parseRParen() ||
        parser.parseRegion(*partitions.addRegion(), arguments))
      return failure();
  }

  FunctionType types;
  if (parser.parseColon() || parser.parseType(types) ||
      parser.resolveOperands(captures, types.getInputs(), location, partitions.operands))
    return failure();
  result.addTypes(types.getResults());
  result.addAttribute(getPartitionNumWarpsAttrName(result.name),
                      parser.getBuilder().getDenseI32ArrayAttr(numWarps));
  Block &holder = result.addRegion()->emplaceBlock();
  holder.push_back(Operation::create(partitions));
  return success();
}

void ll::ttg::WarpSpecializeOp::print(OpAsmPrinter &printer) {
  auto partitions = cast<WarpSpecializePartitionsOp>(getPartitionOpHolder().front().front());
  printer << '(';
  printer.printOperands(partitions.getOperands());
  printer << ')';
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {getPartitionNumWarpsAttrName()});
  printer.printNewline();
  printer << "default ";
  printer.printRegion(getDefaultRegion(), /*printEntryBlockArgs=*/false);
  for (auto [i, region, numWarps] :
       llvm::enumerate(partitions.getPartitionRegions(), getPartitionNumWarps())) {
    printer.printNewline();
    printer << "partition" << i << '(';
    llvm::interleaveComma(region.getArguments(), printer,
                          [&](BlockArgument argument) { printer.printRegionArgument(argument); });
    printer << ") num_warps(" << numWarps << ") ";
    printer.printRegion(region, /*printEntryBlockArgs=*/false);
  }
  printer << " : ";
  printer.printFunctionalType(partitions.getOperandTypes(), getResultTypes());
}

// Control enters the default region, which yields the results, and all partitions.
void ll::ttg::WarpSpecializeOp::getSuccessorRegions(RegionBranchPoint point,
                                                    SmallVectorImpl<RegionSuccessor> &regions) {
  if (point.isParent()) {
    regions.emplace_back(&getDefaultRegion());
    regions.emplace_back(&getPartitionOpHolder());
  } else if (point.getTerminatorPredecessorOrNull()->getParentRegion() == &getDefaultRegion()) {
    regions.emplace_back(getOperation(), getOperation()->getResults());
  }
}

void ll::ttg::WarpSpecializePartitionsOp::getSuccessorRegions(
    RegionBranchPoint point, SmallVectorImpl<RegionSuccessor> &regions) {
  if (point.isParent())
    for (Region &partition : getPartitionRegions())
      regions.emplace_back(&partition, partition.getArguments());
}

OperandRange ll::ttg::WarpSpecializePartitionsOp::getEntrySuccessorOperands(RegionSuccessor) {
  return getExplicitCaptures();
}
