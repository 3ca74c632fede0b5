/* boost_call.h - what a program promises the libraries that it calls, and what
 * its kernels and they have in common. */
#pragma once

/* Alignment of a call's scratch memory on a GPU. cuBLASLt refuses calls with
 * less: CUBLAS_STATUS_INVALID_VALUE. Other operands have BOOSTC_ALIGNMENT. */
#define BOOSTC_SCRATCH_ALIGNMENT 256u

/* How often the inversion of a matrix is tried, and by what the damping is
 * multiplied from one try to the next. */
#define BOOSTC_INVERSE_TRIES 4
#define BOOSTC_INVERSE_GROWTH 10.0
/* What every pivot must have: this part of the damping, this part of the
 * element of the diagonal that it is what is left of, and this number. In exact
 * arithmetic a pivot of M + s I is not below s where M is positive
 * semidefinite; less than half of that, or a few units in the last place of
 * what it was, is rounding. The number keeps inverses, and products of two of
 * them with a gradient, finite. */
#define BOOSTC_INVERSE_MIN_PART_OF_DAMPING 0.5
#define BOOSTC_INVERSE_MIN_PART_OF_DIAGONAL 0x1p-21
#define BOOSTC_INVERSE_MIN_PIVOT 0x1p-40
