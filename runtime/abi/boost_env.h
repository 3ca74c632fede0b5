/* boost_env.h - what the functions of a program are given and return. */
#ifndef BOOSTC_ENV_H
#define BOOSTC_ENV_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a function returns. Anything else than OK leaves PARAMETER and STATE as
 * they were before the call; but STATE that is private may be that of the step
 * already when a later collective of the update fails. */
typedef enum BoostCallStatus {
  BOOSTC_CALL_OK = 0,
  BOOSTC_CALL_LIBRARY_FAILED = 1,
  BOOSTC_CALL_LAUNCH_FAILED = 2,    /* the device has more to say */
  BOOSTC_CALL_COLLECTIVE_FAILED = 3 /* so has the device here */
} BoostCallStatus;

struct BoostEnv;

/* Functions of a CPU target get the arenas' addresses, those of a CUDA target
 * addresses on the device, with which they do nothing but add offsets. */

/* A generated kernel of a CPU target computes the iterations [begin, end) of
 * its outermost parallel loop. `operands` are the addresses of its buffers. */
typedef void (*BoostKernel)(void *const *operands, int64_t begin, int64_t end);

typedef struct BoostEnv {
  uint32_t abi_version; /* BOOSTC_ABI_VERSION of the runtime */
  uint32_t threads;     /* size of the pool of parallel_for */
  void *context;        /* the runtime's own; the program passes it through */

  /* CPU targets. Runs `kernel` over [0, extent), split into contiguous chunks
   * of at least `grain` iterations, one chunk a thread at most. The split
   * depends only on extent, grain and threads; where the program is strictly
   * reproducible on extent and grain alone, and a thread may take several
   * chunks. `index` is that of the launch in the target's table, by which a
   * profile knows what it times. */
  void (*parallel_for)(const struct BoostEnv *env, uint32_t index,
                       BoostKernel kernel, void *const *operands,
                       int64_t extent, int64_t grain);

  /* Executes library call `index` of the target on `operands`, in the order
   * stated at the call's struct. Returns a BoostCallStatus. */
  int32_t (*library_call)(const struct BoostEnv *env, uint32_t index,
                          void *const *operands);

  /* Writes `elements` initial values of f32 to `destination`; see
   * BoostInitializerKind and boost_random.h. `name` is the parameter's, `seed`
   * the address of an i64 in CONTROL. */
  void (*fill)(const struct BoostEnv *env, void *destination, int64_t elements,
               uint32_t initializer, double a, double b, const char *name,
               const void *seed);

  /* CUDA targets. Executes launch `index` of the target on `operands`, the
   * addresses of its buffers, after everything called before. Returns a
   * BoostCallStatus. */
  int32_t (*launch)(const struct BoostEnv *env, uint32_t index,
                    void *const *operands);

  /* Update calls it, and nothing else. Executes collective `index` of the
   * program with the other ranks, in place on `operands`, the addresses of its
   * operands; where there is one rank it leaves them as they are. Returns a
   * BoostCallStatus. */
  int32_t (*collective)(const struct BoostEnv *env, uint32_t index,
                        void *const *operands);

  /* Micro calls it, and nothing else does, for the collectives of its variant's
   * update, in their order, as far as it goes: after what was asked for before,
   * `operands`, those of collective `index`, have the value of this
   * micro-batch, and micro touches them no more. The runtime may begin the
   * collective where that value is all that update will have. */
  void (*gradients_ready)(const struct BoostEnv *env, uint32_t index,
                          void *const *operands);
} BoostEnv;

typedef int32_t (*BoostEntry)(const BoostEnv *env, void *const *arenas);

#ifdef __cplusplus
}
#endif
#endif /* BOOSTC_ENV_H */
