// SpinPolicy.h - how long libgomp's threads spin before they sleep.
//
// libgomp's default is 300,000 rounds, about ten milliseconds. Where cores are
// shared (containers with a CPU quota, a busy workstation, CI) the thread that
// spins takes the time slice of the thread it waits for: measured on 2 cores
// with other work on them, a step of 0.09 ms took 64 ms. With 1000 rounds it
// took 0.6 ms there, and a machine of its own loses nothing, because between
// two loops of a step threads meet again within microseconds.
#pragma once

namespace boostrt {

/// Unless the user has set OMP_WAIT_POLICY or GOMP_SPINCOUNT, sets the latter
/// and starts the process anew: libgomp reads it once, before main(), and has
/// no call to change it. Costs 2 ms; call first, nothing survives it. Returns
/// when there is nothing to do or the system refuses.
void limitSpinning(const char *const *argv);

} // namespace boostrt
