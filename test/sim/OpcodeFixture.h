// OpcodeFixture.h - one instruction over all combinations of chosen values,
// compared with a function of C++.
#pragma once

#include "SimFixture.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <tuple>

namespace boostrt::sim {

/// Values where something changes: zeros, units, extremes, powers of two, and a
/// few that mean nothing.
template <class T> std::vector<T> values() {
  std::vector<T> all;
  if constexpr (std::is_floating_point_v<T>) {
    using Limits = std::numeric_limits<T>;
    all = {0,
           1,
           2,
           T(0.5),
           T(1.5),
           T(2.5),
           T(3),
           T(0.1),
           T(1) / 3,
           T(127.5),
           T(255.5),
           T(2147483648.0),
           T(4294967296.0),
           T(1e10),
           T(9.3e18),
           T(1.9e19),
           Limits::min(),
           Limits::denorm_min(),
           Limits::min() / 2,
           Limits::max(),
           Limits::infinity(),
           Limits::quiet_NaN(),
           T(16777217.0),
           Limits::epsilon(),
           1 + Limits::epsilon(),
           T(0.49999997),
           T(32767.5),
           T(65504),
           T(65520)};
    size_t count = all.size();
    for (size_t i = 0; i < count; ++i)
      all.push_back(-all[i]);
  } else {
    using Limits = std::numeric_limits<T>;
    all = {0,
           1,
           2,
           3,
           5,
           7,
           31,
           32,
           33,
           63,
           64,
           100,
           127,
           T(128),
           T(0x55),
           T(-1),
           T(-2),
           T(-7),
           T(-32),
           T(-100),
           Limits::max(),
           Limits::min(),
           T(Limits::max() / 2),
           T(Limits::min() / 3),
           T(0x0123456789abcdefull),
           T(0xfedcba9876543210ull),
           T(0x8000),
           T(0x7fff)};
  }
  return all;
}

inline const char *widthOf(size_t bytes) {
  return bytes == 2 ? "b16" : bytes == 4 ? "b32" : "b64";
}

template <class T> bool sameValue(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    if (a != a && b != b)
      return true;
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// Runs `body`, in which D is the result's register and A, B, C those of the
/// sources, for all combinations of values.
template <class D, class F, class... S>
void checkOpcode(const std::string &body, F reference,
                 const std::vector<S> &...sources) {
  SCOPED_TRACE(body);
  constexpr size_t kSources = sizeof...(S);
  std::tuple<std::vector<S>...> columns;
  std::vector<D> expected;
  // All combinations, the first source fastest.
  std::array<size_t, kSources> sizes = {sources.size()...};
  size_t count = 1;
  for (size_t size : sizes)
    count *= size;
  auto inputs = std::forward_as_tuple(sources...);
  for (size_t i = 0; i < count; ++i) {
    [&]<size_t... I>(std::index_sequence<I...>) {
      std::array<size_t, kSources> at;
      size_t left = i;
      for (size_t k = 0; k < kSources; ++k) {
        at[k] = left % sizes[k];
        left /= sizes[k];
      }
      (std::get<I>(columns).push_back(std::get<I>(inputs)[at[I]]), ...);
      expected.push_back(
          static_cast<D>(reference(std::get<I>(inputs)[at[I]]...)));
    }(std::make_index_sequence<kSources>());
  }
  std::string text =
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".visible .entry k(.param .u64 d, .param .u64 a, .param .u64 "
      "b, .param .u64 c, .param .u32 n) {\n"
      ".reg .pred %p<9>; .reg .b64 %q<9>; .reg .b32 %r<9>;\n"
      ".reg .pred %P<4>; .reg .b16 %H<4>; .reg .b32 %R<4>; "
      ".reg .b64 %Q<4>;\n";
  auto line = [&](const std::string &more) { text += more + "\n"; };
  line(std::string(".reg .") + widthOf(sizeof(D)) + " %dst;");
  size_t widths[] = {sizeof(S)...};
  const char *names[] = {"%srcA", "%srcB", "%srcC"};
  const char *parameters[] = {"a", "b", "c"};
  line("mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;");
  line("mad.lo.s32 %r4, %r1, %r2, %r3; ld.param.b32 %r5, [n];");
  line("setp.ge.u32 %p1, %r4, %r5; @%p1 bra DONE;");
  for (size_t k = 0; k < kSources; ++k) {
    std::string width = std::to_string(widths[k]);
    line(std::string(".reg .") + widthOf(widths[k]) + " " + names[k] + ";");
    line(std::string("ld.param.b64 %q1, [") + parameters[k] + "];");
    line("mul.wide.u32 %q2, %r4, " + width + "; add.s64 %q1, %q1, %q2;");
    line(std::string("ld.global.") + widthOf(widths[k]) + " " + names[k] +
         ", [%q1];");
  }
  for (char c : body)
    if (c == 'D')
      text += "%dst";
    else if (c >= 'A' && c <= 'C')
      text += names[c - 'A'];
    else
      text += c;
  line("");
  line("ld.param.b64 %q1, [d]; mul.wide.u32 %q2, %r4, " +
       std::to_string(sizeof(D)) + "; add.s64 %q1, %q1, %q2;");
  line(std::string("st.global.") + widthOf(sizeof(D)) + " [%q1], %dst;");
  line("DONE: ret; }");
  Sim sim(text);
  if (!sim.module)
    return;
  uint64_t to = sim.reserve<D>(count, "d");
  std::array<uint64_t, 3> from{};
  [&]<size_t... I>(std::index_sequence<I...>) {
    ((from[I] = sim.upload(std::get<I>(columns), parameters[I])), ...);
  }(std::make_index_sequence<kSources>());
  sim.run("k", {static_cast<uint32_t>((count + 95) / 96)}, {96},
          Parameters().add(to).add(from[0]).add(from[1]).add(from[2]).add(
              static_cast<uint32_t>(count)));
  std::vector<D> got = sim.download<D>(to, count);
  for (size_t i = 0; i < count; ++i) {
    std::ostringstream arguments;
    [&]<size_t... I>(std::index_sequence<I...>) {
      ((arguments << +std::get<I>(columns)[i] << " "), ...);
    }(std::make_index_sequence<kSources>());
    ASSERT_TRUE(sameValue(got[i], expected[i]))
        << "of " << arguments.str() << ": got " << +got[i] << ", expected "
        << +expected[i];
  }
}

} // namespace boostrt::sim
