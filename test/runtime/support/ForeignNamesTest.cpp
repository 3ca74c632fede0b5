#include "runtime/support/ForeignNames.h"

#include "runtime/support/Suggest.h"

#include <gtest/gtest.h>

namespace boostrt {
namespace {

constexpr std::string_view kLayers[] = {
    "avg_pool",   "batch_norm", "conv2d",   "dense", "gelu",
    "group_norm", "layer_norm", "max_pool", "relu"};
constexpr std::string_view kLosses[] = {"binary_cross_entropy", "l1", "mse",
                                        "softmax_cross_entropy"};
constexpr std::string_view kOptimizers[] = {"adam", "adamw", "lars", "momentum",
                                            "sgd"};
constexpr std::string_view kFlags[] = {"--init", "--target", "--bucket-size",
                                       "--set"};

std::string layer(std::string_view word) {
  return suggestName(NameKind::Layer, word, kLayers);
}
std::string loss(std::string_view word) {
  return suggestName(NameKind::Loss, word, kLosses);
}
std::string optimizer(std::string_view word) {
  return suggestName(NameKind::Optimizer, word, kOptimizers);
}

TEST(SuggestName, SeesThroughCase) {
  for (const char *word :
       {"ReLU", "Relu", "ReLu", "RELU", "re_lu", "nn.ReLU", "torch.nn.ReLU"})
    EXPECT_EQ(layer(word), "; did you mean 'relu'?") << word;
  EXPECT_EQ(layer("Conv2D"), "; did you mean 'conv2d'?");
  EXPECT_EQ(loss("MSE"), "; did you mean 'mse'?");
  EXPECT_EQ(optimizer("SGD"), "; did you mean 'sgd'?");
}

TEST(SuggestName, KnowsOtherSystems) {
  EXPECT_EQ(layer("Linear"), "; did you mean 'dense'?");
  EXPECT_EQ(layer("MaxPool2d"), "; did you mean 'max_pool'?");
  EXPECT_EQ(layer("LayerNorm"), "; did you mean 'layer_norm'?");
  for (const char *word : {"BatchNorm", "BatchNorm2d", "BatchNormalization"})
    EXPECT_EQ(layer(word), "; did you mean 'batch_norm'?") << word;
  EXPECT_EQ(layer("InstanceNorm2d"),
            "; did you mean 'group_norm' (with as many groups as channels)?");
  EXPECT_EQ(loss("CrossEntropyLoss"),
            "; did you mean 'softmax_cross_entropy'?");
  EXPECT_EQ(loss("cross_entropy"), "; did you mean 'softmax_cross_entropy'?");
  EXPECT_EQ(loss("SparseCategoricalCrossentropy"),
            "; did you mean 'softmax_cross_entropy' (it reads logits)?");
  EXPECT_EQ(loss("mae"), "; did you mean 'l1'?");
  EXPECT_EQ(optimizer("AdamW"), "; did you mean 'adamw'?");
  EXPECT_EQ(optimizer("AdamWeightDecay"), "; did you mean 'adamw'?");
}

TEST(SuggestName, OffersNothingForWhatIsNotImplemented) {
  for (const char *word : {"SyncBatchNorm", "RMSNorm", "Conv1d"})
    EXPECT_EQ(layer(word), "; boostc does not have it") << word;
  EXPECT_EQ(optimizer("Lion"), "; boostc does not have it");
}

TEST(SuggestName, FallsBackToWhatIsNear) {
  EXPECT_EQ(layer("dnese"), "; did you mean 'dense'?");
  EXPECT_EQ(layer("nothing_like_it"), "");
}

TEST(SuggestName, OffersOnlyWhatIsLegal) {
  constexpr std::string_view kKeys[] = {"filters", "kernel"};
  EXPECT_EQ(suggestName(NameKind::Key, "out_channels", kKeys),
            "; did you mean 'filters'?");
  constexpr std::string_view kOthers[] = {"units"};
  EXPECT_EQ(suggestName(NameKind::Key, "out_channels", kOthers),
            "; did you mean 'units'?");
  EXPECT_EQ(suggestName(NameKind::Key, "lr", kOthers), "");
}

TEST(SuggestFlag, PointsAtTheRecipe) {
  EXPECT_EQ(suggestFlag(NameKind::CompilerFlag, "--lr", kFlags),
            "; the recipe is changed by --set optimizer.learning_rate=VALUE");
  EXPECT_EQ(suggestFlag(NameKind::CompilerFlag, "--batch-size", kFlags),
            "; the recipe is changed by --set batch_size=VALUE");
  EXPECT_EQ(suggestFlag(NameKind::RunFlag, "--learning_rate", kFlags),
            "; the recipe is part of the program: compile it with boostc "
            "--set optimizer.learning_rate=VALUE");
}

TEST(SuggestFlag, KnowsLaunchersAndNeverOffersAnotherThing) {
  EXPECT_EQ(suggestFlag(NameKind::RunFlag, "--nproc_per_node", kFlags),
            "; did you mean '--ranks'?");
  EXPECT_EQ(suggestFlag(NameKind::RunFlag, "--quiet", kFlags),
            "; did you mean '--progress' (as --progress none)?");
  EXPECT_EQ(suggestFlag(NameKind::CompilerFlag, "--quiet", kFlags),
            "; this flag does not exist");
  EXPECT_EQ(suggestFlag(NameKind::CompilerFlag, "--targt", kFlags),
            "; did you mean '--target'?");
  EXPECT_EQ(suggestFlag(NameKind::CompilerFlag, "--TARGET", kFlags),
            "; did you mean '--target'?");
}

TEST(ForeignNames, EachMeansOneThing) {
  std::span<const ForeignName> names = foreignNames();
  for (size_t i = 0; i < names.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      bool isSame = names[i].kind == names[j].kind &&
                    isSameSpelling(names[i].theirs, names[j].theirs);
      // Keys belong to objects, of which each has one of the two.
      if (isSame && names[i].kind != NameKind::Key) {
        EXPECT_EQ(names[i].ours, names[j].ours) << names[i].theirs;
      }
    }
}

} // namespace
} // namespace boostrt
