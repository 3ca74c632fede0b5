// FailCalls - lets one call of the system fail, for tests of what happens then.
//
// Loaded by LD_PRELOAD. FAIL_KIND says which calls count: write, fsync, rename,
// open or close, of files below the directory FAIL_BELOW, or alloc: memory,
// from main() on; or getrandom, memfd_create, signalfd, pipe2, realpath, or
// pread of files in memory. The one with the number FAIL_AT (from 1) fails with
// the errno FAIL_ERRNO, and with FAIL_ON=1 all later ones too. When the first
// fails, the file FAIL_MARK is made. FAIL_COUNT names a file that gets the
// number of calls when the process ends.
//
// Memory that oneDNN and libgomp ask malloc() for is always given: they use
// what they did not get, or end the process on their own terms.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
enum { kDescriptors = 4096 };

static const char *kind = "", *below, *mark;
static long failAt;
static int failErrno, failsOn;
static atomic_int isCounting;
static atomic_long calls;
static atomic_char isBelow[kDescriptors], isFull[kDescriptors];

__attribute__((constructor)) static void readSettings(void) {
  const char *text;
  kind = (text = getenv("FAIL_KIND")) ? text : "";
  below = getenv("FAIL_BELOW");
  mark = getenv("FAIL_MARK");
  failAt = (text = getenv("FAIL_AT")) ? atol(text) : 0;
  failErrno = (text = getenv("FAIL_ERRNO")) ? atoi(text) : EIO;
  failsOn = (text = getenv("FAIL_ON")) && *text == '1';
}

/// By the system's own call: write() and open() below are ours.
static void writeFile(const char *path, const char *text) {
  long file =
      syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file < 0)
    return;
  syscall(SYS_write, file, text, strlen(text));
  syscall(SYS_close, file);
}

__attribute__((destructor)) static void writeCount(void) {
  const char *path = getenv("FAIL_COUNT");
  char digits[24], *at = digits + sizeof digits - 1;
  if (!path)
    return;
  *at = 0;
  for (long left = calls; left > 0 || !*at; left /= 10)
    *--at = (char)('0' + left % 10);
  writeFile(path, at);
}

/// Whether this call is to fail; errno is set then.
static int fails(const char *which) {
  if (strcmp(kind, which) != 0)
    return 0;
  long number = ++calls;
  if (failAt == 0 || number < failAt || (number > failAt && !failsOn))
    return 0;
  if (number == failAt && mark)
    writeFile(mark, "");
  errno = failErrno;
  return 1;
}

static int isTracked(int descriptor) {
  return descriptor >= 0 && descriptor < kDescriptors && isBelow[descriptor];
}

static int isPathBelow(const char *path) {
  return below && path && strncmp(path, below, strlen(below)) == 0;
}

static void track(int descriptor, int value) {
  if (descriptor < 0 || descriptor >= kDescriptors)
    return;
  isBelow[descriptor] = (char)value;
  isFull[descriptor] = 0;
}

static int openAt(int directory, const char *path, int flags, mode_t mode) {
  if (isPathBelow(path) && fails("open"))
    return -1;
  int descriptor = (int)syscall(SYS_openat, directory, path, flags, mode);
  track(descriptor, isPathBelow(path));
  return descriptor;
}

static mode_t modeOf(int flags, va_list more) {
  return flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
}

#define OPEN(name)                                                             \
  EXPORT int name(const char *path, int flags, ...) {                          \
    va_list more;                                                              \
    va_start(more, flags);                                                     \
    mode_t mode = modeOf(flags, more);                                         \
    va_end(more);                                                              \
    return openAt(AT_FDCWD, path, flags, mode);                                \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                           \
  EXPORT int name(int directory, const char *path, int flags, ...) {           \
    va_list more;                                                              \
    va_start(more, flags);                                                     \
    mode_t mode = modeOf(flags, more);                                         \
    va_end(more);                                                              \
    return openAt(directory, path, flags, mode);                               \
  }
OPENAT(openat)
OPENAT(openat64)

/// All arguments of fcntl() are as wide as a pointer or narrower.
#define FCNTL(name)                                                            \
  EXPORT int name(int descriptor, int command, ...) {                          \
    va_list more;                                                              \
    va_start(more, command);                                                   \
    void *argument = va_arg(more, void *);                                     \
    va_end(more);                                                              \
    int result = (int)syscall(SYS_fcntl, descriptor, command, argument);       \
    if (command == F_DUPFD || command == F_DUPFD_CLOEXEC)                      \
      track(result, isTracked(descriptor));                                    \
    return result;                                                             \
  }
FCNTL(fcntl)
FCNTL(fcntl64)

EXPORT int close(int descriptor) {
  int isFailing = isTracked(descriptor) && fails("close");
  track(descriptor, 0);
  int result = (int)syscall(SYS_close, descriptor); // closed also when it fails
  if (!isFailing)
    return result;
  errno = failErrno;
  return -1;
}

EXPORT ssize_t write(int descriptor, const void *bytes, size_t count) {
  if (isTracked(descriptor) && (isFull[descriptor] || fails("write"))) {
    // As disks that become full: the first half still fits.
    if (!isFull[descriptor] && count > 1) {
      isFull[descriptor] = 1;
      return syscall(SYS_write, descriptor, bytes, count / 2);
    }
    isFull[descriptor] = (char)failsOn;
    errno = failErrno;
    return -1;
  }
  return syscall(SYS_write, descriptor, bytes, count);
}

EXPORT ssize_t writev(int descriptor, const struct iovec *parts, int count) {
  if (isTracked(descriptor) && fails("write"))
    return -1;
  return syscall(SYS_writev, descriptor, parts, count);
}

EXPORT int fsync(int descriptor) {
  if (isTracked(descriptor) && fails("fsync"))
    return -1;
  return (int)syscall(SYS_fsync, descriptor);
}

EXPORT int rename(const char *from, const char *to) {
  if (isPathBelow(to) && fails("rename"))
    return -1;
  return (int)syscall(SYS_rename, from, to);
}

// Calls of which each is a kind of its own.

EXPORT ssize_t getrandom(void *bytes, size_t count, unsigned flags) {
  if (fails("getrandom"))
    return -1;
  return syscall(SYS_getrandom, bytes, count, flags);
}

EXPORT int memfd_create(const char *name, unsigned flags) {
  if (fails("memfd_create"))
    return -1;
  return (int)syscall(SYS_memfd_create, name, flags);
}

EXPORT int signalfd(int descriptor, const sigset_t *signals, int flags) {
  if (fails("signalfd"))
    return -1;
  return (int)syscall(SYS_signalfd4, descriptor, signals, _NSIG / 8, flags);
}

EXPORT int pipe2(int ends[2], int flags) {
  if (fails("pipe2"))
    return -1;
  return (int)syscall(SYS_pipe2, ends, flags);
}

static int isInMemory(int descriptor) {
  char link[32], target[16];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, target, sizeof target);
  return length >= 7 && strncmp(target, "/memfd:", 7) == 0;
}

EXPORT ssize_t pread(int descriptor, void *bytes, size_t count, off_t at) {
  if (isInMemory(descriptor) && fails("pread"))
    return -1;
  return syscall(SYS_pread64, descriptor, bytes, count, at);
}

EXPORT char *realpath(const char *path, char *resolved) {
  char *(*next)(const char *, char *) =
      (char *(*)(const char *, char *))dlsym(RTLD_NEXT, "realpath");
  return fails("realpath") ? NULL : next(path, resolved);
}

/// What `name` would be without this file: the C library's, or that of an
/// allocator that takes its place.
#define NEXT(name)                                                             \
  ({                                                                           \
    static __typeof__(name) *found;                                            \
    if (!found)                                                                \
      found = (__typeof__(name) *)dlsym(RTLD_NEXT, #name);                     \
    found;                                                                     \
  })

struct Range {
  uintptr_t begin, end;
};
static struct Range spared[8];
static int sparedCount;

static int spare(struct dl_phdr_info *library, size_t size, void *data) {
  (void)size, (void)data;
  if (!strstr(library->dlpi_name, "/libdnnl.") &&
      !strstr(library->dlpi_name, "/libgomp."))
    return 0;
  for (int i = 0; i < library->dlpi_phnum && sparedCount < 8; ++i) {
    const ElfW(Phdr) *part = &library->dlpi_phdr[i];
    uintptr_t begin = library->dlpi_addr + part->p_vaddr;
    if (part->p_type == PT_LOAD && part->p_flags & PF_X)
      spared[sparedCount++] = (struct Range){begin, begin + part->p_memsz};
  }
  return 0;
}

static int isSpared(void *caller) {
  for (int i = 0; i < sparedCount; ++i)
    if ((uintptr_t)caller >= spared[i].begin &&
        (uintptr_t)caller < spared[i].end)
      return 1;
  return 0;
}

#define failsToAllocate()                                                      \
  (isCounting && !isSpared(__builtin_return_address(0)) && fails("alloc"))

EXPORT void *malloc(size_t size) {
  return failsToAllocate() ? NULL : NEXT(malloc)(size);
}
EXPORT void *calloc(size_t count, size_t size) {
  return failsToAllocate() ? NULL : NEXT(calloc)(count, size);
}
EXPORT void *realloc(void *memory, size_t size) {
  return failsToAllocate() ? NULL : NEXT(realloc)(memory, size);
}
EXPORT void *aligned_alloc(size_t alignment, size_t size) {
  return failsToAllocate() ? NULL : NEXT(aligned_alloc)(alignment, size);
}
EXPORT void *memalign(size_t alignment, size_t size) {
  return failsToAllocate() ? NULL : NEXT(memalign)(alignment, size);
}
EXPORT int posix_memalign(void **memory, size_t alignment, size_t size) {
  return failsToAllocate() ? ENOMEM
                           : NEXT(posix_memalign)(memory, alignment, size);
}

static int (*realMain)(int, char **, char **);

static int countingMain(int argc, char **argv, char **environment) {
  dl_iterate_phdr(spare, NULL);
  isCounting = 1;
  int code = realMain(argc, argv, environment);
  isCounting = 0;
  return code;
}

EXPORT int __libc_start_main(int (*main)(int, char **, char **), int argc,
                             char **argv, void (*init)(void),
                             void (*fini)(void), void (*ldFini)(void),
                             void *stackEnd) {
  int (*real)(int (*)(int, char **, char **), int, char **, void (*)(void),
              void (*)(void), void (*)(void), void *) =
      dlsym(RTLD_NEXT, "__libc_start_main");
  realMain = main;
  return real(countingMain, argc, argv, init, fini, ldFini, stackEnd);
}
