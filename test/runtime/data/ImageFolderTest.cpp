// Directories of images: which are found, in which order, and what is said of
// those that cannot be read.

#include "runtime/data/ImageFolder.h"
#include "test/runtime/data/BatchArenas.h"
#include "test/runtime/data/DataFiles.h"

#include <gmock/gmock.h>

namespace boostrt {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string kImages = BOOSTC_TEST_IMAGES;

class ImageFolder : public testing::Test {
protected:
  void add(const std::string &path, const std::string &image = "420.jpg") {
    writeFile(directory / path, readFile(kImages + "/" + image));
  }
  Result<DataSource> open(HeldOut heldOut = HeldOut::Required) {
    return openData("imagefolder:" + directory.path(), heldOut);
  }
  /// Two classes, of 3 and 2 images; one of each is held out.
  void addAll(const std::string &train = "train",
              const std::string &heldOut = "val") {
    add(train + "/cat/b.JPG");
    add(train + "/cat/a.jpeg", "444.jpg");
    add(train + "/cat/more/c.PNG", "rgb.png");
    add(train + "/ant/z.jpg", "large.jpg");
    add(train + "/ant/y.png", "grey.png");
    writeFile(directory / (train + "/ant/notes.txt"), "not an image");
    writeFile(directory / (train + "/list.txt"), "not a class");
    add(heldOut + "/cat/1.jpg");
    add(heldOut + "/ant/2.jpg", "444.jpg");
  }
  std::string below(const std::string &path) const {
    return path.substr(directory.path().size() + 1);
  }

  TemporaryDirectory directory;
};

TEST_F(ImageFolder, ClassesAndImagesAreInOrder) {
  addAll();
  Result<DataSource> source = open();
  ASSERT_EQ(source.status().message(), "");
  const Dataset &train = *source->train;
  std::vector<std::string> files;
  for (int64_t i = 0; i < train.size(); ++i) {
    files.push_back(below(train.file(i)));
    EXPECT_EQ(train.sample(i), nullptr);
  }
  EXPECT_THAT(files, ElementsAre("train/ant/y.png", "train/ant/z.jpg",
                                 "train/cat/a.jpeg", "train/cat/b.JPG",
                                 "train/cat/more/c.PNG"));
  EXPECT_EQ(train.label(1), 0);
  EXPECT_EQ(train.label(2), 1);
  EXPECT_EQ(train.classes(), 2);
  EXPECT_EQ(source->test->size(), 2);
  EXPECT_EQ(source->test->label(0), 0);
  EXPECT_EQ(below(source->test->file(1)), "val/cat/1.jpg");
  EXPECT_EQ(source->description,
            "imagefolder: 5 train + 2 test samples of images of any size, 2 "
            "classes, from " +
                directory.path());
}

TEST_F(ImageFolder, OtherLayouts) {
  for (auto [train, heldOut] : {std::pair("train", "validation_preprocess"),
                                std::pair("ilsvrc", "ilsvrc_eval")}) {
    std::filesystem::remove_all(directory.path());
    addAll(train, heldOut);
    Result<DataSource> source = open();
    ASSERT_EQ(source.status().message(), "");
    EXPECT_EQ(source->test->size(), 2);
    EXPECT_EQ(splitDataSpec(directory.path()).status().message(),
              "data source '" + directory.path() +
                  "': a directory without the scheme that says how to read "
                  "it; it holds files of imagefolder: write imagefolder:" +
                  directory.path());
  }
}

TEST_F(ImageFolder, FingerprintKnowsNamesAndSizes) {
  addAll();
  uint64_t before = open()->train->fingerprint();
  EXPECT_EQ(open()->train->fingerprint(), before);
  add("train/cat/b.JPG", "444.jpg");
  uint64_t other = open()->train->fingerprint();
  EXPECT_NE(other, before);
  add("train/cat/b.JPG");
  EXPECT_EQ(open()->train->fingerprint(), before);
  std::filesystem::rename(directory / "train/ant/z.jpg",
                          directory / "train/ant/zz.jpg");
  EXPECT_NE(open()->train->fingerprint(), before);
}

TEST_F(ImageFolder, HeldOutImagesMayBeMissing) {
  addAll();
  std::filesystem::remove_all(directory / "val");
  EXPECT_THAT(errorOf(open()),
              HasSubstr(": val/ not found, expected held-out images there; it "
                        "holds train"));
  Result<DataSource> source = open(HeldOut::Optional);
  ASSERT_EQ(source.status().message(), "");
  EXPECT_EQ(source->train->size(), 5);
  EXPECT_EQ(source->test->size(), 0);
}

TEST_F(ImageFolder, NoTrainingImages) {
  EXPECT_THAT(errorOf(open()),
              HasSubstr("found neither train/ nor ilsvrc/, expected train/ and "
                        "val/ with a directory of JPEG or PNG images for each "
                        "class; it is empty"));
  writeFile(directory / "train/cat/notes.txt", "");
  writeFile(directory / "val/cat/notes.txt", "");
  EXPECT_THAT(errorOf(open()),
              HasSubstr("/train: found no images, expected files *.jpg, *.jpeg "
                        "or *.png in a directory for each class; it holds "
                        "cat"));
}

TEST_F(ImageFolder, EachClassHasATrainingImage) {
  addAll();
  std::filesystem::create_directory(directory / "train/.checkpoints");
  EXPECT_THAT(errorOf(open()),
              HasSubstr("/train/.checkpoints: found no images of this class, "
                        "expected files *.jpg, *.jpeg or *.png; remove the "
                        "directory if it is not a class: "));
}

TEST_F(ImageFolder, HeldOutClassesAreThoseOfTheTrainingImages) {
  addAll();
  add("val/cats/1.jpg");
  EXPECT_THAT(errorOf(open()),
              HasSubstr("/val: found the class 'cats', expected one of the 2 "
                        "classes of the training images; did you mean 'cat'?; "
                        "move or remove the directory"));
}

TEST_F(ImageFolder, DirectoriesThatCannotBeListed) {
  addAll();
  std::filesystem::permissions(directory / "train/cat",
                               std::filesystem::perms::none);
  Result<DataSource> source = open();
  std::filesystem::permissions(directory / "train/cat",
                               std::filesystem::perms::owner_all);
  if (source.ok())
    GTEST_SKIP() << "this user may list everything";
  EXPECT_THAT(source.status().message(), HasSubstr("cannot be listed ("));
}

TransformPipeline getTransforms() {
  return TransformPipeline::create(
             json::parse(R"([{"op": "random_resized_crop", "size": [2, 1]}])"),
             {3, 0, 0}, ElementType::U8, TransformPurpose::Training)
      .value();
}

// A batch has for each sample what its file alone gives, with any number of
// threads.
class ImageFolderWorkers : public ImageFolder,
                           public testing::WithParamInterface<int> {};
INSTANTIATE_TEST_SUITE_P(, ImageFolderWorkers, testing::Values(1, 2, 4));

TEST_P(ImageFolderWorkers, BatchesAreMadeOfFiles) {
  addAll();
  Result<DataSource> source = open();
  ASSERT_TRUE(source.ok());
  const Dataset &train = *source->train;
  Arenas arenas(2, 3);
  auto batches = Prefetcher::create(
      train, getTransforms(), Sampler(train.size(), 9, true), arenas.layout,
      arenas.bases(), Prefetcher::Mode::Background, {},
      {.workers = GetParam()});
  ASSERT_EQ(batches.status().message(), "");
  TransformPipeline transforms = getTransforms();
  TransformScratch scratch = transforms.makeScratch();
  for (int64_t epoch : {1, 2}) {
    (*batches)->start(epoch);
    for (int64_t row = 0; row < train.size();) {
      Result<Batch> batch = (*batches)->next();
      ASSERT_EQ(batch.status().message(), "");
      for (int64_t i = 0; i < batch->valid; ++i, ++row) {
        int64_t sample = Sampler(train.size(), 9, true).at(epoch, row);
        float expected[6];
        ASSERT_TRUE(transforms
                        .applyFile(train.file(sample), expected, scratch,
                                   {9, epoch, sample})
                        .ok());
        for (int64_t j = 0; j < 6; ++j)
          EXPECT_EQ(arenas.features(*batch)[i * 6 + j], expected[j]);
        EXPECT_EQ(arenas.labels(*batch)[i], train.label(sample));
      }
    }
  }
}

// Rows after a bad image move up, with their labels and keys.
TEST_P(ImageFolderWorkers, BadImagesMayBeLeftOut) {
  addAll();
  writeFile(directory / "train/ant/z.jpg", "");
  writeFile(directory / "train/cat/a.jpeg", "no image");
  Result<DataSource> source = open();
  ASSERT_TRUE(source.ok());
  const Dataset &train = *source->train;
  Arenas arenas(5, 2);
  BatchLayout layout = arenas.layout;
  layout.keysOffset = layout.validOffset + 8;
  auto batches = Prefetcher::create(
      train, getTransforms(), Sampler(5, 9, /*shuffle=*/false), layout,
      arenas.bases(), Prefetcher::Mode::Background, {},
      {.workers = GetParam(), .skipsBadSamples = true});
  ASSERT_EQ(batches.status().message(), "");
  TransformPipeline transforms = getTransforms();
  TransformScratch scratch = transforms.makeScratch();
  for (int64_t epoch : {1, 2}) {
    (*batches)->start(epoch);
    Result<Batch> batch = (*batches)->next();
    ASSERT_EQ(batch.status().message(), "");
    EXPECT_EQ(batch->bad, 2);
    EXPECT_EQ(below(batch->firstBad),
              "train/ant/z.jpg: found an empty file, expected a JPEG or PNG "
              "image; replace or remove the file");
    ASSERT_EQ(batch->valid, 3);
    EXPECT_EQ(arenas.valid(*batch), 3);
    const auto *keys =
        reinterpret_cast<const int32_t *>(batch->base + *layout.keysOffset);
    int64_t row = 0;
    for (int64_t sample : {0, 3, 4}) {
      float expected[6];
      ASSERT_TRUE(transforms
                      .applyFile(train.file(sample), expected, scratch,
                                 {9, epoch, sample})
                      .ok());
      for (int64_t j = 0; j < 6; ++j)
        EXPECT_EQ(arenas.features(*batch)[row * 6 + j], expected[j]);
      EXPECT_EQ(arenas.labels(*batch)[row], train.label(sample));
      EXPECT_EQ(keys[row],
                static_cast<int32_t>(boost_sample_key(9, epoch, sample)));
      ++row;
    }
    for (; row < 5; ++row) {
      EXPECT_EQ(arenas.labels(*batch)[row], 0);
      EXPECT_EQ(keys[row], 0);
      for (int64_t j = 0; j < 6; ++j)
        EXPECT_EQ(arenas.features(*batch)[row * 6 + j], 0);
    }
    EXPECT_TRUE((*batches)->next()->end());
  }
}

// After the first evaluation the files are not read again; a bad one is.
TEST_P(ImageFolderWorkers, ImagesOfEvaluationsMayBeCached) {
  addAll();
  writeFile(directory / "train/ant/z.jpg", "");
  Result<DataSource> source = open();
  ASSERT_TRUE(source.ok());
  const Dataset &images = *source->train;
  for (uint32_t rank : {0, 1}) {
    WindowShard share = {rank, 2, 1};
    Arenas arenas(2, 2);
    TransformPipeline transforms = getTransforms();
    SampleCache cache({images.size(), 2, share}, transforms.outputBytes());
    cache.reserve();
    auto evaluate = [&](SampleCache *used) {
      std::vector<float> all;
      auto batches = Prefetcher::create(
          images, transforms, Sampler(5, 0, /*shuffle=*/false), arenas.layout,
          arenas.bases(), Prefetcher::Mode::Background, share,
          {.workers = GetParam(), .skipsBadSamples = true, .cache = used});
      EXPECT_EQ(batches.status().message(), "");
      (*batches)->start(0);
      for (Result<Batch> batch = (*batches)->next(); !batch->end();
           batch = (*batches)->next()) {
        all.push_back(static_cast<float>(batch->bad));
        const float *features = arenas.features(*batch);
        all.insert(all.end(), features, features + batch->valid * 6);
      }
      return all;
    };
    std::vector<float> expected = evaluate(nullptr);
    // 3 images of 5, one of them bad, in two batches; or 2 in one.
    EXPECT_EQ(expected.size(), rank == 0 ? 2 + 2 * 6 : 1 + 2 * 6);
    EXPECT_EQ(evaluate(&cache), expected);
    std::filesystem::rename(directory / "train/cat", directory / "away");
    std::filesystem::rename(directory / "train/ant/y.png", directory / "y.png");
    EXPECT_EQ(evaluate(&cache), expected);
    std::filesystem::rename(directory / "away", directory / "train/cat");
    std::filesystem::rename(directory / "y.png", directory / "train/ant/y.png");
  }
}

TEST_P(ImageFolderWorkers, ABatchNeedsAnImage) {
  addAll();
  writeFile(directory / "train/ant/z.jpg", "");
  writeFile(directory / "train/ant/y.png", "no image");
  Result<DataSource> source = open();
  ASSERT_TRUE(source.ok());
  Arenas arenas(2, 2);
  auto batches = Prefetcher::create(
      *source->train, getTransforms(), Sampler(5, 9, /*shuffle=*/false),
      arenas.layout, arenas.bases(), Prefetcher::Mode::Background, {},
      {.workers = GetParam(), .skipsBadSamples = true});
  ASSERT_EQ(batches.status().message(), "");
  (*batches)->start(1);
  Result<Batch> batch = (*batches)->next();
  ASSERT_FALSE(batch.ok());
  EXPECT_EQ(batch.status().code(), ExitCode::Data);
  EXPECT_THAT(batch.status().message(),
              HasSubstr("/train: none of the 2 images of a batch can be "
                        "decoded; the first: "));
  EXPECT_THAT(batch.status().message(), HasSubstr("/train/ant/y.png: "));
  (*batches)->start(1, 2);
  EXPECT_EQ((*batches)->next()->valid, 2);
}

TEST_P(ImageFolderWorkers, ABadImageComesInThePlaceOfItsBatch) {
  addAll();
  // The other one of the batch is bad as well, and comes later.
  writeFile(directory / "train/cat/b.JPG", "");
  writeFile(directory / "train/cat/a.jpeg",
            readFile(kImages + "/444.jpg").substr(0, 500));
  Result<DataSource> source = open();
  ASSERT_TRUE(source.ok());
  Arenas arenas(2, 3);
  auto batches = Prefetcher::create(
      *source->train, getTransforms(), Sampler(5, 9, false), arenas.layout,
      arenas.bases(), Prefetcher::Mode::Background, {},
      {.workers = GetParam()});
  ASSERT_EQ(batches.status().message(), "");
  (*batches)->start(1);
  EXPECT_TRUE((*batches)->next().ok());
  Result<Batch> second = (*batches)->next();
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.status().code(), ExitCode::Data);
  EXPECT_EQ(second.status().message(),
            directory / "train/cat/a.jpeg" +
                ": the image ends too early; replace or remove the file");
}

} // namespace
} // namespace boostrt
