// DnnObject.h - descriptors of cuDNN's graph interface: made of attributes,
// then final, then read.
#pragma once

#include "runtime/device/cuda/CudnnApi.h"

#include <array>
#include <span>
#include <vector>

namespace boostrt::cuda {

/// A descriptor that is freed with it; or none.
class DnnObject {
public:
  DnnObject() = default;
  /// One that is made, for an attribute to be read into.
  static Result<DnnObject> make(const CudnnApi &api, int type);
  ~DnnObject();
  DnnObject(DnnObject &&other) noexcept;
  DnnObject &operator=(DnnObject &&other) noexcept;

  explicit operator bool() const { return descriptor_ != nullptr; }
  DnnDescriptor get() const { return descriptor_; }

  /// Reads one value.
  template <class T> Status read(int attribute, int type, T &value) const {
    int64_t count = 0;
    return readInto(attribute, type, 1, count, &value);
  }
  /// Reads as many values as there are, `most` at most.
  template <class T>
  Status readAll(int attribute, int type, int64_t most,
                 std::vector<T> &values) const {
    values.resize(static_cast<size_t>(most));
    int64_t count = 0;
    Status status = readInto(attribute, type, most, count, values.data());
    values.resize(static_cast<size_t>(count < most ? count : most));
    return status;
  }
  /// Reads as many descriptors of `type` as there are, `most` at most.
  Status readObjects(int attribute, int type, int64_t most,
                     std::vector<DnnObject> &objects) const;

private:
  friend class DnnBuilder;
  Status readInto(int attribute, int type, int64_t most, int64_t &count,
                  void *values) const;

  const CudnnApi *api_ = nullptr;
  DnnDescriptor descriptor_ = nullptr;
};

/// Makes a descriptor. Nothing is asked for after the first failure.
class DnnBuilder {
public:
  DnnBuilder(const CudnnApi &api, int type);

  template <class T> DnnBuilder &set(int attribute, int type, const T &value) {
    return setAll(attribute, type, 1, &value);
  }
  template <class T, size_t count>
  DnnBuilder &set(int attribute, int type, const std::array<T, count> &values) {
    return setAll(attribute, type, count, values.data());
  }
  template <class T>
  DnnBuilder &set(int attribute, int type, std::span<const T> values) {
    return setAll(attribute, type, static_cast<int64_t>(values.size()),
                  values.data());
  }
  DnnBuilder &set(int attribute, const DnnObject &object) {
    return set(attribute, kDnnTypeDescriptor, object.descriptor_);
  }

  /// The final descriptor. `what` is for the message: "a tensor".
  Result<DnnObject> finish(const char *what);

private:
  DnnBuilder &setAll(int attribute, int type, int64_t count,
                     const void *values);

  Status status_;
  DnnObject object_;
};

} // namespace boostrt::cuda
