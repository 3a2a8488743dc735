// What has to be known of a config to load its kernels, for whoever launches them.
#pragma once

#include <vector>

#include "space/space.h"

namespace scantune {

// The request for pointers of which nothing is known but that they are multiples of their types' alignments.
ScanRequest element_aligned(ScanRequest request);

// The shared memory of every kernel of the family, also of those that only a larger n launches: a module serves every
// n.
std::vector<int> max_shared_bytes(const Config& config, ScanRequest request, int sm);

}  // namespace scantune
