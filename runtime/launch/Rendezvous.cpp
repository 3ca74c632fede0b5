#include "runtime/launch/Rendezvous.h"

#include "runtime/support/Sha256.h"
#include "runtime/support/Suggest.h"

#include <fmt/format.h>

namespace boostrt {
namespace {

/// Where ranks meet that no launcher has given a port.
constexpr uint16_t kDefaultPort = 29511;

Status usage(std::string message) {
  return Status(ExitCode::Usage, std::move(message));
}

std::string digest(const std::string &text) {
  return toHex(
      sha256({reinterpret_cast<const uint8_t *>(text.data()), text.size()}));
}

class Rendezvous {
public:
  Rendezvous(JobPlan &plan, const JobInputs &inputs,
             const LauncherEnvironment *environment, Variables &variables)
      : plan_(plan), inputs_(inputs), options_(inputs.options),
        environment_(environment), variables_(variables) {}

  Status resolveMaster() {
    Result<HostPort> named = namedMaster();
    if (!named.ok())
      return named.status();
    if (environment_ && environment_->masterPort != 0) {
      HostPort said{environment_->masterHost, environment_->masterPort};
      bool differs = named->host != said.host ||
                     (named->port != 0 && named->port != said.port);
      if (options_.master && differs)
        return usage(fmt::format("--master says {}, but {} says {}:{}; leave "
                                 "--master out",
                                 *options_.master, environment_->launcher,
                                 said.host, said.port));
      *named = said;
    }
    plan_.masterHost = named->host;
    plan_.masterPort = named->port;
    if (plan_.masterHost.empty()) {
      if (plan_.servers() == 1)
        plan_.masterHost = "127.0.0.1";
      else if (inputs_.rankTable)
        plan_.masterHost = inputs_.rankTable->servers[0].id;
      else if (environment_)
        plan_.masterHost = environment_->masterHost;
    }
    if (plan_.masterHost.empty())
      return usage(fmt::format(
          "{} servers, and nothing says where rank 0 is; give --master "
          "HOST:PORT or set MASTER_ADDR and MASTER_PORT, the same for all "
          "ranks",
          plan_.servers()));
    if (plan_.masterPort == 0 && !isOwnJob())
      plan_.masterPort = derivedPort();
    return Status();
  }

  Status resolveToken() {
    std::optional<std::string> variable = variables_.text("BOOSTC_TOKEN");
    if (options_.tokenFile) {
      std::string token = inputs_.tokenFile.value_or("");
      token.erase(token.find_last_not_of(" \t\r\n") + 1);
      if (token.empty() || printable(token) != token)
        return usage(fmt::format("--token-file: '{}' holds no token, which is "
                                 "one line of 1 to 200 letters, digits and "
                                 "signs",
                                 printable(*options_.tokenFile)));
      if (variable && *variable != token)
        return usage(fmt::format("--token-file '{}' and BOOSTC_TOKEN hold "
                                 "different tokens; leave one of them out",
                                 printable(*options_.tokenFile)));
      plan_.token = std::move(token);
      plan_.tokenSource = "--token-file";
      return Status();
    }
    if (variable) {
      if (printable(*variable) != *variable)
        return usage(
            "BOOSTC_TOKEN is not a token, which is one line of 1 to 200 "
            "letters, digits and signs");
      plan_.token = *variable;
      plan_.tokenSource = "BOOSTC_TOKEN";
      return Status();
    }
    if (isOwnJob()) {
      plan_.tokenSource = "random";
      return Status();
    }
    plan_.token =
        digest(fmt::format("token of job {} at {}:{} with {}",
                           environment_ ? environment_->job : "",
                           plan_.masterHost, plan_.masterPort, plan_.layout()))
            .substr(0, 32);
    plan_.tokenSource = "derived";
    if (!isLoopback(plan_.masterHost))
      plan_.notes.push_back(
          fmt::format("the token is derived from the description of the job: "
                      "who can reach {}:{} can join or disturb it; on a "
                      "network with others set BOOSTC_TOKEN or give "
                      "--token-file",
                      plan_.masterHost, plan_.masterPort));
    return Status();
  }

private:
  /// The place that the user names, by flag or variables.
  Result<HostPort> namedMaster() {
    std::optional<HostPort> flag;
    if (options_.master) {
      flag = parseHostPort(*options_.master);
      if (!flag)
        return usage(fmt::format("--master: '{}' is not HOST or HOST:PORT with "
                                 "a port from 1 to 65535",
                                 printable(*options_.master)));
    }
    HostPort variables;
    variables.host = variables_.text("MASTER_ADDR").value_or("");
    variables.port = static_cast<uint16_t>(
        variables_.number("MASTER_PORT", 65535).value_or(0));
    BOOSTRT_RETURN_IF_ERROR(variables_.status());
    // For ranks of this host alone they are left over from another job.
    if (isOwnJob())
      variables = HostPort();
    if (!flag)
      return variables;
    if (!variables.host.empty() && variables.host != flag->host)
      return usage(fmt::format("--master says {}, but MASTER_ADDR={}; leave "
                               "one of them out",
                               flag->host, printable(variables.host)));
    if (variables.port != 0 && flag->port != 0 && variables.port != flag->port)
      return usage(fmt::format("--master says port {}, but MASTER_PORT={}; "
                               "leave one of them out",
                               flag->port, variables.port));
    if (flag->port == 0)
      flag->port = variables.port;
    return *flag;
  }

  /// A port that all ranks of a job know without a word, and other jobs on the
  /// same host probably do not.
  uint16_t derivedPort() const {
    constexpr uint32_t kFirst = 20000, kCount = 12000; // none that systems draw
    if (!environment_ || environment_->job.empty())
      return kDefaultPort;
    std::string hash = digest("port of job " + environment_->job).substr(0, 7);
    return static_cast<uint16_t>(
        kFirst + std::stoul(hash, nullptr, /*base=*/16) % kCount);
  }

  /// All ranks are of this host, and this process starts them.
  bool isOwnJob() const { return plan_.startsRanks && plan_.servers() == 1; }

  JobPlan &plan_;
  const JobInputs &inputs_;
  const LaunchOptions &options_;
  const LauncherEnvironment *environment_;
  Variables &variables_;
};

} // namespace

Status resolveRendezvous(JobPlan &plan, const JobInputs &inputs,
                         const LauncherEnvironment *environment,
                         Variables &variables) {
  Rendezvous rendezvous(plan, inputs, environment, variables);
  BOOSTRT_RETURN_IF_ERROR(rendezvous.resolveMaster());
  return rendezvous.resolveToken();
}

} // namespace boostrt
