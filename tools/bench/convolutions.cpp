// oneDNN's convolutions, forward and both gradients, in the layouts it likes
// best and with reorders for free. Called by convolutions.py:
//
//   convolutions BATCH CHANNELS FILTERS SIZE KERNEL STRIDE PADDING
//
// prints the medians in microseconds: forward data weights.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dnnl.hpp>
#include <unordered_map>

using namespace dnnl;

static engine cpu(engine::kind::cpu, 0);
static stream queue(cpu);

static memory allocate(const memory::desc &description) {
  memory made(description, cpu);
  std::memset(made.get_data_handle(), 0, description.get_size());
  return made;
}

static double measure(const primitive &work,
                      const std::unordered_map<int, memory> &arguments) {
  using Clock = std::chrono::steady_clock;
  for (int warm = 0; warm < 5; ++warm)
    work.execute(queue, arguments);
  std::array<double, 31> times;
  for (double &time : times) {
    auto begin = Clock::now();
    for (int repeat = 0; repeat < 5; ++repeat)
      work.execute(queue, arguments);
    queue.wait();
    time = std::chrono::duration<double, std::micro>(Clock::now() - begin)
               .count() /
           5;
  }
  std::nth_element(times.begin(), times.begin() + 15, times.end());
  return times[15];
}

int main(int argc, char **argv) {
  if (argc != 8) {
    std::fprintf(stderr,
                 "usage: %s BATCH CHANNELS FILTERS SIZE KERNEL STRIDE "
                 "PADDING\n",
                 argv[0]);
    return 2;
  }
  std::array<memory::dim, 7> number;
  for (int i = 0; i < 7; ++i)
    number[i] = std::atoll(argv[i + 1]);
  auto [batch, channels, filters, size, kernel, stride, padding] = number;
  memory::dim out = (size + 2 * padding - kernel) / stride + 1;
  auto any = [](memory::dims dims) {
    return memory::desc(dims, memory::data_type::f32, memory::format_tag::any);
  };
  memory::desc image = any({batch, channels, size, size});
  memory::desc weights = any({filters, channels, kernel, kernel});
  memory::desc output = any({batch, filters, out, out});
  memory::desc bias({filters}, memory::data_type::f32, memory::format_tag::x);
  memory::dims strides = {stride, stride}, pads = {padding, padding};
  constexpr auto kDirect = algorithm::convolution_direct;

  convolution_forward::primitive_desc forward({prop_kind::forward_training,
                                               kDirect, image, weights, bias,
                                               output, strides, pads, pads},
                                              cpu);
  double forwardTime =
      measure(convolution_forward(forward),
              {{DNNL_ARG_SRC, allocate(forward.src_desc())},
               {DNNL_ARG_WEIGHTS, allocate(forward.weights_desc())},
               {DNNL_ARG_BIAS, allocate(forward.bias_desc())},
               {DNNL_ARG_DST, allocate(forward.dst_desc())}});
  convolution_backward_data::primitive_desc data(
      {kDirect, image, weights, output, strides, pads, pads}, cpu, forward);
  double dataTime =
      measure(convolution_backward_data(data),
              {{DNNL_ARG_DIFF_SRC, allocate(data.diff_src_desc())},
               {DNNL_ARG_WEIGHTS, allocate(data.weights_desc())},
               {DNNL_ARG_DIFF_DST, allocate(data.diff_dst_desc())}});
  convolution_backward_weights::primitive_desc gradient(
      {kDirect, image, weights, output, strides, pads, pads}, cpu, forward);
  double gradientTime =
      measure(convolution_backward_weights(gradient),
              {{DNNL_ARG_SRC, allocate(gradient.src_desc())},
               {DNNL_ARG_DIFF_WEIGHTS, allocate(gradient.diff_weights_desc())},
               {DNNL_ARG_DIFF_DST, allocate(gradient.diff_dst_desc())}});
  std::printf("%.2f %.2f %.2f\n", forwardTime, dataTime, gradientTime);
}
