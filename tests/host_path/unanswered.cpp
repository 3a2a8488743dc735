// Every function of the driver that the counting one does not define, so that the library finds all it looks for.
#include "device/cuda/driver.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wattribute-alias"  // the arguments that a function ignores may be of any type
#endif

extern "C" {

CUresult scantune_unanswered() { return CUDA_ERROR_NOT_SUPPORTED; }

// The definitions are weak, so that one in another file takes its place.
#define SCANTUNE_UNANSWERED(function) decltype(function) function __attribute__((weak, alias("scantune_unanswered")));
SCANTUNE_DRIVER_FUNCTIONS(SCANTUNE_UNANSWERED)
#undef SCANTUNE_UNANSWERED
}
