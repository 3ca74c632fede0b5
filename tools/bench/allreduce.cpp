// Our all-reduce over Gloo's connections and Gloo's own algorithms. Called
// by allreduce.py:
//
//   allreduce RANKS MEGABYTES ROUNDS
//
// runs RANKS local processes. In each round every way runs once, in turn; a
// time is that of the slowest rank. gloo::allreduce() has a ring too, which is
// not here: it took 300 times as long as its bcube. Prints a line for each way:
// its name, then the seconds of each round.
#include "runtime/comm/Collectives.h"
#include "runtime/comm/gloo/GlooTransport.h"

#include <gloo/allreduce.h>
#include <gloo/allreduce_bcube.h>
#include <gloo/allreduce_halving_doubling.h>
#include <gloo/allreduce_ring.h>
#include <gloo/allreduce_ring_chunked.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/tcp/device.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace boostrt;

namespace {

constexpr const char *names[] = {"halving",
                                 "direct",
                                 "gloo ring",
                                 "gloo ring_chunked",
                                 "gloo halving_doubling",
                                 "gloo bcube",
                                 "gloo allreduce bcube"};
constexpr size_t ways = std::size(names);

struct Job {
  uint32_t ranks;
  size_t elements, rounds;
  uint16_t port;
  std::string folder;
  double *seconds; ///< by round, way and rank; all processes see it
};

void require(const Status &status) {
  if (status.ok())
    return;
  std::fprintf(stderr, "%s\n", status.message().c_str());
  std::abort();
}

void runRank(const Job &job, uint32_t rank) {
  GlooOptions options;
  options.rank = rank;
  options.size = job.ranks;
  options.isMaster = rank == 0;
  options.masterPort = job.port;
  auto transport = connectGloo(options);
  require(transport.status());
  Group group(**transport);
  Workspace workspace;

  gloo::rendezvous::FileStore store(job.folder);
  auto device = gloo::transport::tcp::CreateDevice("127.0.0.1");
  auto context = std::make_shared<gloo::rendezvous::Context>(rank, job.ranks);
  context->connectFullMesh(store, device);

  std::vector<float> values(job.elements);
  std::vector<float *> pointers = {values.data()};
  int count = static_cast<int>(job.elements);
  gloo::AllreduceRing<float> ring(context, pointers, count);
  gloo::AllreduceRingChunked<float> chunked(context, pointers, count);
  gloo::AllreduceHalvingDoubling<float> halving(context, pointers, count);
  gloo::AllreduceBcube<float> bcube(context, pointers, count);
  auto unboundBcube = [&] {
    gloo::AllreduceOptions all(context);
    all.setAlgorithm(gloo::AllreduceOptions::Algorithm::BCUBE);
    all.setOutput(values.data(), values.size());
    all.setReduceFunction([](void *c, const void *a, const void *b, size_t n) {
      gloo::sum<float>(c, a, b, n);
    });
    gloo::allreduce(all);
  };
  auto ours = [&](AllReduceAlgorithm algorithm) {
    require(allReduceSum(group, std::span(values), workspace, algorithm));
  };
  const std::function<void()> functions[ways] = {
      [&] { ours(AllReduceAlgorithm::Halving); },
      [&] { ours(AllReduceAlgorithm::Direct); },
      [&] { ring.run(); },
      [&] { chunked.run(); },
      [&] { halving.run(); },
      [&] { bcube.run(); },
      unboundBcube};

  using Clock = std::chrono::steady_clock;
  for (size_t round = 0; round <= job.rounds; ++round) // the first warms up
    for (size_t i = 0; i < ways; ++i) {
      size_t way = (i + round) % ways;
      std::fill(values.begin(), values.end(), float(rank + 1));
      require(barrier(group));
      auto begin = Clock::now();
      functions[way]();
      std::chrono::duration<double> time = Clock::now() - begin;
      float sum = float(job.ranks * (job.ranks + 1) / 2);
      if (std::count(values.begin(), values.end(), sum) !=
          std::ptrdiff_t(values.size()))
        std::abort();
      if (round > 0)
        job.seconds[((round - 1) * ways + way) * job.ranks + rank] =
            time.count();
    }
  require(barrier(group));
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 4)
    return 2;
  Job job;
  job.ranks = std::atoi(argv[1]);
  job.elements = size_t(std::atof(argv[2]) * 1e6 / sizeof(float));
  job.rounds = std::atoi(argv[3]);
  job.port = static_cast<uint16_t>(20000 + getpid() % 20000);
  char folder[] = "/tmp/allreduce-XXXXXX";
  job.folder = mkdtemp(folder);
  size_t bytes = job.rounds * ways * job.ranks * sizeof(double);
  job.seconds =
      static_cast<double *>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  for (uint32_t rank = 0; rank < job.ranks; ++rank)
    if (fork() == 0) {
      runRank(job, rank);
      _exit(0);
    }
  bool hasFailed = false;
  int status;
  while (wait(&status) > 0)
    hasFailed |= status != 0;
  if (hasFailed)
    return 1;
  for (size_t way = 0; way < ways; ++way) {
    std::printf("%s:", names[way]);
    for (size_t round = 0; round < job.rounds; ++round) {
      const double *ranks = &job.seconds[(round * ways + way) * job.ranks];
      std::printf(" %.6f", *std::max_element(ranks, ranks + job.ranks));
    }
    std::printf("\n");
  }
}
