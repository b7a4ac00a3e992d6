// Measures the cycles per shared memory access of a warp, for address patterns and widths of 16, 8 and 4 bytes: with
// one warp, and with 32 warps per SM, where the cycles are the number of wavefronts.
//
//     nvcc -arch=sm_90 -O3 tools/gpu/wavefronts.cu -o wavefronts && ./wavefronts
//
// `wavefronts_are_those_of_an_h100` in crates/linear-layout/src/target/banks.rs has the results.
#include <cstdio>
#include <cuda_runtime.h>
#define N 32
template<int V, bool S> __global__ void q(float* out, int iters, long long* t, const int* pattern) {
  extern __shared__ __align__(16) float s[];
  int lane = threadIdx.x & 31;
  unsigned p = (unsigned)__cvta_generic_to_shared(s) + pattern[lane] * (4 * V);
  float acc = 0;
  for (int i = threadIdx.x; i < 8192; i += blockDim.x) s[i] = i;
  __syncthreads();
  long long a = clock64();
  for (int i = 0; i < iters; i++) {
#pragma unroll
    for (int j = 0; j < N; j++) {
      float x, y, z, w;
      if (S) {
        if (V == 1) asm volatile("st.volatile.shared.f32 [%0], %1;" :: "r"(p), "f"(acc));
        if (V == 2) asm volatile("st.volatile.shared.v2.f32 [%0], {%1,%1};" :: "r"(p), "f"(acc));
        if (V == 4) asm volatile("st.volatile.shared.v4.f32 [%0], {%1,%1,%1,%1};" :: "r"(p), "f"(acc));
      } else {
        if (V == 1) asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(x) : "r"(p));
        if (V == 2) asm volatile("ld.volatile.shared.v2.f32 {%0,%1}, [%2];" : "=f"(x), "=f"(y) : "r"(p));
        if (V == 4) asm volatile("ld.volatile.shared.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "r"(p));
        acc += x;
      }
    }
  }
  long long b = clock64();
  out[blockIdx.x * blockDim.x + threadIdx.x] = acc;
  if (threadIdx.x == 0) t[blockIdx.x] = b - a;
}
float* o; long long* t; int* d;
template<int V, bool S> void one(const int* h) {
  cudaMemcpy(d, h, 128, cudaMemcpyHostToDevice);
  for (int w : {1, 32}) {
    q<V, S><<<132, 32 * w, 32768>>>(o, 200, t, d); long long r[132]; cudaMemcpy(r, t, sizeof r, cudaMemcpyDeviceToHost);
    printf(" %6.2f", r[0] / 200.0 / N / w);
  }
}
struct P { const char* name; int (*f)(int); };
int main() {
  cudaMalloc(&o, 132 * 1024 * 4); cudaMalloc(&t, 132 * 8); cudaMalloc(&d, 128); cudaMemset(o, 0, 132 * 1024 * 4);
  P ps[] = {
    {"0", [](int l) { return 0; }}, {"l&1", [](int l) { return l & 1; }}, {"l>>4", [](int l) { return l >> 4; }}, {"l>>3", [](int l) { return l >> 3; }},
    {"l&3", [](int l) { return l & 3; }}, {"l>>2", [](int l) { return l >> 2; }}, {"l&7", [](int l) { return l & 7; }}, {"l>>1", [](int l) { return l >> 1; }},
    {"l&15", [](int l) { return l & 15; }}, {"l", [](int l) { return l; }}, {"l>>2&3", [](int l) { return l >> 2 & 3; }}, {"l>>1&3", [](int l) { return l >> 1 & 3; }},
    {"l>>1&7", [](int l) { return l >> 1 & 7; }}, {"l>>3&1", [](int l) { return l >> 3 & 1; }}, {"l>>2&1", [](int l) { return l >> 2 & 1; }},{"l>>1&1", [](int l) { return l >> 1 & 1; }},
    {"(l&1)|(l>>4)*2", [](int l) { return (l & 1) | (l >> 4) * 2; }}, {"(l&1)|(l>>3)*2", [](int l) { return (l & 1) | (l >> 3) * 2; }}, {"(l&3)|(l>>3)*4", [](int l) { return (l & 3) | (l >> 3) * 4; }},
    {"(l&3)|(l>>4)*4", [](int l) { return (l & 3) | (l >> 4) * 4; }}, {"(l&7)|(l>>4)*8", [](int l) { return (l & 7) | (l >> 4) * 8; }}, {"(l&7)|(l>>3&1)*8", [](int l) { return (l & 7) | (l >> 3 & 1) * 8; }},
    {"128B*(l&1)", [](int l) { return (l & 1) * 64; }}, {"128B*(l>>4)", [](int l) { return (l >> 4) * 64; }}, {"128B*(l>>3)", [](int l) { return (l >> 3) * 64; }}, {"128B*(l>>3&1)", [](int l) { return (l >> 3 & 1) * 64; }}, {"128B*(l>>2)", [](int l) { return (l >> 2) * 32; }},
    {"l&7 rows by l>>4", [](int l) { return (l & 7) + (l >> 4) * 64; }}, {"l&7 rows by l>>3", [](int l) { return (l & 7) + (l >> 3) * 64; }}, {"l&3 rows by l>>4", [](int l) { return (l & 3) + (l >> 4) * 64; }},
  };
  printf("%-20s  v4: 1 warp, 32 |  v2            |  v1           | stores v4, v2, v1\n", "pattern");
  for (auto& p : ps) {
    int h[32]; for (int l = 0; l < 32; l++) h[l] = p.f(l);
    printf("%-20s", p.name);
    one<4, false>(h); printf(" |"); one<2, false>(h); printf(" |"); one<1, false>(h); printf(" |"); one<4, true>(h); one<2, true>(h); one<1, true>(h);
    printf("  %s\n", cudaGetErrorString(cudaGetLastError()));
  }
}
