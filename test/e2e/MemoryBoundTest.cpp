// The memory plan of every example against the least that its own code needs.
// Lifetimes are read off the planned IR, by rules of their own: a place is
// alive from an op that overwrites it to the last that reads it before the next
// such.

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Parser/Parser.h"
#include "runtime/abi/boost_abi.h"
#include "test/e2e/Programs.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <sstream>

using namespace mlir;
using namespace boostc;
using namespace boostc::e2e;

namespace {

struct Lifetime {
  int64_t bytes, first, last;
};

rt::BufferOp getPlace(Value value) {
  while (auto view = value.getDefiningOp<ViewLikeOpInterface>())
    value = view.getViewSource();
  return value.getDefiningOp<rt::BufferOp>();
}

/// Whether `operand` is written without being read.
bool overwrites(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    return operand.get() == copy.getTarget();
  if (auto generic = dyn_cast<linalg::LinalgOp>(op))
    return generic.isDpsInit(&operand) &&
           !generic.payloadUsesValueFromOperand(&operand);
  if (auto product = dyn_cast<rt::MatmulOp>(op))
    return operand.get() == product.getC() ||
           operand.get() == product.getScratch();
  if (auto convolution = dyn_cast<rt::ConvolutionOp>(op))
    return operand.get() == convolution.getC();
  return false;
}

/// Reads by the op itself end lives before what it overwrites is born, except
/// where it is one and the same op.
std::vector<Lifetime> findLifetimes(func::FuncOp function) {
  std::vector<Lifetime> done;
  std::map<Operation *, Lifetime> alive;
  int64_t position = 0;
  for (Operation &op : function.front()) {
    if (isa<ViewLikeOpInterface>(op))
      continue;
    ++position;
    for (OpOperand &operand : op.getOpOperands()) {
      rt::BufferOp place = getPlace(operand.get());
      if (!place || place.getArena() != rt::Arena::Transient)
        continue;
      auto type = cast<MemRefType>(place.getType());
      int64_t bytes = type.getNumElements() * type.getElementTypeBitWidth() / 8;
      bytes =
          (bytes + BOOSTC_ALIGNMENT - 1) / BOOSTC_ALIGNMENT * BOOSTC_ALIGNMENT;
      auto known = alive.find(place);
      bool isBorn = overwrites(operand) &&
                    (known == alive.end() || known->second.last < position);
      if (isBorn && known != alive.end()) {
        done.push_back(known->second);
        alive.erase(known);
      }
      auto [entry, isNew] =
          alive.try_emplace(place, Lifetime{bytes, position, position});
      entry->second.last = position;
    }
  }
  for (const auto &[place, life] : alive)
    done.push_back(life);
  return done;
}

int64_t getBound(const std::vector<Lifetime> &lives) {
  int64_t bound = 0;
  for (const Lifetime &at : lives) {
    int64_t sum = 0;
    for (const Lifetime &life : lives)
      if (life.first <= at.first && at.first <= life.last)
        sum += life.bytes;
    bound = std::max(bound, sum);
  }
  return bound;
}

int64_t getEnd(func::FuncOp function) {
  int64_t end = 0;
  function.walk([&](rt::BufferOp place) {
    if (place.getArena() == rt::Arena::Transient && !place->use_empty())
      end = std::max<int64_t>(end, place.getOffset() +
                                       countBytes(place->getResultTypes()));
  });
  return end;
}

/// Compares the plan of every function of `json` with its bound.
void checkPlans(const std::filesystem::path &model, const std::string &json,
                uint64_t maxRecomputed) {
  CompileOptions options;
  options.to = Phase::Buffers;
  options.phase.maxRecomputed = maxRecomputed;
  SmallVector<char, 0> ir = compileText(json, options);
  Context context;
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      StringRef(ir.data(), ir.size()), &context.mlir);
  ASSERT_TRUE(module) << context.diagnostics;
  module->walk([&](func::FuncOp function) {
    std::vector<Lifetime> lives = findLifetimes(function);
    int64_t bound = getBound(lives), end = getEnd(function);
    testing::Test::RecordProperty(
        model.parent_path().filename().string() + "_" +
            function.getName().str() + (maxRecomputed > 0 ? "_recomputed" : ""),
        std::to_string(end) + " of " + std::to_string(bound));
    // Bytes beyond the last whole piece of alignment count in the bound only.
    EXPECT_LE(static_cast<double>(end), 1.05 * static_cast<double>(bound))
        << model << ", @" << function.getName().str() << ", " << maxRecomputed;
    EXPECT_GT(end + BOOSTC_ALIGNMENT, bound)
        << "the bound is wrong: " << model << ", @" << function.getName().str();
  });
}

TEST(MemoryBound, Examples) {
  int examples = 0;
  for (const auto &entry : std::filesystem::directory_iterator(
           std::string(BOOSTC_SOURCE_DIR) + "/examples")) {
    std::filesystem::path model = entry.path() / "model.json";
    if (!std::filesystem::exists(model))
      continue;
    ++examples;
    std::ostringstream json;
    json << std::ifstream(model).rdbuf();
    // With what a memory budget makes of them, too.
    for (uint64_t maxRecomputed :
         {uint64_t{0}, std::numeric_limits<uint64_t>::max()})
      checkPlans(model, json.str(), maxRecomputed);
  }
  EXPECT_GT(examples, 0);
}

} // namespace
