// ActivityText.h - what a rank is doing, in words and to keep.
#pragma once

#include "runtime/comm/Transport.h"

#include <string>

namespace boostrt {

/// "in step 7, bucket 2 (fc1.weight) (model.json:14:5)"
std::string describe(const Activity &activity);

/// An activity that owns its strings.
struct ActivityRecord {
  int64_t step = 0;
  std::string collective, location;

  ActivityRecord() = default;
  explicit ActivityRecord(const Activity &activity)
      : step(activity.step), collective(activity.collective),
        location(activity.location) {}
  std::string text() const {
    return describe({step, collective.c_str(), location.c_str()});
  }
  bool operator==(const ActivityRecord &) const = default;
};

} // namespace boostrt
