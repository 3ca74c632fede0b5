#include "test/runtime/trainer/Fixtures.h"

#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <iterator>
#include <spawn.h>
#include <sstream>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern char **environ;

namespace boostrt {

std::string fixture(const std::string &name) {
  return std::string(BOOSTRT_FIXTURES) + "/" + name + ".so";
}

namespace {

std::vector<std::string>
environmentWith(const std::vector<std::string> &changes) {
  std::vector<std::string> all;
  for (char **entry = environ; *entry; ++entry) {
    std::string text = *entry;
    std::string name = text.substr(0, text.find('='));
    // A terminal's or a user's settings must not decide how a test ends.
    bool dropped = name == "DATA_PATH" || name == "NO_COLOR";
    for (const std::string &change : changes)
      dropped |= name == change.substr(0, change.find('='));
    if (!dropped)
      all.push_back(text);
  }
  for (const std::string &change : changes)
    if (change.find('=') != std::string::npos)
      all.push_back(change);
  return all;
}

std::vector<char *> pointers(std::vector<std::string> &texts) {
  std::vector<char *> result;
  for (std::string &text : texts)
    result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

} // namespace

BoostRunProcess::BoostRunProcess(const std::vector<std::string> &arguments,
                                 const std::vector<std::string> &environment) {
  directory_ = testing::TempDir() + "/boost-run-XXXXXX";
  if (!::mkdtemp(directory_.data())) {
    ADD_FAILURE() << "no temporary directory";
    return;
  }
  std::vector<std::string> argv{"boost-run"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  std::vector<std::string> envp = environmentWith(environment);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (int descriptor : {1, 2})
    posix_spawn_file_actions_addopen(
        &actions, descriptor,
        (directory_ + (descriptor == 1 ? "/out" : "/err")).c_str(),
        O_WRONLY | O_CREAT | O_TRUNC, 0600);
  int error = posix_spawn(&process_, BOOSTRT_BOOST_RUN, &actions, nullptr,
                          pointers(argv).data(), pointers(envp).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    process_ = -1;
    ADD_FAILURE() << "cannot start " << BOOSTRT_BOOST_RUN;
  }
}

BoostRunProcess::~BoostRunProcess() {
  if (process_ > 0) {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

void BoostRunProcess::waitForOutput(const std::string &text) const {
  while (readFile(directory_ + "/out").find(text) == std::string::npos) {
    siginfo_t info{};
    waitid(P_PID, process_, &info, WEXITED | WNOHANG | WNOWAIT);
    if (info.si_pid == process_) {
      ADD_FAILURE() << "boost-run ended without '" << text
                    << "': " << readFile(directory_ + "/err");
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

Finished BoostRunProcess::wait() {
  Finished finished;
  int status = 0;
  rusage usage{};
  if (process_ <= 0 || wait4(process_, &status, 0, &usage) != process_)
    return finished;
  for (const timeval &time : {usage.ru_utime, usage.ru_stime})
    finished.cpuSeconds += static_cast<double>(time.tv_sec) +
                           static_cast<double>(time.tv_usec) * 1e-6;
  process_ = -1;
  if (WIFEXITED(status))
    finished.exitCode = WEXITSTATUS(status);
  else
    finished.signal = WTERMSIG(status);
  finished.out = readFile(directory_ + "/out");
  finished.err = readFile(directory_ + "/err");
  return finished;
}

Finished boostRunProcess(const std::vector<std::string> &arguments,
                         const std::vector<std::string> &environment) {
  return BoostRunProcess(arguments, environment).wait();
}

std::vector<int> childrenOf(int process) {
  std::string id = std::to_string(process);
  std::istringstream text(
      readFile("/proc/" + id + "/task/" + id + "/children"));
  return {std::istream_iterator<int>(text), {}};
}

std::unique_ptr<Session> openFixture(const std::string &name,
                                     const std::string &data) {
  Options options;
  options.program = fixture(name);
  if (!data.empty())
    options.data = data;
  Console console(ProgressKind::None);
  auto session = Session::open(options, console);
  if (!session.ok()) {
    ADD_FAILURE() << session.status().message();
    return nullptr;
  }
  Ranks alone;
  Status status = (*session)->reserve(
      (*session)->planTraining(alone, /*keepsCheckpoints=*/true), alone);
  EXPECT_TRUE(status.ok()) << status.message();
  return std::move(session).value();
}

std::string bytesOf(const Session &session, BoostArenaKind kind,
                    uint32_t copy) {
  return std::string(
      reinterpret_cast<const char *>(session.arenas().base(kind, copy)),
      session.program().descriptor().arena_bytes[kind]);
}

} // namespace boostrt
