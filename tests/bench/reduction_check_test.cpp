#include "reduction_check.h"

#include <gmock/gmock.h>

#include <cstring>
#include <vector>

namespace scantune::bench {
namespace {

using testing::HasSubstr;
using testing::Optional;

// A reduction of a known input, with what it should return.
struct Known {
  explicit Known(const ReduceRequest& request) : subject{request}, input{.request = request, .seed = 7} {
    reference->expect(KnownInput(input), value);
  }

  Case subject;
  InputSpec input;
  std::unique_ptr<const Reference> reference = make_reference(KnownInput(input));
  std::vector<std::byte> value = std::vector<std::byte>(subject.output().bytes());
};

constexpr ReduceRequest kSum{.init = Init::none, .n = 1000};
constexpr ReduceRequest kArgMax{.op = Operator::max, .position = Position::first, .init = Init::none, .n = 1000};

TEST(IndexBeside, IsAlignedAndBehindAValueAtAnyOffset) {
  alignas(256) std::byte place[32];
  for (const std::size_t bytes : {1u, 2u, 4u, 8u})
    for (std::size_t offset = 0; offset < 16; offset += bytes) {
      const auto* index = reinterpret_cast<const std::byte*>(index_beside(place + offset));
      EXPECT_EQ((index - place) % 8, 0) << offset;
      EXPECT_GE(index, place + offset + bytes);
      EXPECT_LE(index + sizeof(u64), place + sizeof place);
    }
}

TEST(ReductionCheck, AcceptsTheSumWhateverStandsInThePlaceOfAnIndex) {
  const Known known(kSum);
  EXPECT_EQ(wrong_reduction(known.subject, *known.reference, known.value.data(), 0xa5a5), std::nullopt);
}

TEST(ReductionCheck, SaysWhatTheSumShouldBe) {
  Known known(kSum);
  known.value[0] ^= std::byte{1};
  EXPECT_THAT(wrong_reduction(known.subject, *known.reference, known.value.data(), 0),
              Optional(HasSubstr("the result should be ")));
}

TEST(ReductionCheck, SaysWhereAnExtremeStands) {
  const Known known(kArgMax);
  u64 place = 0;
  known.reference->expect_beside(OperandRole::indices, 0, std::as_writable_bytes(std::span(&place, 1)));
  EXPECT_EQ(wrong_reduction(known.subject, *known.reference, known.value.data(), place), std::nullopt);
  EXPECT_THAT(wrong_reduction(known.subject, *known.reference, known.value.data(), place + 1),
              Optional(HasSubstr("stands first at " + std::to_string(place) + ", found " + std::to_string(place + 1))));
}

}  // namespace
}  // namespace scantune::bench
