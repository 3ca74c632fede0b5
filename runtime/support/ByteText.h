// ByteText.h - sizes as people read them.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace boostrt {

/// "5.84 MiB", or bytes below one KiB.
inline std::string describeBytes(uint64_t bytes) {
  if (bytes < 1024)
    return std::to_string(bytes) + " bytes";
  double size = static_cast<double>(bytes) / 1024.0;
  const char *unit = "KiB";
  for (const char *next : {"MiB", "GiB", "TiB", "PiB"})
    if (size >= 1024.0) {
      size /= 1024.0;
      unit = next;
    }
  char text[32];
  std::snprintf(text, sizeof text, "%.2f %s", size, unit);
  return text;
}

} // namespace boostrt
