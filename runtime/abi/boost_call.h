/* boost_call.h - what a program promises the libraries that it calls. */
#pragma once

/* Alignment of a call's scratch memory on a GPU. cuBLASLt refuses calls with
 * less: CUBLAS_STATUS_INVALID_VALUE. Other operands have BOOSTC_ALIGNMENT. */
#define BOOSTC_SCRATCH_ALIGNMENT 256u
