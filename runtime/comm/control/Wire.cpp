#include "runtime/comm/control/Wire.h"

namespace boostrt::control {
namespace {

constexpr size_t numberBytes = 8, lengthBytes = 4;

void storeLittleEndian(char *to, uint64_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i)
    to[i] = static_cast<char>(value >> (8 * i));
}

uint64_t loadLittleEndian(std::string_view from) {
  uint64_t value = 0;
  for (size_t i = 0; i < from.size(); ++i)
    value |= uint64_t(static_cast<unsigned char>(from[i])) << (8 * i);
  return value;
}

} // namespace

MessageWriter &MessageWriter::number(uint64_t value) {
  bytes_.resize(bytes_.size() + numberBytes);
  storeLittleEndian(&bytes_[bytes_.size() - numberBytes], value, numberBytes);
  return *this;
}

MessageWriter &MessageWriter::text(std::string_view text) {
  number(text.size());
  bytes_.append(text);
  return *this;
}

MessageWriter &MessageWriter::activity(const ActivityRecord &activity) {
  return number(static_cast<uint64_t>(activity.step))
      .text(activity.collective)
      .text(activity.location);
}

std::string MessageWriter::finish() {
  storeLittleEndian(bytes_.data(), bytes_.size() - lengthBytes, lengthBytes);
  return std::move(bytes_);
}

MessageReader::MessageReader(std::string_view message) {
  isGood_ = !message.empty();
  if (!isGood_)
    return;
  type_ = static_cast<MessageType>(message.front());
  rest_ = message.substr(1);
}

uint64_t MessageReader::number() {
  isGood_ = isGood_ && rest_.size() >= numberBytes;
  if (!isGood_)
    return 0;
  uint64_t value = loadLittleEndian(rest_.substr(0, numberBytes));
  rest_.remove_prefix(numberBytes);
  return value;
}

std::string_view MessageReader::text() {
  uint64_t size = number();
  isGood_ = isGood_ && size <= rest_.size();
  if (!isGood_)
    return {};
  std::string_view text = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return text;
}

ActivityRecord MessageReader::activity() {
  ActivityRecord activity;
  activity.step = static_cast<int64_t>(number());
  activity.collective = text();
  activity.location = text();
  return activity;
}

std::optional<std::string_view> MessageBuffer::next(size_t maxBytes) {
  std::string_view bytes = std::string_view(bytes_).substr(begin_);
  if (isBroken_ || bytes.size() < lengthBytes) {
    bytes_.erase(0, begin_);
    begin_ = 0;
    return std::nullopt;
  }
  uint64_t size = loadLittleEndian(bytes.substr(0, lengthBytes));
  isBroken_ = size == 0 || size > maxBytes;
  if (isBroken_ || bytes.size() - lengthBytes < size) {
    bytes_.erase(0, begin_);
    begin_ = 0;
    return std::nullopt;
  }
  begin_ += lengthBytes + size;
  return bytes.substr(lengthBytes, size);
}

} // namespace boostrt::control
