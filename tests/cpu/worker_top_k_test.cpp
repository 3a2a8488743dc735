// That a wrong top-k of as many results as memory says is refused, whatever that number is.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "measure/verify.h"
#include "message_of.h"
#include "plain_sort.h"
#include "worker_scanning_device.h"

namespace scantune {
namespace {

using testing::ScanningDevice;

constexpr u64 kMost = 20, kRows = 3;

// The greatest keys of each row, which are u32, on the CPU by a plain sort: as many as `number` makes of what memory
// says.
class TopKDevice : public ScanningDevice {
 public:
  explicit TopKDevice(CountSource source) : source_(source) {}

  std::function<u64(u64 said)> number = [](u64 said) { return std::min(said, kMost); };
  std::map<u64, std::set<u64>> numbers;  // that memory said, by how many keys there were

  void launch(const Module&, const Launch& launch, KernelArguments& arguments, Stream) override {
    u64 said = 0;
    std::memcpy(&said, arguments.operand(place_of(OperandRole::k)), source_ == CountSource::memory_32 ? 4 : 8);
    numbers[launch.n].insert(said);
    const SortRequest sort{.input_type = ValueType::u32,
                           .order = Order::descending,
                           .segments = Segments::rows,
                           .n = launch.n,
                           .rows = ceil_div(launch.n, launch.extents[0])};
    const auto* const keys = arguments.operand<const u32>(OperandRole::input);
    const auto order = plain_order(sort, keys);
    auto* to = arguments.operand<u32>(OperandRole::output);
    for (const auto& [first, end] : rows_of(sort)) {
      for (u64 place = 0; place < std::min(number(said), end - first); ++place) to[place] = keys[order[first + place]];
      to += kMost;
    }
  }

 private:
  CountSource source_;
};

int verified(TopKDevice& device, CountSource source) {
  const Request request(
      TopKRequest{.segments = Segments::rows, .k_source = source, .n = kRows * 3001, .rows = kRows, .k = kMost});
  const Config config = find_family("top_k_rows")->default_config(request, device.identity().sm);
  return Verifier(device).verify(request, config, nullptr, {.all_kinds = false});
}

// All of these numbers meet the same keys.
TEST(VerifierOfTopKs, HasMemorySayNoResultsSomeAllAndMore) {
  for (const CountSource source : {CountSource::memory, CountSource::memory_32}) {
    TopKDevice device(source);
    EXPECT_GT(verified(device, source), 10);
    EXPECT_TRUE(std::ranges::any_of(device.numbers, [](const auto& of_size) {
      const std::set<u64>& numbers = of_size.second;
      return *numbers.rbegin() > kMost && std::ranges::includes(numbers, std::set<u64>{0, 1, kMost / 2, kMost});
    }));
  }
}

TEST(VerifierOfTopKs, RefusesAnotherNumberOfResults) {
  const auto complaint = [](CountSource source, const std::function<u64(u64)>& number) {
    TopKDevice device(source);
    device.number = number;
    return message_of<WrongResult>([&] { verified(device, source); });
  };
  for (const CountSource source : {CountSource::memory, CountSource::memory_32}) {
    EXPECT_TRUE(complaint(source, [](u64) { return kMost; }).starts_with("top_k_rows"));
    for (const u64 wrong : {u64{0}, u64{1}, kMost / 2, kMost}) {
      const u64 written = wrong == 0 ? 1 : wrong - 1;
      const auto number = [=](u64 said) { return said == wrong ? written : std::min(said, kMost); };
      EXPECT_NE(complaint(source, number), "") << written << " of " << wrong;
    }
    // The lower half of a number is not all of it.
    const bool is_wide = source == CountSource::memory;
    EXPECT_NE(complaint(source, [](u64 said) { return std::min<u64>(said & ~u32{0}, kMost); }).empty(), is_wide);
    EXPECT_NE(complaint(source, [](u64 said) { return said > kMost ? 0 : said; }), "");
  }
}

}  // namespace
}  // namespace scantune
