#include "kernels.h"

#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace actors::cpu {

extern const Kernels kernelsGeneric;
#if defined(__x86_64__)
extern const Kernels kernelsAvx2;
extern const Kernels kernelsAvx512;
#endif

const Kernels* findKernels(const char* name) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
  if (std::strcmp(name, "avx512") == 0) return avx512 ? &kernelsAvx512 : nullptr;
  if (std::strcmp(name, "avx2") == 0) return avx2 ? &kernelsAvx2 : nullptr;
#endif
  return std::strcmp(name, "generic") == 0 ? &kernelsGeneric : nullptr;
}

const Kernels& kernels() {
  static const Kernels* const chosen = [] {
    const char* wanted = std::getenv("ACTORS_ISA");
    if (wanted != nullptr) {
      if (const Kernels* found = findKernels(wanted)) return found;
    }
    for (const char* name : {"avx512", "avx2"}) {
      if (const Kernels* found = findKernels(name)) return found;
    }
    return &kernelsGeneric;
  }();
  return *chosen;
}

}  // namespace actors::cpu
