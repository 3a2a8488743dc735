// The machine under the kernels. Everything that differs between a GPU and the host device is behind these names.
#pragma once

#include "config/launch.h"
#include "config/tile.h"

#ifdef __CUDACC_RTC__
#include "primitives/intrinsics_cuda.h"
#else
#include "primitives/intrinsics_host.h"
#endif
