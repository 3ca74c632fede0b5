// Messages of the control plane, as they come from a connection: in pieces.

#include "runtime/comm/control/Wire.h"
#include "test/fuzz/Fuzz.h"

using namespace boostrt;
using namespace boostrt::control;
using namespace boostrt::fuzz;

namespace {
/// Reads fields of all kinds until there are none.
void readAll(std::string_view message) {
  for (int first = 0; first < 3; ++first) {
    MessageReader reader(message);
    for (int kind = first; reader.isGood() && !reader.isComplete(); ++kind) {
      if (kind % 3 == 0)
        reader.number();
      else if (kind % 3 == 1)
        expect(reader.text().size() <= message.size(),
               "a text is longer than its message");
      else
        reader.activity();
    }
  }
}
} // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // The first byte says how long pieces are.
  if (size == 0)
    return 0;
  size_t piece = size_t{*data} + 1;
  std::string_view rest = textOf(data + 1, size - 1);
  MessageBuffer buffer;
  size_t taken = 0;
  while (!rest.empty() && !buffer.isBroken()) {
    buffer.append(rest.substr(0, piece));
    rest.remove_prefix(std::min(piece, rest.size()));
    while (std::optional<std::string_view> message =
               buffer.next(maxMessageBytes)) {
      expect(!message->empty(), "a message has no type");
      taken += message->size();
      readAll(*message);
    }
  }
  expect(taken <= size, "messages have more bytes than came");
  return 0;
}
