#include "reduction_check.h"

namespace scantune::bench {

std::optional<std::string> wrong_reduction(const Case& subject, const Reference& reference, const std::byte* value,
                                           u64 index) {
  if (const auto wrong = reference.check(0, {value, subject.output().bytes()}))
    return "the result should be " + wrong->expected + ", found " + wrong->found;
  if (const auto positions = reference.positions(); !positions.empty() && positions.front() != index)
    return "the result stands first at " + std::to_string(positions.front()) + ", found " + std::to_string(index);
  return std::nullopt;
}

}  // namespace scantune::bench
