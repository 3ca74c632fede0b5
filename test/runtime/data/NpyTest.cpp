// NumPy's array files as a data set: intact, damaged and hostile.

#include "runtime/data/Transform.h"
#include "test/runtime/data/NpyFiles.h"

#include <cmath>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace boostrt {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class Npy : public NpyDirectory {
protected:
  void SetUp() override {
    write("train_images", trainImages);
    write("train_labels", npy("<i8", "(3,)", bytesOf<int64_t>({4, 0, 2})));
    write("test_images", npy("|u1", "(2, 2, 1, 3)", "ABCDEFGHIJKL"));
    write("test_labels", npy("|u1", "(2,)", std::string("\1\3", 2)));
  }
  std::string imagesError(const std::string &bytes) {
    return errorOf("train_images", bytes);
  }

  std::string trainImages = npy("|u1", "(3, 2, 1, 3)", "abcdefghijklmnopqr");
};

TEST_F(Npy, ReadsBytes) {
  Result<DataSource> source = openData("npy:" + directory.path());
  ASSERT_TRUE(source.ok()) << source.status().message();
  const Dataset &train = *source->train, &test = *source->test;
  EXPECT_EQ(train.size(), 3);
  EXPECT_EQ(train.shape(), (SampleShape{2, 1, 3}));
  EXPECT_EQ(train.elementType(), ElementType::U8);
  EXPECT_EQ(std::string(train.sample(1), train.sample(1) + 6), "ghijkl");
  EXPECT_EQ(std::string(test.sample(1), test.sample(1) + 6), "GHIJKL");
  EXPECT_EQ(train.label(0), 4);
  EXPECT_EQ(train.label(2), 2);
  EXPECT_EQ(test.label(1), 3);
  EXPECT_EQ(source->description,
            "npy: 3 train + 2 test samples of 2x1x3, 5 classes, from " +
                directory.path());
}

TEST_F(Npy, ReadsFloatsAndTransformsThem) {
  std::vector<float> values;
  for (int i = 0; i < 12; ++i)
    values.push_back(0.1f * static_cast<float>(i) - 0.3f);
  for (int major : {1, 2}) {
    write("train_images", npy("<f4", "(3, 4)", bytesOf(values), major));
    write("test_images",
          gzip(npy("<f4", "(2, 4)", bytesOf<float>({1, 2, 3, 4, 5, 6, 7, 8}),
                   major)));
    Result<DataSource> source = openNpy(directory.path());
    ASSERT_TRUE(source.ok()) << source.status().message();
    const Dataset &train = *source->train;
    EXPECT_EQ(train.shape(), (SampleShape{1, 1, 4}));
    EXPECT_EQ(train.elementType(), ElementType::F32);
    EXPECT_EQ(train.bytesPerSample(), 16);
    for (const char *text :
         {"[]", R"([{"op":"rescale","scale":3.7,"shift":0.2}])"}) {
      Result<TransformPipeline> pipeline = TransformPipeline::create(
          nlohmann::json::parse(text), train.shape(), train.elementType());
      ASSERT_TRUE(pipeline.ok());
      TransformScratch scratch = pipeline->makeScratch();
      for (int64_t sample = 0; sample < 3; ++sample) {
        float out[4] = {};
        pipeline->apply(train.sample(sample), out, scratch);
        for (int i = 0; i < 4; ++i) {
          float x = values[sample * 4 + i];
          EXPECT_EQ(out[i], text[1] == ']'
                                ? x
                                : static_cast<float>(double{x} * 3.7 + 0.2));
        }
      }
    }
  }
}

TEST_F(Npy, FingerprintSeesEveryByteOfAFloat) {
  std::vector<float> values(12, 1.0f);
  write("test_images", npy("<f4", "(2, 4)", std::string(32, '\0')));
  write("train_images", npy("<f4", "(3, 4)", bytesOf(values)));
  uint64_t before = openNpy(directory.path())->train->fingerprint();
  values[3] = std::nextafter(1.0f, 2.0f);
  write("train_images", npy("<f4", "(3, 4)", bytesOf(values)));
  EXPECT_NE(openNpy(directory.path())->train->fingerprint(), before);
}

TEST_F(Npy, HeadersAsOtherWritersSpellThem) {
  for (const char *header :
       {"{\"descr\": \"<u1\", \"fortran_order\": False, \"shape\": (3,2,1,3)}",
        "{'shape': (3, 2, 1, 3,), 'fortran_order': False, 'descr': '|u1'}"}) {
    write("train_images", npyOf(header, "abcdefghijklmnopqr"));
    EXPECT_TRUE(openNpy(directory.path()).ok()) << header;
  }
}

TEST_F(Npy, HeldOutFilesMayBeAbsentWhereTheyAreNotNeeded) {
  for (const char *name : {"test_images", "test_labels"})
    std::filesystem::remove(path(name));
  EXPECT_THAT(error(), testing::HasSubstr("test_images.npy (or "
                                          "test_features.npy) not found"));
  Result<DataSource> source =
      openData("npy:" + directory.path(), HeldOut::Optional);
  ASSERT_TRUE(source.ok()) << source.status().message();
  EXPECT_GT(source->train->size(), 0);
  EXPECT_EQ(source->test->size(), 0);
  // Half of a split is a mistake in any case.
  write("test_labels", npy("|u1", "(2,)", std::string("\1\3", 2)));
  EXPECT_THAT(openNpy(directory.path(), HeldOut::Optional).status().message(),
              testing::HasSubstr("test_images.npy (or test_features.npy) not "
                                 "found"));
  std::filesystem::create_symlink("gone", path("test_images"));
  EXPECT_THAT(openNpy(directory.path(), HeldOut::Optional).status().message(),
              testing::HasSubstr("a symbolic link to 'gone', which does not "
                                 "exist"));
}

TEST_F(Npy, MissingFiles) {
  EXPECT_EQ(openNpy(directory / "nowhere").status().message(),
            directory / "nowhere" +
                ": no such directory, expected a directory that holds "
                "{train,test}_images.npy, with {train,test}_labels.npy, "
                "_targets.npy or _weights.npy where the model reads them; give one with --data "
                "npy:DIR or DATA_PATH, or train without files with --data "
                "digits");
  std::filesystem::remove(path("test_labels"));
  EXPECT_EQ(openNpy(directory.path()).status().message(),
            directory.path() +
                ": test_labels.npy not found; it holds test_images.npy, "
                "train_images.npy, train_labels.npy; expected it there, plain "
                "or with .gz or .xz, because train_labels.npy is; add it or "
                "remove that");
  std::filesystem::remove(path("train_images"));
  EXPECT_EQ(openNpy(directory.path()).status().message(),
            directory.path() +
                ": train_images.npy (or train_features.npy) not found; it "
                "holds test_images.npy, train_labels.npy; expected it there, "
                "plain or with .gz or .xz; get it from the data set's source");
}

TEST_F(Npy, EveryTruncation) {
  for (size_t length = 0; length < trainImages.size(); ++length)
    EXPECT_THAT(imagesError(trainImages.substr(0, length)),
                AllOf(StartsWith(path("train_images") + ": truncated: "),
                      HasSubstr("expected"), HasSubstr("get the file again")))
        << length;
  EXPECT_EQ(imagesError(trainImages.substr(0, 100)),
            path("train_images") + ": truncated: found 100 bytes, expected a "
                                   "whole header; get the file again");
  std::string packed = gzip(trainImages);
  for (size_t length = 2; length < packed.size(); ++length)
    EXPECT_THAT(imagesError(packed.substr(0, length)),
                HasSubstr("expected one intact gzip file"))
        << length;
  std::string wrong = packed;
  wrong[10] = '\7'; // a block of a kind that there is not
  EXPECT_THAT(imagesError(wrong),
              HasSubstr("damaged compressed data (invalid block type)"));
  EXPECT_EQ(imagesError(trainImages.substr(0, trainImages.size() - 4)),
            path("train_images") +
                ": truncated: the header announces uint8 (3, 2, 1, 3), 18 "
                "bytes, found a file of 142 bytes, expected 146; get the file "
                "again");
  EXPECT_THAT(imagesError(gzip(trainImages.substr(0, 140))),
              HasSubstr("truncated: found 12 bytes of elements, expected 18, "
                        "which the header announces"));
}

TEST_F(Npy, TrailingBytes) {
  EXPECT_THAT(imagesError(trainImages + "x"),
              HasSubstr(": too long: the header announces uint8 (3, 2, 1, 3), "
                        "18 bytes, found a file of 147 bytes, expected 146"));
  EXPECT_THAT(imagesError(gzip(trainImages + "x")),
              HasSubstr(": too long: more bytes follow the elements, expected "
                        "18, which"));
}

TEST_F(Npy, ForeignFiles) {
  EXPECT_EQ(imagesError("PK\3\4 an .npz file is a zip"),
            path("train_images") +
                ": found no NumPy array file (its first bytes are others), "
                "expected one that numpy.save wrote");
  std::string third = trainImages;
  third[6] = 3;
  EXPECT_THAT(imagesError(third),
              HasSubstr("found NumPy format 3.0, expected 1.0 or 2.0"));
}

TEST_F(Npy, TypesAndOrders) {
  EXPECT_EQ(imagesError(npy(">f4", "(3, 4)", std::string(48, '\0'))),
            path("train_images") +
                ": found elements of type '>f4', which is big-endian, expected "
                "uint8, int32, int64 or float32, little-endian; convert with "
                "numpy's astype");
  for (const char *descr : {"<f8", "<f2", "|b1", "<U3", "|O", "|i4", "", "u1"})
    EXPECT_THAT(imagesError(npy(descr, "(3, 4)", std::string(48, '\0'))),
                HasSubstr(std::string("found elements of type '") + descr +
                          "', expected uint8"));
  EXPECT_THAT(imagesError(npyOf("{'descr': '|u1', 'fortran_order': True, "
                                "'shape': (3, 2, 1, 3), }",
                                "abcdefghijklmnopqr")),
              HasSubstr("found Fortran order, expected C order; save "
                        "numpy.ascontiguousarray of it"));
  EXPECT_THAT(imagesError(npyOf("{'descr': [('a', '<f4')], 'fortran_order': "
                                "False, 'shape': (3,), }",
                                std::string(12, '\0'))),
              HasSubstr("the array has a structured type, expected"));
}

TEST_F(Npy, DamagedHeaders) {
  EXPECT_EQ(imagesError(npyOf("[]", "abc")),
            path("train_images") +
                ": the header is not a dictionary, expected what numpy.save "
                "writes for an array of numbers; save it again");
  const std::pair<const char *, const char *> cases[] = {
      {"", "the header is not a dictionary"},
      {"[]", "the header is not a dictionary"},
      {"{", "the header's dictionary is damaged"},
      {"{'descr'", "the header's dictionary is damaged"},
      {"{'descr: 1}", "the header's dictionary is damaged"},
      {"{'descr': 4}", "'descr' is not a text"},
      {"{'descr': '|u1' 'shape': ()}", "the header's dictionary is damaged"},
      {"{'descr': '|u1', 'descr': '|u1'}",
       "the header has a duplicate key 'descr'"},
      {"{'a\x1b': 1}", "the header has an unknown key 'a\\x1b'"},
      {"{'fortran_order': 0}", "'fortran_order' is neither True nor False"},
      {"{'shape': 3}", "'shape' is not a tuple"},
      {"{'shape': (-1,)}", "'shape' holds something else than extents"},
      {"{'shape': (a,)}", "'shape' holds something else than extents"},
      {"{'shape': (99999999999999999999,)}", "something else than extents"},
      {"{'shape': (1 2)}", "'shape' is damaged"},
      {"{'shape': (1,1,1,1,1,1,1,1,1)}", "'shape' has more than 8 extents"},
      {"{'shape': (1,", "'shape' holds something else than extents"},
      {"{}", "the header lacks 'descr', 'fortran_order' or 'shape'"},
      {"{} {}", "something follows the header's dictionary"},
  };
  for (const auto &[header, message] : cases)
    EXPECT_THAT(imagesError(npyOf(header, "abc")),
                AllOf(StartsWith(path("train_images") + ": "),
                      HasSubstr(message), HasSubstr(", expected ")))
        << header;
}

TEST_F(Npy, HostileSizes) {
  // A header longer than the file, and one of 4 GiB.
  std::string lies = trainImages;
  lies[8] = lies[9] = '\xff';
  EXPECT_THAT(imagesError(lies), HasSubstr("truncated: found 146 bytes"));
  EXPECT_THAT(imagesError(std::string("\x93NUMPY\2\0\xff\xff\xff\xff{", 13)),
              HasSubstr("found a header of 4294967295 bytes, expected at most "
                        "65536"));
  for (const char *shape : {"(4611686018427387904, 4611686018427387904)",
                            "(9223372036854775807, 2, 1, 1)",
                            "(3, 1099511627776)", "(4294967297,)"}) {
    EXPECT_THAT(imagesError(npy("|u1", shape, "abc")),
                AllOf(HasSubstr("the header announces uint8 ("),
                      HasSubstr("expected at most 4294967296 bytes; use a "
                                "smaller data set")))
        << shape;
    EXPECT_THAT(imagesError(gzip(npy("|u1", shape, "abc"))),
                HasSubstr("expected at most 4294967296 bytes"));
  }
  // Inside the limit, but more than the file has.
  EXPECT_THAT(imagesError(npy("<f4", "(3, 300000000)", "abc")),
              HasSubstr("truncated: the header announces float32 (3, "
                        "300000000), 3600000000 bytes, found a file of 131"));
  EXPECT_THAT(imagesError(gzip(npy("<f4", "(3, 300000000)", "abc"))),
              HasSubstr("compressed bytes can hold"));
  // A zero next to an extent that overflows.
  EXPECT_THAT(
      imagesError(npy("|u1", "(0, 4)", "")),
      HasSubstr("announces uint8 (0, 4), expected at least one element"));
}

TEST_F(Npy, ShapesOfImagesAndLabels) {
  EXPECT_EQ(imagesError(npy("|u1", "(3, 2, 1, 1, 3)", "abcdefghijklmnopqr")),
            path("train_images") +
                ": found uint8 (3, 2, 1, 1, 3), expected samples of shape (N, "
                "n), (N, a, b) or (N, channels, height, width); convert with "
                "numpy's reshape");
  EXPECT_THAT(imagesError(npy("<i4", "(3,)", std::string(12, '\0'))),
              HasSubstr("found int32 (3,), expected samples of shape"));
  EXPECT_THAT(imagesError(npy("|u1", "()", "a")),
              HasSubstr("found uint8 (), expected samples of shape"));
  write("train_images", trainImages);
  EXPECT_THAT(errorOf("train_labels", npy("<f4", "(3,)", std::string(12, 0))),
              HasSubstr("found float32 (3,), expected labels as uint8, int32 "
                        "or int64 of shape (N,)"));
  EXPECT_THAT(errorOf("train_labels", npy("|u1", "()", "\1")),
              HasSubstr("found uint8 (), expected labels as"));
  EXPECT_THAT(errorOf("train_labels", npy("|u1", "(3, 1)", "\1\2\3")),
              HasSubstr("found uint8 (2,), expected labels of the shape of " +
                        path("train_labels") + ", which holds uint8 (3, 1)"));
  EXPECT_THAT(errorOf("train_labels", npy("|u1", "(2,)", "\1\2")),
              HasSubstr("found 2 labels, expected 3, as many as there are "
                        "samples in " +
                        path("train_images")));
  write("train_labels", npy("|u1", "(3,)", "\1\2\3"));
  EXPECT_THAT(errorOf("test_images", npy("|u1", "(2, 6)", "ABCDEFGHIJKL")),
              HasSubstr("found uint8 (2, 6), expected samples of the type and "
                        "shape of " +
                        path("train_images") +
                        ", which holds uint8 (3, 2, 1, 3)"));
}

TEST_F(Npy, LabelsOutOfRange) {
  for (int64_t label :
       {int64_t{-1}, int64_t{1} << 24, INT64_MIN, INT64_MAX, int64_t{1} << 32})
    EXPECT_EQ(errorOf("train_labels",
                      npy("<i8", "(3,)", bytesOf<int64_t>({0, label, 2}))),
              path("train_labels") + ": found label " + std::to_string(label) +
                  " at sample 1, expected 0 to 16777215; number the classes "
                  "from 0");
  EXPECT_THAT(
      errorOf("train_labels", npy("<i4", "(3,)", bytesOf<int32_t>({0, 1, -7}))),
      HasSubstr("found label -7 at sample 2"));
}

TEST_F(Npy, FloatsThatAreNotFinite) {
  write("test_images", npy("<f4", "(2, 4)", std::string(32, '\0')));
  for (float bad : {std::nanf(""), INFINITY, -INFINITY}) {
    std::vector<float> values(12, 1.0f);
    values[6] = bad;
    EXPECT_THAT(imagesError(npy("<f4", "(3, 4)", bytesOf(values))),
                AllOf(StartsWith(path("train_images") + ": found "),
                      HasSubstr("in sample 1, expected finite numbers")));
  }
}

} // namespace
} // namespace boostrt
