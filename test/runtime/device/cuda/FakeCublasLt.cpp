// FakeCublasLt.cpp - cuBLASLt as far as CublasLt uses it, on the memory and the
// stream of FakeCuda.cpp. It takes attributes of the sizes that NVIDIA's takes,
// refuses what is not said or does not fit, counts what is not freed, traces
// calls, and fails where FAKE_CUBLASLT_FAILS says ("cublasLtCreate=1").
//
// FAKE_CUBLASLT_PROPOSES names what it proposes, in this order: "fast", "slow"
// and "fastest" are right and take 5, 20 and 2 us; "wrong" is not, and "off" by
// 10; "restless" differs from run to run; "refused" fails when it is run;
// "greedy" asks for more scratch memory than there is; "inplace" adds up in
// place; "invalid" is one that the library itself says is none; "rounding"
// computes in tf32 without being asked, "brief" in 5 bits. Who is asked for
// tf32 cuts factors off, as tensor cores may.
#include "runtime/abi/boost_call.h"
#include "runtime/device/cuda/CublasLtApi.h"

#include "runtime/device/cuda/LtMatmulDesc.h"
#include "test/runtime/device/Elements.h"
#include "test/runtime/device/cuda/FakeCuda.h"
#include "test/runtime/device/cuda/FakeSettings.h"

#include <cstring>
#include <map>
#include <sstream>
#include <string>

using namespace boostrt;
using namespace boostrt::cuda;
using namespace boostrt::cuda::fake;

namespace {

constexpr int kInvalidValue = 7, kNotSupported = 15, kExecutionFailed = 13;
int live = 0, runs = 0;
std::string trace;

struct Kind {
  const char *name;
  double microseconds;
};
constexpr Kind kKinds[] = {{"fast", 5},     {"slow", 20},    {"fastest", 2},
                           {"wrong", 1},    {"restless", 1}, {"refused", 1},
                           {"greedy", 1},   {"inplace", 1},  {"invalid", 1},
                           {"rounding", 1}, {"brief", 1},    {"off", 1}};

/// A handle: what was said of it, by attribute.
struct Object {
  std::map<int, uint64_t> said;
  uint64_t get(int attribute, uint64_t otherwise) const {
    auto found = said.find(attribute);
    return found == said.end() ? otherwise : found->second;
  }
};

template <class Handle> LtResult make(Handle *handle, Object object) {
  *handle = reinterpret_cast<Handle>(new Object(std::move(object)));
  ++live;
  return 0;
}
template <class Handle> LtResult destroy(Handle handle) {
  delete reinterpret_cast<Object *>(handle);
  --live;
  return 0;
}
template <class Handle> Object &of(Handle handle) {
  return *reinterpret_cast<Object *>(handle);
}

/// Attribute -> bytes that it takes.
using Sizes = std::map<int, size_t>;

LtResult say(Object &object, const Sizes &sizes, int attribute,
             const void *value, size_t bytes) {
  auto size = sizes.find(attribute);
  if (size == sizes.end() || size->second != bytes || !value)
    return kInvalidValue;
  uint64_t number = 0;
  std::memcpy(&number, value, bytes);
  object.said[attribute] = number;
  return 0;
}

// Attributes of our own numbering: of layouts, and of descriptions.
enum { Rows, Columns, Leading, Type };
enum { Compute = 1000 };

/// BoostFloatType of a cudaDataType_t.
uint32_t typeOf(uint64_t dataType) {
  return dataType == kLtF32   ? BOOSTC_FLOAT_F32
         : dataType == kLtF16 ? BOOSTC_FLOAT_F16
                              : BOOSTC_FLOAT_BF16;
}

constexpr uint32_t kBriefBits = ~0u << 18;

/// The product that is asked for; false where the matrices do not fit.
struct Asked {
  Object description, a, b, d;

  uint64_t rowsOf(const Object &matrix, int attribute) const {
    return matrix.get(description.get(attribute, 0) ? Columns : Rows, 0);
  }
  uint64_t columnsOf(const Object &matrix, int attribute) const {
    return matrix.get(description.get(attribute, 0) ? Rows : Columns, 0);
  }
  bool fits() const {
    bool hasBias = description.get(kLtEpilogue, 1) & kEpilogueBias;
    return rowsOf(a, kLtTransposeFirst) == d.get(Rows, 0) &&
           columnsOf(b, kLtTransposeSecond) == d.get(Columns, 0) &&
           columnsOf(a, kLtTransposeFirst) == rowsOf(b, kLtTransposeSecond) &&
           hasTypes() && hasBias == (description.get(kLtBiasPointer, 0) != 0);
  }
  /// One type of factors, to which or to f32 sums are rounded.
  bool hasTypes() const {
    uint64_t factor = a.get(Type, 0), sum = d.get(Type, 0);
    return b.get(Type, 0) == factor &&
           (sum == factor || sum == uint64_t{kLtF32});
  }
  static Elements elements(const Object &matrix, const void *data) {
    return {data, typeOf(matrix.get(Type, 0))};
  }
  static float at(const Object &matrix, const void *data, bool transposes,
                  uint64_t row, uint64_t column) {
    if (transposes)
      std::swap(row, column);
    return elements(matrix, data)[column * matrix.get(Leading, 0) + row];
  }
  /// Which bits of factors are multiplied.
  uint32_t bitsOf(const std::string &kind) const {
    return kind == "brief" ? kBriefBits
           : kind == "rounding" ||
                   description.get(Compute, 0) == uint64_t{kLtComputeTf32}
               ? kTf32Bits
               : kAllBits;
  }
  void compute(const void *left, const void *right, void *result, float error,
               uint32_t bits) const {
    uint64_t epilogue = description.get(kLtEpilogue, 1);
    // It has the type of the result, as nothing else is said of it.
    Elements bias = elements(
        d, reinterpret_cast<const void *>(description.get(kLtBiasPointer, 0)));
    for (uint64_t i = 0; i < d.get(Rows, 0); ++i)
      for (uint64_t j = 0; j < d.get(Columns, 0); ++j) {
        float sum = error;
        for (uint64_t k = 0; k < columnsOf(a, kLtTransposeFirst); ++k)
          sum += cut(at(a, left, description.get(kLtTransposeFirst, 0), i, k),
                     bits) *
                 cut(at(b, right, description.get(kLtTransposeSecond, 0), k, j),
                     bits);
        if (epilogue == kEpilogueBias)
          sum += bias[i];
        elements(d, result).set(j * d.get(Leading, 0) + i, sum);
      }
  }
};

size_t kindOf(const LtAlgorithm &algorithm) { return algorithm.data[0]; }

void describe(size_t kind, LtHeuristic &found) {
  found = {};
  found.algorithm.data[0] = kind;
  found.algorithm.data[7] = 0x0123456789abcdef;
  std::string name = kKinds[kind].name;
  found.scratchBytes = name == "greedy" ? uint64_t{1} << 40 : 256;
  found.state = name == "invalid" ? kNotSupported : 0;
}

} // namespace

#define FAKE(symbol) extern "C" LtResult symbol
#define FAIL_IF_ASKED                                                          \
  trace += std::string(__func__) + "\n";                                       \
  if (int failure = failureOf("FAKE_CUBLASLT_FAILS", __func__))                \
  return failure

extern "C" int fakeCublasLtLiveObjects() { return live; }
extern "C" const char *fakeCublasLtTrace() { return trace.c_str(); }
extern "C" void fakeCublasLtForget() { trace.clear(); }

extern "C" size_t cublasLtGetVersion() {
  return static_cast<size_t>(
      std::stoi(setting("FAKE_CUBLASLT_VERSION", "130203")));
}
extern "C" const char *cublasLtGetStatusName(LtResult result) {
  return result == 1    ? "CUBLAS_STATUS_NOT_INITIALIZED"
         : result == 7  ? "CUBLAS_STATUS_INVALID_VALUE"
         : result == 13 ? "CUBLAS_STATUS_EXECUTION_FAILED"
         : result == 15 ? "CUBLAS_STATUS_NOT_SUPPORTED"
                        : "unknown";
}
FAKE(cublasLtCreate)(LtHandle *handle) {
  FAIL_IF_ASKED;
  return make(handle, {});
}
FAKE(cublasLtDestroy)(LtHandle handle) { return destroy(handle); }
FAKE(cublasLtMatmulDescCreate)(LtDescription *description, int compute,
                               int scale) {
  FAIL_IF_ASKED;
  if ((compute != kLtComputeF32 && compute != kLtComputeTf32) ||
      scale != kLtF32)
    return kInvalidValue;
  return make(description, {{{Compute, static_cast<uint64_t>(compute)}}});
}
FAKE(cublasLtMatmulDescDestroy)(LtDescription description) {
  return destroy(description);
}
FAKE(cublasLtMatmulDescSetAttribute)(LtDescription description, int attribute,
                                     const void *value, size_t bytes) {
  FAIL_IF_ASKED;
  return say(of(description),
             {{kLtTransposeFirst, 4},
              {kLtTransposeSecond, 4},
              {kLtEpilogue, 4},
              {kLtBiasPointer, 8}},
             attribute, value, bytes);
}
FAKE(cublasLtMatrixLayoutCreate)(LtLayout *layout, int type, uint64_t rows,
                                 uint64_t columns, int64_t leading) {
  FAIL_IF_ASKED;
  if ((type != kLtF32 && type != kLtF16 && type != kLtBf16) || rows == 0 ||
      columns == 0 || leading < static_cast<int64_t>(rows))
    return kInvalidValue;
  return make(layout, {{{Rows, rows},
                        {Columns, columns},
                        {Leading, static_cast<uint64_t>(leading)},
                        {Type, static_cast<uint64_t>(type)}}});
}
FAKE(cublasLtMatrixLayoutDestroy)(LtLayout layout) { return destroy(layout); }
FAKE(cublasLtMatmulPreferenceCreate)(LtPreference *preference) {
  FAIL_IF_ASKED;
  return make(preference, {});
}
FAKE(cublasLtMatmulPreferenceDestroy)(LtPreference preference) {
  return destroy(preference);
}
FAKE(cublasLtMatmulPreferenceSetAttribute)(LtPreference preference,
                                           int attribute, const void *value,
                                           size_t bytes) {
  FAIL_IF_ASKED;
  return say(of(preference),
             {{kLtMaxScratchBytes, 8},
              {kLtReductionSchemes, 4},
              {kLtAlignmentFirst, 4},
              {kLtAlignmentFirst + 1, 4},
              {kLtAlignmentFirst + 2, 4},
              {kLtAlignmentFirst + 3, 4}},
             attribute, value, bytes);
}
FAKE(cublasLtMatmulAlgoGetHeuristic)(LtHandle handle, LtDescription description,
                                     LtLayout a, LtLayout b, LtLayout c,
                                     LtLayout d, LtPreference preference,
                                     int most, LtHeuristic *found, int *count) {
  FAIL_IF_ASKED;
  const Object &prefers = of(preference);
  if (!handle || c != d ||
      !Asked{of(description), of(a), of(b), of(d)}.fits() ||
      prefers.get(kLtReductionSchemes, 7) != kLtReduceSeparately ||
      prefers.get(kLtMaxScratchBytes, 0) == 0)
    return kInvalidValue;
  for (int matrix = 0; matrix < 4; ++matrix)
    if (prefers.get(kLtAlignmentFirst + matrix, 256) != BOOSTC_ALIGNMENT)
      return kInvalidValue;
  std::istringstream names(setting("FAKE_CUBLASLT_PROPOSES", "fast"));
  *count = 0;
  for (std::string name; names >> name && *count < most;)
    for (size_t kind = 0; kind < std::size(kKinds); ++kind)
      if (name == kKinds[kind].name)
        describe(kind, found[(*count)++]);
  return 0;
}
FAKE(cublasLtMatmulAlgoCheck)(LtHandle handle, LtDescription description,
                              LtLayout a, LtLayout b, LtLayout c, LtLayout d,
                              const LtAlgorithm *algorithm,
                              LtHeuristic *found) {
  FAIL_IF_ASKED;
  if (!handle || c != d || kindOf(*algorithm) >= std::size(kKinds) ||
      !Asked{of(description), of(a), of(b), of(d)}.fits())
    return kInvalidValue;
  describe(kindOf(*algorithm), *found);
  return found->state;
}
FAKE(cublasLtMatmulAlgoConfigGetAttribute)(const LtAlgorithm *algorithm,
                                           int attribute, void *value,
                                           size_t bytes, size_t *written) {
  FAIL_IF_ASKED;
  if (attribute != kLtConfigReduction || bytes != 4 || !written)
    return kInvalidValue;
  uint32_t scheme =
      std::strcmp(kKinds[kindOf(*algorithm)].name, "inplace") == 0 ? 1 : 2;
  std::memcpy(value, &scheme, sizeof scheme);
  *written = sizeof scheme;
  return 0;
}
FAKE(cublasLtMatmul)(LtHandle handle, LtDescription description,
                     const void *alpha, const void *a, LtLayout layoutA,
                     const void *b, LtLayout layoutB, const void *beta,
                     const void *c, LtLayout layoutC, void *d, LtLayout layoutD,
                     const LtAlgorithm *algorithm, void *scratch,
                     size_t scratchBytes, Stream stream) {
  FAIL_IF_ASKED;
  Asked asked{of(description), of(layoutA), of(layoutB), of(layoutD)};
  if (!handle || !asked.fits() || *static_cast<const float *>(alpha) != 1 ||
      *static_cast<const float *>(beta) != 0 || c != d || layoutC != layoutD ||
      !a || !b || !d || !scratch || scratchBytes < 256 || !stream ||
      reinterpret_cast<uintptr_t>(scratch) % BOOSTC_SCRATCH_ALIGNMENT != 0 ||
      algorithm->data[7] != 0x0123456789abcdef)
    return kInvalidValue;
  const Kind &kind = kKinds[kindOf(*algorithm)];
  std::string name = kind.name;
  if (name == "refused")
    return kExecutionFailed;
  fake_cuda::submit(
      [=, error = errorOf(name, runs)] {
        asked.compute(a, b, d, error, asked.bitsOf(name));
      },
      scratch, kind.microseconds);
  return 0;
}
