#include "compiler/lowering/cuda/FlatNest.h"

using namespace mlir;
using namespace boostc;

/// Whether coefficients of loops of `extents` are those of elements that lie in
/// order, the loops in any.
static bool isInOrder(ArrayRef<int64_t> extents,
                      ArrayRef<int64_t> coefficients) {
  SmallVector<size_t> loops = llvm::to_vector(llvm::seq(extents.size()));
  llvm::sort(loops, [&](size_t a, size_t b) {
    return coefficients[a] < coefficients[b];
  });
  int64_t next = 1;
  for (size_t loop : loops) {
    if (coefficients[loop] != next)
      return false;
    next *= extents[loop];
  }
  return true;
}

static bool isFlat(const KernelBody &body, int64_t elements) {
  if (!body.isFlattenable() || body.countTerms() != 1 ||
      body.countOutputElements() != elements)
    return false;
  SmallVector<int64_t> extents, inOrder;
  for (const KernelBody::Loop &loop : body.loops)
    if (loop.extent > 1)
      extents.push_back(loop.extent);
  for (const KernelBody::Access &access : body.accesses) {
    auto type = dyn_cast<MemRefType>(access.buffer.getType());
    if (!type || !type.getLayout().isIdentity() || !access.offset ||
        access.offset->constant != 0)
      return false;
    SmallVector<int64_t> coefficients;
    for (auto [number, loop] : llvm::enumerate(body.loops))
      if (loop.extent > 1)
        coefficients.push_back((*access.offset)[number]);
    if (llvm::all_of(coefficients, [](int64_t c) { return c == 0; }))
      continue;
    if (inOrder.empty() && isInOrder(extents, coefficients))
      inOrder = coefficients;
    if (coefficients != inOrder || type.getNumElements() != elements)
      return false;
  }
  return !inOrder.empty();
}

std::optional<int64_t> boostc::countFlatElements(const GridNest &nest) {
  if (nest.plan.tiling || nest.plan.blocks > 0)
    return std::nullopt;
  int64_t elements = nest.getMain().countOutputElements();
  if (!llvm::all_of(nest.members, [&](const GridNest::Member &member) {
        return isFlat(*member.body, elements);
      }))
    return std::nullopt;
  return elements;
}

void boostc::flatten(GridNest &nest) {
  std::optional<int64_t> elements = countFlatElements(nest);
  if (!elements)
    return;
  for (GridNest::Member &member : nest.members) {
    member.body->flatten(*elements);
    member.loops.assign(1, 0u);
  }
  nest.plan = planGrid(nest.getMain(), {0});
  setVectorTile(nest.plan, nest.getMain());
}
