#include "runtime/device/cuda/GpuVectors.h"

namespace boostrt {
namespace {

// into[i] = a[i] + b[i]. Each thread takes elements a whole grid apart. add.f32
// is not contracted and keeps denormal numbers, as the host's addition does.
#define BOOSTRT_ADD_KERNEL(NAME, SHIFT, TYPE, VALUES, ADD)                     \
  ".visible .entry " NAME "(.param .u64 into, .param .u64 a, .param .u64 b,\n" \
  "    .param .u64 count)\n"                                                   \
  "{\n"                                                                        \
  "  .reg .pred %p<2>;\n"                                                      \
  "  .reg .b32 %r<5>;\n"                                                       \
  "  .reg " VALUES ";\n"                                                       \
  "  .reg .b64 %rd<13>;\n"                                                     \
  "  ld.param.u64 %rd1, [into];\n"                                             \
  "  ld.param.u64 %rd2, [a];\n"                                                \
  "  ld.param.u64 %rd3, [b];\n"                                                \
  "  ld.param.u64 %rd4, [count];\n"                                            \
  "  mov.u32 %r1, %ctaid.x;\n"                                                 \
  "  mov.u32 %r2, %ntid.x;\n"                                                  \
  "  mov.u32 %r3, %tid.x;\n"                                                   \
  "  mov.u32 %r4, %nctaid.x;\n"                                                \
  "  mul.wide.u32 %rd5, %r1, %r2;\n"                                           \
  "  cvt.u64.u32 %rd6, %r3;\n"                                                 \
  "  add.s64 %rd7, %rd5, %rd6;\n"                                              \
  "  mul.wide.u32 %rd8, %r4, %r2;\n"                                           \
  "$next:\n"                                                                   \
  "  setp.ge.u64 %p1, %rd7, %rd4;\n"                                           \
  "  @%p1 bra $end;\n"                                                         \
  "  shl.b64 %rd9, %rd7, " SHIFT ";\n"                                         \
  "  add.s64 %rd10, %rd2, %rd9;\n"                                             \
  "  add.s64 %rd11, %rd3, %rd9;\n"                                             \
  "  add.s64 %rd12, %rd1, %rd9;\n"                                             \
  "  ld.global." TYPE " %v1, [%rd10];\n"                                       \
  "  ld.global." TYPE " %v2, [%rd11];\n"                                       \
  "  " ADD " %v3, %v1, %v2;\n"                                                 \
  "  st.global." TYPE " [%rd12], %v3;\n"                                       \
  "  add.s64 %rd7, %rd7, %rd8;\n"                                              \
  "  bra.uni $next;\n"                                                         \
  "$end:\n"                                                                    \
  "  ret;\n"                                                                   \
  "}\n"

constexpr const char kPtx[] = ".version 7.0\n"
                              ".target sm_80\n"
                              ".address_size 64\n" //
    BOOSTRT_ADD_KERNEL("boost_add_f32", "2", "f32", ".f32 %v<4>", "add.rn.f32")
        BOOSTRT_ADD_KERNEL("boost_add_i64", "3", "u64", ".b64 %v<4>",
                           "add.s64");
#undef BOOSTRT_ADD_KERNEL

size_t bytesOf(Element element) { return element == Element::F32 ? 4 : 8; }

uint64_t addressOf(const void *pointer) {
  return reinterpret_cast<uint64_t>(pointer);
}

} // namespace

Result<std::unique_ptr<GpuVectors>> GpuVectors::create(GpuDriver &driver) {
  std::unique_ptr<GpuVectors> vectors(new GpuVectors(driver));
  BOOSTRT_RETURN_IF_ERROR(loadKernels(
      driver, kPtx, {&vectors->addFloats_, &vectors->addIntegers_}));
  Result<std::unique_ptr<GpuAdasumKernels>> passes =
      GpuAdasumKernels::create(driver);
  if (!passes.ok())
    return passes.status();
  vectors->adasumKernels_ = std::move(passes).value();
  return vectors;
}

Result<std::byte *> GpuVectors::reserve(size_t bytes) {
  if (bytes > capacity_) {
    Result<uint64_t> address =
        driver_.allocate(bytes, "what ranks send each other");
    if (!address.ok())
      return address.status();
    scratch_ = reinterpret_cast<std::byte *>(*address);
    capacity_ = bytes;
  }
  return scratch_;
}

Status GpuVectors::copy(void *to, const void *from, size_t bytes) {
  return driver_.copy(addressOf(to), addressOf(from), bytes);
}

Status GpuVectors::put(void *to, const void *host, size_t bytes) {
  return driver_.copyIn(addressOf(to),
                        {static_cast<const std::byte *>(host), bytes});
}

Status GpuVectors::get(void *host, const void *from, size_t bytes) {
  DeviceCopy copy{{static_cast<std::byte *>(host), bytes}, from};
  return driver_.copyOut({&copy, 1});
}

Status GpuVectors::add(Element element, void *into, const void *from,
                       size_t count) {
  return add(element, into, into, from, count);
}

// Neighbours at distance 1, then sums of two at distance 2 and so on: what has
// no neighbour waits for the next round. That is the tree (treeMiddle()), with
// every partial sum in the place of its first piece.
Status GpuVectors::sum(Element element, std::span<void *const> pieces,
                       size_t count, void *into) {
  size_t size = pieces.size();
  if (size == 1)
    return copy(into, pieces[0], count * bytesOf(element));
  for (size_t distance = 1; distance < size; distance *= 2)
    for (size_t i = 0; i + distance < size; i += 2 * distance) {
      bool isLast = 2 * distance >= size;
      BOOSTRT_RETURN_IF_ERROR(add(element, isLast ? into : pieces[i], pieces[i],
                                  pieces[i + distance], count));
    }
  return Status();
}

Status GpuVectors::add(Element element, void *into, const void *a,
                       const void *b, size_t count) {
  uint64_t bytes = count * bytesOf(element);
  return launchKernel(
      driver_, element == Element::F32 ? addFloats_ : addIntegers_, count,
      {"a sum over ranks",
       {{"sum", into, bytes, true}, {"left", a, bytes}, {"right", b, bytes}},
       {count}});
}

std::span<std::byte> GpuVectors::message(void *data, size_t bytes,
                                         bool isWritten) {
  return driver_.message(addressOf(data), bytes, isWritten);
}

} // namespace boostrt
