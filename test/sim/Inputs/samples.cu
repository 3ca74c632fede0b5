// samples.cu - kernels whose PTX (samples.ptx, see make.sh) the tests run.
#include <cstdint>

namespace {
__device__ float warpMax(float v) {
  for (int o = 16; o; o >>= 1)
    v = fmaxf(v, __shfl_xor_sync(~0u, v, o));
  return v;
}
__device__ float warpSum(float v) {
  for (int o = 16; o; o >>= 1)
    v += __shfl_down_sync(~0u, v, o);
  return v;
}
__device__ uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}
__device__ float drop(uint64_t counter, float x, float keep) {
  float u = (mix(counter) >> 40) * (1.0f / 16777216);
  return u < keep ? x / keep : 0.0f;
}
} // namespace

extern "C" {

__global__ void softmax(const float *__restrict__ x, float *__restrict__ y, int n) {
  __shared__ float part[32];
  const float *p = x + (size_t)blockIdx.x * n;
  float *q = y + (size_t)blockIdx.x * n;
  int warps = blockDim.x / 32;
  float m = -INFINITY;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    m = fmaxf(m, p[i]);
  m = warpMax(m);
  if (threadIdx.x % 32 == 0)
    part[threadIdx.x / 32] = m;
  __syncthreads();
  if (threadIdx.x < 32) {
    m = warpMax(threadIdx.x < warps ? part[threadIdx.x] : -INFINITY);
    if (threadIdx.x == 0)
      part[0] = m;
  }
  __syncthreads();
  m = part[0];
  __syncthreads();
  float t = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    t += expf(p[i] - m);
  t = warpSum(t);
  if (threadIdx.x % 32 == 0)
    part[threadIdx.x / 32] = t;
  __syncthreads();
  if (threadIdx.x == 0) {
    t = 0;
    for (int i = 0; i < warps; i++)
      t += part[i];
    part[0] = t;
  }
  __syncthreads();
  t = part[0];
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    q[i] = expf(p[i] - m) / t;
}

// One warp a row.
__global__ void layerNorm(const float *x, const float *scale, const float *shift,
                          float *y, int rows, int n) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows)
    return;
  const float *p = x + (size_t)row * n;
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += 32)
    sum += p[i];
  float mean = __shfl_sync(~0u, warpSum(sum), 0) / n;
  float square = 0;
  for (int i = threadIdx.x; i < n; i += 32)
    square += (p[i] - mean) * (p[i] - mean);
  float inverse = rsqrtf(__shfl_sync(~0u, warpSum(square), 0) / n + 1e-5f);
  for (int i = threadIdx.x; i < n; i += 32)
    y[(size_t)row * n + i] = (p[i] - mean) * inverse * scale[i] + shift[i];
}

__global__ void matmul(const float *__restrict__ a, const float *__restrict__ b,
                       float *__restrict__ c, int m, int n, int k) {
  __shared__ float A[16][17], B[16][16];
  int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int at = 0; at < k; at += 16) {
    A[threadIdx.y][threadIdx.x] =
        row < m && at + threadIdx.x < k ? a[row * k + at + threadIdx.x] : 0;
    B[threadIdx.y][threadIdx.x] =
        column < n && at + threadIdx.y < k ? b[(at + threadIdx.y) * n + column] : 0;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; i++)
      sum += A[threadIdx.y][i] * B[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n)
    c[row * n + column] = sum;
}

__global__ void transpose(const float *__restrict__ x, float *__restrict__ y, int m,
                          int n) {
  extern __shared__ float tile[]; // 32 x 33
  int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (column < n && row + j < m)
      tile[(threadIdx.y + j) * 33 + threadIdx.x] = x[(row + j) * n + column];
  __syncthreads();
  column = blockIdx.y * 32 + threadIdx.x;
  row = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (column < m && row + j < n)
      y[(row + j) * m + column] = tile[threadIdx.x * 33 + threadIdx.y + j];
}

__global__ void dropout(const float4 *x, float4 *y, uint64_t seed, float keep,
                        int vectors) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= vectors)
    return;
  float4 v = x[i];
  uint64_t first = seed + 4ull * i;
  v.x = drop(first, v.x, keep);
  v.y = drop(first + 1, v.y, keep);
  v.z = drop(first + 2, v.z, keep);
  v.w = drop(first + 3, v.w, keep);
  y[i] = v;
}

__global__ void conv3x3(const float *__restrict__ x, const float *__restrict__ w,
                        float *__restrict__ y, int channels, int height, int width) {
  int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y,
      filter = blockIdx.z;
  if (column >= width)
    return;
  float sum = 0;
  for (int c = 0; c < channels; c++)
    for (int r = -1; r <= 1; r++)
      for (int s = -1; s <= 1; s++) {
        int at = row + r, to = column + s;
        if (at >= 0 && at < height && to >= 0 && to < width)
          sum += x[(c * height + at) * width + to] *
                 w[((filter * channels + c) * 3 + r + 1) * 3 + s + 1];
      }
  y[(filter * height + row) * width + column] = sum;
}

// Lanes leave a loop at different times; a switch sends them different ways.
__global__ void collatz(const int *x, int *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  long long v = x[i];
  int steps = 0;
  while (v > 1) {
    v = v % 2 ? 3 * v + 1 : v / 2;
    ++steps;
  }
  switch (steps % 5) {
  case 0:
    steps += 100;
    break;
  case 1:
    steps = steps * 3 - 7;
    break;
  case 2:
    steps ^= 0x55;
    break;
  case 3:
    steps = -steps;
  }
  y[i] = steps;
}

__global__ void histogram(const int *x, unsigned *bins, int n) {
  __shared__ unsigned local[16];
  if (threadIdx.x < 16)
    local[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&local[x[i] & 15], 1u);
  __syncthreads();
  if (threadIdx.x < 16)
    atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

__global__ void integers(const int *a, const int *b, long long *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int x = a[i], y = b[i];
  long long q = x;
  q = q * y + x / y + x % y + __popc(x) + __clz(y) + __ffs(x) + __brev(y) +
      __byte_perm(x, y, 0x5410) + __mulhi(x, y) + (unsigned)x / (unsigned)(y | 1) +
      q / (y | 1) + __funnelshift_l(x, y, 7) + abs(x) + min(x, y);
  out[i] = q;
}
}
