// The control plane: what ranks get from it, and what strangers cannot do.
#include "runtime/comm/control/ControlClient.h"
#include "runtime/comm/control/ControlServer.h"
#include "runtime/comm/gloo/GlooTransport.h"
#include "test/runtime/support/Child.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <fstream>
#include <grp.h>
#include <mutex>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

namespace {
std::atomic<int> acceptError{0}, failedAccepts{0};
} // namespace

/// In place of the system's, for this program: fails with `acceptError`.
extern "C" int accept4(int socket, sockaddr *address, socklen_t *size,
                       int flags) {
  if (acceptError == 0)
    return static_cast<int>(syscall(SYS_accept4, socket, address, size, flags));
  ++failedAccepts;
  errno = acceptError;
  return -1;
}

using namespace boostrt;
using namespace boostrt::control;
using ::testing::HasSubstr;

namespace {

using std::chrono::milliseconds;

class Control : public ::testing::Test {
protected:
  std::unique_ptr<ControlServer> serve(uint32_t size) {
    server_.size = size;
    server_.token = "secret";
    auto started = ControlServer::start(server_);
    EXPECT_TRUE(started.ok()) << started.status().message();
    port_ = (*started)->port();
    return std::move(started).value();
  }

  ClientOptions clientOptions(uint32_t rank) {
    ClientOptions options;
    options.port = port_;
    options.token = "secret";
    options.rank = rank;
    options.size = server_.size;
    options.connectDeadline = std::chrono::seconds(10);
    return options;
  }

  std::unique_ptr<ControlClient> join(uint32_t rank) {
    auto client = ControlClient::connect(clientOptions(rank));
    EXPECT_TRUE(client.ok()) << client.status().message();
    return client.ok() ? std::move(client).value() : nullptr;
  }

  std::string refusal(const ClientOptions &options) {
    auto client = ControlClient::connect(options);
    EXPECT_FALSE(client.ok());
    return client.status().message();
  }

  Socket stranger() {
    auto socket =
        connectTo("127.0.0.1", port_, Clock::now() + std::chrono::seconds(10));
    EXPECT_TRUE(socket.ok());
    return std::move(socket).value();
  }

  /// The server has cut this connection off, without a word.
  static bool isCutOff(const Socket &socket) {
    for (int i = 0; i < 100; ++i) {
      pollfd wait = {socket.get(), POLLIN, 0};
      poll(&wait, 1, 100);
      std::string bytes;
      ReadResult result = readSome(socket, bytes);
      if (result == ReadResult::Closed)
        return true;
      if (result == ReadResult::Data)
        return false;
    }
    return false;
  }

  using Clock = std::chrono::steady_clock;
  ServerOptions server_;
  uint16_t port_ = 0;
};

std::string hello(std::string_view token, uint64_t rank, uint64_t size) {
  return MessageWriter(MessageType::Hello)
      .text(magic)
      .text(token)
      .number(rank)
      .number(size)
      .finish();
}

TEST_F(Control, AKeyIsWaitedFor) {
  auto server = serve(2);
  auto first = join(0), second = join(1);
  std::string value("a\0b", 3);
  std::thread later([&] {
    std::this_thread::sleep_for(milliseconds(50));
    EXPECT_TRUE(second->set("key", value).ok());
  });
  auto got = first->get("key", std::chrono::seconds(10));
  later.join();
  ASSERT_TRUE(got.ok()) << got.status().message();
  EXPECT_EQ(*got, value);
  EXPECT_EQ(*second->get("key", std::chrono::seconds(10)), value);
  EXPECT_TRUE(first->get(allRanksKey, std::chrono::seconds(10)).ok());
}

TEST_F(Control, AKeyThatNoRankSetsIsNamed) {
  auto server = serve(1);
  auto client = join(0);
  auto got = client->get("mesh/0/1", milliseconds(100));
  ASSERT_FALSE(got.ok());
  EXPECT_EQ(got.status().code(), ExitCode::RankLost);
  EXPECT_EQ(got.status().message(),
            "no rank has set 'mesh/0/1' at 127.0.0.1:" + std::to_string(port_) +
                " within 0.1 s");
}

TEST_F(Control, RefusesOtherJobsAndSaysWhy) {
  auto server = serve(2);
  std::string job = "the job at 127.0.0.1:" + std::to_string(port_);
  ClientOptions options = clientOptions(1);
  options.token = "secrez";
  EXPECT_EQ(refusal(options),
            job + " does not take rank 1: it has another token; all ranks of a "
                  "job are given the same one");
  options = clientOptions(1);
  options.size = 3;
  EXPECT_EQ(refusal(options),
            job + " does not take rank 1: it has 2 ranks, and this rank was "
                  "started for a job of 3");
  options = clientOptions(2);
  EXPECT_EQ(refusal(options),
            job + " does not take rank 2: it has ranks 0 to 1");
  auto first = join(0);
  options = clientOptions(0);
  EXPECT_EQ(refusal(options),
            job + " does not take rank 0: rank 0 has come already: two "
                  "processes were started as rank 0");
  auto second = join(1);
  EXPECT_FALSE(first->hasFailed());
}

TEST_F(Control, StrangersDoNoHarm) {
  auto server = serve(2);
  std::vector<Socket> silent;
  for (int i = 0; i < 150; ++i) // more than it keeps
    silent.push_back(stranger());
  auto first = join(0);
  const std::string good = hello("secret", 1, 2);
  std::vector<std::string> bad = {
      "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
      std::string(4, '\0'),   // a message of no length
      std::string(4, '\xff'), // of 4 GiB
      std::string(100000, 'x'),
  };
  // Each type as the first message.
  for (int type = 0; type < 256; ++type)
    if (type != int(MessageType::Hello))
      bad.push_back(MessageWriter(MessageType(type)).text("secret").finish());
  // A field too few, a byte too many, a length beyond the end.
  bad.push_back(
      MessageWriter(MessageType::Hello).text(magic).text("secret").finish());
  bad.push_back(MessageWriter(MessageType::Hello)
                    .text(magic)
                    .text("secret")
                    .number(1)
                    .number(2)
                    .number(3)
                    .finish());
  bad.push_back(MessageWriter(MessageType::Hello)
                    .text(magic)
                    .number(~uint64_t(0))
                    .finish());
  bad.push_back(MessageWriter(MessageType::Hello)
                    .text("boost-control-0")
                    .text("secret")
                    .number(1)
                    .number(2)
                    .finish());
  for (const std::string &bytes : bad) {
    Socket socket = stranger();
    sendAll(socket, bytes);
    EXPECT_TRUE(isCutOff(socket)) << ::testing::PrintToString(bytes);
  }
  // Half a message, then nothing, and then gone.
  for (size_t size = 0; size < good.size(); ++size) {
    Socket socket = stranger();
    sendAll(socket, good.substr(0, size));
  }
  auto second = join(1);
  EXPECT_TRUE(first->set("key", "value").ok());
  EXPECT_EQ(*second->get("key", std::chrono::seconds(10)), "value");
  EXPECT_FALSE(first->hasFailed());
}

// A message may come byte by byte.
TEST_F(Control, AHelloInPiecesIsAHello) {
  auto server = serve(1);
  Socket socket = stranger();
  for (char byte : hello("secret", 0, 1)) {
    sendAll(socket, {&byte, 1});
    std::this_thread::sleep_for(milliseconds(1));
  }
  MessageBuffer buffer;
  std::optional<std::string_view> message;
  while (!message) {
    pollfd wait = {socket.get(), POLLIN, 0};
    ASSERT_GT(poll(&wait, 1, 10000), 0);
    std::string bytes;
    ASSERT_EQ(readSome(socket, bytes), ReadResult::Data);
    buffer.append(bytes);
    message = buffer.next(maxMessageBytes);
  }
  EXPECT_EQ(MessageReader(*message).type(), MessageType::Welcome);
  sendAll(socket, MessageWriter(MessageType::Goodbye).finish());
}

// Who has the token and then talks nonsense is a rank that is lost.
TEST_F(Control, ARankThatTalksNonsenseIsLost) {
  auto server = serve(2);
  auto first = join(0);
  Socket other = stranger();
  sendAll(other, hello("secret", 1, 2));
  sendAll(other, MessageWriter(MessageType::Welcome).finish());
  EXPECT_TRUE(first->awaitFailure(std::chrono::seconds(10)));
  EXPECT_THAT(first->status().message(), HasSubstr("rank 1 was lost"));
}

TEST_F(Control, NamesTheRanksThatDoNotCome) {
  server_.connectDeadline = milliseconds(200);
  auto server = serve(4);
  auto client = join(2);
  ASSERT_TRUE(client->awaitFailure(std::chrono::seconds(10)));
  EXPECT_EQ(
      client->status().message(),
      "ranks 0, 1, 3 of 4 did not come to 127.0.0.1:" + std::to_string(port_) +
          " within 0.2 s; see their own output, and check that all were "
          "started with this address and token; --join-deadline S waits "
          "longer");
  // One that comes later is told at once.
  auto late = join(3);
  ASSERT_TRUE(late->awaitFailure(std::chrono::seconds(10)));
  EXPECT_EQ(late->status().message(), client->status().message());
}

/// What a notice has told; the test waits for it.
class Told {
public:
  WaitingNotice notice() {
    return {milliseconds(50), [this](const std::string &text) {
              std::lock_guard lock(mutex_);
              texts_.push_back(text);
              changed_.notify_all();
            }};
  }
  std::string first() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(10),
                      [&] { return !texts_.empty(); });
    return texts_.empty() ? "nothing" : texts_[0];
  }
  size_t count() {
    std::lock_guard lock(mutex_);
    return texts_.size();
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> texts_;
};

TEST_F(Control, TellsOnceWhichRanksItWaitsFor) {
  Told told;
  server_.notice = told.notice();
  auto server = serve(4);
  auto client = join(2);
  EXPECT_EQ(told.first(), "waiting for ranks 0, 1, 3 of 4 at 127.0.0.1:" +
                              std::to_string(port_) +
                              ", for 60 s more (--join-deadline)");
  std::vector<std::unique_ptr<ControlClient>> others;
  for (uint32_t rank : {0, 1, 3})
    others.push_back(join(rank));
  EXPECT_TRUE(client->get(allRanksKey, std::chrono::seconds(10)).ok());
  EXPECT_EQ(told.count(), 1u);
}

TEST_F(Control, TellsThatRank0IsNotThere) {
  auto taken = listenOn("127.0.0.1", port_);
  ASSERT_TRUE(taken.ok());
  taken = Socket(); // a port that is free
  Told told;
  ClientOptions options = clientOptions(1);
  options.notice = told.notice();
  options.connectDeadline = milliseconds(500);
  EXPECT_THAT(refusal(options), HasSubstr("--join-deadline S waits longer"));
  EXPECT_EQ(told.first(),
            "waiting for rank 0 at 127.0.0.1:" + std::to_string(port_) +
                " (Connection refused), for 1 s more "
                "(--join-deadline)");
  EXPECT_EQ(told.count(), 1u);
}

TEST_F(Control, AFreePortIsOneThatNoConnectionGets) {
  unsigned first = 0;
  std::ifstream("/proc/sys/net/ipv4/ip_local_port_range") >> first;
  for (int i = 0; i < 50; ++i) {
    Result<uint16_t> port = findFreePort("127.0.0.1");
    ASSERT_TRUE(port.ok());
    EXPECT_GT(*port, 1024);
    EXPECT_LT(*port, first > 2048 ? first : 32768);
    EXPECT_TRUE(listenOn("127.0.0.1", *port).ok());
  }
  EXPECT_EQ(findFreePort("192.0.2.1").status().code(), ExitCode::Usage);
}

TEST_F(Control, ATakenPortIsTheFaultOfWhoNamedItAndHasAHolder) {
  uint16_t port = 0;
  auto listener = listenOn("127.0.0.1", port);
  ASSERT_TRUE(listener.ok());
  Status status = listenOn("127.0.0.1", port).status();
  EXPECT_EQ(status.code(), ExitCode::Usage);
  EXPECT_EQ(status.message(),
            "cannot listen on 127.0.0.1:" + std::to_string(port) +
                ": Address already in use; process " +
                std::to_string(getpid()) +
                " (comm-test) listens there: choose another port");
  status = connectTo("no host", 1, Clock::now()).status();
  EXPECT_EQ(status.code(), ExitCode::Usage);
}

TEST_F(Control, AServerThatCannotTakeAConnectionSaysSoAndRests) {
  for (auto [error, text] :
       {std::pair{EMFILE, "Too many open files; raise the limit on open files "
                          "(ulimit -n)"},
        {ENFILE, "Too many open files in system; raise the limit on open files "
                 "(ulimit -n)"},
        {ENOBUFS, "No buffer space available; end other programs on this "
                  "machine, or use fewer ranks"},
        {ENOMEM, "Cannot allocate memory; end other programs on this machine, "
                 "or use fewer ranks"}}) {
    auto server = serve(2);
    auto client = join(0);
    failedAccepts = 0;
    acceptError = error;
    // The server may have closed the port before this end sees the connection.
    auto next = connectTo("127.0.0.1", port_, Clock::now());
    EXPECT_TRUE(client->awaitFailure(std::chrono::seconds(10)));
    EXPECT_EQ(client->status().message(),
              "cannot take a connection at 127.0.0.1:" + std::to_string(port_) +
                  ": " + text);
    std::this_thread::sleep_for(milliseconds(50));
    EXPECT_EQ(failedAccepts, 1);
    acceptError = 0;
  }
}

TEST(OpenFiles, ALimitThatIsTooLowIsNamed) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  Descriptor first(dup(2)), second(dup(2)); // the lowest that are free
  rlimit low = before;
  low.rlim_cur = static_cast<rlim_t>(second.get()) + 1;
  first = Descriptor();
  second = Descriptor();
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
  Status enough = checkRoomForFiles(2), tooFew = checkRoomForFiles(3);
  auto limit = std::to_string(low.rlim_cur);
  low.rlim_cur -= 2;
  setrlimit(RLIMIT_NOFILE, &low);
  Status connected =
      connectTo("127.0.0.1", 1, std::chrono::steady_clock::now()).status();
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(connected.code(), ExitCode::Usage);
  EXPECT_THAT(connected.message(),
              HasSubstr("cannot connect to 127.0.0.1:1: Too many open files"));
  EXPECT_TRUE(enough.ok()) << enough.message();
  EXPECT_EQ(tooFew.code(), ExitCode::Usage);
  std::string text = "this process may open " + limit +
                     " files and connections (ulimit -n), too few for so many "
                     "ranks: raise that limit or start fewer";
  EXPECT_EQ(tooFew.message(), text);
  EXPECT_EQ(openFilesAdvice("accept: Too many open files"),
            "; this process may open " + std::to_string(before.rlim_cur) +
                " files and connections (ulimit -n), too few for so many "
                "ranks: raise that limit or start fewer");
  EXPECT_EQ(openFilesAdvice("accept: Connection reset by peer"), "");
}

TEST_F(Control, APortThatIsKeptForRoot) {
  // In a child, because root must give up what it is.
  int code = exitCodeOf([] {
    if (geteuid() == 0 &&
        (setgroups(0, nullptr) || setgid(65534) || setuid(65534)))
      return 2;
    uint16_t port = 1;
    Status status = listenOn("127.0.0.1", port).status();
    bool isNamed = status.code() == ExitCode::Usage &&
                   status.message() ==
                       "cannot listen on 127.0.0.1:1: Permission denied; the "
                       "system keeps such ports, below 1024 as a rule, for "
                       "root: choose a larger one";
    return status.ok() ? 3 : isNamed ? 0 : 1;
  });
  if (code == 2)
    GTEST_SKIP() << "root may not give up what it is here";
  if (code == 3)
    GTEST_SKIP() << "this machine keeps no ports for root";
  EXPECT_EQ(code, 0);
}

TEST_F(Control, AbortReachesAllRanksOnce) {
  auto server = serve(3);
  std::atomic<int> told = 0;
  std::vector<std::unique_ptr<ControlClient>> clients;
  for (uint32_t rank = 0; rank < 3; ++rank) {
    ClientOptions options = clientOptions(rank);
    options.onFailure = [&] { ++told; };
    auto client = ControlClient::connect(options);
    ASSERT_TRUE(client.ok());
    clients.push_back(std::move(client).value());
  }
  clients[1]->setActivity({4, "bucket 1", "model.json:3:1"});
  clients[1]->abort("no samples left");
  for (auto &client : clients) {
    EXPECT_TRUE(client->awaitFailure(std::chrono::seconds(10)));
    EXPECT_EQ(client->status().message(),
              "rank 1 gave up in step 4, bucket 1 (model.json:3:1): no samples "
              "left");
    EXPECT_FALSE(client->get("key", std::chrono::seconds(10)).ok());
  }
  clients.clear();
  EXPECT_EQ(told, 3);
}

TEST_F(Control, SaysWhyItCannotListen) {
  auto server = serve(1);
  ServerOptions other = server_;
  other.port = port_;
  std::string endpoint = "127.0.0.1:" + std::to_string(port_);
  EXPECT_EQ(ControlServer::start(other).status().message(),
            "cannot listen on " + endpoint +
                ": Address already in use; process " +
                std::to_string(getpid()) +
                " (comm-test) listens there: choose another port");
  other.host = "192.0.2.1"; // of no machine
  EXPECT_THAT(ControlServer::start(other).status().message(),
              HasSubstr("rank 0 must run on the machine that the master "
                        "address names"));
  other.host = "no host";
  EXPECT_THAT(ControlServer::start(other).status().message(),
              HasSubstr("cannot resolve 'no host': "));
  auto client = join(0);
}

TEST_F(Control, SaysWhatListensElsewhere) {
  auto listener = listenOn("127.0.0.1", port_);
  ASSERT_TRUE(listener.ok());
  ClientOptions options = clientOptions(0);
  options.connectDeadline = milliseconds(200);
  std::string endpoint = "127.0.0.1:" + std::to_string(port_);
  std::string notOurs =
      "what listens at " + endpoint +
      " is not the control server of this job; check the master address, and "
      "that all ranks run the same version";
  // It takes the connection and says nothing.
  EXPECT_EQ(refusal(options), notOurs);
  // It greets like a mail server, or closes the connection.
  for (bool greets : {true, false}) {
    std::thread other([&] {
      // The connection of the refusal before is still in the queue.
      for (int i = greets ? 0 : 1; i < 2; ++i) {
        Socket taken(accept(listener->get(), nullptr, nullptr));
        if (greets)
          sendAll(taken, "220 mail.example ESMTP\r\n");
        std::string bytes;
        while (!greets && readSome(taken, bytes) == ReadResult::Nothing)
          std::this_thread::sleep_for(milliseconds(1));
      }
    });
    EXPECT_EQ(refusal(options),
              greets ? notOurs
                     : endpoint +
                           " closed the connection of rank 0 without an "
                           "answer: the rank that serves the job there has "
                           "ended early (see its own output), or the master "
                           "address is that of something else");
    other.join();
  }
}

TEST_F(Control, AnAddressThatIsNotOursIsNamed) {
  auto server = serve(2);
  std::vector<Status> statuses(2);
  std::vector<std::thread> ranks;
  for (uint32_t rank = 0; rank < 2; ++rank)
    ranks.emplace_back([&, rank] {
      GlooOptions options;
      options.rank = rank;
      options.size = 2;
      options.masterPort = port_;
      options.token = "secret";
      if (rank == 1)
        options.listenAddress = "192.0.2.1";
      statuses[rank] = connectGloo(options).status();
    });
  for (std::thread &rank : ranks)
    rank.join();
  for (const Status &status : statuses) {
    EXPECT_EQ(status.code(), ExitCode::RankLost);
    EXPECT_THAT(status.message(),
                HasSubstr("rank 1 gave up before the first step: it cannot "
                          "wait for the other ranks: cannot listen on "
                          "192.0.2.1:0: Cannot assign requested address; that "
                          "is not an address of this machine"));
    EXPECT_EQ(status.message(), statuses[0].message());
  }
}

TEST(Token, IsComparedAsAWhole) {
  EXPECT_TRUE(equalInConstantTime("", ""));
  EXPECT_TRUE(equalInConstantTime("secret", "secret"));
  EXPECT_FALSE(equalInConstantTime("secret", "secre"));
  EXPECT_FALSE(equalInConstantTime("secret", "tecret"));
  EXPECT_FALSE(equalInConstantTime("secret", "secreu"));
}

TEST(Wire, AMessageIsReadAsItWasWritten) {
  ActivityRecord activity({-3, "bucket", "model.json:1:2"});
  std::string bytes = MessageWriter(MessageType::Beat)
                          .number(~uint64_t(0) - 5)
                          .activity(activity)
                          .text(std::string_view("\0x", 2))
                          .finish();
  MessageBuffer buffer;
  buffer.append(bytes + bytes);
  for (int i = 0; i < 2; ++i) {
    auto message = buffer.next(1000);
    ASSERT_TRUE(message);
    MessageReader reader(*message);
    EXPECT_EQ(reader.type(), MessageType::Beat);
    EXPECT_EQ(reader.number(), ~uint64_t(0) - 5);
    EXPECT_EQ(reader.activity(), activity);
    EXPECT_FALSE(reader.isComplete());
    EXPECT_EQ(reader.text(), std::string_view("\0x", 2));
    EXPECT_TRUE(reader.isComplete());
    EXPECT_EQ(reader.number(), 0u); // one too many
    EXPECT_FALSE(reader.isComplete());
  }
  EXPECT_FALSE(buffer.next(1000));
  EXPECT_FALSE(buffer.isBroken());
}

TEST(Wire, NoPartOfAMessageIsOne) {
  std::string bytes =
      MessageWriter(MessageType::Set).text("key").text("v").finish();
  for (size_t size = 0; size < bytes.size(); ++size) {
    MessageBuffer buffer;
    buffer.append(bytes.substr(0, size));
    EXPECT_FALSE(buffer.next(1000));
    EXPECT_FALSE(buffer.isBroken());
    // The same with a length that fits what is there.
    if (size <= 4)
      continue;
    std::string cut = bytes.substr(0, size);
    cut[0] = char(size - 4);
    buffer = {};
    buffer.append(cut);
    auto message = buffer.next(1000);
    ASSERT_TRUE(message);
    MessageReader reader(*message);
    reader.text();
    reader.text();
    EXPECT_FALSE(reader.isComplete());
  }
}

TEST(Wire, ALengthBeyondTheLimitBreaksTheStream) {
  std::string bytes = MessageWriter(MessageType::Set).text("12345").finish();
  for (size_t limit : {bytes.size() - 5, bytes.size() - 4}) {
    MessageBuffer buffer;
    buffer.append(bytes);
    EXPECT_EQ(buffer.next(limit).has_value(), limit == bytes.size() - 4);
    EXPECT_EQ(buffer.isBroken(), limit != bytes.size() - 4);
  }
}

} // namespace
