#include "runtime/checkpoint/RecipeDifference.h"

#include <gtest/gtest.h>

using namespace boostrt;

namespace {

TEST(RecipeDifference, NamesKeysAsSetDoes) {
  EXPECT_EQ(
      recipeDifference(
          R"({"optimizer":{"type":"sgd","learning_rate":{"value":0.1}}})",
          R"({"optimizer":{"type":"adam","learning_rate":{"value":0.2}}})"),
      "optimizer.learning_rate.value is 0.1, expected 0.2; "
      "optimizer.type is \"sgd\", expected \"adam\"");
  EXPECT_EQ(recipeDifference(
                R"({"layers":[{"name":"fc1","units":8},{"name":"fc2"}]})",
                R"({"layers":[{"name":"fc1","units":9},{"name":"fc2"}]})"),
            "layers.fc1.units is 8, expected 9");
  EXPECT_EQ(recipeDifference(
                R"({"data":{"transforms":[{"op":"rescale","scale":1.0}]}})",
                R"({"data":{"transforms":[{"op":"rescale","scale":2.0}]}})"),
            "data.transforms.0.scale is 1.0, expected 2.0");
}

TEST(RecipeDifference, NamesWhatOneOfThemLacks) {
  EXPECT_EQ(recipeDifference(R"({"layers":[{"name":"a","op":"relu"}]})",
                             R"({"layers":[{"name":"b","op":"relu"}]})"),
            "layers.a.name is \"a\", expected missing; layers.a.op is "
            "\"relu\", expected missing; layers.b.name is missing, expected "
            "\"b\"; layers.b.op is missing, expected \"relu\"");
  EXPECT_EQ(recipeDifference(R"({"layers":[{"name":"a"},{"name":"b"}]})",
                             R"({"layers":[{"name":"b"},{"name":"a"}]})"),
            "the order of layers is a b, expected b a");
}

TEST(RecipeDifference, IsSilentAboutWhatDecidesNoWeight) {
  EXPECT_EQ(
      recipeDifference(
          R"({"name":"a","epochs":1,"metrics":["x"],"matmul_precision":"float32",
              "amp":{"level":"O0","dtype":"f16","keep_batchnorm_fp32":null},
              "data":{"source":"mnist:A"},"train":{"eval_every":1,"device_num":4},
              "boost":{"boost":{"mode":"auto","adasum":false,
                                "grad_accumulation":false},
                       "adasum":{"mode":"delta"},
                       "grad_accumulation":{"grad_accumulation_step":1}}})",
          R"({"name":"b","epochs":2,"metrics":["y"],
              "data":{"source":"mnist:B"},"train":{"eval_every":0},
              "boost":{"boost":{"mode":"manual","adasum":false,
                                "grad_accumulation":true},
                       "adasum":{"mode":"gradient"},
                       "grad_accumulation":{"grad_accumulation_step":4}}})"),
      "");
  EXPECT_EQ(recipeDifference(
                R"({"boost":{"boost":{"adasum":true},"adasum":{"mode":"a"}}})",
                R"({"boost":{"boost":{"adasum":true},"adasum":{"mode":"b"}}})"),
            "boost.adasum.mode is \"a\", expected \"b\"");
  EXPECT_EQ(recipeDifference(R"({"amp":{"level":"O2","dtype":"f16"}})",
                             R"({"amp":{"level":"O2","dtype":"bf16"}})"),
            "amp.dtype is \"f16\", expected \"bf16\"");
}

TEST(RecipeDifference, KeysOfBothComeFirst) {
  EXPECT_EQ(recipeDifference(R"({"a":1,"z":1})", R"({"z":2,"b":1})"),
            "z is 1, expected 2; a is 1, expected missing; b is missing, "
            "expected 1");
}

TEST(RecipeDifference, ShowsAFewOfMany) {
  std::string a = "{", b = "{";
  for (int i = 0; i < 9; ++i) {
    a += (i ? ",\"k" : "\"k") + std::to_string(i) + "\":1";
    b += (i ? ",\"k" : "\"k") + std::to_string(i) + "\":2";
  }
  EXPECT_EQ(recipeDifference(a + "}", b + "}"),
            "k0 is 1, expected 2; k1 is 1, expected 2; k2 is 1, expected 2; "
            "k3 is 1, expected 2; k4 is 1, expected 2; k5 is 1, expected 2; "
            "3 more keys differ");
  std::string lengthy = R"({"a":")" + std::string(500, 'x') + R"("})";
  EXPECT_EQ(recipeDifference(lengthy, R"({"a":1})"),
            "a is \"" + std::string(59, 'x') + "..., expected 1");
}

TEST(RecipeDifference, TakesNothingOnTrust) {
  for (const char *bad : {"", "no JSON", "[]", "5"}) {
    EXPECT_EQ(recipeDifference(bad, "{}"), "");
    EXPECT_EQ(recipeDifference("{}", bad), "");
  }
  std::string deep =
      "{\"a\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}";
  EXPECT_EQ(recipeDifference(deep, "{}"), "");
  EXPECT_EQ(recipeDifference(R"({"a":"\u001b[31m"})", R"({"a":1})"),
            "a is \"\\u001b[31m\", expected 1");
  // Values of other kinds than a recipe's.
  EXPECT_EQ(recipeDifference(
                R"({"data":1,"train":[],"boost":{"boost":5},"layers":[1]})",
                R"({"data":2,"train":[],"boost":7,"layers":[1]})"),
            "data is 1, expected 2");
}

} // namespace
