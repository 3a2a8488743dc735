// A compiler turns an instantiation into a binary that a device can load. Two exist: NVRTC for GPUs, g++ for the host
// device.
#pragma once

#include <string>
#include <vector>

#include "instantiation/instantiation.h"
#include "jit/template_hash.h"

namespace scantune {

struct Binary {
  std::vector<char> image;  // a cubin, or a shared object for the host device
  std::string compiler;     // name and version of what made it
  std::string log;          // the compiler's remarks, with registers, shared memory and spills for GPUs
  double compile_ms = 0;    // 0 when it came from a cache
};

class Compiler {
 public:
  virtual ~Compiler() = default;

  // Whatever else determines the binary, besides source and architecture: options and, if cheap to find, the compiler's
  // version. It is part of the cache key, and must not load the compiler.
  virtual std::string fingerprint() const = 0;

  // Name and version, "NVRTC 13.0", for people and provenance. It may load the compiler; throws DeviceError without
  // one.
  virtual std::string version() { return fingerprint(); }

  // arch: "sm_90", or "host". Throws CompileError with the whole log, DeviceError when there is no compiler.
  virtual Binary compile(const Instantiation& instantiation, const std::string& arch) = 0;
};

}  // namespace scantune
