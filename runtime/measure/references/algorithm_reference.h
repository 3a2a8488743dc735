// An algorithm on the CPU: its inputs, and what it must return. One class for each algorithm; references.cpp lists
// them.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "measure/reference.h"

namespace scantune {

// Kernels that check outputs by inputs on the device, in the order in which they run.
struct CheckKernels {
  std::string header;  // empty: no kernels
  std::vector<std::string> names;
};

// Inputs of one size, between which a reference varies a k in memory.
inline constexpr u64 kDrawsOfK = 5;

class AlgorithmReference {
 public:
  virtual ~AlgorithmReference() = default;
  virtual const AlgorithmModel& algorithm() const = 0;

  virtual bool has(InputPattern pattern, const Request& request) const = 0;
  // Writes the items of the input that start at item `first` and fill `out`.
  virtual void fill_input(const InputSpec& spec, u64 first, std::span<std::byte> out) const = 0;
  // The same of another operand that is read.
  virtual void fill_beside(const InputSpec&, OperandRole, u64, std::span<std::byte>) const {}
  // Writes an accumulator that matters to init, which has room for kMaxValueBytes; where the request has one.
  virtual void fill_init(const Request&, unsigned char*) const {}
  virtual std::unique_ptr<const Reference> reference(const KnownInput& input) const = 0;
  virtual CheckKernels check_kernels(const Request&) const { return {}; }

  // What else a record of the request serves, each with the variant whose kernels are run.
  virtual std::vector<RequestVariant> also_served(const Request&) const { return {}; }
  // Whether the request requires equal bits on every run where results may differ.
  virtual bool repeats_bits(const Request&) const { return false; }
  // Returns one request for all that return the same for equal inputs.
  virtual Request same_results(const Request& request) const { return request; }
};

// Numbers of rows or columns, each with the variant whose kernels are run.
using OtherExtents = std::initializer_list<std::pair<u64, Variant>>;

// Adds the request with each of these, except those that no family supports.
template <class Typed>
void add_with_other(u64 Typed::*extent, OtherExtents others, Typed request, std::vector<RequestVariant>& served) {
  for (const auto& [count, variant] : others) {
    request.*extent = count;
    if (unsupported_reason(request) == nullptr) served.push_back({request, variant});
  }
}

// Throws Error if no class stands for the algorithm.
const AlgorithmReference& reference_of(const AlgorithmModel& algorithm);

}  // namespace scantune
