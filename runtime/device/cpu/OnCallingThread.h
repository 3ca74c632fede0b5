// OnCallingThread.h - calls of oneDNN that start no threads.
#pragma once

// libgomp's entry points, declared here because <omp.h> belongs to whichever
// OpenMP the compiler would like to link.
extern "C" {
int omp_get_max_threads(void);
void omp_set_num_threads(int threads);
}

namespace boostrt {

/// While it lives, oneDNN plans and computes on the calling thread. OpenMP,
/// which it shares work by, keeps that setting for each thread; threads that
/// compute are those of a ThreadPool.
class OnCallingThread {
public:
  OnCallingThread() : before_(omp_get_max_threads()) { omp_set_num_threads(1); }
  ~OnCallingThread() { omp_set_num_threads(before_); }
  OnCallingThread(const OnCallingThread &) = delete;
  OnCallingThread &operator=(const OnCallingThread &) = delete;

private:
  const int before_;
};

} // namespace boostrt
