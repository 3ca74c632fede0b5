#include "runtime/support/FlagValues.h"

#include <gtest/gtest.h>

namespace boostrt {
namespace {

/// What a command line of these flags is refused with, empty when it is not.
class FlagErrors : public testing::Test {
protected:
  FlagErrors() {
    app.option_defaults()->take_last();
    app.add_option("INPUT", input);
    app.add_option("-o,--output", output)->type_name("FILE");
    app.add_option("--threads", threads)
        ->check(integerBetween(1, 1024))
        ->type_name("N");
    app.add_option("--deadline", deadline)->check(numberBetween(0.5, 60));
    app.add_option("--when", when)->check(oneOf({"auto", "always", "never"}));
    app.add_option("--budget", bytes)
        ->transform(byteSizeBetween(1, uint64_t{1} << 40))
        ->type_name("SIZE");
    CLI::Option *explain = app.add_flag("--explain", isExplained);
    app.add_flag("--print", isPrinted)->excludes(explain);
    app.add_option("--samples", samples)->needs(explain);
    app.add_flag("--level{on}", level);
    app.add_flag("--pin,!--no-pin", isPinned);
    app.add_option("--once", once)
        ->multi_option_policy(CLI::MultiOptionPolicy::Throw);
  }

  std::string parse(std::vector<std::string> arguments) {
    if (std::optional<std::string> problem = findWrongValue(app, arguments))
      return *problem;
    try {
      std::reverse(arguments.begin(), arguments.end());
      app.parse(std::move(arguments));
    } catch (const CLI::ParseError &error) {
      return explainFlagError(app, error);
    }
    return "";
  }

  CLI::App app;
  std::string input, output, when, once, level;
  unsigned threads = 0;
  double deadline = 0;
  uint64_t bytes = 0;
  int samples = 0;
  bool isExplained = false, isPrinted = false, isPinned = false;
};

TEST_F(FlagErrors, SayWhatWasExpected) {
  EXPECT_EQ(parse({"--threads", "four"}),
            "--threads: expected a whole number from 1 to 1024, found 'four'");
  EXPECT_EQ(parse({"--threads=0"}),
            "--threads: expected a whole number from 1 to 1024, found '0'");
  EXPECT_EQ(parse({"--threads=-1"}),
            "--threads: expected a whole number from 1 to 1024, found '-1'");
  EXPECT_EQ(parse({"--threads=1.5"}),
            "--threads: expected a whole number from 1 to 1024, found '1.5'");
  EXPECT_EQ(parse({"--deadline=nan"}),
            "--deadline: expected a number from 0.5 to 60, found 'nan'");
  EXPECT_EQ(parse({"--when=alway"}),
            "--when: expected auto, always or never, found 'alway'; did you "
            "mean 'always'?");
  for (const char *size : {"lots", "-5", "99999999999999999999", "0", "5QiB"})
    EXPECT_EQ(parse({std::string("--budget=") + size}),
              "--budget: expected a size from 1 byte to 1 TiB, in bytes or "
              "with KiB, MiB or GiB as in 1.5GiB, found '" +
                  std::string(size) + "'");
}

TEST_F(FlagErrors, OnlySwitchesAreTrueOrFalse) {
  EXPECT_EQ(parse({"--pin=maybe"}),
            "--pin needs no value, or true or false; found 'maybe'");
  EXPECT_EQ(parse({"--no-pin=3"}),
            "--no-pin needs no value, or true or false; found '3'");
  EXPECT_EQ(parse({"--pin=false"}), "");
  // One that has a value where none is given takes its own words.
  EXPECT_EQ(parse({"--level=strict"}), "");
}

TEST_F(FlagErrors, SayWhichFlagsDoNotGoTogether) {
  EXPECT_EQ(parse({"--print", "--explain"}),
            "--explain and --print exclude each other");
  EXPECT_EQ(parse({"--samples", "3"}), "--samples needs --explain");
}

TEST_F(FlagErrors, SayThatAValueIsMissing) {
  EXPECT_EQ(parse({"a", "--threads"}), "--threads needs a value, N");
  EXPECT_EQ(parse({"--threads=", "a"}),
            "--threads needs a value, N; the one after '=' is empty");
  EXPECT_EQ(parse({"-o", "--explain", "a"}),
            "--output needs a value, FILE; found '--explain'");
  EXPECT_EQ(parse({"--level=off", "--level"}), "") << "a value of its own";
  EXPECT_EQ(level, "on");
  EXPECT_EQ(parse({"--explain=5"}), "--explain takes no value; found '5'");
}

TEST_F(FlagErrors, TheLastValueCountsUnlessItMayBeGivenOnce) {
  EXPECT_EQ(parse({"--threads=3", "--threads=4", "--explain", "--explain"}),
            "");
  EXPECT_EQ(threads, 4u);
  EXPECT_EQ(parse({"--once=3", "--once=4"}),
            "--once is given 2 times; expected one value");
}

TEST(ParseByteSize, TakesWhatIsPrintedSomewhere) {
  EXPECT_EQ(parseByteSize("6120064"), 6120064u);
  EXPECT_EQ(parseByteSize("6,120,064"), 6120064u);
  EXPECT_EQ(parseByteSize("1.5MiB"), 1572864u);
  EXPECT_EQ(parseByteSize("8 GiB"), uint64_t{8} << 30);
  EXPECT_EQ(parseByteSize("512 bytes"), 512u);
  EXPECT_EQ(parseByteSize("2k"), 2048u);
  EXPECT_EQ(parseByteSize("2KB"), 2048u);
  EXPECT_EQ(parseByteSize("2.81 KiB"), 2877u);
  EXPECT_EQ(parseByteSize("0"), 0u);
  EXPECT_EQ(parseByteSize("16EiB"), UINT64_MAX) << "2^64 does not fit";
  EXPECT_EQ(parseByteSize("99999999999999999999"), UINT64_MAX);
}

TEST(ParseByteSize, RefusesWhatIsNoSize) {
  for (const char *text : {"", " ", "MiB", "-5", "+5", "1.5.2", "12q", "1,5",
                           "1,2345", ",123", "1e3", "nan", "0x10", "5 5"})
    EXPECT_EQ(parseByteSize(text), std::nullopt) << text;
}

} // namespace
} // namespace boostrt
