// Damaged and hostile files: a clear error, soon, in little memory.

#include "runtime/abi/boost_random.h"
#include "runtime/data/Idx.h"
#include "test/runtime/data/IdxFiles.h"
#include "test/runtime/data/Sanitizers.h"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace boostrt {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class IdxRobustness : public testing::Test {
protected:
  void SetUp() override { tiny.write(directory.path()); }

  std::string path(const std::string &name = "train-images-idx3-ubyte") const {
    return directory / name;
  }

  /// The message of opening after writing `bytes` over one of the files.
  std::string errorOf(const std::string &bytes,
                      const std::string &name = "train-images-idx3-ubyte") {
    writeFile(path(name), bytes);
    return boostrt::errorOf(openMnist(directory.path()));
  }

  TemporaryDirectory directory;
  TinyMnist tiny;
};

TEST_F(IdxRobustness, EveryTruncationOfAPlainFile) {
  for (const auto &[name, bytes] :
       {std::pair{"train-images-idx3-ubyte", tiny.trainImages},
        std::pair{"train-labels-idx1-ubyte", tiny.trainLabels}}) {
    for (size_t length = 0; length < bytes.size(); ++length)
      EXPECT_THAT(errorOf(bytes.substr(0, length), name),
                  AllOf(StartsWith(path(name) + ": truncated"),
                        EndsWith("get the file again")))
          << length;
    writeFile(path(name), bytes);
  }
  EXPECT_EQ(errorOf(tiny.trainImages.substr(0, 7)),
            path() +
                ": truncated: found 7 bytes, expected an IDX header of 16; "
                "get the file again");
  EXPECT_EQ(errorOf(tiny.trainImages.substr(0, 30)),
            path() + ": truncated by 4 bytes: the header announces 3 x 2 x 3 = "
                     "18 bytes of data, expected a file of 34 bytes, found 30; "
                     "get the file again");
}

TEST_F(IdxRobustness, EveryTruncationOfACompressedFile) {
  std::string bytes = gzip(tiny.trainImages);
  for (size_t length = 0; length < bytes.size(); ++length)
    EXPECT_THAT(errorOf(bytes.substr(0, length)),
                AllOf(StartsWith(path() + ": "), HasSubstr("expected"),
                      EndsWith("get the file again")))
        << length;
  EXPECT_EQ(errorOf(bytes.substr(0, 20)),
            path() +
                ": the compressed data stop early (around byte 20 of 20 "
                "compressed bytes), expected one intact gzip file; get the "
                "file again");
}

TEST_F(IdxRobustness, CompressedDataShorterThanAnnounced) {
  EXPECT_EQ(errorOf(gzip(tiny.trainImages.substr(0, 30))),
            path() +
                ": truncated: found 14 bytes of data, the header announces "
                "18; get the file again");
}

TEST_F(IdxRobustness, TrailingBytes) {
  EXPECT_EQ(errorOf(tiny.trainImages + "xy"),
            path() + ": too long by 2 bytes: the header announces 3 x 2 x 3 = "
                     "18 bytes of data, expected a file of 34 bytes, found 36; "
                     "get the file again");
  EXPECT_EQ(errorOf(gzip(tiny.trainImages + "x")),
            path() + ": too long: found more than the 18 bytes of data which "
                     "the header announces; get the file again");
  EXPECT_THAT(errorOf(gzip(tiny.trainImages) + "x"),
              HasSubstr("found trailing bytes after the compressed data"));
}

TEST_F(IdxRobustness, EveryFlippedBitOfAPlainHeader) {
  for (const auto &[name, bytes, header] :
       {std::tuple{"train-images-idx3-ubyte", tiny.trainImages, 16},
        std::tuple{"train-labels-idx1-ubyte", tiny.trainLabels, 8}}) {
    for (int bit = 0; bit < header * 8; ++bit) {
      std::string flipped = bytes;
      flipped[bit / 8] ^= static_cast<char>(1 << bit % 8);
      EXPECT_THAT(errorOf(flipped, name), StartsWith(path(name) + ": ")) << bit;
    }
    writeFile(path(name), bytes);
  }
}

// A gzip header has fields that say nothing about the data (time, system), so a
// flip there may pass; what is read must then be what was packed.
TEST_F(IdxRobustness, EveryFlippedBitOfACompressedFile) {
  std::string bytes = gzip(tiny.trainImages);
  int refused = 0, bits = static_cast<int>(bytes.size()) * 8;
  for (int bit = 0; bit < bits; ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] ^= static_cast<char>(1 << bit % 8);
    writeFile(path(), flipped);
    Result<DataSource> source = openMnist(directory.path());
    if (source.ok()) {
      EXPECT_EQ(
          std::string(source->train->sample(0), source->train->sample(0) + 18),
          tiny.trainImages.substr(16))
          << bit;
    } else {
      EXPECT_EQ(source.status().code(), ExitCode::Data);
      ++refused;
    }
  }
  EXPECT_GT(refused, bits - 7 * 8);
}

TEST_F(IdxRobustness, ForeignFiles) {
  EXPECT_EQ(errorOf("\x89PNG and so on, and so on"),
            path() + ": found magic 0x89504e47 (not an IDX file), expected "
                     "0x00000803 (images as u8 of rank 3); get the file again "
                     "from the data set's source");
  EXPECT_EQ(errorOf(tiny.trainLabels),
            path() + ": found magic 0x00000801 (IDX, u8 of rank 1), expected "
                     "0x00000803 (images as u8 of rank 3); check that images "
                     "and labels are not swapped");
  EXPECT_THAT(errorOf(idx({1, 1, 1}, std::string(4, '\0'), 0x0d)),
              HasSubstr("(IDX, f32 of rank 3)"));
  tiny.write(directory.path());
  EXPECT_THAT(errorOf(tiny.trainImages, "train-labels-idx1-ubyte"),
              HasSubstr("expected 0x00000801 (labels as u8 of rank 1); check "
                        "that images and labels are not swapped"));
}

TEST_F(IdxRobustness, NoSamples) {
  EXPECT_EQ(errorOf(idx({0, 28, 28}, "")),
            path() + ": the header announces 0 x 28 x 28 = 0 bytes of data, "
                     "expected at least one sample; get the file again");
  EXPECT_THAT(errorOf(idx({3, 0, 28}, "")), HasSubstr("3 x 0 x 28 = 0 bytes"));
}

TEST_F(IdxRobustness, CountsThatDiffer) {
  EXPECT_EQ(
      errorOf(idx({2}, "ab"), "train-labels-idx1-ubyte"),
      path("train-labels-idx1-ubyte") +
          ": found 2 labels, expected 3, as many as there are images in " +
          path() + "; check that both belong to the same split");
}

TEST_F(IdxRobustness, ShapesThatDiffer) {
  EXPECT_EQ(errorOf(idx({2, 3, 2}, "ABCDEFGHIJKL"), "t10k-images-idx3-ubyte"),
            path("t10k-images-idx3-ubyte") +
                ": found images of 1x3x2, expected 1x2x3 as in " + path() +
                "; check that both belong to the same data set");
}

TEST_F(IdxRobustness, DimensionsThatOverflow) {
  EXPECT_EQ(errorOf(idx({~0u, ~0u, ~0u}, "abc")),
            path() + ": the header's dimensions 4294967295 x 4294967295 x "
                     "4294967295 overflow; get the file again");
  EXPECT_EQ(errorOf(idx({1u << 20, 1u << 10, 1}, "abc")),
            path() +
                ": the header announces 1048576 x 1024 x 1 = 1073741824 "
                "bytes of data, expected at most 671088640; use a smaller data "
                "set");
  EXPECT_THAT(errorOf(idx({600000, 28, 28}, "abc")),
              HasSubstr("truncated by 470399997 bytes"));
  EXPECT_THAT(errorOf(gzip(idx({600000, 28, 28}, "abc"))),
              HasSubstr("compressed bytes cannot hold that"));
}

TEST_F(IdxRobustness, ThingsThatAreNoFiles) {
  std::filesystem::remove(path());
  std::filesystem::create_directory(path());
  EXPECT_EQ(openMnist(directory.path()).status().message(),
            path() + ": found a directory, expected a regular file");
  std::filesystem::remove(path());
  ASSERT_EQ(mkfifo(path().c_str(), 0600), 0);
  EXPECT_EQ(openMnist(directory.path()).status().message(),
            path() + ": found a device or pipe, expected a regular file");
  EXPECT_THAT(IdxFile::open(directory / "nothing", 1).status().message(),
              HasSubstr(": cannot read: No such file or directory; check that "
                        "the file exists and is readable"));
}

/// Opens `directory` in a process of its own. Returns its peak memory in MiB
/// and checks that it took under 5 seconds, of CPU time, which does not depend
/// on what else the machine does, and whether opening succeeded.
long peakOfOpening(const std::string &directory, bool succeeds) {
  pid_t child = fork();
  if (child == 0)
    _exit(openMnist(directory).ok() == succeeds ? 0 : 1);
  int status = -1;
  rusage usage = {};
  EXPECT_EQ(wait4(child, &status, 0, &usage), child);
  EXPECT_EQ(status, 0);
  if (kAddressSanitizer || kThreadSanitizer)
    return 0; // the sanitizer's own time and memory would be measured
  EXPECT_LT(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec, 5);
  return usage.ru_maxrss >> 10;
}

/// `mebibytes` of zeros after `header`, in about a thousandth of the space.
std::string bomb(const std::string &header, int mebibytes) {
  std::string file = gzip(header);
  std::string member = gzip(std::string(1 << 20, '\0'));
  for (int i = 0; i < mebibytes; ++i)
    file += member;
  return file;
}

TEST_F(IdxRobustness, BombBehindASmallHeaderIsNotUnpacked) {
  writeFile(path(), bomb(tiny.trainImages, 4096));
  EXPECT_LT(peakOfOpening(directory.path(), false), 64);
  EXPECT_THAT(openMnist(directory.path()).status().message(),
              HasSubstr("too long: found more than the 18 bytes"));
}

TEST_F(IdxRobustness, BombThatAnnouncesItself) {
  writeFile(path(), bomb(idx({4096, 1024, 1024}, ""), 4096));
  EXPECT_LT(peakOfOpening(directory.path(), false), 64);
  EXPECT_THAT(openMnist(directory.path()).status().message(),
              HasSubstr("expected at most 671088640"));
}

TEST_F(IdxRobustness, LargestSetStaysUnderAGibibyte) {
  if (kThreadSanitizer)
    GTEST_SKIP() << "the thread sanitizer multiplies the time of every access";
  // 639 MiB of images and a few labels: just below the limit.
  writeFile(path(), bomb(idx({638, 1024, 1024}, ""), 638));
  writeFile(path("train-labels-idx1-ubyte"),
            idx({638}, std::string(638, '\3')));
  writeFile(path("t10k-images-idx3-ubyte"),
            idx({1, 1024, 1024}, std::string(1 << 20, 'x')));
  writeFile(path("t10k-labels-idx1-ubyte"), idx({1}, "\2"));
  EXPECT_LT(peakOfOpening(directory.path(), true), 1024);
}

// One byte an image: labels take four times as much memory as in the file.
TEST_F(IdxRobustness, ManyLabelsAreBounded) {
  constexpr uint32_t kModules = 112u << 20;
  writeFile(path(), bomb(idx({kModules, 1, 1}, ""), 112));
  writeFile(path("train-labels-idx1-ubyte"), bomb(idx({kModules}, ""), 112));
  writeFile(path("t10k-images-idx3-ubyte"), idx({2, 1, 1}, "xy"));
  EXPECT_LT(peakOfOpening(directory.path(), false), 64);
  EXPECT_EQ(openMnist(directory.path()).status().message(),
            directory.path() +
                ": the files announce 704643084 bytes in memory, expected at "
                "most 671088640; use a smaller data set");
  for (const char *name : {"t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"})
    std::filesystem::remove(path(name));
  EXPECT_EQ(openMnist(directory.path(), HeldOut::Optional).status().message(),
            directory.path() +
                ": the files announce 704643072 bytes in memory, "
                "expected at most 671088640; use a smaller data set");
}

// Mutations of all kinds at once, the same in every run. Whatever is accepted
// must be a whole data set.
TEST_F(IdxRobustness, Mutations) {
  const std::string plain = tiny.trainImages, packed = gzip(plain);
  int accepted = 0;
  for (uint64_t round = 0; round < 2000; ++round) {
    auto draw = [&, index = uint64_t{0}](size_t below) mutable {
      return static_cast<size_t>(boost_random_uniform(7, round, index++) *
                                 static_cast<double>(below));
    };
    std::string bytes = draw(2) ? packed : plain;
    for (size_t changes = 1 + draw(4); changes && !bytes.empty(); --changes) {
      size_t at = draw(bytes.size());
      switch (draw(4)) {
      case 0:
        bytes[at] = static_cast<char>(draw(256));
        break;
      case 1:
        bytes.erase(at, 1 + draw(8));
        break;
      case 2:
        bytes.insert(at, bytes.substr(draw(bytes.size()), draw(16)));
        break;
      default:
        bytes.resize(at);
      }
    }
    writeFile(path(), bytes);
    Result<DataSource> source = openMnist(directory.path());
    if (!source.ok()) {
      EXPECT_EQ(source.status().code(), ExitCode::Data);
      EXPECT_THAT(source.status().message(), HasSubstr(directory.path()));
      continue;
    }
    ++accepted;
    EXPECT_EQ(source->train->size(), 3);
    EXPECT_EQ(source->train->shape(), (SampleShape{1, 2, 3}));
    EXPECT_NE(source->train->fingerprint(), 0u);
  }
  EXPECT_GT(accepted, 0);
  EXPECT_LT(accepted, 1000);
}

} // namespace
} // namespace boostrt
