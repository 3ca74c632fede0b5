// Files made to hurt, and files that were hurt.
#include "runtime/checkpoint/Safetensors.h"

#include "test/runtime/checkpoint/Tensors.h"
#include "test/runtime/support/TemporaryDirectory.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <unistd.h>

namespace boostrt {
namespace {

std::vector<uint8_t> fileOf(const std::string &header, size_t dataBytes) {
  std::vector<uint8_t> file(8 + header.size() + dataBytes, 0x11);
  uint64_t length = header.size();
  std::memcpy(file.data(), &length, 8);
  std::ranges::copy(header, file.begin() + 8);
  return file;
}

Status parse(const std::vector<uint8_t> &file) {
  return openBytes(file).status();
}

struct HostileCase {
  const char *name;
  const char *header;
  size_t dataBytes;
  const char *reason;
};

class HostileHeader : public testing::TestWithParam<HostileCase> {};

TEST_P(HostileHeader, IsRefusedWithItsReason) {
  const HostileCase &hostile = GetParam();
  Status status = parse(fileOf(hostile.header, hostile.dataBytes));
  expectError(status, ExitCode::Checkpoint,
              "'/f' is not a usable safetensors file: ");
  expectError(status, ExitCode::Checkpoint, hostile.reason);
}

#define A(dtype, shape, offsets)                                               \
  R"("a":{"dtype":")" dtype R"(","shape":)" shape                              \
  R"(,"data_offsets":)" offsets "}"
#define B(shape, offsets)                                                      \
  R"("b":{"dtype":"F32","shape":)" shape R"(,"data_offsets":)" offsets "}"

INSTANTIATE_TEST_SUITE_P(
    All, HostileHeader,
    testing::Values(
        HostileCase{"Nothing", "", 0, "the header is not an object"},
        HostileCase{"Space", " {}", 0, "the header is not an object"},
        HostileCase{"Array", "[]", 0, "the header is not an object"},
        HostileCase{"Number", "5", 0, "the header is not an object"},
        HostileCase{"Open", "{", 0, "byte 2 of the header is not JSON"},
        HostileCase{"Trailing", "{} x", 0, "of the header is not JSON"},
        HostileCase{"TwoObjects", "{}{}", 0, "of the header is not JSON"},
        HostileCase{"Comma", "{\"a\":1,}", 0, "value of the wrong kind"},
        HostileCase{"Utf8", "{\"\xff\":{}}", 0, "of the header is not JSON"},
        HostileCase{"Overlong", "{\"\xc0\x80\":{}}", 0,
                    "of the header is not JSON"},
        HostileCase{"Surrogate", "{\"\\ud800\":{}}", 0,
                    "of the header is not JSON"},
        HostileCase{"Control", "{\"a\nb\":{}}", 0, "of the header is not JSON"},
        HostileCase{"UnusedData", "{}", 4,
                    "it has 4 bytes of data, its header says 0"},
        HostileCase{"TensorIsNumber", "{\"a\":1}", 0,
                    "the header's entry 'a' has a value of the wrong kind"},
        HostileCase{"TensorIsArray", "{\"a\":[]}", 0,
                    "value of the wrong kind"},
        HostileCase{"TensorIsNull", "{\"a\":null}", 0,
                    "value of the wrong kind"},
        HostileCase{"TensorIsTrue", "{\"a\":true}", 0,
                    "value of the wrong kind"},
        HostileCase{"TensorIsText", "{\"a\":\"x\"}", 0,
                    "value of the wrong kind"},
        HostileCase{"TensorIsEmpty", "{\"a\":{}}", 0,
                    "tensor 'a' needs dtype, shape and two data_offsets"},
        HostileCase{"UnknownKey", R"({"a":{"dtyp":"F32"}})", 0,
                    "tensor 'a' has an unknown key 'dtyp'"},
        HostileCase{"KeyTwice", R"({"a":{"dtype":"F32","dtype":"F32"}})", 0,
                    "tensor 'a' has a duplicate key 'dtype'"},
        HostileCase{"NoOffsets", R"({"a":{"dtype":"F32","shape":[]}})", 0,
                    "needs dtype, shape and two data_offsets"},
        HostileCase{"DTypeIsNumber", R"({"a":{"dtype":5}})", 0, "wrong kind"},
        HostileCase{"DTypeIsObject", R"({"a":{"dtype":{}}})", 0, "wrong kind"},
        HostileCase{"ShapeIsText", R"({"a":{"shape":"1"}})", 0, "wrong kind"},
        HostileCase{"ShapeIsNested", R"({"a":{"shape":[[1]]}})", 0,
                    "wrong kind"},
        HostileCase{"OtherDType", "{" A("F64", "[1]", "[0,8]") "}", 8,
                    "tensor 'a' has dtype 'F64', expected F32, I32, I64 or U8"},
        HostileCase{"OneOffset", "{" A("F32", "[1]", "[0]") "}", 4,
                    "needs dtype, shape and two data_offsets"},
        HostileCase{"ThreeOffsets", "{" A("F32", "[1]", "[0,4,4]") "}", 4,
                    "tensor 'a' needs two data_offsets"},
        HostileCase{"Negative", "{" A("F32", "[-1]", "[0,4]") "}", 4,
                    "wrong kind"},
        HostileCase{"Fraction", "{" A("F32", "[1.0]", "[0,4]") "}", 4,
                    "wrong kind"},
        HostileCase{"Beyond64Bits",
                    "{" A("F32", "[18446744073709551616]", "[0,4]") "}", 4,
                    "wrong kind"},
        HostileCase{"BeyondInt64",
                    "{" A("F32", "[9223372036854775808]", "[0,4]") "}", 4,
                    "tensor 'a' has an impossible shape"},
        HostileCase{"ProductOverflows",
                    "{" A("F32", "[4294967296,4294967296]", "[0,0]") "}", 0,
                    "tensor 'a' has an impossible shape"},
        HostileCase{"BytesOverflow",
                    "{" A("F32", "[4611686018427387904]", "[0,0]") "}", 0,
                    "tensor 'a' has an impossible shape"},
        HostileCase{"OffsetsOverflow",
                    "{" A("F32", "[1]", "[18446744073709551612,0]") "}", 4,
                    "lies at bytes 18446744073709551612 to 0"},
        HostileCase{"Backwards",
                    "{" A("F32", "[0]", "[0,0]") "," B("[1]", "[4,0]") "}", 4,
                    "lies at bytes 4 to 0"},
        HostileCase{"ShapeTooLarge", "{" A("F32", "[2]", "[0,4]") "}", 4,
                    "tensor 'a' has 4 bytes, its shape needs 8"},
        HostileCase{"PastTheEnd", "{" A("F32", "[2]", "[0,8]") "}", 4,
                    "it has 4 bytes of data, its header says 8"},
        HostileCase{"HoleAtTheStart", "{" A("F32", "[1]", "[4,8]") "}", 8,
                    "lies at bytes 4 to 8 of the data, expected from byte 0"},
        HostileCase{"HoleInTheMiddle",
                    "{" A("F32", "[1]", "[0,4]") "," B("[1]", "[8,12]") "}", 12,
                    "tensor 'b' lies at bytes 8 to 12 of the data, expected "
                    "from byte 4"},
        HostileCase{"HoleAtTheEnd", "{" A("F32", "[1]", "[0,4]") "}", 8,
                    "it has 8 bytes of data, its header says 4"},
        HostileCase{"Overlap",
                    "{" A("F32", "[2]", "[0,8]") "," B("[2]", "[4,12]") "}", 12,
                    "tensor 'b' lies at bytes 4 to 12 of the data, expected "
                    "from byte 8"},
        HostileCase{"SameBytes",
                    "{" A("F32", "[1]", "[0,4]") "," B("[1]", "[0,4]") "}", 4,
                    "expected from byte 4"},
        HostileCase{
            "TensorTwice",
            "{" A("F32", "[1]", "[0,4]") "," A("F32", "[1]", "[4,8]") "}", 8,
            "duplicate tensor 'a'"},
        HostileCase{"MetadataTwice", R"({"__metadata__":{},"__metadata__":{}})",
                    0, "duplicate key '__metadata__'"},
        HostileCase{"MetadataKeyTwice", R"({"__metadata__":{"k":"1","k":"2"}})",
                    0, "duplicate metadata key 'k'"},
        HostileCase{"MetadataIsNumber", R"({"__metadata__":{"k":1}})", 0,
                    "wrong kind"},
        HostileCase{"MetadataIsNested", R"({"__metadata__":{"k":{}}})", 0,
                    "wrong kind"},
        HostileCase{"MetadataIsArray", R"({"__metadata__":[]})", 0,
                    "wrong kind"}),
    [](const auto &info) { return info.param.name; });

TEST(HostileSafetensors, TheSmallestLegalFiles) {
  EXPECT_TRUE(parse(fileOf("{}", 0)).ok());
  EXPECT_TRUE(parse(fileOf("{}      ", 0)).ok());
  EXPECT_TRUE(parse(fileOf("{" A("F32", "[]", "[0,4]") "}", 4)).ok());
  EXPECT_TRUE(
      parse(fileOf("{" B("[1]", "[4,8]") "," A("I32", "[1]", "[0,4]") "}", 8))
          .ok())
      << "the order in the header is free";
}

TEST(HostileSafetensors, LengthsThatLie) {
  for (size_t bytes = 0; bytes < 8; ++bytes)
    expectError(parse(std::vector<uint8_t>(bytes)), ExitCode::Checkpoint,
                "it has " + std::to_string(bytes) + " bytes");
  for (uint64_t length : {uint64_t(3), uint64_t(100'000'001), uint64_t(1) << 63,
                          UINT64_MAX, UINT64_MAX - 7}) {
    std::vector<uint8_t> file = fileOf("{}", 0);
    std::memcpy(file.data(), &length, 8);
    expectError(parse(file), ExitCode::Checkpoint,
                "it says its header has " + std::to_string(length) +
                    " bytes, at most 2 are possible");
  }
}

TEST(HostileSafetensors, DeepNestingEndsEarly) {
  std::string deep = "{\"a\":" + std::string(10'000'000, '[');
  expectError(parse(fileOf(deep, 0)), ExitCode::Checkpoint, "wrong kind");
  deep = "{" + std::string(1'000'000, ' ') + "\"a\":{\"shape\":[[[[[[[[[[";
  expectError(parse(fileOf(deep, 0)), ExitCode::Checkpoint, "wrong kind");
}

TEST(HostileSafetensors, TooManyDimensionsOrMetadata) {
  std::string shape = "[1";
  for (int i = 0; i < 32; ++i)
    shape += ",1";
  std::string header =
      R"({"a":{"dtype":"F32","shape":)" + shape + R"(],"data_offsets":[0,4]}})";
  expectError(parse(fileOf(header, 4)), ExitCode::Checkpoint,
              "an impossible shape");

  std::string metadata = R"({"__metadata__":{)";
  for (int i = 0; i < 70'000; ++i)
    metadata += (i ? ",\"" : "\"") + std::to_string(i) + R"(":"")";
  expectError(parse(fileOf(metadata + "}}", 0)), ExitCode::Checkpoint,
              "there are too many metadata entries");
}

TEST(HostileSafetensors, NamesCannotSteerATerminal) {
  Status status = parse(fileOf("{\"\\u001b[2J\":1}", 0));
  expectError(status, ExitCode::Checkpoint, "'\\x1b[2J'");
}

TEST(HostileSafetensors, AMillionTensorsAreQuick) {
  std::string header = "{";
  for (int i = 0; i < 300'000; ++i)
    header += (i ? ",\"" : "\"") + std::to_string(i) +
              R"(":{"dtype":"F32","shape":[0],"data_offsets":[0,0]})";
  Result<SafetensorsFile> content = openBytes(fileOf(header + "}", 0));
  ASSERT_TRUE(content.ok()) << content.status().message();
  EXPECT_EQ(content->tensors().size(), 300'000u);
  SampleRun run(1);
  expectError(readTensors(*content, run.weightTargets()), ExitCode::Checkpoint,
              "tensor 'fc1.weight' is missing");
}

/// A file that is almost only hole, and says a terabyte: no memory for it.
TEST(HostileSafetensors, ASparseTerabyteIsRefusedByItsHeader) {
  TemporaryDirectory directory;
  std::string path = directory / "f";
  std::vector<uint8_t> file = fileOf("{" A("F32", "[1]", "[0,4]") "}", 4);
  ASSERT_TRUE(
      writeFileAtomically(realFileSystem(), path, ExitCode::Data,
                          [&](WritableFile &f) { return f.write(file); })
          .ok());
  if (::truncate(path.c_str(), off_t(1) << 40) != 0)
    GTEST_SKIP() << "the file system holds no file of this size";
  expectError(openSafetensors(realFileSystem(), path).status(),
              ExitCode::Checkpoint, "bytes of data, its header says 4");
  expectError(openSafetensors(realFileSystem(), path, 1000).status(),
              ExitCode::Checkpoint, "the program has use for 1000");
}

std::vector<uint8_t> sampleFile() {
  SimulatedFileSystem files;
  SampleRun run(1);
  std::vector<TensorView> tensors = run.weights();
  for (TensorView &tensor : run.state())
    tensors.push_back(std::move(tensor));
  EXPECT_TRUE(saveSafetensors(files, "/f", tensors).ok());
  return *files.content("/f");
}

TEST(DamagedSafetensors, EveryTruncationIsRefused) {
  const std::vector<uint8_t> file = sampleFile();
  ASSERT_TRUE(parse(file).ok());
  for (size_t length = 0; length < file.size(); ++length)
    EXPECT_FALSE(parse({file.begin(), file.begin() + length}).ok()) << length;
  std::vector<uint8_t> longer = file;
  longer.push_back(0);
  EXPECT_FALSE(parse(longer).ok());
}

/// Without a hash, damage of values cannot be seen; but whatever is accepted
/// must be whole: every tensor inside the file, as large as its shape.
TEST(DamagedSafetensors, WhateverIsAcceptedIsConsistent) {
  const std::vector<uint8_t> file = sampleFile();
  std::mt19937_64 random(1);
  size_t accepted = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::vector<uint8_t> damaged = file;
    for (uint64_t i = 0, n = 1 + random() % 4; i < n; ++i)
      damaged[random() % file.size()] ^= uint8_t(1 + random() % 255);
    Result<SafetensorsFile> content = openBytes(damaged);
    if (!content.ok()) {
      EXPECT_EQ(int(content.status().code()), int(ExitCode::Checkpoint));
      continue;
    }
    ++accepted;
    uint64_t total = 0;
    for (const TensorEntry &tensor : content->tensors()) {
      uint64_t bytes = elementBytes(tensor.dtype);
      for (int64_t extent : tensor.shape)
        bytes *= uint64_t(extent);
      EXPECT_EQ(bytes, tensor.bytes);
      total += bytes;
      EXPECT_EQ(bytesOf(*content, tensor).size(), bytes); // all can be read
    }
    EXPECT_EQ(total, 68u);
  }
  EXPECT_GT(accepted, 100u);
  EXPECT_LT(accepted, 15'000u);
}

} // namespace
} // namespace boostrt
