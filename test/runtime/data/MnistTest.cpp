// Intact MNIST files, wherever they lie and however they are spelt.

#include "runtime/data/Idx.h"
#include "test/runtime/data/IdxFiles.h"

#include <gmock/gmock.h>

namespace boostrt {
namespace {

using testing::HasSubstr;

void expectTiny(const Result<DataSource> &source) {
  ASSERT_TRUE(source.ok()) << source.status().message();
  const Dataset &train = *source->train, &test = *source->test;
  EXPECT_EQ(train.size(), 3);
  EXPECT_EQ(test.size(), 2);
  EXPECT_EQ(train.shape(), (SampleShape{1, 2, 3}));
  EXPECT_EQ(std::string(train.sample(1), train.sample(1) + 6), "ghijkl");
  EXPECT_EQ(std::string(test.sample(1), test.sample(1) + 6), "GHIJKL");
  EXPECT_EQ(train.label(0), 7);
  EXPECT_EQ(train.label(2), 9);
  EXPECT_EQ(test.label(1), 2);
  EXPECT_EQ(train.classes(), 10);
  EXPECT_EQ(test.classes(), 3);
}

TEST(Mnist, ReadsPlainFiles) {
  TemporaryDirectory directory;
  TinyMnist().write(directory.path());
  Result<DataSource> source = openData("mnist:" + directory.path());
  expectTiny(source);
  EXPECT_EQ(source->description,
            "mnist: 3 train + 2 test samples of 1x2x3, 10 classes, from " +
                directory.path());
  EXPECT_EQ(source->train->contents(), "1x2x3, 10 classes");
  EXPECT_EQ(source->train->source(),
            directory.path() + "/train-images-idx3-ubyte");
  EXPECT_EQ(source->train->labelSource(),
            directory.path() + "/train-labels-idx1-ubyte");
}

TEST(Mnist, LinksThatLeadNowhereAreNoAbsentFiles) {
  TemporaryDirectory directory;
  TinyMnist().write(directory.path());
  std::string path = directory / "train-images-idx3-ubyte";
  std::filesystem::remove(path);
  std::filesystem::create_symlink("gone", path);
  EXPECT_EQ(openMnist(directory.path()).status().message(),
            path + ": a symbolic link to 'gone', which does not exist; correct "
                   "the link");
  std::filesystem::remove(path);
  std::filesystem::create_symlink("train-images-idx3-ubyte", path);
  EXPECT_EQ(openMnist(directory.path()).status().message(),
            path + ": a symbolic link to 'train-images-idx3-ubyte', which "
                   "leads back to itself; correct the link");
  EXPECT_EQ(openMnist(path).status().code(), ExitCode::Data);
  EXPECT_THAT(openMnist(path).status().message(),
              HasSubstr("which leads back to itself"));
}

TEST(Mnist, ADirectoryThatCannotBeLookedAt) {
  std::string path(300, 'x');
  EXPECT_EQ(openMnist(path).status().message(),
            path + ": cannot be looked at: File name too long");
}

TEST(Mnist, HeldOutFilesMayBeAbsentWhereTheyAreNotNeeded) {
  TemporaryDirectory directory;
  TinyMnist().write(directory.path());
  expectTiny(openMnist(directory.path(), HeldOut::Optional));
  std::filesystem::remove(directory / "t10k-images-idx3-ubyte");
  // Half of a split is a mistake in any case.
  EXPECT_FALSE(openMnist(directory.path(), HeldOut::Optional).ok());
  std::filesystem::remove(directory / "t10k-labels-idx1-ubyte");
  Result<DataSource> source = openMnist(directory.path(), HeldOut::Optional);
  ASSERT_TRUE(source.ok()) << source.status().message();
  EXPECT_EQ(source->train->size(), 3);
  EXPECT_EQ(source->test->size(), 0);
  EXPECT_EQ(source->test->shape(), source->train->shape());
  EXPECT_NE(source->test->fingerprint(), source->train->fingerprint());
  EXPECT_FALSE(openMnist(directory.path()).ok());
}

TEST(Mnist, ReadsCompressedFiles) {
  TemporaryDirectory directory;
  TinyMnist().writeAs(directory.path(), {"train-images-idx3-ubyte.gz",
                                         "train-labels-idx1-ubyte.gz",
                                         "t10k-images-idx3-ubyte.gz",
                                         "t10k-labels-idx1-ubyte.gz"});
  expectTiny(openMnist(directory.path()));
}

TEST(Mnist, RecognisesCompressionByContent) {
  TemporaryDirectory directory;
  TinyMnist tiny;
  tiny.write(directory.path());
  writeFile(directory / "train-images-idx3-ubyte", gzip(tiny.trainImages));
  std::filesystem::remove(directory / "train-labels-idx1-ubyte");
  writeFile(directory / "train-labels-idx1-ubyte.gz", tiny.trainLabels);
  expectTiny(openMnist(directory.path()));
}

TEST(Mnist, JoinsGzipMembers) {
  TemporaryDirectory directory;
  TinyMnist tiny;
  tiny.write(directory.path());
  writeFile(directory / "train-images-idx3-ubyte",
            gzip(tiny.trainImages.substr(0, 9)) + gzip("") +
                gzip(tiny.trainImages.substr(9)));
  expectTiny(openMnist(directory.path()));
}

TEST(Mnist, ReadsTheSpellingWithADot) {
  TemporaryDirectory directory;
  TinyMnist().writeAs(directory.path(),
                      {"train-images.idx3-ubyte", "train-labels.idx1-ubyte.gz",
                       "t10k-images.idx3-ubyte.gz", "t10k-labels.idx1-ubyte"});
  expectTiny(openMnist(directory.path()));
}

TEST(Mnist, ReadsTrainAndTestSubdirectories) {
  TemporaryDirectory directory;
  TinyMnist().writeAs(directory.path(), {"train/train-images-idx3-ubyte",
                                         "train/train-labels-idx1-ubyte",
                                         "test/t10k-images-idx3-ubyte",
                                         "test/t10k-labels-idx1-ubyte"});
  expectTiny(openMnist(directory.path()));
}

TEST(Mnist, PrefersTheDirectoryItselfAndPlainFiles) {
  TemporaryDirectory directory;
  TinyMnist tiny;
  tiny.write(directory.path());
  writeFile(directory / "train-images-idx3-ubyte.gz", "not looked at");
  writeFile(directory / "train/train-images-idx3-ubyte", "not looked at");
  expectTiny(openMnist(directory.path()));
}

TEST(Mnist, FingerprintTellsDataApart) {
  TemporaryDirectory one, two, three;
  TinyMnist tiny;
  tiny.write(one.path());
  tiny.write(two.path());
  tiny.trainLabels.back() = 8;
  tiny.testImages.back() ^= 1;
  tiny.write(three.path());
  Result<DataSource> a = openMnist(one.path()), b = openMnist(two.path()),
                     c = openMnist(three.path());
  ASSERT_TRUE(a.ok() && b.ok() && c.ok());
  EXPECT_EQ(a->train->fingerprint(), b->train->fingerprint());
  EXPECT_NE(a->train->fingerprint(), c->train->fingerprint());
  EXPECT_NE(a->test->fingerprint(), c->test->fingerprint());
  EXPECT_NE(a->train->fingerprint(), a->test->fingerprint());
}

TEST(Mnist, MissingFileIsNamedWithWhatIsThere) {
  TemporaryDirectory directory;
  TinyMnist().write(directory.path());
  std::filesystem::remove(directory / "t10k-labels-idx1-ubyte");
  Result<DataSource> source = openMnist(directory.path());
  ASSERT_FALSE(source.ok());
  EXPECT_EQ(source.status().code(), ExitCode::Data);
  EXPECT_EQ(source.status().message(),
            directory.path() +
                ": t10k-labels-idx1-ubyte not found; it holds "
                "t10k-images-idx3-ubyte, train-images-idx3-ubyte, "
                "train-labels-idx1-ubyte; expected it there or in test/, plain "
                "or with .gz; get it from the data set's source");
}

TEST(Mnist, MissingDirectoryIsSaid) {
  TemporaryDirectory directory;
  Result<DataSource> source = openMnist(directory / "nowhere");
  ASSERT_FALSE(source.ok());
  EXPECT_EQ(source.status().message(),
            directory / "nowhere" +
                ": no such directory, expected a directory that holds the four "
                "MNIST files; give one with --data mnist:DIR or DATA_PATH, or "
                "train without files with --data digits");
  writeFile(directory / "file", "x");
  EXPECT_THAT(openMnist(directory / "file").status().message(),
              HasSubstr("not a directory, expected a directory"));
  std::filesystem::create_directory(directory / "empty");
  EXPECT_THAT(openMnist(directory / "empty").status().message(),
              HasSubstr("train-images-idx3-ubyte not found; it is empty"));
}

/// The real files, where they exist.
TEST(Mnist, ReadsTheRealFiles) {
  const char *variable = std::getenv("BOOSTC_MNIST_DIR");
  std::string directory = variable ? variable : BOOSTC_SHARED_MNIST;
  if (!std::filesystem::is_directory(directory))
    GTEST_SKIP() << "no MNIST at " << directory
                 << "; set BOOSTC_MNIST_DIR to run this test";
  Result<DataSource> source = openMnist(directory);
  ASSERT_TRUE(source.ok()) << source.status().message();
  EXPECT_EQ(source->train->size(), 60000);
  EXPECT_EQ(source->test->size(), 10000);
  EXPECT_EQ(source->train->shape(), (SampleShape{1, 28, 28}));
  EXPECT_EQ(source->train->classes(), 10);
  // The first training image is a five; the mean over all pixels is the known
  // 0.1307 of every tutorial.
  EXPECT_EQ(source->train->label(0), 5);
  EXPECT_EQ(source->test->label(0), 7);
  double sum = 0;
  for (int64_t i = 0; i < source->train->size(); ++i)
    for (int64_t pixel = 0; pixel < 784; ++pixel)
      sum += source->train->sample(i)[pixel];
  EXPECT_NEAR(sum / 255 / 60000 / 784, 0.1307, 5e-5);
}

} // namespace
} // namespace boostrt
