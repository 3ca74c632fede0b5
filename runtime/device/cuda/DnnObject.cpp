#include "runtime/device/cuda/DnnObject.h"

#include <fmt/format.h>
#include <utility>

namespace boostrt::cuda {

Result<DnnObject> DnnObject::make(const CudnnApi &api, int type) {
  DnnObject object;
  object.api_ = &api;
  BOOSTRT_RETURN_IF_ERROR(
      api.check("cudnnBackendCreateDescriptor",
                api.cudnnBackendCreateDescriptor(type, &object.descriptor_)));
  return object;
}

DnnObject::~DnnObject() {
  if (descriptor_)
    api_->cudnnBackendDestroyDescriptor(descriptor_);
}

DnnObject::DnnObject(DnnObject &&other) noexcept
    : api_(other.api_), descriptor_(std::exchange(other.descriptor_, nullptr)) {
}

DnnObject &DnnObject::operator=(DnnObject &&other) noexcept {
  std::swap(api_, other.api_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

Status DnnObject::readInto(int attribute, int type, int64_t most,
                           int64_t &count, void *values) const {
  return api_->check("cudnnBackendGetAttribute",
                     api_->cudnnBackendGetAttribute(
                         descriptor_, attribute, type, most, &count, values));
}

Status DnnObject::readObjects(int attribute, int type, int64_t most,
                              std::vector<DnnObject> &objects) const {
  std::vector<DnnDescriptor> descriptors;
  for (int64_t i = 0; i < most; ++i) {
    Result<DnnObject> object = make(*api_, type);
    if (!object.ok())
      return object.status();
    objects.push_back(std::move(object).value());
    descriptors.push_back(objects.back().get());
  }
  int64_t count = 0;
  Status status =
      readInto(attribute, kDnnTypeDescriptor, most, count, descriptors.data());
  objects.resize(static_cast<size_t>(count < most ? count : most));
  return status;
}

DnnBuilder::DnnBuilder(const CudnnApi &api, int type) {
  Result<DnnObject> object = DnnObject::make(api, type);
  if (object.ok())
    object_ = std::move(object).value();
  else
    status_ = object.status();
}

DnnBuilder &DnnBuilder::setAll(int attribute, int type, int64_t count,
                               const void *values) {
  if (status_.ok())
    status_ = object_.api_->check(
        "cudnnBackendSetAttribute",
        object_.api_->cudnnBackendSetAttribute(object_.descriptor_, attribute,
                                               type, count, values));
  return *this;
}

Result<DnnObject> DnnBuilder::finish(const char *what) {
  if (status_.ok())
    status_ =
        object_.api_->check("cudnnBackendFinalize",
                            object_.api_->cudnnBackendFinalize(object_.get()));
  if (!status_.ok())
    return Status(status_.code(),
                  fmt::format("{}: {}", what, status_.message()));
  return std::move(object_);
}

} // namespace boostrt::cuda
