// Wire.h - the messages of the control plane: a length (4 bytes, little
// endian), a type, and fields without padding. What comes from the network is
// checked here; nothing of it is believed before.
#pragma once

#include "runtime/comm/ActivityText.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace boostrt::control {

enum class MessageType : uint8_t {
  Hello = 1, ///< magic, token, rank, size; the first that a client says
  Welcome,   ///< server's rank (none: its own number), silence deadline in ms
  Refused,   ///< why
  Set,       ///< key, value
  Get,       ///< number, key; answered when there is such a key
  Value,     ///< number, value
  Beat,      ///< number of the call waited in (0: none), activity
  Waiting,   ///< what is still to come in the call of that number
  Tick,      ///< the server lives; activity of the rank that serves
  Abort,     ///< cause
  Suspect,   ///< rank whose connection broke, what was seen
  Failure,   ///< the job has failed, and why
  Goodbye,   ///< this rank ends as it should
};

/// The version is in it: two programs that differ here do not understand each
/// other.
inline constexpr std::string_view magic = "boost-control-1";

/// The key that the server itself sets when all ranks have come.
inline constexpr const char *allRanksKey = "boost/all-ranks";

/// A client that has not shown the token gets little room.
inline constexpr size_t maxHelloBytes = 1024;
inline constexpr size_t maxMessageBytes = size_t(4) << 20;

class MessageWriter {
public:
  explicit MessageWriter(MessageType type) : bytes_(4, '\0') {
    bytes_.push_back(static_cast<char>(type));
  }
  MessageWriter &number(uint64_t value);
  MessageWriter &text(std::string_view text);
  MessageWriter &activity(const ActivityRecord &activity);
  /// With the length in front.
  std::string finish();

private:
  std::string bytes_;
};

/// Reads fields in order; a field that is not there makes all of it fail.
class MessageReader {
public:
  explicit MessageReader(std::string_view message);
  MessageType type() const { return type_; }
  uint64_t number();
  std::string_view text();
  ActivityRecord activity();
  /// Every field was there and nothing is left.
  bool isComplete() const { return isGood_ && rest_.empty(); }
  /// Every field so far was there.
  bool isGood() const { return isGood_; }

private:
  MessageType type_{};
  std::string_view rest_;
  bool isGood_ = true;
};

/// Bytes as they come from a connection, cut into messages.
class MessageBuffer {
public:
  void append(std::string_view bytes) { bytes_.append(bytes); }
  /// The next complete message (without its length), valid until append().
  std::optional<std::string_view> next(size_t maxBytes);
  /// A length was zero or beyond `maxBytes`: the stream means nothing.
  bool isBroken() const { return isBroken_; }

private:
  std::string bytes_;
  size_t begin_ = 0;
  bool isBroken_ = false;
};

/// One message that a rank waits to receive or to send.
struct PendingMessage {
  bool isSend;
  uint32_t peer;
  uint64_t sequence; ///< the how manieth between the two, in this direction
  uint64_t bytes;
  bool operator==(const PendingMessage &) const = default;
};

/// Where a rank is: the call of Transport::exchange in which it is.
struct WaitReport {
  uint64_t call = 0; ///< counted from 1; 0: in none
  std::vector<PendingMessage> pending;
  uint64_t done = 0; ///< messages of that call; stays with the rank
};

} // namespace boostrt::control
