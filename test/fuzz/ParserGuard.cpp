#include "test/fuzz/ParserGuard.h"
#include "test/fuzz/Fuzz.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <array>
#include <csetjmp>
#include <csignal>
#include <dlfcn.h>
#include <execinfo.h>
#include <set>
#include <ucontext.h>

using namespace mlir;
using namespace boostc::fuzz;
using boostrt::fuzz::fail;

// The code of the program, and of the function that calls the parser: made by
// the linker.
extern "C" {
extern const char __executable_start, etext;
extern const char __start_boost_parse, __stop_boost_parse;
}

/// In the sanitizers' runtime.
extern "C" void __sanitizer_symbolize_pc(void *pc, const char *format,
                                         char *out, size_t outSize);

namespace {
constexpr std::array kSignals = {SIGSEGV, SIGBUS,  SIGFPE,
                                 SIGILL,  SIGTRAP, SIGABRT};
std::array<struct sigaction, kSignals.size()> previousActions;
sigjmp_buf whereToGoOn;

/// Where the program crashed, and what had called that, innermost first.
void *crashedAt = nullptr;
std::array<void *, 512> frames;
int numFrames = 0;

void restoreActions() {
  for (size_t i = 0; i < kSignals.size(); ++i)
    sigaction(kSignals[i], &previousActions[i], nullptr);
}

bool isBetween(const void *address, const char &begin, const char &end) {
  auto *at = static_cast<const char *>(address);
  return at >= &begin && at < &end;
}

bool isOurs(const void *address) {
  return isBetween(address, __executable_start, etext) ||
         isBetween(address, __start_boost_parse, __stop_boost_parse);
}

void handle(int, siginfo_t *, void *context) {
  auto *state = static_cast<ucontext_t *>(context);
  crashedAt = reinterpret_cast<void *>(state->uc_mcontext.gregs[REG_RIP]);
  restoreActions();
  // The instruction crashes again, now for the sanitizer.
  if (isOurs(crashedAt))
    return;
  numFrames = backtrace(frames.data(), frames.size());
  siglongjmp(whereToGoOn, 1);
}

/// The place in libMLIR that `pc` is in, or an empty text.
std::string findInMlir(void *pc) {
  Dl_info library = {};
  dladdr(pc, &library);
  StringRef name(library.dli_fname ? library.dli_fname : "");
  if (!name.contains("libMLIR"))
    return {};
  auto offset =
      static_cast<char *>(pc) - static_cast<char *>(library.dli_fbase);
  return fmt::format("libMLIR+{:#x}", offset);
}

std::string nameFunction(void *pc) {
  std::array<char, 512> text = {};
  __sanitizer_symbolize_pc(pc, "%f %L", text.data(), text.size());
  return text.data();
}

/// Where MLIR crashed; nothing when a function of this program, which is none
/// that TableGen writes to hand text on to MLIR's parser, was being called.
std::optional<std::string> findCrashInMlir() {
  std::string place, called;
  int i = 0;
  while (i < numFrames && frames[i] != crashedAt) // the handler itself
    ++i;
  for (; i < numFrames; ++i) {
    if (isBetween(frames[i], __start_boost_parse, __stop_boost_parse))
      return place;
    // An assertion is called by a function of ours, too.
    if (isOurs(frames[i]))
      return !called.empty() &&
                     StringRef(nameFunction(frames[i])).contains("::parse(")
                 ? std::optional(place)
                 : std::nullopt;
    called = findInMlir(frames[i]);
    if (place.empty())
      place = called;
  }
  return place; // too deep a recursion of the parser
}

void setActions() {
  struct sigaction action = {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (size_t i = 0; i < kSignals.size(); ++i)
    sigaction(kSignals[i], &action, &previousActions[i]);
}

/// Keeps the first input of each place.
void listCrash(const std::string &place, StringRef text) {
  static std::set<std::string> known;
  if (!known.insert(place).second)
    return;
  fmt::print(stderr, "MLIR's parser crashed at {}\n", place);
  const char *folder = std::getenv("BOOST_FUZZ_LIST");
  if (!folder)
    return;
  std::error_code error;
  llvm::raw_fd_ostream file(fmt::format("{}/{}", folder, place), error);
  if (!error)
    file << text;
}
} // namespace

__attribute__((noinline, section("boost_parse"))) std::optional<LogicalResult>
boostc::fuzz::parseGuarded(const llvm::SourceMgr &sources, Block *block,
                           const ParserConfig &config) {
  setActions();
  if (sigsetjmp(whereToGoOn, /*savemask=*/1)) {
    std::optional<std::string> place = findCrashInMlir();
    if (!place) {
      for (int i = 0; i < numFrames; ++i)
        fmt::print(stderr, "    #{} {}\n", i, nameFunction(frames[i]));
      fail("a crash while IR is parsed");
    }
    listCrash(*place,
              sources.getMemoryBuffer(sources.getMainFileID())->getBuffer());
    return std::nullopt;
  }
  LogicalResult result = parseSourceFile(sources, block, config);
  restoreActions();
  return result;
}

bool boostc::fuzz::hasWrongIteratorType(StringRef text) {
  for (StringRef rest = text.split("iterator_types").second; !rest.empty();
       rest = rest.split("iterator_types").second) {
    StringRef list = rest.ltrim();
    if (!list.consume_front("=") || !(list = list.ltrim()).consume_front("["))
      continue;
    list = list.take_until([](char c) { return c == ']'; });
    if (!list.trim().empty() &&
        !llvm::all_of(llvm::split(list, ','), [](StringRef item) {
          return item.trim().starts_with("\"");
        }))
      return true;
  }
  return false;
}
