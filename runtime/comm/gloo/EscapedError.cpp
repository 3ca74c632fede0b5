#include "runtime/comm/gloo/EscapedError.h"

#include "runtime/support/CaughtException.h"

#include <gloo/common/error.h>
#include <gloo/common/logging.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <vector>

namespace boostrt {
namespace {

/// Never destroyed: threads may end the process at any time.
struct Registry {
  std::mutex mutex;
  std::vector<const EscapedErrors::Explain *> explainers;
  std::terminate_handler previous = nullptr;
  bool isInstalled = false;
};

Registry &registry() {
  static Registry *registry = new Registry;
  return *registry;
}

/// What the uncaught exception says; empty when it is not Gloo's.
std::string glooError() {
  std::exception_ptr error = std::current_exception();
  if (!error)
    return {};
  try {
    std::rethrow_exception(error);
  } catch (const gloo::Exception &gloo) {
    return gloo.what();
  } catch (const gloo::EnforceNotMet &gloo) {
    return gloo.what();
  } catch (...) {
    return {};
  }
}

[[noreturn]] void terminate() {
  std::string error = glooError();
  std::unique_lock lock(registry().mutex);
  if (!error.empty() && !registry().explainers.empty())
    endProcess((*registry().explainers.front())(error));
  lock.unlock();
  if (registry().previous)
    registry().previous();
  std::abort();
}

} // namespace

EscapedErrors::EscapedErrors(Explain explain) : explain_(std::move(explain)) {
  std::lock_guard lock(registry().mutex);
  registry().explainers.push_back(&explain_);
  if (!registry().isInstalled)
    registry().previous = std::set_terminate(terminate);
  registry().isInstalled = true;
}

EscapedErrors::~EscapedErrors() {
  std::lock_guard lock(registry().mutex);
  std::erase(registry().explainers, &explain_);
}

} // namespace boostrt
