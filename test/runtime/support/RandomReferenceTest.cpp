// The random numbers of runtime/abi against published answers, and against the
// initial weights that tools/bench/torch_reference.py drew for PyTorch.
#include "runtime/abi/boost_random.h"
#include "runtime/support/File.h"
#include "runtime/support/Sha256.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cmath>

namespace boostrt {
namespace {

void expectWords(const BoostRandomBlock &block,
                 std::array<uint32_t, 4> expected) {
  for (size_t i = 0; i < 4; ++i)
    EXPECT_EQ(block.word[i], expected[i]) << i;
}

// Random123, kat_vectors, philox4x32 with 10 rounds.
TEST(Random, KnownAnswers) {
  expectWords(boost_random_block(0, 0, 0),
              {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  expectWords(boost_random_block(UINT64_MAX, UINT64_MAX, UINT64_MAX),
              {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  expectWords(boost_random_block(0x299f31d0a4093822, 0x0370734413198a2e,
                                 0x85a308d3243f6a88),
              {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

// Noll, "FNV hash", test vectors.
TEST(Random, StreamsAreFnv1a) {
  EXPECT_EQ(boost_random_stream(""), 0xcbf29ce484222325u);
  EXPECT_EQ(boost_random_stream("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(boost_random_stream("foobar"), 0x85944171f73967e8u);
}

TEST(Random, InitialWeightsAreThoseOfTheReference) {
  Result<std::vector<uint8_t>> text = readWholeFile(
      realFileSystem(), BOOSTC_REFERENCE_FILE, 1 << 24, ExitCode::Data);
  ASSERT_TRUE(text.ok()) << text.status().message();
  nlohmann::json reference = nlohmann::json::parse(*text);
  uint64_t seed = reference["recipe"]["seed"];
  EXPECT_EQ(reference["initial_weights"].size(), 6u);
  for (auto &[name, parameter] : reference["initial_weights"].items()) {
    // Biases are drawn with the bound of their layer's weight.
    std::string layer = name.substr(0, name.find('.'));
    double fanIn = reference["initial_weights"][layer + ".weight"]["shape"][1];
    uint64_t elements = 1;
    for (uint64_t extent : parameter["shape"])
      elements *= extent;
    std::vector<float> values(elements);
    double bound = 1.0 / std::sqrt(fanIn);
    for (uint64_t i = 0; i < elements; ++i)
      values[i] =
          float(boost_initial_value(BOOSTC_INIT_UNIFORM, -bound, bound, seed,
                                    boost_random_stream(name.c_str()), i));
    EXPECT_EQ(toHex(sha256({reinterpret_cast<const uint8_t *>(values.data()),
                            values.size() * sizeof(float)})),
              parameter["sha256"].get<std::string>())
        << name;
  }
}

} // namespace
} // namespace boostrt
