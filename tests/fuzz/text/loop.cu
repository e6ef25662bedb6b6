#include <cstdio>
template <typename T> __global__ void scale(T *out, const T *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; // one each
  for (; i < n; i += gridDim.x * blockDim.x)
  {
    out[i] = in[i] > T(0) ? in[i] * 2 : -in[i];
  }
}
int main() {
  printf("it's %d\n", '"');
  scale<float><<<1, 32>>>(nullptr, nullptr, 0);
}
