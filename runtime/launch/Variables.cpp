#include "runtime/launch/Variables.h"

#include "runtime/support/ParseNumber.h"
#include "runtime/support/Suggest.h"

#include <fmt/format.h>

#include <arpa/inet.h>

extern char **environ;

namespace boostrt {

Environment currentEnvironment() {
  Environment environment;
  for (char **entry = environ; entry && *entry; ++entry) {
    std::string text = *entry;
    if (size_t equals = text.find('='); equals != std::string::npos)
      environment.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return environment;
}

std::optional<uint32_t> wholeNumber(std::string_view text, uint32_t limit) {
  std::optional<uint32_t> value = parseWhole<uint32_t>(text);
  return value && *value <= limit ? value : std::nullopt;
}

std::optional<std::string> Variables::text(const std::string &name) const {
  auto found = environment_.find(name);
  if (found == environment_.end() || found->second.empty())
    return std::nullopt;
  return found->second;
}

void Variables::fail(std::string message) {
  if (status_.ok())
    status_ = Status(ExitCode::Usage, std::move(message));
}

std::optional<uint32_t> Variables::number(const std::string &name,
                                          uint32_t limit) {
  std::optional<std::string> written = text(name);
  if (!written)
    return std::nullopt;
  std::optional<uint32_t> value = wholeNumber(*written, limit);
  if (!value)
    fail(fmt::format("{}={}: expected a number from 0 to {}; set it to one, "
                     "or unset it",
                     name, printable(*written), limit));
  return value;
}

uint32_t Variables::needNumber(const std::string &name,
                               const std::string &because, uint32_t limit) {
  if (!has(name)) {
    fail(fmt::format("{}={} is set, but {} is not; set both, or unset {}",
                     because, printable(text(because).value_or("")), name,
                     because));
    return 0;
  }
  return number(name, limit).value_or(0);
}

/// An interface may follow: "fe80::1%eth0".
static bool isIpv6Address(const std::string &text) {
  in6_addr address;
  return inet_pton(AF_INET6, text.substr(0, text.find('%')).c_str(),
                   &address) == 1;
}

std::optional<HostPort> parseHostPort(std::string_view text) {
  HostPort result;
  std::string_view port;
  if (text.starts_with('[')) { // an IPv6 address, whose colons are its own
    size_t end = text.find(']');
    if (end == std::string_view::npos)
      return std::nullopt;
    result.host = text.substr(1, end - 1);
    port = text.substr(end + 1);
    if (!port.empty() && !port.starts_with(':'))
      return std::nullopt;
  } else {
    size_t colon = text.find(':');
    if (colon != text.rfind(':')) { // one without a port
      result.host = text;
    } else {
      result.host = text.substr(0, colon);
      port = colon == std::string_view::npos ? "" : text.substr(colon);
    }
  }
  if (result.host.empty() || printable(result.host) != result.host ||
      result.host.find_first_of(" */") != std::string::npos)
    return std::nullopt;
  bool isIpv6 = result.host.find(':') != std::string::npos;
  if (isIpv6 && !isIpv6Address(result.host))
    return std::nullopt;
  if (port.empty())
    return result;
  std::optional<uint32_t> number = wholeNumber(port.substr(1), 65535);
  if (!number || *number == 0)
    return std::nullopt;
  result.port = static_cast<uint16_t>(*number);
  return result;
}

bool isLoopback(std::string_view host) {
  return host == "localhost" || host == "::1" ||
         (host.starts_with("127.") &&
          host.find_first_not_of("0123456789.") == std::string_view::npos);
}

} // namespace boostrt
