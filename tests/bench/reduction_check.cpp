#include "reduction_check.h"

namespace scantune::bench {

std::optional<std::string> wrong_reduction(const Case& subject, const Reference& reference, const std::byte* value,
                                           u64 index) {
  if (const auto wrong = reference.check(0, {value, subject.output().bytes()}))
    return "the result should be " + wrong->expected + ", found " + wrong->found;
  if (subject.request.value<Position>() != Position::first) return std::nullopt;
  u64 place = 0;
  reference.expect_beside(OperandRole::indices, 0, std::as_writable_bytes(std::span(&place, 1)));
  if (place == index) return std::nullopt;
  return "the result stands first at " + std::to_string(place) + ", found " + std::to_string(index);
}

}  // namespace scantune::bench
