/* boost_random.h - the random numbers of a training run, as pure functions.
 *
 * Nothing here keeps state: a draw is determined by (seed, stream, counter), so
 * it is the same on every rank, after every resume and in the interpreter. The
 * generator is Philox4x32-10 (Salmon et al., "Parallel Random Numbers: As Easy
 * as 1, 2, 3", SC 2011); the key is the seed, the upper half of the counter is
 * the stream (a hash of a name), the lower half counts elements.
 */
#ifndef BOOSTC_RANDOM_H
#define BOOSTC_RANDOM_H

#include <math.h>
#include <stdint.h>

#include "runtime/abi/boost_abi.h"

typedef struct BoostRandomBlock {
  uint32_t word[4];
} BoostRandomBlock;

/* Philox4x32-10. */
static inline BoostRandomBlock
boost_random_block(uint64_t seed, uint64_t stream, uint64_t counter) {
  uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
  uint32_t c0 = (uint32_t)counter, c1 = (uint32_t)(counter >> 32);
  uint32_t c2 = (uint32_t)stream, c3 = (uint32_t)(stream >> 32);
  for (int round = 0; round < 10; ++round) {
    uint64_t p0 = (uint64_t)0xD2511F53u * c0;
    uint64_t p1 = (uint64_t)0xCD9E8D57u * c2;
    uint32_t n0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
    uint32_t n2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
    c0 = n0;
    c1 = (uint32_t)p1;
    c2 = n2;
    c3 = (uint32_t)p0;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  BoostRandomBlock block = {{c0, c1, c2, c3}};
  return block;
}

/* FNV-1a, 64 bits: the stream of a name. */
static inline uint64_t boost_random_stream(const char *name) {
  uint64_t hash = 0xcbf29ce484222325ull;
  for (; *name; ++name)
    hash = (hash ^ (uint8_t)*name) * 0x100000001b3ull;
  return hash;
}

/* Uniform in [0, 1) with 53 bits from draw `index`; two draws a block. */
static inline double boost_random_uniform(uint64_t seed, uint64_t stream,
                                          uint64_t index) {
  BoostRandomBlock block = boost_random_block(seed, stream, index >> 1);
  const uint32_t *half = block.word + 2 * (index & 1);
  uint64_t bits = ((uint64_t)half[1] << 32 | half[0]) >> 11;
  return (double)bits * 0x1.0p-53;
}

/* Standard normal from draw `index`: Box-Muller on one block, cosine branch.
 * 1 - u keeps the logarithm's argument in (0, 1]. */
static inline double boost_random_normal(uint64_t seed, uint64_t stream,
                                         uint64_t index) {
  double u = boost_random_uniform(seed, stream, 2 * index);
  double v = boost_random_uniform(seed, stream, 2 * index + 1);
  return sqrt(-2.0 * log(1.0 - u)) * cos(6.283185307179586476925286766559 * v);
}

/* Standard normal inside [-2, 2] from draw `index`: each try has a stream of
 * its own. 64 tries fail with a probability below 1e-85. */
static inline double boost_random_truncated(uint64_t seed, uint64_t stream,
                                            uint64_t index) {
  double draw = 0.0;
  for (uint64_t attempt = 0; attempt < 64; ++attempt) {
    draw = boost_random_normal(seed, stream + attempt * 0x9E3779B97F4A7C15ull,
                               index);
    if (draw >= -2.0 && draw <= 2.0)
      return draw;
  }
  return draw < 0.0 ? -2.0 : 2.0;
}

/* Element `index` of a parameter's initial value, before rounding to f32. The
 * stream is boost_random_stream(parameter name). */
static inline double boost_initial_value(uint32_t initializer, double a,
                                         double b, uint64_t seed,
                                         uint64_t stream, uint64_t index) {
  switch (initializer) {
  case BOOSTC_INIT_UNIFORM:
    return a + (b - a) * boost_random_uniform(seed, stream, index);
  case BOOSTC_INIT_NORMAL:
    return a + b * boost_random_normal(seed, stream, index);
  case BOOSTC_INIT_TRUNCATED_NORMAL:
    return a + b * boost_random_truncated(seed, stream, index);
  default:
    return a;
  }
}

/* The key of a sample in an epoch. A sample is used once an epoch, so its key
 * is its own in every step; that of a batch does not depend on batch size,
 * accumulation, rank or position. */
static inline uint32_t boost_sample_key(uint64_t seed, uint64_t epoch,
                                        uint64_t sample) {
  return boost_random_block(seed, 0x73616d706c652d6bull + epoch, sample)
      .word[0];
}

/* A permutation of the 32-bit numbers in which every bit of the argument moves
 * every bit of the result with a probability close to 1/2. Shifts and factors
 * are those of "lowbias32": C. Wellons, "Prospecting for Hash Functions", 2018.
 */
static inline uint32_t boost_mix32(uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  x ^= x >> 16;
  return x;
}

/* 32 random bits for element `element` of a sample in the layer whose name has
 * the stream `stream` (boost_random_stream). Device code computes the same:
 * 32-bit multiplications only, where Philox needs 64-bit products. The element
 * is mixed before the key enters, so two samples never see one sequence
 * shifted. */
static inline uint32_t boost_sample_bits(uint32_t key, uint64_t stream,
                                         uint32_t element) {
  uint32_t mixed = boost_mix32(element ^ (uint32_t)stream);
  return boost_mix32((mixed + (uint32_t)(stream >> 32)) ^ key);
}

#endif /* BOOSTC_RANDOM_H */
