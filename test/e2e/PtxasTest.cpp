// NVIDIA's assembler takes every kernel of every model of the differential
// tests, for the oldest GPU and a newer one, and none of them has more values
// than there are registers.
#include "compiler/codegen/Ptxas.h"
#include "test/e2e/Cells.h"
#include "test/e2e/Programs.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace boostc;
using namespace boostc::e2e;

namespace {

using Parameter = std::tuple<Model, TilingPolicy>;

class Ptxas : public testing::TestWithParam<Parameter> {};

SmallVector<char, 0> compileToPtx(const Parameter &parameter) {
  const auto &[model, tilingPolicy] = parameter;
  CompileOptions options;
  options.emit = Emit::Ptx;
  options.phase.forCpu = false;
  options.phase.forCuda = true;
  options.phase.cudaLibrary = "never"; // all are kernels
  options.phase.tilingPolicy = tilingPolicy;
  return compileText(model.getJson(), options);
}

/// What `ptxas -v` says of the text; fails the test where it ends with an
/// error.
std::string assemble(const std::string &ptxas, StringRef text,
                     StringRef architecture) {
  SmallString<128> input, log;
  EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("boostc", "ptx", input));
  EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("boostc", "txt", log));
  llvm::FileRemover removeInput(input), removeLog(log);
  std::error_code code;
  llvm::raw_fd_ostream(input, code) << text;
  EXPECT_FALSE(code) << code.message();
  std::string arch = ("-arch=" + architecture).str();
  StringRef arguments[] = {ptxas, "-v", arch, input, "-o", "/dev/null"};
  std::optional<StringRef> redirects[] = {StringRef(""), StringRef(log),
                                          StringRef(log)};
  int status =
      llvm::sys::ExecuteAndWait(ptxas, arguments, std::nullopt, redirects);
  auto said = llvm::MemoryBuffer::getFile(log);
  std::string messages = said ? (*said)->getBuffer().str() : "";
  EXPECT_EQ(status, 0) << messages;
  return messages;
}

TEST_P(Ptxas, TakesEveryKernelWithoutSpills) {
  std::string ptxas = findPtxas("auto");
  if (ptxas.empty())
    GTEST_SKIP() << "there is no ptxas on this machine";
  SmallVector<char, 0> ptx = compileToPtx(GetParam());
  StringRef text(ptx.data(), ptx.size());
  size_t kernels = text.count(".entry ");
  EXPECT_GT(kernels, 0u);
  for (StringRef architecture : {"sm_80", "sm_90"}) {
    std::string said = assemble(ptxas, text, architecture);
    for (const char *line :
         {"bytes spill stores", " 0 bytes spill stores, 0 bytes spill loads"})
      EXPECT_EQ(StringRef(said).count(line), kernels)
          << architecture.str() << ":\n"
          << said;
  }
}

std::string nameOf(const testing::TestParamInfo<Parameter> &info) {
  const auto &[model, tilingPolicy] = info.param;
  return model.name + (tilingPolicy == TilingPolicy::Always ? "_staged" : "");
}

INSTANTIATE_TEST_SUITE_P(Models, Ptxas,
                         testing::ValuesIn(chooseCells<Model, TilingPolicy>(
                             getModels(),
                             {{TilingPolicy::Auto, TilingPolicy::Always}})),
                         nameOf);

} // namespace
