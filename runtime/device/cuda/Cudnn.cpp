#include "runtime/device/cuda/Cudnn.h"

#include <fmt/format.h>

namespace boostrt::cuda {

Result<std::unique_ptr<Cudnn>> Cudnn::create(const CudnnApi &api,
                                             Stream stream) {
  std::unique_ptr<Cudnn> library(new Cudnn(api));
  BOOSTRT_RETURN_IF_ERROR(
      api.check("cudnnCreate", api.cudnnCreate(&library->handle_)));
  BOOSTRT_RETURN_IF_ERROR(api.check(
      "cudnnSetStream", api.cudnnSetStream(library->handle_, stream)));
  return library;
}

Result<std::unique_ptr<Cudnn>> Cudnn::createFor(const CudnnApi &api,
                                                const std::string &properties) {
  std::unique_ptr<Cudnn> library(new Cudnn(api));
  Result<DnnObject> device =
      DnnBuilder(library->api_, kDnnDeviceProperties)
          .set(kDnnDeviceJson, kDnnTypeChar, std::span<const char>(properties))
          .finish("a device");
  if (!device.ok())
    return device.status();
  library->device_ = std::move(device).value();
  return library;
}

Cudnn::~Cudnn() {
  if (handle_)
    api_.cudnnDestroy(handle_);
}

std::string Cudnn::name() const {
  return "cuDNN " + versionText(api_.cudnnGetVersion());
}

Result<std::unique_ptr<LibraryOperation>>
Cudnn::describe(const BoostLibraryCall &call) const {
  Result<std::unique_ptr<DnnConvolution>> convolution =
      DnnConvolution::create(*this, call);
  if (!convolution.ok())
    return convolution.status();
  return std::unique_ptr<LibraryOperation>(std::move(convolution).value());
}

void Cudnn::setDevice(DnnBuilder &builder, int handleAttribute,
                      int deviceAttribute) const {
  if (handle_ && handleAttribute != kNone)
    builder.set(handleAttribute, kDnnTypeHandle, handle_);
  if (!handle_ && deviceAttribute != kNone)
    builder.set(deviceAttribute, device_);
}

} // namespace boostrt::cuda
