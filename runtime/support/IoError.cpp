#include "runtime/support/IoError.h"

#include <cerrno>
#include <system_error>

namespace boostrt {

std::string IoError::text() const {
  return std::generic_category().message(number_);
}

std::string IoError::advice() const {
  switch (number_) {
  case ENOSPC:
  case EDQUOT:
    return text() + "; free some space or choose another place";
  case EACCES:
  case EPERM:
  case EROFS:
    return text() + "; check its permissions or choose another place";
  case ENOENT:
    return text() + "; check the path";
  case EWOULDBLOCK:
    return "another process is writing it; give each its own file";
  case ENOTDIR:
    return text() + "; check the path";
  case EFBIG:
    return text() + "; raise the limit on file sizes (ulimit -f) or "
                    "choose another place";
  case EISDIR:
    return text() + "; give the name of a file in it";
  case ENOMEM:
  case ENOBUFS:
    return text() + "; end other programs on this machine, or use fewer ranks";
  case EMFILE:
  case ENFILE:
    return text() + "; raise the limit on open files (ulimit -n)";
  case ENAMETOOLONG:
    return text() + "; choose a shorter one";
  case ELOOP:
    return "its symbolic links lead nowhere or in a circle; correct the link";
  case ENOTSUP:
    return "it is not a plain file";
  default:
    return text();
  }
}

ExitCode IoError::limitCode() const {
  switch (number_) {
  case EMFILE:
  case ENFILE:
    return ExitCode::Usage;
  case ENOMEM:
  case ENOBUFS:
    return ExitCode::Memory;
  default:
    return ExitCode::Internal;
  }
}

} // namespace boostrt
