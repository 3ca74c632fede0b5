#include "runtime/device/cpu/Matmul.h"
#include "runtime/abi/DescriptorSchema.h"
#include "runtime/device/cpu/OnCallingThread.h"

#include <dnnl.hpp>
#include <fmt/format.h>
#include <vector>

namespace boostrt {

struct DnnlContext::Handles {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
};

DnnlContext::DnnlContext(std::unique_ptr<Handles> handles)
    : handles_(std::move(handles)) {}
DnnlContext::~DnnlContext() = default;

Result<std::unique_ptr<DnnlContext>> DnnlContext::create() {
  try {
    return std::unique_ptr<DnnlContext>(
        new DnnlContext(std::make_unique<Handles>()));
  } catch (const dnnl::error &error) {
    return Status(ExitCode::Internal,
                  fmt::format("{} cannot start on this CPU: {}",
                              libraryVersion(), error.message));
  }
}

std::string DnnlContext::libraryVersion() {
  const dnnl_version_t *version = dnnl_version();
  return fmt::format("oneDNN {}.{}.{}", version->major, version->minor,
                     version->patch);
}

void DnnlContext::limitInstructionSet(std::string_view cpuFeatures) {
  if (cpuFeatures.find("avx512") == std::string_view::npos)
    dnnl::set_max_cpu_isa(dnnl::cpu_isa::avx2);
}

struct Matmul::Prepared {
  dnnl::matmul::primitive_desc description;
  dnnl::matmul primitive;
  dnnl::stream stream;
  /// Argument i of the library reads memory[i], whose address comes from
  /// operands[operand[i]].
  std::vector<dnnl::memory> memory;
  std::vector<int> operand;
  std::vector<dnnl_exec_arg_t> arguments;
  const char *implementation = "";

  void bind(int argument, int operandIndex, const dnnl::memory::desc &layout,
            const dnnl::engine &engine) {
    memory.push_back(dnnl::memory(layout, engine, DNNL_MEMORY_NONE));
    operand.push_back(operandIndex);
    arguments.push_back({argument, memory.back().get()});
  }
};

Matmul::Matmul(std::unique_ptr<Prepared> prepared)
    : prepared_(std::move(prepared)) {}
Matmul::~Matmul() = default;

namespace {

dnnl::memory::data_type dataTypeOf(uint32_t type) {
  using enum dnnl::memory::data_type;
  return type == BOOSTC_FLOAT_F32 ? f32 : type == BOOSTC_FLOAT_F16 ? f16 : bf16;
}

/// A stride means nothing along a dimension of one element. oneDNN chooses an
/// implementation by it all the same, and yet takes a matmul that differs in
/// nothing else for one that it already has: what a query finds would depend on
/// the calls before it. So there the stride is that of a dense matrix.
dnnl::memory::desc describeMatrix(int64_t rows, int64_t columns,
                                  const int64_t (&strides)[2], uint32_t type) {
  int64_t alongColumns = columns == 1 ? 1 : strides[1];
  int64_t alongRows = rows == 1 ? columns * alongColumns : strides[0];
  return {{rows, columns}, dataTypeOf(type), {alongRows, alongColumns}};
}

/// How oneDNN sees a matmul: plain strided matrices, of exact f32 or low types.
struct MatmulLayouts {
  using Desc = dnnl::memory::desc;
  MatmulLayouts(const BoostMatmul &call, MatmulTypes types, int64_t rowStride)
      : a(describeMatrix(call.m, call.k, call.a_strides, types.factor)),
        b(describeMatrix(call.k, call.n, call.b_strides, types.factor)),
        bias({1, call.n}, dataTypeOf(types.result), {call.n, 1}),
        c(describeMatrix(call.m, call.n, {rowStride ? rowStride : call.n, 1},
                         types.result)) {}

  Desc a, b, bias, c;
};

/// May throw dnnl::error.
dnnl::matmul::primitive_desc describe(const BoostMatmul &call,
                                      const MatmulLayouts &layouts,
                                      const dnnl::engine &engine) {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  // The environment (ONEDNN_DEFAULT_FPMATH_MODE) may not lower precision.
  attributes.set_fpmath_mode(dnnl::fpmath_mode::strict);
  return dnnl::matmul::primitive_desc(
      call.has_bias
          ? dnnl::matmul::desc(layouts.a, layouts.b, layouts.bias, layouts.c)
          : dnnl::matmul::desc(layouts.a, layouts.b, layouts.c),
      attributes, engine);
}

Status noSuchMatmul(const BoostMatmul &call, MatmulTypes types,
                    const dnnl::error &error) {
  return Status(
      ExitCode::Input,
      fmt::format("{} has no {} matmul of {}x{} by {}x{} with strides "
                  "[{}, {}] and [{}, {}] on this CPU: {}",
                  DnnlContext::libraryVersion(),
                  boostabi::nameOf<BoostFloatType>(types.factor), call.m,
                  call.k, call.k, call.n, call.a_strides[0], call.a_strides[1],
                  call.b_strides[0], call.b_strides[1], error.message));
}

} // namespace

Result<uint64_t> Matmul::queryScratchBytes(DnnlContext &context,
                                           const BoostMatmul &call,
                                           MatmulTypes types,
                                           int64_t rowStride) {
  OnCallingThread guard;
  try {
    MatmulLayouts layouts(call, types, rowStride);
    return static_cast<uint64_t>(
        describe(call, layouts, context.handles_->engine)
            .scratchpad_desc()
            .get_size());
  } catch (const dnnl::error &error) {
    return noSuchMatmul(call, types, error);
  }
}

Result<std::unique_ptr<Matmul>> Matmul::create(DnnlContext &context,
                                               const BoostMatmul &call,
                                               MatmulTypes types,
                                               int64_t rowStride) {
  OnCallingThread guard;
  try {
    const dnnl::engine &engine = context.handles_->engine;
    MatmulLayouts layouts(call, types, rowStride);
    auto prepared = std::make_unique<Prepared>();
    prepared->description = describe(call, layouts, engine);
    prepared->primitive = dnnl::matmul(prepared->description);
    prepared->stream = context.handles_->stream;
    prepared->implementation = prepared->description.impl_info_str();

    prepared->memory.reserve(5);
    prepared->bind(DNNL_ARG_SRC, 0, layouts.a, engine);
    prepared->bind(DNNL_ARG_WEIGHTS, 1, layouts.b, engine);
    if (call.has_bias)
      prepared->bind(DNNL_ARG_BIAS, 2, layouts.bias, engine);
    prepared->bind(DNNL_ARG_DST, 3, layouts.c, engine);
    dnnl::memory::desc scratch = prepared->description.scratchpad_desc();
    if (scratch.get_size() > 0)
      prepared->bind(DNNL_ARG_SCRATCHPAD, 4, scratch, engine);
    return std::unique_ptr<Matmul>(new Matmul(std::move(prepared)));
  } catch (const dnnl::error &error) {
    return noSuchMatmul(call, types, error);
  }
}

uint64_t Matmul::scratchBytes() const {
  return prepared_->description.scratchpad_desc().get_size();
}

const char *Matmul::implementation() const { return prepared_->implementation; }

int32_t Matmul::execute(void *const *operands) {
  OnCallingThread guard;
  // The C interface: the C++ one builds a map of its arguments at every call.
  Prepared &p = *prepared_;
  for (size_t i = 0; i < p.arguments.size(); ++i)
    if (dnnl_memory_set_data_handle_v2(p.arguments[i].memory,
                                       operands[p.operand[i]],
                                       p.stream.get()) != dnnl_success)
      return BOOSTC_CALL_LIBRARY_FAILED;
  if (dnnl_primitive_execute(p.primitive.get(), p.stream.get(),
                             static_cast<int>(p.arguments.size()),
                             p.arguments.data()) != dnnl_success)
    return BOOSTC_CALL_LIBRARY_FAILED;
  return dnnl_stream_wait(p.stream.get()) == dnnl_success
             ? BOOSTC_CALL_OK
             : BOOSTC_CALL_LIBRARY_FAILED;
}

} // namespace boostrt
