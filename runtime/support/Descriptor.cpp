#include "runtime/support/Descriptor.h"

#include <algorithm>
#include <cerrno>
#include <poll.h>

namespace boostrt {

/// Linux moves at most 2 GiB a call.
constexpr size_t kMaxTransfer = size_t(1) << 30;

IoError writeAll(int descriptor, std::string_view bytes,
                 size_t *written) noexcept {
  size_t done = 0;
  int error = 0;
  while (done < bytes.size() && error == 0) {
    ssize_t count = ::write(descriptor, bytes.data() + done,
                            std::min(bytes.size() - done, kMaxTransfer));
    if (count >= 0) {
      done += static_cast<size_t>(count);
    } else if (errno == EAGAIN) { // another process has made it non-blocking
      pollfd wait{descriptor, POLLOUT, 0};
      ::poll(&wait, 1, -1);
    } else if (errno != EINTR) {
      error = errno;
    }
  }
  if (written)
    *written = done;
  return IoError(error);
}

} // namespace boostrt
