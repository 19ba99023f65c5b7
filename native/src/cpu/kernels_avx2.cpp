#define ACTORS_KERNELS kernelsAvx2
#define ACTORS_ISA_NAME "avx2"
#define ACTORS_VECTOR_FLOATS 8
#define ACTORS_TILE_ROWS 6
#include "kernels.inl"
