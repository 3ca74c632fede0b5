#include "compiler/lowering/cuda/ReducePartials.h"

using namespace mlir;
using namespace boostc;

/// Elements of all results: they have no gaps.
static int64_t countResults(const Contraction &c) {
  return cast<MemRefType>(c.result.buffer.getType()).getNumElements();
}

std::optional<Contraction> boostc::splitReduction(const Contraction &whole,
                                                  int64_t partials,
                                                  Value buffer) {
  size_t loops = whole.loops.size();
  std::optional<unsigned> cut;
  auto stepOf = [&](unsigned loop) {
    return whole.getStep(whole.a, loop) + whole.getStep(whole.b, loop);
  };
  for (auto [number, loop] : llvm::enumerate(whole.loops))
    if (loop.isReduction && loop.extent % partials == 0 &&
        (!cut || stepOf(number) > stepOf(*cut)))
      cut = number;
  if (!cut)
    return std::nullopt;
  Contraction c = whole;
  int64_t extent = whole.loops[*cut].extent / partials;
  auto split = [&](LinearIndex &index) {
    index.coefficients.insert(index.coefficients.begin() + loops,
                              index[*cut] * extent);
  };
  split(c.a.offset);
  split(c.b.offset);
  for (Contraction::DerivedIndex &index : c.derived)
    split(index.numerator);
  c.bias = {};
  c.result.buffer = buffer;
  c.result.offset.constant = 0;
  c.result.offset.coefficients.insert(
      c.result.offset.coefficients.begin() + loops, countResults(whole));
  c.loops[*cut].extent = extent;
  c.loops.push_back({partials, false, "part"});
  return c;
}

Contraction boostc::reducePartials(const Contraction &whole, int64_t partials,
                                   Value buffer) {
  Contraction c;
  c.loops = whole.loops;
  for (Contraction::Loop &loop : c.loops)
    if (loop.isReduction)
      loop.extent = 1;
  c.loops.push_back({partials, true, "part"});
  for (auto [to, from] : {std::pair(&c.a, &whole.result),
                          {&c.bias, &whole.bias},
                          {&c.result, &whole.result}}) {
    if (!*from)
      continue;
    *to = *from;
    to->offset.coefficients.resize(whole.loops.size());
    to->offset.coefficients.push_back(0);
  }
  c.a.buffer = buffer;
  c.a.offset.constant = 0;
  c.a.offset.coefficients.back() = countResults(whole);
  return c;
}
