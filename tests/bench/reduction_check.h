// Results of reductions: where they lie, and whether they are right. They are short, so the CPU checks each of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "case_result.h"
#include "measure/reference.h"

namespace scantune::bench {

// Where the index goes that a reduction writes beside its value: behind the 16 bytes in which the value lies.
inline u64* index_beside(void* output) {
  const auto address = reinterpret_cast<std::uintptr_t>(output);
  return reinterpret_cast<u64*>(address / kVectorAlignmentBytes * kVectorAlignmentBytes + kVectorAlignmentBytes);
}

// What is wrong with a result: its value, whose bytes come first, or where it is said to stand. nullopt if nothing is.
// `index` counts only where the request asks for a position.
std::optional<std::string> wrong_reduction(const Case& subject, const Reference& reference, const std::byte* value,
                                           u64 index);

}  // namespace scantune::bench
