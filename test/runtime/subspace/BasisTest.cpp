// Bases in files: made of checkpoints, and read.
#include "runtime/subspace/PrincipalComponents.h"

#include "runtime/checkpoint/Safetensors.h"
#include "test/runtime/support/SimulatedFileSystem.h"
#include "test/runtime/support/TemporaryDirectory.h"

#include <cmath>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

namespace boostrt {
namespace {

using testing::HasSubstr;

/// More columns than are read at once, which are no multiple of these.
BasisLayout layout() {
  BasisLayout layout;
  layout.parts = {{"w", {700, 101}, 0, 70700}, {"b", {3}, 70700, 3}};
  layout.columns = 70703;
  return layout;
}

constexpr int kCheckpoints = 5;

/// Weights of checkpoint `number`.
std::vector<float> weights(int number) {
  std::mt19937 draw(static_cast<uint32_t>(number));
  std::normal_distribution<float> normal;
  std::vector<float> drawn(layout().columns);
  for (float &x : drawn)
    x = 0.5f + normal(draw);
  return drawn;
}

void save(FileSystem &files, const std::string &path,
          std::vector<float> drawn) {
  std::vector<TensorView> views;
  for (const BasisPart &part : layout().parts)
    views.push_back({part.name,
                     BOOSTC_F32,
                     part.shape,
                     {reinterpret_cast<uint8_t *>(drawn.data() + part.offset),
                      part.columns * sizeof(float)}});
  Status saved = saveSafetensors(files, path, views);
  ASSERT_TRUE(saved.ok()) << saved.message();
}

/// Rows of a basis, read back part by part.
std::vector<std::vector<float>> read(FileSystem &files, const std::string &path,
                                     int64_t components) {
  BasisLayout columns = layout();
  std::vector<std::vector<float>> rows(components);
  auto take = [&](int64_t row, size_t part, std::span<float> given) {
    EXPECT_EQ(rows[row].size(), columns.parts[part].offset);
    rows[row].insert(rows[row].end(), given.begin(), given.end());
    return Status();
  };
  Result<uint64_t> hash = readBasis(files, path, columns, components, take);
  EXPECT_TRUE(hash.ok()) << hash.status().message();
  EXPECT_NE(*hash, 0u);
  return rows;
}

double dot(const std::vector<float> &a, const std::vector<float> &b) {
  double sum = 0.0;
  for (size_t i = 0; i < a.size(); ++i)
    sum += static_cast<double>(a[i]) * b[i];
  return sum;
}

TEST(Basis, IsTheSameHoweverManyVectorsAreMadeAtOnce) {
  TemporaryDirectory directory;
  FileSystem &files = realFileSystem();
  for (int i = 0; i < kCheckpoints; ++i)
    save(files, directory / fmt::format("{}.safetensors", i), weights(i));
  PcaOptions options{directory.path(), 4, directory / "whole.npy"};
  Result<PcaResult> whole = makeBasis(files, layout(), options);
  ASSERT_TRUE(whole.ok()) << whole.status().message();
  EXPECT_EQ(whole->checkpoints, kCheckpoints);
  options.output = directory / "single.npy";
  options.memory = 1; // less than a vector: one at once
  ASSERT_TRUE(makeBasis(files, layout(), options).ok());
  auto bytes = [&](const char *name) {
    return *readWholeFile(files, directory / name, UINT64_MAX, ExitCode::Data);
  };
  EXPECT_EQ(bytes("whole.npy"), bytes("single.npy"));
  EXPECT_EQ(bytes("whole.json"), bytes("single.json"));

  std::vector<std::vector<float>> rows = read(files, options.output, 4);
  for (size_t i = 0; i < rows.size(); ++i)
    for (size_t j = 0; j <= i; ++j)
      EXPECT_NEAR(dot(rows[i], rows[j]), i == j, 1e-6) << i << " " << j;
  // All directions in which the checkpoints differ: they are in the space.
  std::vector<float> difference = weights(0), other = weights(3);
  for (size_t i = 0; i < difference.size(); ++i)
    difference[i] -= other[i];
  double inside = 0.0;
  for (const std::vector<float> &row : rows)
    inside += std::pow(dot(difference, row), 2);
  EXPECT_NEAR(inside / dot(difference, difference), 1.0, 1e-5);
}

TEST(Basis, TakesNoLongerThanItMay) {
  SimulatedFileSystem files;
  ASSERT_TRUE(files.makeDirectory("/d").ok());
  for (int i = 0; i < kCheckpoints; ++i)
    save(files, fmt::format("/d/{}.safetensors", i), weights(i));
  PcaOptions options{"/d", 4, "/d/basis.npy", std::chrono::seconds(-1)};
  Result<PcaResult> made = makeBasis(files, layout(), options);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.status().code(), ExitCode::Checkpoint);
  EXPECT_THAT(made.status().message(), HasSubstr("(dim_reduce.timeout)"));
}

TEST(Basis, WeightsThatAreNotFiniteHaveNone) {
  SimulatedFileSystem files;
  ASSERT_TRUE(files.makeDirectory("/d").ok());
  for (int i = 0; i < kCheckpoints; ++i) {
    std::vector<float> drawn = weights(i);
    if (i == 2)
      drawn.back() = INFINITY;
    save(files, fmt::format("/d/{}.safetensors", i), drawn);
  }
  Result<PcaResult> made = makeBasis(files, layout(), {"/d", 2, "/d/b.npy"});
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.status().message(),
            "'/d/2.safetensors' has inf in 'b', expected finite weights; leave "
            "this checkpoint out");
}

TEST(Basis, ReplacesNoFileThatDescribesNone) {
  SimulatedFileSystem files;
  ASSERT_TRUE(files.makeDirectory("/d").ok());
  for (int i = 0; i < 3; ++i)
    save(files, fmt::format("/d/{}.safetensors", i), weights(i));
  for (const char *text : {"{ \"name\": \"mlp\" }", "", "no JSON"}) {
    ASSERT_TRUE(
        writeFileAtomically(files, "/d/m.json", ExitCode::Usage, text).ok());
    Status status = makeBasis(files, layout(), {"/d", 1, "/d/m.npy"}).status();
    EXPECT_EQ(status.code(), ExitCode::Usage);
    EXPECT_EQ(status.message(),
              "'/d/m.json' is there and describes no basis; what describes the "
              "basis would replace it: move it away or give the basis another "
              "name");
    EXPECT_EQ(files.content("/d/m.json")->size(), std::string(text).size());
  }
}

// Whatever call fails, the basis of before is there, or the new one.
TEST(Basis, IsMadeWholeOrNotAtAll) {
  auto prepare = [](SimulatedFileSystem &files) {
    ASSERT_TRUE(files.makeDirectory("/d").ok());
    for (int i = 0; i < 3; ++i)
      save(files, fmt::format("/d/{}.safetensors", i), weights(i));
    ASSERT_TRUE(makeBasis(files, layout(), {"/d", 1, "/d/b.npy"}).ok());
  };
  SimulatedFileSystem whole;
  prepare(whole);
  std::vector<uint8_t> before = *whole.content("/d/b.npy");
  const int begin = whole.calls();
  ASSERT_TRUE(makeBasis(whole, layout(), {"/d", 2, "/d/b.npy"}).ok());
  std::vector<uint8_t> after = *whole.content("/d/b.npy");
  ASSERT_NE(before, after);
  for (int call = begin + 1; call <= whole.calls(); ++call) {
    SimulatedFileSystem files;
    prepare(files);
    files.failAt(call, ENOSPC, /*forever=*/false);
    bool isMade = makeBasis(files, layout(), {"/d", 2, "/d/b.npy"}).ok();
    const std::vector<uint8_t> &found = *files.content("/d/b.npy");
    EXPECT_TRUE(found == after || (found == before && !isMade)) << call;
  }
}

} // namespace
} // namespace boostrt
