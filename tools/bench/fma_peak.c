/* fma_peak.c - how many single-precision operations a second this machine can
 * do: independent fused multiply-adds on registers, with every vector width it
 * has. The ceiling that a training step is compared with.
 *
 *   cc -O2 -pthread fma_peak.c -o fma_peak && ./fma_peak 2
 *
 * Prints one JSON line: GFLOP/s with 1 and with N threads, of the best width.
 */
#include <immintrin.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 8, ITERATIONS = 400000, CHAINS = 12, MAX_THREADS = 256 };

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Twelve chains hide a latency of up to six cycles at two a cycle. The asm
 * statements keep the compiler from folding chains that it finds equal. */
#define CHAIN(x) __asm__ volatile("vfmadd213ps %2, %1, %0" : "+v"(x) : "v"(m), "v"(c))
#define LOOP(VECTOR)                                                          \
  VECTOR a0 = c, a1 = c, a2 = c, a3 = c, a4 = c, a5 = c, a6 = c, a7 = c,      \
         a8 = c, a9 = c, a10 = c, a11 = c;                                    \
  for (long i = 0; i < ITERATIONS; ++i) {                                     \
    CHAIN(a0); CHAIN(a1); CHAIN(a2); CHAIN(a3); CHAIN(a4); CHAIN(a5);         \
    CHAIN(a6); CHAIN(a7); CHAIN(a8); CHAIN(a9); CHAIN(a10); CHAIN(a11);       \
  }

__attribute__((target("avx512f"))) static void run512(void) {
  __m512 m = _mm512_set1_ps(0.999f), c = _mm512_set1_ps(1e-4f);
  LOOP(__m512)
}

__attribute__((target("avx2,fma"))) static void run256(void) {
  __m256 m = _mm256_set1_ps(0.999f), c = _mm256_set1_ps(1e-4f);
  LOOP(__m256)
}

static void (*kernel)(void);
static pthread_barrier_t barrier;

static void *work(void *unused) {
  for (int round = 0; round < ROUNDS; ++round) {
    pthread_barrier_wait(&barrier);
    kernel();
    pthread_barrier_wait(&barrier);
  }
  return unused;
}

/* The best round: all threads start together, and the last one counts. */
static double measure(void (*code)(void), int lanes, int threads) {
  pthread_t others[MAX_THREADS];
  double best = 0;
  kernel = code;
  pthread_barrier_init(&barrier, NULL, (unsigned)threads);
  for (int i = 1; i < threads; ++i)
    if (pthread_create(&others[i], NULL, work, NULL) != 0) {
      fprintf(stderr, "fma_peak: no more than %d threads can be had\n", i);
      exit(1);
    }
  for (int round = 0; round < ROUNDS; ++round) {
    pthread_barrier_wait(&barrier);
    double start = now();
    kernel();
    pthread_barrier_wait(&barrier);
    double rate = 2.0 * lanes * CHAINS * ITERATIONS * threads / (now() - start);
    best = rate > best ? rate : best;
  }
  for (int i = 1; i < threads; ++i)
    pthread_join(others[i], NULL);
  pthread_barrier_destroy(&barrier);
  return best * 1e-9;
}

static double bestOfWidths(int threads) {
  double narrow = 0, wide = 0;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    narrow = measure(run256, 8, threads);
  if (__builtin_cpu_supports("avx512f"))
    wide = measure(run512, 16, threads);
  return narrow > wide ? narrow : wide;
}

int main(int argc, char **argv) {
  int threads = argc == 2 ? atoi(argv[1]) : 0;
  if (threads < 1 || threads > MAX_THREADS) {
    fprintf(stderr, "usage: fma_peak THREADS, 1 to %d\n", MAX_THREADS);
    return 2;
  }
  double one = bestOfWidths(1), all = bestOfWidths(threads);
  if (one == 0) {
    fprintf(stderr, "fma_peak: this CPU has neither AVX2 with FMA nor AVX-512\n");
    return 1;
  }
  printf("{\"gflops_1\": %.1f, \"gflops\": %.1f, \"threads\": %d}\n", one, all, threads);
  return 0;
}
