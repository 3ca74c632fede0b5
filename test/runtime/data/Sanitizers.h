// Sanitizers.h - which sanitizer the tests run under, for the few that measure
// memory or time: a sanitizer's own would be measured with it.
#pragma once

namespace boostrt {

#if defined(__has_feature) // clang
#if __has_feature(thread_sanitizer)
#define BOOSTRT_TSAN
#endif
#if __has_feature(address_sanitizer)
#define BOOSTRT_ASAN
#endif
#endif
#if defined(__SANITIZE_THREAD__) // gcc
#define BOOSTRT_TSAN
#endif
#if defined(__SANITIZE_ADDRESS__)
#define BOOSTRT_ASAN
#endif

#ifdef BOOSTRT_TSAN
inline constexpr bool kThreadSanitizer = true;
#else
inline constexpr bool kThreadSanitizer = false;
#endif
#ifdef BOOSTRT_ASAN
inline constexpr bool kAddressSanitizer = true;
#else
inline constexpr bool kAddressSanitizer = false;
#endif

} // namespace boostrt
