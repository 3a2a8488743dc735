// Buffers: what they copy, and when they free it.
#include <gtest/gtest.h>

#include <array>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "api_current_device.h"
#include "scantune/runtime.hpp"

namespace scantune::testing {
namespace {

TEST_F(PublicApi, BuffersCopyThereAndBackAndMove) {
  const std::vector<int> values{1, 2, 3};
  runtime::Buffer<int> buffer(values);
  const runtime::Buffer<int> taken = std::move(buffer);
  std::vector<int> copy(taken.size());
  taken.download(copy.data());
  EXPECT_EQ(copy, values);
  EXPECT_EQ(runtime::Buffer<int>(0).data(), nullptr);
}

TEST_F(PublicApi, BuffersCopyWhateverHoldsTheirItemsInARow) {
  std::array<int, 3> values{1, 2, 3};
  const auto copied = [](const runtime::Buffer<int>& buffer) {
    std::array<int, 3> copy{};
    buffer.download(copy.data());
    return copy;
  };
  EXPECT_EQ(copied(runtime::Buffer<int>(values)), values);
  EXPECT_EQ(copied(runtime::Buffer<int>(std::span(values))), values);
  EXPECT_EQ(copied(runtime::Buffer<int>(std::span<const int>(values))), values);
  static_assert(!std::is_constructible_v<runtime::Buffer<int>, std::vector<unsigned>>);
}

TEST_F(PublicApi, BuffersFreeTheirMemory) {
  { const runtime::Buffer<int> buffer(100); }
  EXPECT_TRUE(device_->allocations.empty());
}

}  // namespace
}  // namespace scantune::testing
