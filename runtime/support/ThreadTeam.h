// ThreadTeam.h - threads that one thread has at its command.
#pragma once

namespace boostrt {

/// The threads that a device computes with. They have nothing to do while it
/// runs no function; what else there is to do, they do then.
class ThreadTeam {
public:
  virtual ~ThreadTeam() = default;

  /// How many there are, the caller of run() among them.
  virtual int size() const = 0;

  /// Calls work(context, member) once for each member from 0 on, at the same
  /// time, and returns when all have returned. For the thread that owns the
  /// team alone; `work` throws nothing.
  virtual void run(void (*work)(void *context, int member), void *context) = 0;
};

} // namespace boostrt
