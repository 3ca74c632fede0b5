#include "runtime/support/JsonMistake.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace boostrt {
namespace {

/// "BEGIN: MESSAGE", or "none".
std::string mistakeOf(std::string_view text) {
  std::optional<JsonMistake> mistake = findJsonMistake(text);
  return mistake ? std::to_string(mistake->begin) + ": " + mistake->message
                 : "none";
}

TEST(JsonMistake, PointsAtTheComma) {
  EXPECT_EQ(mistakeOf(R"({"a": 1,, "b": 2})"),
            "8: expected a key in double quotes after ',', found ','; remove "
            "one of the two commas");
  EXPECT_EQ(mistakeOf("[1,,2]"), "3: expected a value after ',', found ','; "
                                 "remove one of the two commas");
  EXPECT_EQ(mistakeOf("[1,]"), "3: expected a value after ',', found ']'; "
                               "remove the comma before it");
  EXPECT_EQ(mistakeOf("{\"a\": 1,\n}"),
            "9: expected a key in double quotes after ',', found '}'; remove "
            "the comma before it");
}

TEST(JsonMistake, NothingIsBeforeTheFirstToken) {
  // The comma belongs to what was read before, not to this text.
  std::string_view whole = ",}";
  std::optional<JsonMistake> mistake = findJsonMistake(whole, 1);
  ASSERT_TRUE(mistake);
  EXPECT_EQ(mistake->message, "expected a JSON value, found '}'");
  EXPECT_EQ(mistakeOf("}"), "0: expected a JSON value, found '}'");
  EXPECT_EQ(mistakeOf(" ]"), "1: expected a JSON value, found ']'");
}

TEST(JsonMistake, PointsWhereACommaIsMissing) {
  EXPECT_EQ(mistakeOf("{\"a\": 1\n \"b\": 2}"),
            "7: expected ',' or '}' after 1");
  EXPECT_EQ(mistakeOf("[{}\n {}]"), "3: expected ',' or ']' after '}'");
  EXPECT_EQ(mistakeOf("[1 2]"), "2: expected ',' or ']' after 1");
  EXPECT_EQ(mistakeOf(R"({"a": "x"; "b": 1})"),
            "9: expected ',' or '}' after \"x\", found ';'");
}

TEST(JsonMistake, PointsAtTheNumber) {
  EXPECT_EQ(mistakeOf(R"({"a": 01})"),
            "6: expected a value after ':', found '01'; JSON numbers have no "
            "leading zeros");
  EXPECT_EQ(mistakeOf("[+1]"), "1: expected a value or ']', found '+1'; JSON "
                               "numbers have no leading '+'");
  EXPECT_EQ(mistakeOf("[.5]"),
            "1: expected a value or ']', found '.5'; JSON "
            "numbers have digits before and after the point");
  EXPECT_EQ(mistakeOf("[1.]"),
            "1: expected a value or ']', found '1.'; JSON "
            "numbers have digits before and after the point");
  EXPECT_EQ(mistakeOf("[0x10]"), "1: expected a value or ']', found '0x10'; "
                                 "JSON numbers are decimal");
  EXPECT_EQ(mistakeOf("[1e]"), "1: expected a value or ']', found '1e'; JSON "
                               "numbers are written as 12, -0.5 or 1e-3");
  EXPECT_EQ(mistakeOf("[-Infinity]"), "1: expected a value or ']', found "
                                      "'-Infinity'; JSON numbers are finite");
}

TEST(JsonMistake, SaysWhatOtherNotationsAreInJson) {
  EXPECT_EQ(mistakeOf("{a: 1}"), "1: expected a key in double quotes or '}', "
                                 "found 'a'; JSON texts are in double quotes");
  EXPECT_EQ(mistakeOf("{'a': 1}"),
            "1: expected a key in double quotes or '}', found '''; JSON texts "
            "are in double quotes");
  EXPECT_EQ(mistakeOf("name: mlp\n"),
            "0: expected a JSON value, found 'name'; JSON in UTF-8 is "
            "expected, which begins with '{'");
  EXPECT_EQ(mistakeOf("[True]"), "1: expected a value or ']', found 'True'; "
                                 "JSON writes true, false and null");
  EXPECT_EQ(mistakeOf("[TRUE]"),
            "1: expected a value or ']', found 'TRUE'; JSON writes true");
  EXPECT_EQ(mistakeOf("{ // a\n}"), "2: expected a key in double quotes or "
                                    "'}', found '/'; JSON has no comments");
  EXPECT_EQ(mistakeOf(R"({"a" = 1})"),
            "5: expected ':' after the key \"a\", "
            "found '='; JSON writes ':' after a key");
  EXPECT_EQ(mistakeOf("{} {}"), "3: expected nothing after '}', found '{'");
}

TEST(JsonMistake, SaysWhereTheTextEnds) {
  EXPECT_EQ(mistakeOf(""),
            "0: expected a JSON value, found the end of the text");
  EXPECT_EQ(mistakeOf("{\"a\":\n\n"),
            "5: expected a value after ':', found the end of the text");
  EXPECT_EQ(mistakeOf("[1"),
            "2: expected ',' or ']' after 1, found the end of the text");
}

TEST(JsonMistake, SaysWhatIsWrongInATextOfQuotes) {
  EXPECT_EQ(mistakeOf("[\"ab\n"), "4: expected '\"' at the end of this text, "
                                  "found the end of the line; JSON writes \\n "
                                  "for it");
  EXPECT_EQ(mistakeOf("[\"ab"), "1: expected '\"' at the end of this text, "
                                "found the end of the file");
  EXPECT_EQ(mistakeOf("[\"a\tb\"]"),
            "3: the control character U+0009 in a text; JSON writes \\u0009 "
            "for it");
  EXPECT_EQ(mistakeOf(R"(["\q"])"), "2: '\\q' is not an escape of JSON; a "
                                    "backslash is written \\\\");
  EXPECT_EQ(mistakeOf(R"(["\u12x4"])"),
            "2: expected 4 hexadecimal digits after \\u");
  EXPECT_EQ(mistakeOf(R"(["\ud800"])"),
            "2: half of a surrogate pair; characters above U+FFFF are written "
            "with two \\u");
  EXPECT_EQ(mistakeOf("[\"\xff\"]"), "2: the byte \\xff in a text is not "
                                     "UTF-8; JSON in UTF-8 is expected");
}

TEST(JsonMistake, KnowsUtf16) {
  EXPECT_EQ(explainZeroByte({"\xff\xfe{\0", 4}).message,
            "a text in UTF-16 or UTF-32; JSON in UTF-8 is expected");
  EXPECT_EQ(explainZeroByte({"{\0}\0", 4}).message,
            "a text in UTF-16 or UTF-32; JSON in UTF-8 is expected");
  EXPECT_EQ(explainZeroByte({"{}\0", 3}).message,
            "a zero byte; JSON in UTF-8 is expected");
  EXPECT_EQ(explainZeroByte({"{}\0", 3}).begin, 2u);
}

/// Every change of one byte and every prefix: as the parser judges.
TEST(JsonMistake, FindsOneWhereThereIsOne) {
  const std::string text =
      "{\"a\": [1, -2.5e+3, true, null, {}], \"b\\u00e9\\n\": "
      "\"\xc3\xa9\\ud83d\\ude00\", \"c\": {\"d\": []}}";
  EXPECT_EQ(mistakeOf(text), "none");
  size_t refused = 0;
  auto compare = [&](const std::string &changed) {
    bool isJson = nlohmann::json::accept(changed);
    refused += !isJson;
    EXPECT_EQ(!findJsonMistake(changed), isJson) << changed;
  };
  for (size_t i = 0; i < text.size(); ++i) {
    compare(text.substr(0, i));
    compare(text.substr(0, i) + text.substr(i + 1));
    for (char c : std::string("{}[],:\"\\'0129-+.eEtfnu/ \n\x01\x80\xc3\xff"))
      compare(text.substr(0, i) + c + text.substr(i + 1));
  }
  EXPECT_GT(refused, 1000u);
}

} // namespace
} // namespace boostrt
