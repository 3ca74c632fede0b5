// ValidateProgram.h - what the checks of a descriptor share; the whole of them
// is validateProgram() (Program.h).
#pragma once

#include "runtime/abi/boost_abi.h"
#include "runtime/support/Status.h"
#include "runtime/support/Suggest.h"

#include <fmt/format.h>
#include <string>
#include <string_view>

namespace boostrt {

inline constexpr uint32_t kMaxTableEntries = 1u << 20;
/// Addresses of user space on x86-64; all arenas together stay below.
inline constexpr uint64_t kMaxBytes = uint64_t{1} << 46;

class DescriptorCheck {
protected:
  explicit DescriptorCheck(const std::string &path) : path_(path) {}

  template <typename... Args>
  Status fail(fmt::format_string<Args...> format, Args &&...args) const {
    return Status(
        ExitCode::Input,
        fmt::format("'{}' has a defective descriptor: {}; build it "
                    "again with boostc",
                    path_, fmt::format(format, std::forward<Args>(args)...)));
  }

  /// A name that can be printed, be a JSON key and be compared.
  Status name(const char *text, std::string_view what) const {
    if (!text || !*text)
      return fail("{} is missing", what);
    std::string_view view(text);
    if (view.size() > 200 || printable(view) != view)
      return fail("{} is not a short, printable text", what);
    return Status();
  }

private:
  const std::string &path_;
};

/// What runtime/abi/Descriptor.td says: tables and texts are there, enums have
/// cases, indices have entries.
Status checkTables(const BoostProgram &program, const std::string &path);

/// The functions of the targets, and the variants.
Status validateTargets(const BoostProgram &program, const std::string &path);

} // namespace boostrt
