#include "runtime/predict/RandomBatch.h"

#include "runtime/abi/boost_random.h"
#include "runtime/support/ElementBytes.h"
#include "runtime/support/EvalInput.h"

#include <cmath>
#include <cstring>
#include <span>

namespace boostrt {
namespace {

template <typename T> void store(std::byte *address, T value) {
  std::memcpy(address, &value, sizeof value);
}

/// Element `n` of `input`, whose name has the stream `stream`.
void fillElement(const BoostInput &input, std::byte *to, uint64_t seed,
                 uint64_t stream, uint64_t n) {
  switch (static_cast<BoostInputKind>(input.kind)) {
  case BOOSTC_INPUT_FEATURES:
    return store(to, static_cast<float>(boost_random_normal(seed, stream, n)));
  case BOOSTC_INPUT_PIXELS:
    return store(to, static_cast<uint8_t>(
                         boost_random_uniform(seed, stream, n) * 256.0));
  case BOOSTC_INPUT_LABELS:
  case BOOSTC_INPUT_INDICES:
    return store(to,
                 static_cast<int32_t>(boost_random_uniform(seed, stream, n) *
                                      static_cast<double>(input.classes)));
  case BOOSTC_INPUT_TARGETS:
  case BOOSTC_INPUT_WEIGHTS:
    // Multiples of 2^-24: what is below 1 stays so as a float.
    return store(
        to, static_cast<float>(
                std::floor(boost_random_uniform(seed, stream, n) * 0x1p24) *
                0x1p-24));
  case BOOSTC_INPUT_SAMPLE_KEYS:
    return store(to, static_cast<int32_t>(boost_sample_key(seed, 0, n)));
  }
}

} // namespace

void fillRandomBatch(const BoostProgram &program, std::byte *base,
                     uint64_t seed) {
  for (const BoostInput &input :
       std::span(program.inputs, program.input_count)) {
    if (!evaluatedInput(input.tensor.name).empty())
      continue; // at the address of another one
    std::byte *address = base + input.tensor.offset;
    uint64_t stream = boost_random_stream(input.tensor.name);
    uint64_t each = elementBytes(input.tensor.dtype);
    for (uint64_t n = 0; n < input.tensor.bytes / each; ++n)
      fillElement(input, address + each * n, seed, stream, n);
  }
  store(base + program.valid.offset, static_cast<int32_t>(program.batch_size));
}

} // namespace boostrt
