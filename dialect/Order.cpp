// Instructions of an LLVM basic block for the scheduler of `driver::order`, and their reordering.
#include "dialect/Bridge.h"
#include "linear-layout-mlir/src/sys/bridge.rs.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"

using namespace ll;

// Returns true if a value is only unpacked, right after its definition: its parts occupy the registers.
static bool isTakenApart(const llvm::Instruction &instruction) {
  if (!instruction.getType()->isStructTy() && !instruction.getType()->isVectorTy())
    return false;
  return llvm::all_of(instruction.users(), [&](const llvm::User *user) {
    auto *part = llvm::cast<llvm::Instruction>(user);
    auto *element = llvm::dyn_cast<llvm::ExtractElementInst>(part);
    return part->getParent() == instruction.getParent() &&
           (llvm::isa<llvm::ExtractValueInst>(part) ||
            (element && llvm::isa<llvm::ConstantInt>(element->getIndexOperand())));
  });
}

// Returns true if it extracts a part of a value that is only unpacked.
static bool isPart(const llvm::Instruction &instruction) {
  if (!llvm::isa<llvm::ExtractValueInst, llvm::ExtractElementInst>(instruction))
    return false;
  auto *whole = llvm::dyn_cast<llvm::Instruction>(instruction.getOperand(0));
  return whole && isTakenApart(*whole);
}

static bool isMovable(const llvm::Instruction &instruction) {
  auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return !instruction.isTerminator() && !instruction.mayReadOrWriteMemory() && !instruction.mayHaveSideEffects() &&
         !(call && call->isConvergent()) && !llvm::isa<llvm::AllocaInst>(instruction) && !isPart(instruction);
}

static uint32_t numRegisters(const llvm::Instruction &instruction, const llvm::DataLayout &layout) {
  llvm::Type *type = instruction.getType();
  if (!type->isSized() || type->getScalarType()->isIntegerTy(1) || isTakenApart(instruction))
    return 0;
  return (layout.getTypeSizeInBits(type).getKnownMinValue() + 31) / 32;
}

rust::Vec<bridge::BlockInstruction> bridge::block_instructions(LLVMBasicBlockRef raw) {
  llvm::BasicBlock &block = *llvm::unwrap(raw);
  const llvm::DataLayout &layout = block.getDataLayout();
  llvm::DenseMap<const llvm::Value *, uint32_t> positions;
  rust::Vec<BlockInstruction> instructions;
  for (llvm::Instruction &instruction : llvm::make_range(block.getFirstNonPHIIt(), block.end())) {
    BlockInstruction facts{};
    for (const llvm::Value *operand : instruction.operands())
      if (auto found = positions.find(operand); found != positions.end())
        facts.operands.push_back(found->second);
    facts.registers = numRegisters(instruction, layout);
    facts.is_movable = isMovable(instruction);
    facts.is_live_out = llvm::any_of(instruction.users(), [&](const llvm::User *user) {
      auto *at = llvm::cast<llvm::Instruction>(user);
      return at->getParent() != &block || llvm::isa<llvm::PHINode>(at);
    });
    positions[&instruction] = instructions.size();
    instructions.push_back(std::move(facts));
  }
  return instructions;
}

void bridge::order_block(LLVMBasicBlockRef raw, rust::Slice<const uint32_t> order) {
  llvm::BasicBlock &block = *llvm::unwrap(raw);
  llvm::SmallVector<llvm::Instruction *> instructions;
  for (llvm::Instruction &instruction : llvm::make_range(block.getFirstNonPHIIt(), block.end()))
    instructions.push_back(&instruction);
  for (uint32_t position : order)
    block.splice(block.end(), &block, instructions[position]->getIterator());
}
