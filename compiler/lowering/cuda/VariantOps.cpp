#include "compiler/lowering/cuda/VariantOps.h"
#include "dialects/rt/RtDialect.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SetVector.h"
#include <map>
#include <set>

using namespace mlir;
using namespace boostc;

/// A hash of what ops have in common that have equal kernels.
static llvm::hash_code hashOf(Operation *op) {
  llvm::hash_code hash = OperationEquivalence::computeHash(
      op, OperationEquivalence::ignoreHashValue,
      OperationEquivalence::ignoreHashValue,
      OperationEquivalence::IgnoreLocations);
  for (Type type : op->getOperandTypes())
    hash = llvm::hash_combine(hash, type);
  for (Region &region : op->getRegions())
    for (Operation &inner : region.getOps())
      hash = llvm::hash_combine(hash, hashOf(&inner));
  return hash;
}

VariantOps::VariantOps(ArrayRef<func::FuncOp> all)
    : count(static_cast<unsigned>(all.size())) {
  unsigned number = 0;
  for (func::FuncOp function : all) {
    for (Operation &op : function.front()) {
      llvm::SmallBitVector &own = variants[hashOf(&op)];
      own.resize(count);
      own.set(number);
    }
    ++number;
  }
}

llvm::SmallBitVector VariantOps::getVariants(Operation *op) const {
  auto found = variants.find(hashOf(op));
  return found == variants.end() ? llvm::SmallBitVector(count) : found->second;
}

/// Where in memory the parameters of `function` are.
static std::set<uint64_t> getParameters(func::FuncOp function) {
  std::set<uint64_t> offsets;
  for (auto buffer : function.getOps<rt::BufferOp>())
    if (buffer.getArena() == rt::Arena::Parameter)
      offsets.insert(buffer.getOffset());
  return offsets;
}

VariantOpsOfFunctions boostc::findVariantOps(train::ProgramOp program) {
  using Functions = llvm::SetVector<func::FuncOp>;
  std::map<std::set<uint64_t>, std::array<Functions, 2>> alike;
  for (const train::StepVariant &variant : program.getVariants()) {
    if (!variant.update)
      continue; // of IR that lacks the step
    auto &[micros, updates] = alike[getParameters(variant.update)];
    if (variant.micro)
      micros.insert(variant.micro);
    updates.insert(variant.update);
  }
  VariantOpsOfFunctions found;
  for (const auto &[parameters, kinds] : alike)
    for (const Functions &functions : kinds) {
      if (functions.size() < 2)
        continue;
      auto ops = std::make_shared<VariantOps>(functions.getArrayRef());
      for (func::FuncOp function : functions)
        found[function] = ops;
    }
  return found;
}
