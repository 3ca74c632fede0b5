#include "runtime/checkpoint/Safetensors.h"

#include "test/runtime/checkpoint/Tensors.h"
#include "test/runtime/support/SimulatedFileSystem.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace boostrt {
namespace {

std::vector<uint8_t> written(std::span<const TensorView> tensors,
                             const SafetensorsMetadata &metadata = {}) {
  SimulatedFileSystem files;
  Status status = saveSafetensors(files, "/f", tensors, metadata);
  EXPECT_TRUE(status.ok()) << status.message();
  return *files.content("/f");
}

std::string headerOf(const std::vector<uint8_t> &file) {
  uint64_t length;
  std::memcpy(&length, file.data(), 8);
  return {file.begin() + 8, file.begin() + 8 + int64_t(length)};
}

TEST(Safetensors, TheFormatByteForByte) {
  std::vector<float> values = {1.0f, -2.0f};
  std::vector<TensorView> tensors = {
      {"a", BOOSTC_F32, {2}, SampleRun::bytes(values)}};
  std::vector<uint8_t> file = written(tensors, {{"format", "pt"}});
  std::string header =
      R"({"__metadata__":{"format":"pt"},)"
      R"("a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  EXPECT_EQ(headerOf(file), header);
  std::vector<uint8_t> data(file.end() - 8, file.end());
  EXPECT_EQ(data, (std::vector<uint8_t>{0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0}));
  EXPECT_EQ(file.size(), 8 + header.size() + 8);
}

TEST(Safetensors, WhatIsWrittenIsRead) {
  std::vector<float> f = {0.5f, 1.5f, 2.5f};
  std::vector<int32_t> i = {-1, 2};
  std::vector<int64_t> l = {INT64_MIN};
  std::vector<float> none;
  std::vector<TensorView> tensors = {
      {"f", BOOSTC_F32, {3, 1}, SampleRun::bytes(f)},
      {"empty", BOOSTC_F32, {0, 7}, SampleRun::bytes(none)},
      {"i", BOOSTC_I32, {2}, SampleRun::bytes(i)},
      {"scalar", BOOSTC_I64, {}, SampleRun::bytes(l)}};
  Result<SafetensorsFile> content =
      openBytes(written(tensors, {{"key", "value \"quoted\""}}));
  ASSERT_TRUE(content.ok()) << content.status().message();
  EXPECT_EQ(content->metadata(),
            (SafetensorsMetadata{{"key", "value \"quoted\""}}));
  ASSERT_EQ(content->tensors().size(), tensors.size());
  for (const TensorView &tensor : tensors) {
    const TensorEntry *found = content->find(tensor.name);
    ASSERT_NE(found, nullptr) << tensor.name;
    EXPECT_EQ(found->dtype, tensor.dtype);
    EXPECT_EQ(found->shape, tensor.shape);
    EXPECT_TRUE(std::ranges::equal(bytesOf(*content, *found), tensor.bytes))
        << tensor.name;
  }
  EXPECT_EQ(content->find("g"), nullptr);
}

TEST(Safetensors, DataIsAligned) {
  for (size_t length = 1; length < 20; ++length) {
    std::vector<float> odd(3);
    std::vector<int64_t> wide(1);
    std::vector<TensorView> tensors = {
        {std::string(length, 'n'), BOOSTC_F32, {3}, SampleRun::bytes(odd)},
        {"wide", BOOSTC_I64, {1}, SampleRun::bytes(wide)}};
    std::vector<uint8_t> file = written(tensors);
    EXPECT_EQ(headerOf(file).size() % 8, 0u);
    Result<SafetensorsFile> content = openBytes(file);
    ASSERT_TRUE(content.ok());
    EXPECT_EQ(content->tensors().front().name, "wide");
    for (const TensorEntry &tensor : content->tensors())
      EXPECT_EQ(tensor.offset % elementBytes(tensor.dtype), 0u);
  }
}

TEST(Safetensors, IsReadInPieces) {
  SampleRun run(3);
  Result<SafetensorsFile> content = openBytes(written(run.weights()));
  ASSERT_TRUE(content.ok());
  SafetensorsFile moved = std::move(*content);
  SampleRun found(0);
  ASSERT_TRUE(readTensors(moved, found.weightTargets()).ok());
  EXPECT_EQ(found.weight, run.weight);
  EXPECT_EQ(found.bias, run.bias);
  float piece[2];
  ASSERT_TRUE(moved
                  .read(*moved.find("fc1.weight"), 3 * sizeof(float),
                        {reinterpret_cast<uint8_t *>(piece), sizeof piece})
                  .ok());
  EXPECT_EQ(piece[0], run.weight[3]);
  EXPECT_EQ(piece[1], run.weight[4]);
}

TEST(Safetensors, StrangeNamesComeBack) {
  std::vector<float> value(1);
  for (std::string name : {"a\"b\\c", "größe", "", "\x01", "a/b.c"}) {
    std::vector<TensorView> tensors = {
        {name, BOOSTC_F32, {}, SampleRun::bytes(value)}};
    Result<SafetensorsFile> content = openBytes(written(tensors));
    ASSERT_TRUE(content.ok()) << content.status().message();
    EXPECT_NE(content->find(name), nullptr) << name;
  }
}

TEST(Safetensors, ViewsOfTheAbi) {
  int64_t shape[] = {2, 3};
  BoostTensor tensor{};
  tensor.name = "w";
  tensor.shape = shape;
  tensor.rank = 2;
  tensor.dtype = BOOSTC_F32;
  tensor.bytes = 24;
  std::vector<float> data(6);
  TensorView view = viewOf(tensor, data.data());
  EXPECT_EQ(view.name, "w");
  EXPECT_EQ(view.shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(view.bytes.data(), reinterpret_cast<uint8_t *>(data.data()));
  EXPECT_EQ(view.bytes.size(), 24u);
  TensorTarget target = targetOf(tensor, data.data());
  EXPECT_EQ(target.bytes.data(), view.bytes.data());
  EXPECT_EQ(target.bytes.size(), 24u);
}

TEST(Safetensors, WritingChecksItsInput) {
  std::vector<float> data(4);
  auto save = [&](std::vector<TensorView> tensors) {
    SimulatedFileSystem files;
    Status status = saveSafetensors(files, "/f", tensors);
    EXPECT_EQ(files.content("/f"), nullptr);
    return status;
  };
  auto bytes = SampleRun::bytes(data);
  expectError(
      save({{"a", BOOSTC_F32, {4}, bytes}, {"a", BOOSTC_F32, {4}, bytes}}),
      ExitCode::Internal, "the name is taken");
  expectError(save({{"__metadata__", BOOSTC_F32, {4}, bytes}}),
              ExitCode::Internal, "the name is taken");
  expectError(save({{"a", BOOSTC_I64, {4}, bytes}}), ExitCode::Internal,
              "it has 16 bytes, its shape [4] needs another number");
  expectError(save({{"a", BOOSTC_F32, {INT64_MAX, INT64_MAX}, bytes}}),
              ExitCode::Internal, "needs another number");
  expectError(save({{"a", BOOSTC_F32, {-2, -2}, bytes}}), ExitCode::Internal,
              "needs another number");
}

TEST(Safetensors, AFailedSaveKeepsTheOldFile) {
  SampleRun before(1), after(2);
  int failures = 0;
  for (int call = 1;; ++call) {
    SimulatedFileSystem files;
    ASSERT_TRUE(saveSafetensors(files, "/w", before.weights()).ok());
    const std::vector<uint8_t> old = *files.content("/w");
    files.failAt(call, ENOSPC, false);
    Status status = saveSafetensors(files, "/w", after.weights());
    if (status.ok())
      break;
    ++failures;
    EXPECT_EQ(int(status.code()), int(ExitCode::Checkpoint));
    EXPECT_NE(status.message().find("free some space"), std::string::npos);
    ASSERT_NE(files.content("/w"), nullptr);
    // Only the very last call comes after the new file is in place.
    bool isOld = *files.content("/w") == old;
    EXPECT_TRUE(isOld || status.message().find("sync") != std::string::npos)
        << status.message();
    EXPECT_EQ(files.content("/.saving-w"), nullptr);
  }
  EXPECT_EQ(failures, 8)
      << "create, 4 writes, sync, rename, sync of the directory";
}

TEST(Safetensors, ReadingReportsWhatTheFileSystemSays) {
  SimulatedFileSystem files;
  ASSERT_TRUE(saveSafetensors(files, "/w", SampleRun(1).weights()).ok());
  expectError(openSafetensors(files, "/none").status(), ExitCode::Checkpoint,
              "cannot open '/none'");
  expectError(openSafetensors(files, "/").status(), ExitCode::Checkpoint,
              "Is a directory");
  int failures = 0;
  for (int call = 1;; ++call) {
    files.failAt(call, EIO, false);
    Status status = openSafetensors(files, "/w").status();
    if (status.ok())
      break;
    ++failures;
    expectError(status, ExitCode::Checkpoint, "Input/output error");
  }
  EXPECT_EQ(failures, 3) << "open, length, header";
}

} // namespace
} // namespace boostrt
