// Kernels of many instantiations, compiled together: a call of the compiler costs as much as the code of a kernel or
// two, since it reads all templates anew.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "device/host/host_module.h"
#include "jit/compiler.h"

namespace scantune {

// Translation units, each of many instantiations. Those of equal definitions share one: every instantiation has a
// namespace of its own, its kernels have names of their own, and so has the caller's source, unless it defines macros.
struct JoinedKernels {
  Instantiation unit;
  std::vector<std::string> sources;   // of the instantiations
  std::vector<std::string> prefixes;  // of the names of their kernels, in the same order
};
std::vector<JoinedKernels> joined(std::span<const Instantiation> all);
std::unique_ptr<Compiler> joined_compiler();  // of such units; they are kept where kept_compiler.h says

// Loaded kernels by their source.
class KernelBatch {
 public:
  // Compiles what is not there yet, without optimisation: kernels run for a moment, and are compiled for long. Units
  // are kept where kept_compiler.h says. Throws CompileError if any kernel does not compile.
  void add(std::span<const Instantiation> all);

  // The kernels of an instantiation, or null if it was not added.
  const Module* find(const Instantiation& instantiation) const;

 private:
  std::map<std::string, std::unique_ptr<Module>> modules_;
};

}  // namespace scantune
