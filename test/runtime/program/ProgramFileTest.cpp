#include "runtime/program/ProgramFile.h"

#include "runtime/program/Program.h"
#include "test/runtime/program/Sealing.h"
#include "test/runtime/support/TemporaryDirectory.h"
#include "test/runtime/trainer/Fixtures.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

using namespace boostrt;
using testing::HasSubstr;

namespace {

std::vector<uint8_t> programBytes() {
  std::string text = readFile(fixture("softmax"));
  EXPECT_GT(text.size(), 10000u);
  return {text.begin(), text.end()};
}

std::string sealed(std::string payload) {
  std::vector<uint8_t> bytes(payload.begin(), payload.end());
  appendTrailer(bytes);
  return {bytes.begin(), bytes.end()};
}

/// What Program::load says about a file of this content.
Status loadContent(const std::string &content) {
  TemporaryDirectory directory;
  std::string path = directory / "p.so";
  writeFile(path, content);
  auto program = Program::load(path);
  EXPECT_FALSE(program.ok());
  return program.status();
}

void expectInput(const Status &status, const std::string &text) {
  EXPECT_EQ(status.code(), ExitCode::Input) << status.message();
  EXPECT_THAT(status.message(), HasSubstr(text));
}

TEST(ProgramFile, AWholeProgramLoads) {
  EXPECT_TRUE(checkProgramBytes(programBytes(), "p.so").ok());
  auto program = Program::load(fixture("softmax"));
  ASSERT_TRUE(program.ok()) << program.status().message();
  EXPECT_STREQ((*program)->descriptor().name, "softmax");
  EXPECT_EQ((*program)->input(BOOSTC_INPUT_LABELS)->classes, 10);
  EXPECT_EQ((*program)->parameters().size(), 2u);
}

TEST(ProgramFile, EveryTruncationIsRefused) {
  std::vector<uint8_t> bytes = programBytes();
  std::span<const uint8_t> all(bytes);
  // All short lengths, all around the trailer, and a stride between.
  for (size_t length = 0; length < bytes.size();
       length += (length < 300 || length + 300 > bytes.size()) ? 1 : 97) {
    Status status = checkProgramBytes(all.first(length), "p.so");
    ASSERT_EQ(status.code(), ExitCode::Input) << length;
    ASSERT_FALSE(status.message().empty());
  }
}

TEST(ProgramFile, EveryFlippedBitOfTheTrailerAndManyOthersAreRefused) {
  std::vector<uint8_t> bytes = programBytes();
  size_t trailer = bytes.size() - sizeof(BoostTrailer);
  for (size_t i = 0; i < bytes.size(); i += i < trailer ? 61 : 1)
    for (int bit = 0; bit < 8; bit += i < trailer ? 3 : 1) {
      bytes[i] ^= 1 << bit;
      Status status = checkProgramBytes(bytes, "p.so");
      ASSERT_EQ(status.code(), ExitCode::Input) << "byte " << i;
      bytes[i] ^= 1 << bit;
    }
  EXPECT_TRUE(checkProgramBytes(bytes, "p.so").ok());
}

TEST(ProgramFile, TheMessageSaysWhatIsWrong) {
  std::string whole = readFile(fixture("softmax"));
  expectInput(loadContent(whole.substr(0, whole.size() / 2)),
              "it is cut off, or a library that boostc did not make; build it "
              "again with boostc");
  std::string flipped = whole;
  flipped[5000] ^= 4;
  expectInput(loadContent(flipped),
              "is damaged: its checksum does not match its content");
  size_t payload = whole.size() - sizeof(BoostTrailer);
  expectInput(loadContent(whole.substr(0, 1000) + whole.substr(1100)),
              fmt::format("is damaged: {} bytes long where its trailer says {}",
                          payload - 100, payload));
  constexpr char own = BOOSTC_ABI_VERSION;
  for (char version : {char{4}, char{own + 1}}) {
    std::string other = whole;
    other[other.size() - 16] = version;
    expectInput(loadContent(other),
                fmt::format("has version {} of the program interface, this "
                            "boost-run has {}; use the boostc and boost-run of "
                            "one release",
                            int{version}, int{own}));
  }
  std::string laidOut = whole;
  laidOut[laidOut.size() - 12] ^= 1;
  expectInput(loadContent(laidOut),
              fmt::format("has another layout of version {} of the program "
                          "interface than this boost-run; use the boostc and "
                          "boost-run of one release, or build it again",
                          int{own}));
  expectInput(loadContent(""), "is empty");
  expectInput(loadContent("{ \"name\": \"mlp\" }"),
              "looks like a model file; compile it: boostc ");
  expectInput(loadContent("hello"), "is not a compiled program; ");
  expectInput(loadContent(sealed("hello")), "is not a shared object");
}

TEST(ProgramFile, PathsThatAreNoFiles) {
  TemporaryDirectory directory;
  auto missing = Program::load(directory / "no.so");
  expectInput(missing.status(), "No such file or directory");
  expectInput(Program::load(directory.path()).status(), "is a directory");
}

TEST(ProgramFile, SealedFilesThatAreNoPrograms) {
  // The trailer of these is right, so the linker and the descriptor decide.
  std::string elf("\x7f"
                  "ELF",
                  4);
  expectInput(loadContent(sealed(elf + std::string(200, '\1'))),
              "cannot be linked: ");
  expectInput(loadContent(readFile(BOOSTRT_FIXTURES "/foreign.so")),
              "does not end as a compiled program does");
  expectInput(loadContent(sealed(readFile(BOOSTRT_FIXTURES "/foreign.so"))),
              "does not export boost_program_query");
}

TEST(ProgramFile, ProgramsForOthers) {
  expectInput(Program::load(fixture("newer")).status(),
              fmt::format("needs a newer boost-run: this one has version {}",
                          BOOSTC_ABI_VERSION));
  // What a target needs is compared when it is chosen: the others may run.
  EXPECT_TRUE(Program::load(fixture("unknown_feature")).ok());
}

TEST(ProgramFile, IsFoundThroughARelativePath) {
  TemporaryDirectory directory;
  std::filesystem::path before = std::filesystem::current_path();
  writeFile(directory / "p.so", readFile(fixture("softmax")));
  std::filesystem::current_path(directory.path());
  auto program = Program::load("p.so");
  std::filesystem::current_path(before);
  EXPECT_TRUE(program.ok()) << program.status().message();
}

} // namespace
