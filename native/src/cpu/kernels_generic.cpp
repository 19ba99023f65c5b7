// The baseline of the architecture: SSE2 on x86-64, NEON on arm64.
#define ACTORS_KERNELS kernelsGeneric
#define ACTORS_ISA_NAME "generic"
#define ACTORS_VECTOR_FLOATS 4
#define ACTORS_TILE_ROWS 6
#include "kernels.inl"
