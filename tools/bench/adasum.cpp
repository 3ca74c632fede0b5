// Adasum against the sum all-reduce, in turns on one set of ranks:
//
//   bench-adasum local|gloo RANKS MEGABYTES ROUNDS [FORM]...
//
// A FORM is "auto", as ranks that train choose, or radices, "4" or "2x2", with
// "w" after it for whole vectors and "b16" for blocks of 16 MiB. Ranks are
// threads of this process, or processes of their own. A time is that of the
// slowest rank; printed are medians over the rounds, also of the CPU time of
// all ranks, and of rank 0 what the time went to. Next to them the limits: the
// same bytes sent twice as slices and not added, and how many multiplications
// and additions the definition needs.
#include "runtime/comm/adasum/Adasum.h"
#include "runtime/comm/Collectives.h"
#include "runtime/comm/HostVectors.h"
#include "runtime/comm/gloo/GlooTransport.h"
#include "runtime/comm/local/LocalJob.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <fmt/format.h>
#include <functional>
#include <random>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace boostrt;

namespace {

struct Arguments {
  std::string transport;
  uint32_t ranks;
  double megabytes;
  int rounds;
  std::vector<std::string> forms;
};

/// Large and small in turns, as weights and biases are.
std::vector<AdasumTensor> tensorsOf(size_t elements) {
  std::vector<AdasumTensor> tensors;
  size_t offset = 0;
  while (offset < elements) {
    size_t count = tensors.size() % 2 ? 512 : elements / 40 + 1;
    count = std::min(count, elements - offset);
    tensors.push_back({offset, count, static_cast<uint32_t>(tensors.size())});
    offset += count;
  }
  return tensors;
}

AdasumOptions optionsOf(std::string form) {
  AdasumOptions options;
  if (size_t at = form.find('b'); at != std::string::npos) {
    options.blockBytes = std::stoul(form.substr(at + 1)) << 20;
    form.resize(at);
  }
  if (form == "auto")
    return options;
  options.cut = adasum::Cut::EqualSlices;
  if (form.ends_with("w")) {
    options.cut = adasum::Cut::WholeVectors;
    form.pop_back();
  }
  for (size_t at = 0; at != std::string::npos;) {
    options.radices.push_back(std::atoi(form.c_str() + at));
    at = form.find('x', at);
    at += at != std::string::npos;
  }
  return options;
}

double medianOf(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2,
                   values.end());
  return values[values.size() / 2];
}

struct Candidate {
  std::string name;
  std::function<Status()> run;
  const Adasum *adasum = nullptr;
  std::vector<double> milliseconds = {}, cpuMilliseconds = {};
  AdasumStats total = {};
};

class Bench {
public:
  Bench(Transport &transport, const Arguments &arguments)
      : group_(transport), arguments_(arguments) {}

  Status run() {
    size_t elements =
        static_cast<size_t>(arguments_.megabytes * 1e6 / sizeof(float));
    std::mt19937 generator(group_.self());
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::vector<float> gradients(elements);
    for (float &x : gradients)
      x = uniform(generator);
    bucket_ = gradients;
    std::vector<AdasumTensor> tensors = tensorsOf(elements);
    std::vector<Candidate> candidates{
        {"sum", [&] { return allReduceSum(group_, bucket_, workspace_); }},
        {"its bytes alone", [&] { return moveBytes(); }}};
    std::vector<Adasum> adasums;
    adasums.reserve(arguments_.forms.size()); // candidates refer to them
    for (const std::string &form : arguments_.forms) {
      Result<Adasum> planned =
          Adasum::plan(group_.size(), group_.self(), tensors, optionsOf(form));
      if (!planned.ok())
        return planned.status();
      Adasum &adasum = adasums.emplace_back(std::move(planned).value());
      candidates.push_back(
          {adasum.describe(),
           [&] { return adasum.run(group_, bucket_.data(), workspace_); },
           &adasum});
    }
    for (int round = -1; round < arguments_.rounds; ++round)
      for (Candidate &candidate : candidates) {
        bucket_ = gradients;
        double seconds = 0, cpuSeconds = 0;
        BOOSTRT_RETURN_IF_ERROR(measure(candidate.run, seconds, cpuSeconds));
        if (round < 0)
          continue; // the first run takes memory
        candidate.milliseconds.push_back(seconds * 1e3);
        candidate.cpuMilliseconds.push_back(cpuSeconds * 1e3);
        if (candidate.adasum)
          add(candidate.adasum->stats(), candidate.total);
      }
    if (group_.self() == 0) {
      print(candidates);
      double pairs = adasum::pairCount(group_.size());
      fmt::print("in one level: {:.0f} million multiply-adds in fp64 on all "
                 "ranks together\n",
                 double(elements) * (pairs + group_.size()) * 1e-6);
    }
    return barrier(group_);
  }

private:
  /// What a sum and an Adasum in one level send, and no more.
  Status moveBytes() {
    std::array<std::span<float>, 1> spans{bucket_};
    sliced_.divide(
        spans.size(), group_.size(), [&](size_t i) { return spans[i].size(); },
        [&](size_t i) { return spans[i]; });
    HostVectors memory(workspace_);
    BOOSTRT_RETURN_IF_ERROR(allGather(group_, sliced_, workspace_, memory));
    return allGather(group_, sliced_, workspace_, memory);
  }

  /// For this process, and so of all ranks where these are its threads.
  static double cpuSecondsSoFar() {
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec +
           1e-6 * (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  }

  template <typename Work>
  Status measure(Work &&work, double &seconds, double &cpuSeconds) {
    using Clock = std::chrono::steady_clock;
    struct Spent {
      double seconds, cpuSeconds;
    };
    BOOSTRT_RETURN_IF_ERROR(barrier(group_));
    Clock::time_point begin = Clock::now();
    double cpuBegin = cpuSecondsSoFar();
    BOOSTRT_RETURN_IF_ERROR(work());
    Spent own{std::chrono::duration<double>(Clock::now() - begin).count(),
              cpuSecondsSoFar() - cpuBegin};
    std::vector<Spent> all(group_.size());
    BOOSTRT_RETURN_IF_ERROR(
        allGatherValue(group_, own, std::span(all), workspace_));
    for (const Spent &spent : all) {
      seconds = std::max(seconds, spent.seconds);
      cpuSeconds = arguments_.transport == "local"
                       ? std::max(cpuSeconds, spent.cpuSeconds)
                       : cpuSeconds + spent.cpuSeconds;
    }
    return Status();
  }

  static void add(const AdasumStats &one, AdasumStats &total) {
    total.exchangeSeconds += one.exchangeSeconds;
    total.productSeconds += one.productSeconds;
    total.agreeSeconds += one.agreeSeconds;
    total.combineSeconds += one.combineSeconds;
    total.scalarBytes = one.scalarBytes;
    total.vectorBytes = one.vectorBytes;
  }

  void print(const std::vector<Candidate> &candidates) const {
    fmt::print("{}, {} MB, {} rounds\n", group_.transport().describe(),
               arguments_.megabytes, arguments_.rounds);
    double sum = medianOf(candidates[0].milliseconds);
    for (const Candidate &candidate : candidates) {
      double median = medianOf(candidate.milliseconds);
      fmt::print("{:<32} median {:8.2f} ms, least "
                 "{:8.2f}, CPU {:8.2f}, "
                 "{:.3f} of the sum\n",
                 candidate.name, median,
                 *std::min_element(candidate.milliseconds.begin(),
                                   candidate.milliseconds.end()),
                 medianOf(candidate.cpuMilliseconds), median / sum);
      if (!candidate.adasum)
        continue;
      double each = 1e3 / arguments_.rounds;
      const AdasumStats &total = candidate.total;
      fmt::print("  exchange {:.2f} ms, products {:.2f}, agree {:.2f}, combine "
                 "{:.2f}; sent {} + {} bytes\n",
                 total.exchangeSeconds * each, total.productSeconds * each,
                 total.agreeSeconds * each, total.combineSeconds * each,
                 total.vectorBytes, total.scalarBytes);
    }
  }

  Group group_;
  const Arguments &arguments_;
  Workspace workspace_;
  std::vector<float> bucket_;
  ShardedVector<float> sliced_;
};

int finish(Transport &transport, const Status &status) {
  if (status.ok())
    return 0;
  transport.abort(status.message());
  fmt::print(stderr, "rank {}: {}\n", transport.rank(), status.message());
  return 1;
}

int runThreads(const Arguments &arguments) {
  LocalJob job(arguments.ranks);
  std::vector<int> results(arguments.ranks);
  std::vector<std::thread> threads;
  for (uint32_t rank = 0; rank < arguments.ranks; ++rank)
    threads.emplace_back([&, rank] {
      std::unique_ptr<Transport> transport = job.connect(rank);
      results[rank] = finish(*transport, Bench(*transport, arguments).run());
    });
  for (std::thread &thread : threads)
    thread.join();
  return *std::max_element(results.begin(), results.end());
}

int runRank(const Arguments &arguments, uint32_t rank, uint16_t port) {
  GlooOptions options;
  options.rank = rank;
  options.size = arguments.ranks;
  options.masterPort = port;
  options.token = "bench-adasum";
  options.isMaster = rank == 0;
  Result<std::unique_ptr<Transport>> transport = connectGloo(options);
  if (!transport.ok()) {
    fmt::print(stderr, "rank {}: {}\n", rank, transport.status().message());
    return 1;
  }
  return finish(**transport, Bench(**transport, arguments).run());
}

int runProcesses(const Arguments &arguments) {
  uint16_t port = static_cast<uint16_t>(20000 + getpid() % 20000);
  for (uint32_t rank = 0; rank < arguments.ranks; ++rank)
    if (fork() == 0) {
      int result = runRank(arguments, rank, port);
      std::fflush(stdout);
      _exit(result);
    }
  int worst = 0, status;
  while (wait(&status) > 0)
    worst = std::max(worst, status == 0 ? 0 : 1);
  return worst;
}

} // namespace

int main(int argc, char **argv) {
  Arguments arguments;
  if (argc >= 5)
    arguments = {argv[1],
                 static_cast<uint32_t>(std::atoi(argv[2])),
                 std::atof(argv[3]),
                 std::atoi(argv[4]),
                 {argv + 5, argv + argc}};
  bool isLocal = argc >= 5 && arguments.transport == "local";
  if (argc < 5 || (!isLocal && arguments.transport != "gloo") ||
      !arguments.ranks || !(arguments.megabytes > 0) || arguments.rounds < 1) {
    fmt::print(stderr,
               "usage: {} local|gloo RANKS MEGABYTES ROUNDS [FORM]...\n",
               argv[0]);
    return 2;
  }
  if (arguments.forms.empty())
    arguments.forms.push_back("auto");
  return isLocal ? runThreads(arguments) : runProcesses(arguments);
}
