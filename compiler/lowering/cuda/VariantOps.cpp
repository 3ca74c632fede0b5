#include "compiler/lowering/cuda/VariantOps.h"
#include "compiler/lowering/kernels/KernelSet.h"
#include "llvm/ADT/SetVector.h"
#include <map>
#include <set>

using namespace mlir;
using namespace boostc;

/// Where in memory the parameters of `function` are.
static std::set<uint64_t> getParameters(func::FuncOp function) {
  std::set<uint64_t> offsets;
  for (auto buffer : function.getOps<rt::BufferOp>())
    if (buffer.getArena() == rt::Arena::Parameter)
      offsets.insert(buffer.getOffset());
  return offsets;
}

VariantOps::VariantOps(train::ProgramOp program) {
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
  unsigned group = 0;
  for (const auto &[parameters, kinds] : alike)
    for (const Functions &functions : kinds)
      if (functions.size() > 1)
        add(group++, functions.getArrayRef());
}

void VariantOps::add(unsigned group, ArrayRef<func::FuncOp> functions) {
  for (auto [number, function] : llvm::enumerate(functions)) {
    groups[function] = group;
    for (Operation &op : func::FuncOp(function).front()) {
      llvm::SmallBitVector &own = variants[{group, hashOf(&op)}];
      own.resize(functions.size());
      own.set(number);
    }
  }
}

llvm::SmallBitVector VariantOps::getVariants(Operation *op) const {
  auto group = groups.find(op->getParentOp());
  if (group == groups.end())
    return {};
  return variants.lookup({group->second, hashOf(op)});
}
