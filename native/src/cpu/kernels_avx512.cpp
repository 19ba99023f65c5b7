#define ACTORS_KERNELS kernelsAvx512
#define ACTORS_ISA_NAME "avx512"
#define ACTORS_VECTOR_FLOATS 16
#define ACTORS_TILE_ROWS 8
#include "kernels.inl"
