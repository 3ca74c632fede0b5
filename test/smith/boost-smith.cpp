// boost-smith - trains random models, compiled and interpreted, and looks for a
// difference.
//
//   boost-smith [--seed N] [--count N] [--jobs N] [--gpu] [--reduce]
//   boost-smith --write DIR [--seed N] [--count N]
//
// Model N is made from seed N alone; --gpu compiles it for GPUs and runs it on
// the simulated one. Each runs in a process of its own, so that
// a crash is a finding like others; a finding is printed with the model, made
// smaller with --reduce, and the exit code is 1. The last line counts.
// --write trains nothing: DIR/N.json is the model and DIR/N.args the arguments
// for boostc, for tools that compare with something else.
#include "test/e2e/Differential.h"
#include "test/smith/Generator.h"
#include "llvm/Support/JSON.h"
#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <map>
#include <sys/wait.h>
#include <unistd.h>

using namespace boostc;
using namespace boostc::smith;

/// A comparison that takes longer hangs.
constexpr unsigned kSeconds = 120;
constexpr int64_t kSteps = 10;

namespace {

/// What a child process tells about its model.
struct Outcome {
  std::string finding; ///< empty when all is well
  int64_t illegal = 0; ///< layers that were refused, with a diagnostic
  int64_t layers = 0;
};

/// Runs `body` in a child process and returns what it wrote.
class Child {
public:
  explicit Child(llvm::function_ref<void(FILE *)> body) {
    int ends[2];
    if (pipe(ends) != 0 || (process = fork()) < 0) {
      perror("boost-smith");
      exit(70);
    }
    if (process == 0) {
      close(ends[0]);
      alarm(kSeconds);
      FILE *out = fdopen(ends[1], "w");
      body(out);
      fclose(out);
      _exit(0);
    }
    close(ends[1]);
    input = ends[0];
  }
  Child(Child &&other) = default;

  pid_t getProcess() const { return process; }

  /// After the process has ended with `status`.
  Outcome collect(int status) {
    std::string text;
    char buffer[4096];
    for (ssize_t n; (n = read(input, buffer, sizeof buffer)) > 0;)
      text.append(buffer, n);
    close(input);
    if (WIFSIGNALED(status))
      return {WTERMSIG(status) == SIGALRM ? "hangs"
                                          : std::string("ends by signal ") +
                                                strsignal(WTERMSIG(status))};
    if (WEXITSTATUS(status) != 0)
      return {"ends with exit code " + std::to_string(WEXITSTATUS(status))};
    llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
    if (!value)
      return {"says nothing: " + llvm::toString(value.takeError())};
    const llvm::json::Object &object = *value->getAsObject();
    return {object.getString("finding")->str(), *object.getInteger("illegal"),
            *object.getInteger("layers")};
  }

private:
  pid_t process = -1;
  int input = -1;
};

std::string compare(const Sketch &sketch) {
  testing::TestPartResultArray failures;
  {
    testing::ScopedFakeTestPartResultReporter reporter(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ALL_THREADS,
        &failures);
    e2e::expectSteps(sketch.getModel(), sketch.getOptions(), kSteps);
  }
  return failures.size() ? failures.GetTestPartResult(0).message() : "";
}

void report(FILE *out, const Outcome &outcome) {
  llvm::json::Object object{{"finding", llvm::json::fixUTF8(outcome.finding)},
                            {"illegal", outcome.illegal},
                            {"layers", outcome.layers}};
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(object));
  fputs(text.c_str(), out);
}

Outcome wait(Child child) {
  int status = 0;
  waitpid(child.getProcess(), &status, 0);
  return child.collect(status);
}

/// Makes the model smaller as long as it is legal and something is found.
Sketch reduce(Sketch sketch) {
  auto stillFails = [](const Sketch &smaller) {
    return !wait(Child([&](FILE *out) {
              Outcome outcome;
              if (import(smaller).isLegal)
                outcome.finding = compare(smaller);
              report(out, outcome);
            })).finding.empty();
  };
  bool changed = true;
  while (changed) {
    changed = false;
    std::vector<Sketch> candidates;
    for (size_t i = sketch.layers.size(); i-- > 0;) {
      candidates.push_back(sketch);
      candidates.back().layers.erase(candidates.back().layers.begin() + i);
    }
    if (sketch.model.batch > 1) {
      candidates.push_back(sketch);
      candidates.back().model.batch /= 2;
    }
    if (sketch.threads > 1) {
      candidates.push_back(sketch);
      candidates.back().threads = 1;
    }
    for (const Sketch &candidate : candidates)
      if (stillFails(candidate)) {
        sketch = candidate;
        changed = true;
        break;
      }
  }
  return sketch;
}

void print(uint64_t seed, const Sketch &sketch, const std::string &finding) {
  printf(
      "seed %llu, %s%s%s%s%s, %u threads, reproducible %s, %lld micro-batches, "
      "boosts [%s]: %s\n%s",
      static_cast<unsigned long long>(seed),
      !sketch.isForGpus         ? ""
      : sketch.callsCudaLibrary ? "simulated GPU with its library, "
                                : "simulated GPU, ",
      sketch.isStaged ? "tiling, " : "", sketch.isTf32 ? "tf32, " : "",
      sketch.usesWinograd ? "Winograd, " : "",
      sketch.useLibrary ? "library" : "loops", sketch.threads,
      rt::stringifyReproducibility(sketch.reproducible).str().c_str(),
      static_cast<long long>(sketch.microBatches),
      llvm::join(sketch.getOptions().boosts, " ").c_str(), finding.c_str(),
      sketch.getModel().getJson().c_str());
  fflush(stdout);
}

/// Writes model `seed` into the folder `path`.
bool write(uint64_t seed, const Sketch &sketch, const std::string &path) {
  CompileOptions options = sketch.getOptions();
  std::string args;
  for (const std::string &boost : options.boosts)
    args += "--boost\n" + boost + "\n";
  auto save = [&](const char *ending, const std::string &text) {
    std::ofstream file(path + "/" + std::to_string(seed) + ending);
    file << text << std::flush;
    return static_cast<bool>(file);
  };
  return save(".json", sketch.getModel().getJson()) && save(".args", args);
}

} // namespace

int main(int argc, char **argv) {
  uint64_t seed = 1;
  int64_t count = 100, jobs = 2;
  bool reduces = false, isForGpus = false;
  std::string folder;
  CLI::App app(
      "Trains random models, compiled and interpreted, and looks for a "
      "difference.");
  app.add_option("--seed", seed, "of the first model")->capture_default_str();
  app.add_option("--count", count, "models, with seeds one after the other")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--jobs", jobs, "processes at a time")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  CLI::Option *gpu =
      app.add_flag("--gpu", isForGpus, "run on the simulated GPU");
  app.add_flag("--reduce", reduces, "make models with a finding smaller");
  app.add_option("--write", folder,
                 "write the models into this folder and train none")
      ->check(CLI::ExistingDirectory)
      ->excludes(gpu);
  CLI11_PARSE(app, argc, argv);
  testing::InitGoogleTest();

  if (!folder.empty()) {
    for (int64_t number = 0; number < count; ++number) {
      int64_t illegal = 0;
      std::string fault;
      Sketch sketch =
          generate(seed + number, /*isForGpus=*/false, illegal, fault);
      if (!write(seed + number, sketch, folder)) {
        perror("boost-smith --write");
        return 1;
      }
    }
    return 0;
  }

  struct Running {
    uint64_t seed;
    Child child;
  };
  std::map<pid_t, Running> running;
  int64_t started = 0, ended = 0, found = 0, illegal = 0, layers = 0;
  while (ended < count) {
    while (started < count && static_cast<int64_t>(running.size()) < jobs) {
      uint64_t own = seed + started++;
      Child child([own, isForGpus](FILE *out) {
        Outcome outcome;
        Sketch sketch =
            generate(own, isForGpus, outcome.illegal, outcome.finding);
        outcome.layers = sketch.layers.size();
        if (outcome.finding.empty())
          outcome.finding = compare(sketch);
        report(out, outcome);
      });
      pid_t process = child.getProcess();
      running.emplace(process, Running{own, std::move(child)});
    }
    int status = 0;
    pid_t process = waitpid(-1, &status, 0);
    auto done = running.find(process);
    if (done == running.end())
      continue;
    Outcome outcome = done->second.child.collect(status);
    ++ended;
    illegal += outcome.illegal;
    layers += outcome.layers;
    if (!outcome.finding.empty()) {
      ++found;
      int64_t ignored = 0;
      std::string fault;
      Sketch sketch = generate(done->second.seed, isForGpus, ignored, fault);
      print(done->second.seed, reduces ? reduce(sketch) : sketch,
            outcome.finding);
    }
    running.erase(done);
  }
  printf(
      "%lld models of %lld layers trained, %lld illegal layers refused: %lld "
      "findings\n",
      static_cast<long long>(count), static_cast<long long>(layers),
      static_cast<long long>(illegal), static_cast<long long>(found));
  return found ? 1 : 0;
}
