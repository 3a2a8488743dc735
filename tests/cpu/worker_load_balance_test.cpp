// What load balances are fed and must return, and that a wrong one is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "measure/references/algorithm_reference.h"
#include "measure/verify.h"
#include "message_of.h"
#include "worker_scanning_device.h"

namespace scantune {
namespace {

using testing::ScanningDevice;
using Bytes = std::vector<std::byte>;

constexpr u64 kBalanceChunk = Reference::kChunkItems;

LoadBalanceRequest request_of(ValueType offset, ValueType output, Assigned assigned) {
  return {.input_type = offset, .output_type = output, .assigned = assigned};
}

std::vector<LoadBalanceRequest> requests() {
  std::vector<LoadBalanceRequest> all;
  for (const ValueType offset : {ValueType::u32, ValueType::i64})
    for (const ValueType output : {ValueType::i32, ValueType::u64})
      for (const Assigned assigned : {Assigned::segments, Assigned::ranks, Assigned::segments_and_ranks})
        all.push_back(request_of(offset, output, assigned));
  for (const ValueType value : {ValueType::u8, ValueType::f64})
    all.push_back(request_of(ValueType::u64, value, Assigned::values));
  LoadBalanceRequest wide = request_of(ValueType::i32, ValueType::custom, Assigned::values);
  wide.custom_bytes = 12;
  wide.custom_alignment = 4;
  all.push_back(wide);
  return all;
}

InputSpec with(LoadBalanceRequest request, u64 n, u64 segments, InputPattern pattern = InputPattern::exact) {
  request.n = n;
  request.segments = segments;
  return {request, pattern, 7};
}

std::string named_balance(const InputSpec& spec) { return to_string(spec.request) + ", " + token(spec.pattern); }

u64 number_at(const Bytes& bytes, u64 index, u64 item_bytes) {
  u64 number = 0;
  std::memcpy(&number, &bytes[index * item_bytes], item_bytes);
  return number;
}

Bytes input_of(const InputSpec& spec) {
  Bytes items(Operands(spec.request).of(OperandRole::input).bytes());
  fill_input(spec, 0, items);
  return items;
}

std::vector<u64> offsets_of(const InputSpec& spec) {
  const Bytes items = input_of(spec);
  const auto bytes = static_cast<u64>(typed<LoadBalanceRequest>(spec.request).input_bytes());
  std::vector<u64> offsets(items.size() / bytes);
  for (u64 index = 0; index < offsets.size(); ++index) offsets[index] = number_at(items, index, bytes);
  return offsets;
}

// What a plain loop writes to the output, or beside it.
Bytes plain_balance(const LoadBalanceRequest& request, const std::vector<u64>& offsets, const std::byte* values,
                    OperandRole role) {
  const auto bytes = static_cast<u64>(request.output_bytes());
  const bool are_ranks = role == OperandRole::indices || request.assigned == Assigned::ranks;
  Bytes output(request.n * bytes);
  for (u64 segment = 0; segment < request.segments; ++segment)
    for (u64 item = offsets[segment]; item < offsets[segment + 1]; ++item) {
      const u64 number = are_ranks ? item - offsets[segment] : segment;
      std::memcpy(&output[item * bytes],
                  request.writes_values() ? values + segment * bytes : reinterpret_cast<const std::byte*>(&number),
                  bytes);
    }
  return output;
}

Bytes plain_balance(const InputSpec& spec, OperandRole role) {
  const auto request = typed<LoadBalanceRequest>(spec.request);
  Bytes values;
  if (request.writes_values()) {
    values.resize(request.segments * static_cast<u64>(request.output_bytes()));
    reference_of(spec.request.algorithm()).fill_beside(spec, OperandRole::values, 0, values);
  }
  return plain_balance(request, offsets_of(spec), values.data(), role);
}

// Several numbers of items for each of segments.
std::vector<std::pair<u64, u64>> sizes() {
  return {{1, 1}, {1, 500}, {33, 7}, {2000, 1}, {2000, 2000}, {2000, 9000}, {2 * kBalanceChunk + 5, 3001}};
}

TEST(InputsOfLoadBalances, AscendFromNoneToAllItems) {
  for (const LoadBalanceRequest& request : requests())
    for (const InputPattern pattern : {InputPattern::exact, InputPattern::specials})
      for (const auto& [n, segments] : sizes()) {
        const InputSpec spec = with(request, n, segments, pattern);
        ASSERT_TRUE(applies(pattern, spec.request));
        const std::vector<u64> offsets = offsets_of(spec);
        ASSERT_EQ(offsets.size(), segments + 1);
        EXPECT_EQ(offsets.front(), 0u) << named_balance(spec);
        EXPECT_EQ(offsets.back(), n) << named_balance(spec);
        EXPECT_TRUE(std::ranges::is_sorted(offsets)) << named_balance(spec);
      }
}

TEST(InputsOfLoadBalances, AreTheSameInParts) {
  for (const InputPattern pattern : {InputPattern::exact, InputPattern::specials}) {
    const InputSpec spec = with(request_of(ValueType::u64, ValueType::u32, Assigned::segments), 100'000, 4000, pattern);
    const Bytes whole = input_of(spec);
    for (const u64 first : {u64{0}, u64{1}, u64{1999}, u64{3999}, u64{4000}}) {
      Bytes part(std::min<u64>(whole.size() - first * 8, 800));
      fill_input(spec, first, part);
      EXPECT_TRUE(std::ranges::equal(part, std::span(whole).subspan(first * 8, part.size()))) << first;
    }
  }
}

struct Lengths {
  u64 empty = 0, longest = 0, longest_run_of_empty = 0;
};
Lengths lengths_of(const InputSpec& spec) {
  Lengths lengths;
  const std::vector<u64> offsets = offsets_of(spec);
  u64 run = 0;
  for (std::size_t segment = 0; segment + 1 < offsets.size(); ++segment) {
    const u64 length = offsets[segment + 1] - offsets[segment];
    lengths.longest = std::max(lengths.longest, length);
    lengths.empty += length == 0;
    run = length == 0 ? run + 1 : 0;
    lengths.longest_run_of_empty = std::max(lengths.longest_run_of_empty, run);
  }
  return lengths;
}

// Tiles see segments of all lengths: within some factors of the mean, and far from it with the other pattern.
TEST(InputsOfLoadBalances, HaveSegmentsOfManyLengths) {
  const LoadBalanceRequest request = request_of(ValueType::u32, ValueType::u32, Assigned::segments);
  const Lengths usual = lengths_of(with(request, 1 << 18, 1 << 16));
  EXPECT_GT(usual.longest, 40u);
  EXPECT_LT(usual.longest, 4000u);
  EXPECT_GT(usual.empty, 1000u);
  EXPECT_LT(usual.empty, (1u << 16) / 2);
  const Lengths extreme = lengths_of(with(request, 1 << 18, 1 << 16, InputPattern::specials));
  EXPECT_GT(extreme.longest, 10'000u);
  EXPECT_GT(extreme.longest_run_of_empty, 4000u);
}

TEST(ReferenceOfLoadBalances, AgreesWithAPlainLoop) {
  for (const LoadBalanceRequest& request : requests())
    for (const InputPattern pattern : {InputPattern::exact, InputPattern::specials})
      for (const auto& [n, segments] : sizes()) {
        const InputSpec spec = with(request, n, segments, pattern);
        const auto reference = make_reference({spec});
        const Bytes right = plain_balance(spec, OperandRole::output);
        const auto wrong = reference->check(0, right);
        ASSERT_FALSE(wrong) << named_balance(spec) << " at " << wrong->index << ": " << wrong->expected << ", "
                            << wrong->found;
        Bytes expected(right.size());
        reference->expect({spec}, expected);
        EXPECT_EQ(expected, right) << named_balance(spec);
        if (request.assigned != Assigned::segments_and_ranks) continue;
        const u64 bytes = reference->item_bytes(), first = n / 3;
        const Bytes ranks = plain_balance(spec, OperandRole::indices);
        Bytes part((n - first) * bytes);
        reference->expect_beside(OperandRole::indices, first, part);
        EXPECT_TRUE(std::ranges::equal(part, std::span(ranks).subspan(first * bytes))) << named_balance(spec);
      }
}

TEST(ReferenceOfLoadBalances, FindsASpoiledItem) {
  for (const LoadBalanceRequest& request : requests()) {
    const InputSpec spec = with(request, kBalanceChunk + 100, 3000);
    const auto reference = make_lasting_reference({spec, std::make_shared<const KnownItems>(spec)});
    const Bytes right = plain_balance(spec, OperandRole::output);
    for (const u64 index : {u64{0}, kBalanceChunk - 1, kBalanceChunk, kBalanceChunk + 99}) {
      Bytes wrong = right;
      wrong[index * reference->item_bytes()] ^= std::byte{1};
      const auto found = reference->check(0, wrong);
      ASSERT_TRUE(found) << named_balance(spec);
      EXPECT_EQ(found->index, index);
      EXPECT_NE(found->found, found->expected);
    }
  }
}

// A device that balances on the CPU by a plain loop, and can be told to make one mistake.
class BalancingDevice : public ScanningDevice {
 public:
  explicit BalancingDevice(const LoadBalanceRequest& request) : request_(request) {}

  std::function<void(const LoadBalanceRequest&, const KernelArguments&)> spoil = [](const auto&, const auto&) {};
  int balances = 0;

  void launch(const Module&, const Launch& launch, KernelArguments& arguments, Stream) override {
    LoadBalanceRequest request = request_;
    request.n = launch.n;
    request.segments = launch.extents[0];
    const auto bytes = static_cast<u64>(request.input_bytes());
    std::vector<u64> offsets(request.segments + 1);
    for (u64 index = 0; index < offsets.size(); ++index)
      std::memcpy(&offsets[index], arguments.operand<const std::byte>(OperandRole::input) + index * bytes, bytes);
    const auto write = [&](OperandRole role, void* to) {
      const Bytes right =
          plain_balance(request, offsets, arguments.operand<const std::byte>(OperandRole::values), role);
      std::memcpy(to, right.data(), right.size());
    };
    write(OperandRole::output, arguments.operand(OperandRole::output));
    if (request.assigned == Assigned::segments_and_ranks)
      write(OperandRole::indices, arguments.operand(OperandRole::indices));
    ++balances;
    spoil(request, arguments);
  }

 private:
  LoadBalanceRequest request_;
};

int verified(BalancingDevice& device, LoadBalanceRequest request) {
  request.n = 20'000;
  request.segments = 3000;
  const Request erased(request);
  return Verifier(device).verify(erased, default_config(erased, device.identity().sm));
}

TEST(VerifierOfLoadBalances, AcceptsWhatIsRight) {
  for (const LoadBalanceRequest& request : requests()) {
    BalancingDevice device(request);
    EXPECT_GT(verified(device, request), 10);
    EXPECT_GT(device.balances, 20);
  }
}

TEST(VerifierOfLoadBalances, RefusesWhatIsWrong) {
  const auto refusal = [](const LoadBalanceRequest& request, const auto& spoil) {
    BalancingDevice device(request);
    device.spoil = spoil;
    return message_of<WrongResult>([&] { verified(device, request); });
  };
  const auto flip = [](void* array, u64 byte) { static_cast<std::byte*>(array)[byte] ^= std::byte{4}; };
  const LoadBalanceRequest both = request_of(ValueType::u32, ValueType::u32, Assigned::segments_and_ranks);
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  std::string text =
      refusal(both, [&](const auto&, const auto& arguments) { flip(arguments.operand(OperandRole::output), 0); });
  EXPECT_TRUE(has(text, "item 0 should be ")) << text;
  text = refusal(
      both, [&](const auto& request, const auto& a) { flip(a.operand(OperandRole::indices), 4 * (request.n - 1)); });
  EXPECT_TRUE(has(text, "rank_of ")) << text;
  text =
      refusal(both, [&](const auto& request, const auto& a) { flip(a.operand(OperandRole::indices), 4 * request.n); });
  EXPECT_TRUE(has(text, "past the output")) << text;
  text = refusal(both, [&](const auto&, const auto& a) { flip(a.operand(OperandRole::input), 40); });
  EXPECT_TRUE(has(text, "it changed its input")) << text;
  const LoadBalanceRequest values = request_of(ValueType::u64, ValueType::f32, Assigned::values);
  text = refusal(values, [&](const auto& request, const auto& a) {
    auto* const output = static_cast<std::byte*>(a.operand(OperandRole::output));
    std::memcpy(output + 4 * (request.n - 1), a.operand(OperandRole::values), 4);
  });
  EXPECT_TRUE(has(text, "should be ")) << text;
}

}  // namespace
}  // namespace scantune
