// What sorts are fed and must return, and that a wrong one is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>
#include <utility>

#include "measure/measure.h"
#include "measure/references/algorithm_reference.h"
#include "measure/verify.h"
#include "message_of.h"
#include "plain_sort.h"
#include "worker_scanning_device.h"

namespace scantune {
namespace {

using testing::ScanningDevice;
using Bytes = std::vector<std::byte>;

constexpr u64 kSortChunk = Reference::kChunkItems;
constexpr InputPattern kPatterns[] = {InputPattern::exact, InputPattern::specials, InputPattern::alike,
                                      InputPattern::ordered};
constexpr ValueType kKeyTypes[] = {ValueType::i8,  ValueType::i16,  ValueType::i32, ValueType::i64,
                                   ValueType::u8,  ValueType::u16,  ValueType::u32, ValueType::u64,
                                   ValueType::f16, ValueType::bf16, ValueType::f32, ValueType::f64};

SortRequest with_values(SortRequest request, ValueType type) {
  request.sorted = Sorted::pairs;
  request.value_type = type;
  return request;
}

SortRequest with_indices(SortRequest request, ValueType type, Sorted sorted) {
  request.sorted = sorted;
  request.value_type = type;
  return request;
}

SortRequest by_bits(SortRequest request, u64 end_bit, u64 bits) {
  request.key_bits = KeyBits::some;
  request.end_bit = end_bit;
  request.bits = bits;
  return request;
}

SortRequest in_rows(SortRequest request, u64 rows) {
  request.segments = Segments::rows;
  request.rows = rows;
  return request;
}

SortRequest in_segments(SortRequest request, OffsetForm form, u64 count) {
  request.segments = Segments::offsets;
  request.offset_form = form;
  request.segment_count = count;
  return request;
}

std::vector<SortRequest> requests() {
  std::vector<SortRequest> all;
  for (const ValueType type : kKeyTypes)
    for (const Order order : {Order::ascending, Order::descending}) {
      const SortRequest keys{.input_type = type, .order = order};
      const u64 last = 8 * static_cast<u64>(keys.input_bytes());
      all.push_back(keys);
      all.push_back(with_values(by_bits(keys, last, 3), ValueType::f64));
      all.push_back(with_indices(by_bits(keys, last - 1, last - 3), ValueType::u32, Sorted::indices));
      all.push_back(with_indices(keys, ValueType::i64, Sorted::keys_and_indices));
    }
  SortRequest copied = with_values({.input_type = ValueType::f32}, ValueType::u16);
  copied.key_bits = KeyBits::none;
  all.push_back(copied);
  const SortRequest keys{.input_type = ValueType::u16};
  SortRequest wide = with_values(keys, ValueType::custom);
  wide.custom_bytes = 12;
  wide.custom_alignment = 4;
  all.push_back(wide);
  for (const ValueType type : {ValueType::u8, ValueType::i16, ValueType::bf16, ValueType::f16, ValueType::f64})
    for (const Order order : {Order::ascending, Order::descending})
      all.push_back(with_indices({.input_type = type, .order = order, .comparison = Comparison::source}, ValueType::u32,
                                 Sorted::keys_and_indices));
  SortRequest structs = with_values({.comparison = Comparison::source}, ValueType::custom);
  structs.input_type = ValueType::custom;
  structs.custom_bytes = 6;
  structs.custom_alignment = 2;
  all.push_back(structs);
  for (const u64 rows : {1, 7, 40})
    for (const Sorted sorted : {Sorted::keys, Sorted::indices, Sorted::keys_and_indices})
      all.push_back(in_rows(with_indices({.input_type = ValueType::f16}, ValueType::u32, sorted), rows));
  for (const u64 count : {1, 7, 40})
    for (const OffsetForm form : {OffsetForm::bounds, OffsetForm::begins_and_ends}) {
      all.push_back(in_segments(with_values({.input_type = ValueType::i16}, ValueType::f32), form, count));
      all.push_back(in_segments(with_indices({}, ValueType::u32, Sorted::keys_and_indices), form, count));
    }
  return all;
}

InputSpec with_pattern(SortRequest request, u64 n, InputPattern pattern = InputPattern::exact) {
  request.n = n;
  return {request, pattern, 7};
}

std::string named_sort(const InputSpec& spec) { return to_string(spec.request) + ", " + token(spec.pattern); }

Bytes input_of(const InputSpec& spec) {
  Bytes items(Operands(spec.request).of(OperandRole::input).bytes());
  fill_input(spec, 0, items);
  return items;
}

Bytes values_of(const InputSpec& spec) {
  const auto request = typed<SortRequest>(spec.request);
  Bytes values(request.has_values() ? request.n * static_cast<u64>(request.value_bytes()) : 0);
  if (!values.empty()) reference_of(spec.request.algorithm()).fill_beside(spec, OperandRole::values, 0, values);
  return values;
}

u64 number_at(const Bytes& bytes, u64 index, u64 item_bytes) {
  u64 number = 0;
  std::memcpy(&number, &bytes[index * item_bytes], item_bytes);
  return number;
}

// The sequences as the request's offsets say, kept within the keys.
Sequences sequences_of(const InputSpec& spec) {
  const auto request = typed<SortRequest>(spec.request);
  if (!request.has_offsets()) return rows_of(request);
  const bool has_ends = request.offset_form == OffsetForm::begins_and_ends;
  std::vector<i32> begins(request.segment_count + (has_ends ? 0 : 1)), ends(request.segment_count);
  const auto fill = [&](OperandRole role, std::vector<i32>& offsets) {
    reference_of(spec.request.algorithm()).fill_beside(spec, role, 0, std::as_writable_bytes(std::span(offsets)));
  };
  fill(OperandRole::begins, begins);
  if (has_ends) fill(OperandRole::ends, ends);
  if (!has_ends) std::copy(begins.begin() + 1, begins.end(), ends.begin());
  Sequences all;
  for (u64 segment = 0; segment < request.segment_count; ++segment) {
    const auto within = [&](i32 offset) {
      return static_cast<u64>(std::clamp<i64>(offset, 0, static_cast<i64>(request.n)));
    };
    all.emplace_back(within(begins[segment]), std::max(within(begins[segment]), within(ends[segment])));
  }
  return all;
}

// Items of no sequence are not written.
Bytes plain_sort(const SortRequest& request, const Bytes& keys, const Bytes& values, OperandRole role,
                 const Sequences& sequences) {
  const bool of_keys = role == OperandRole::output && request.writes_keys();
  const bool of_values = role == OperandRole::values_output;
  const auto bytes = static_cast<u64>(of_keys ? request.input_bytes() : request.value_bytes());
  Bytes output(request.n * bytes, kUnwritten);
  const std::vector<u64> order = plain_order(request, keys.data(), sequences);
  for (const auto& [first, end] : sequences)
    for (u64 place = first; place < end; ++place) {
      const u64 index = order[place], in_sequence = index - first;
      const std::byte* const from = of_keys     ? &keys[index * bytes]
                                    : of_values ? &values[index * bytes]
                                                : reinterpret_cast<const std::byte*>(&in_sequence);
      std::memcpy(&output[place * bytes], from, bytes);
    }
  return output;
}

Bytes plain_sort(const InputSpec& spec, OperandRole role) {
  return plain_sort(typed<SortRequest>(spec.request), input_of(spec), values_of(spec), role, sequences_of(spec));
}

std::vector<OperandRole> written_by(const SortRequest& request) {
  std::vector<OperandRole> all;
  const Operands operands{Request(request)};
  for (const RequestOperand& operand : operands.list())
    if (is_written(operand.role)) all.push_back(operand.role);
  return all;
}

TEST(InputsOfSorts, AreTheSameInParts) {
  for (const InputPattern pattern : kPatterns) {
    const InputSpec spec = with_pattern({.input_type = ValueType::f32}, 3 * kSortChunk, pattern);
    ASSERT_TRUE(applies(pattern, spec.request));
    const Bytes whole = input_of(spec);
    for (const u64 first : {u64{0}, u64{1}, kSortChunk + 1, 3 * kSortChunk - 1}) {
      Bytes part(std::min<u64>(whole.size() - first * 4, 800));
      fill_input(spec, first, part);
      EXPECT_TRUE(std::ranges::equal(part, std::span(whole).subspan(first * 4, part.size()))) << first;
    }
  }
}

TEST(InputsOfSorts, OfFewerItemsAreTheBeginningOfTheWhole) {
  for (const InputPattern pattern : kPatterns) {
    const InputSpec whole = with_pattern({.input_type = ValueType::u64}, 1000, pattern);
    InputSpec part = with_pattern({.input_type = ValueType::u64}, 999, pattern);
    part.whole_items = 1000;
    Bytes beginning = input_of(whole);
    beginning.resize(999 * 8);
    EXPECT_EQ(input_of(part), beginning) << token(pattern);
  }
}

// All bits of keys that are timed are random, which is what others measure by.
TEST(InputsOfSorts, AreRandomBits) {
  for (const ValueType type : kKeyTypes) {
    const Bytes items = input_of(with_pattern({.input_type = type}, 1 << 14));
    const auto bytes = static_cast<u64>(size_of(type));
    for (u64 bit = 0; bit < 8 * bytes; ++bit) {
      u64 ones = 0;
      for (u64 index = 0; index < 1 << 14; ++index) ones += number_at(items, index, bytes) >> bit & 1;
      EXPECT_NEAR(static_cast<double>(ones), 8192, 400) << token(type) << ", bit " << bit;
    }
  }
}

// Each end of the order is there more than once, and NaNs of both signs.
TEST(InputsOfSorts, HaveEqualKeysFromTheEndsOfTheirOrder) {
  for (const ValueType type : kKeyTypes) {
    const InputSpec spec = with_pattern({.input_type = type}, 4096, InputPattern::specials);
    const Bytes items = input_of(spec);
    const auto bytes = static_cast<u64>(size_of(type));
    const u64 half = u64{1} << (8 * bytes - 1);
    std::multiset<u64> keys;
    for (u64 index = 0; index < 4096; ++index) keys.insert(number_at(items, index, bytes));
    for (const u64 wanted : {u64{0}, u64{1}, half, half + 1, half - 1, 2 * half - 1})
      EXPECT_GT(keys.count(wanted), 8u) << token(type) << ", " << wanted;
    if (is_integer(type)) continue;
    const u64 infinity = type == ValueType::f16    ? 0x7c00
                         : type == ValueType::bf16 ? 0x7f80
                         : type == ValueType::f32  ? 0x7f800000
                                                   : 0x7ff0000000000000;
    for (const u64 sign : {u64{0}, half}) {
      EXPECT_GT(keys.count(sign | infinity), 8u) << token(type);
      EXPECT_GT(std::distance(keys.upper_bound(sign | infinity), keys.lower_bound(sign == 0 ? half : ~u64{0})), 100)
          << token(type);
    }
  }
}

// Seeds and sizes draw in what keys are alike, and which way they are ordered.
TEST(InputsOfSorts, AreAlikeOrOrdered) {
  for (const ValueType type : kKeyTypes) {
    const auto bytes = static_cast<u64>(size_of(type));
    std::set<std::string> shapes;
    for (u64 n = 500; n < 540; ++n) {
      const SortRequest request{.input_type = type};
      u64 differing = 0;
      const Bytes alike = input_of(with_pattern(request, n, InputPattern::alike));
      for (u64 index = 1; index < n; ++index) differing |= number_at(alike, index, bytes) ^ number_at(alike, 0, bytes);
      EXPECT_LE(std::popcount(differing), 8) << token(type) << ", " << n;
      shapes.insert(differing == 0                   ? "constant"
                    : std::has_single_bit(differing) ? "a bit"
                    : std::popcount(differing) <= 3  ? "three bits"
                                                     : "a byte");
      const Bytes ordered = input_of(with_pattern(request, n, InputPattern::ordered));
      std::vector<u64> places(n);
      for (u64 index = 0; index < n; ++index) places[index] = place_among_all(type, number_at(ordered, index, bytes));
      const bool descends = places.front() > places.back();
      shapes.insert(descends ? "descending" : "ascending");
      if (descends) std::ranges::reverse(places);
      EXPECT_TRUE(std::ranges::is_sorted(places)) << token(type) << ", " << n;
      EXPECT_GT(places.back() - places.front(), (u64{1} << (8 * bytes - 1))) << token(type) << ", " << n;
    }
    EXPECT_EQ(shapes.size(), 6u) << token(type);
  }
}

TEST(ReferenceOfSorts, AgreesWithAPlainSort) {
  for (const SortRequest& request : requests())
    for (const InputPattern pattern : kPatterns)
      for (const u64 n : {u64{27}, u64{1000}}) {
        const InputSpec spec = with_pattern(request, n, pattern);
        ASSERT_EQ(unsupported_reason(typed<SortRequest>(spec.request)), nullptr) << named_sort(spec);
        const auto reference = make_reference({spec});
        const Bytes right = plain_sort(spec, OperandRole::output);
        const auto wrong = reference->check(0, right);
        ASSERT_FALSE(wrong) << named_sort(spec) << " at " << wrong->index << ": " << wrong->expected << ", "
                            << wrong->found;
        Bytes expected(right.size());
        reference->expect({spec}, expected);
        EXPECT_EQ(expected, right) << named_sort(spec);
        for (const OperandRole role : written_by(request)) {
          if (role == OperandRole::output) continue;
          const Bytes beside = plain_sort(spec, role);
          const u64 first = n / 3, bytes = beside.size() / n;
          Bytes part((n - first) * bytes);
          reference->expect_beside(role, first, part);
          EXPECT_TRUE(std::ranges::equal(part, std::span(beside).subspan(first * bytes))) << named_sort(spec);
        }
      }
}

// Parts that cores share, and rows across them.
TEST(ReferenceOfSorts, AgreesWithAPlainSortOfMany) {
  const SortRequest keys = with_indices({.input_type = ValueType::i16}, ValueType::u32, Sorted::keys_and_indices);
  for (const SortRequest& request :
       {keys, in_rows(keys, 3), in_rows(keys, 3001), in_segments(keys, OffsetForm::begins_and_ends, 300)}) {
    const InputSpec spec = with_pattern(request, 3 * kSortChunk + 77);
    const auto reference = make_reference({spec});
    EXPECT_FALSE(reference->check(0, plain_sort(spec, OperandRole::output))) << named_sort(spec);
    const Bytes indices = plain_sort(spec, OperandRole::indices);
    Bytes expected(indices.size());
    reference->expect_beside(OperandRole::indices, 0, expected);
    EXPECT_EQ(expected, indices) << named_sort(spec);
  }
}

TEST(ReferenceOfSorts, FindsASpoiledItem) {
  for (const SortRequest& request : requests()) {
    const InputSpec spec = with_pattern(request, kSortChunk + 100);
    const auto reference = make_lasting_reference({spec, std::make_shared<const KnownItems>(spec)});
    Bytes right(spec.request.n * reference->item_bytes());
    reference->expect({spec}, right);
    for (const u64 index : {u64{0}, kSortChunk - 1, kSortChunk, kSortChunk + 99}) {
      Bytes wrong = right;
      wrong[index * reference->item_bytes()] ^= std::byte{1};
      const auto found = reference->check(0, wrong);
      ASSERT_TRUE(found) << named_sort(spec);
      EXPECT_EQ(found->index, index);
      EXPECT_NE(found->found, found->expected);
    }
  }
}

// A device that sorts on the CPU by a plain sort, and can be told to make one mistake. It understands kernels that take
// all in one launch.
class SortingDevice : public ScanningDevice {
 public:
  explicit SortingDevice(const SortRequest& request) : request_(request) {}

  std::function<void(const SortRequest&, const KernelArguments&)> spoil = [](const auto&, const auto&) {};
  int sorts = 0;
  bool has_descended = false, has_taken_some_bits = false;

  void launch(const Module& module, const Launch& launch, KernelArguments& arguments, Stream) override {
    const std::string source = static_cast<const PlainModule&>(module).source;
    SortRequest request = request_;
    request.n = launch.n;
    if (request.segments == Segments::rows) request.rows = ceil_div(launch.n, launch.extents[0]);
    request.order = source.find("::descending") != std::string::npos ? Order::descending : Order::ascending;
    request.input_use = source.find("::consumed") != std::string::npos ? InputUse::consumed : InputUse::kept;
    request = by_bits(request, launch.extents[1] >> 8, (launch.extents[1] >> 8) - (launch.extents[1] & 0xff));
    has_descended |= request.order == Order::descending;
    has_taken_some_bits |= request.bits < static_cast<u64>(8 * request.input_bytes());
    const auto read = [&](const void* from, int bytes) {
      Bytes all(request.n * static_cast<u64>(bytes));
      std::memcpy(all.data(), from, all.size());
      return all;
    };
    const Bytes keys = read(arguments.operand(OperandRole::input), request.input_bytes());
    const Bytes values =
        request.has_values() ? read(arguments.operand(OperandRole::values), request.value_bytes()) : Bytes{};
    for (const OperandRole role : written_by(request)) {
      const Bytes right = plain_sort(request, keys, values, role, rows_of(request));
      void* const to = role == OperandRole::output    ? arguments.operand(OperandRole::output)
                       : role == OperandRole::indices ? arguments.operand(OperandRole::indices)
                                                      : arguments.operand(OperandRole::values_output);
      std::memcpy(to, right.data(), right.size());
    }
    ++sorts;
    spoil(request, arguments);
  }

 private:
  SortRequest request_;
};

// A device on which every launch writes the whole workspace that a sort of so many keys may need.
class WorkspaceFillingDevice : public SortingDevice {
 public:
  WorkspaceFillingDevice(const SortRequest& request, const Config& config)
      : SortingDevice(request), request_(request), config_(config) {}

  u64 most_need = 0;

  void launch(const Module& module, const Launch& launch, KernelArguments& arguments, Stream stream) override {
    SortRequest request = request_;
    request.n = launch.n;
    const u64 need = config_.family().workspace(config_, request).bytes;
    most_need = std::max(most_need, need);
    std::memset(arguments.workspace, 0xff, need);
    Launch alone = launch;
    alone.extents[1] = u64{8} << 8;  // as sort_block is told the bits
    SortingDevice::launch(module, alone, arguments, stream);
  }

 private:
  SortRequest request_;
  Config config_;
};

int verified(SortingDevice& device, SortRequest request) {
  request.n = 3000;
  const Request erased(request);
  return Verifier(device).verify(erased, find_family("sort_block")->default_config(erased, device.identity().sm));
}

TEST(VerifierOfSorts, AcceptsWhatIsRight) {
  const auto all = requests();
  for (std::size_t place = 0; place < all.size(); place += 9) {
    const SortRequest& request = all[place];
    if (request.has_offsets() || request.is_by_source()) continue;  // other families sort them
    SortingDevice device(request);
    EXPECT_GT(verified(device, request), 10) << to_string(Request(request));
    EXPECT_GT(device.sorts, 20);
    EXPECT_TRUE(device.has_descended && device.has_taken_some_bits) << to_string(Request(request));
  }
}

// The most items that are verified fill one row fewer than the request's own do: its counts are as large as a guard.
TEST(VerifierOfSorts, HasTheWorkspaceThatAnySizeNeeds) {
  SortRequest request = in_rows({.input_type = ValueType::u8}, 3000);
  request.n = 3 * request.rows;
  const Request erased(request);
  ScanningDevice any;
  const Config config = find_family("sort_fill")->default_config(erased, any.identity().sm);
  WorkspaceFillingDevice device(request, config);
  EXPECT_GT(Verifier(device).verify(erased, config, nullptr, {.all_kinds = false}), 5);
  request.n = u64{1} << 22;
  EXPECT_LT(config.family().workspace(config, request).bytes, device.most_need);
}

TEST(VerifierOfSorts, RefusesWhatIsWrong) {
  const auto refusal = [](const SortRequest& request, const auto& spoil) {
    SortingDevice device(request);
    device.spoil = spoil;
    return message_of<WrongResult>([&] { verified(device, request); });
  };
  const auto flip = [](void* array, u64 byte) { static_cast<std::byte*>(array)[byte] ^= std::byte{4}; };
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  const SortRequest both = with_indices({}, ValueType::u32, Sorted::keys_and_indices);
  std::string text =
      refusal(both, [&](const auto&, const auto& arguments) { flip(arguments.operand(OperandRole::output), 0); });
  EXPECT_TRUE(has(text, "item 0 should be ")) << text;
  text = refusal(
      both, [&](const auto& request, const auto& a) { flip(a.operand(OperandRole::indices), 4 * (request.n - 1)); });
  EXPECT_TRUE(has(text, "indices ")) << text;
  text =
      refusal(both, [&](const auto& request, const auto& a) { flip(a.operand(OperandRole::indices), 4 * request.n); });
  EXPECT_TRUE(has(text, "past the output")) << text;
  text = refusal(both, [&](const auto&, const auto& a) { flip(a.operand(OperandRole::input), 40); });
  EXPECT_TRUE(has(text, "it changed its input")) << text;
  const SortRequest values = with_values({}, ValueType::f64);
  text = refusal(values, [&](const auto& request, const auto& a) {
    flip(a.operand(OperandRole::values_output), 8 * request.n - 1);
  });
  EXPECT_TRUE(has(text, "values_output ")) << text;
}

SortRequest consuming(SortRequest request) {
  request.input_use = InputUse::consumed;
  return request;
}

// A device on which a sort that consumes its input leaves nothing of it.
class ConsumingDevice : public SortingDevice {
 public:
  explicit ConsumingDevice(const SortRequest& request) : SortingDevice(request) {
    spoil = [this](const SortRequest& sort, const KernelArguments& a) {
      if (!sort.consumes_input()) return;
      fed.emplace_back(a.operand<std::byte>(OperandRole::input), a.operand<std::byte>(OperandRole::input) + 4 * sort.n);
      std::memset(a.operand(OperandRole::input), 0xff, 4 * sort.n);
      std::memset(a.operand(OperandRole::values), 0xff, 8 * sort.n);
    };
  }

  std::vector<Bytes> fed;  // keys that were consumed
};

TEST(VerifierOfSorts, FeedsAConsumedInputAgainForEveryRun) {
  for (const bool is_served : {false, true}) {
    const SortRequest request = with_values({}, ValueType::f64);
    ConsumingDevice device(is_served ? request : consuming(request));
    EXPECT_GT(verified(device, is_served ? request : consuming(request)), 10);
    EXPECT_GT(device.fed.size(), 10u);
    EXPECT_LT(device.fed.size(), static_cast<std::size_t>(device.sorts)) << "a record serves either";
  }
}

TEST(VerifierOfSorts, RefusesWhatIsWrittenBesideAConsumedInput) {
  const auto refusal = [](OperandRole role, auto&& byte) {
    const SortRequest request = consuming(with_values({}, ValueType::f64));
    SortingDevice device(request);
    device.spoil = [&](const SortRequest& sort, const KernelArguments& a) {
      if (sort.consumes_input()) a.operand<std::byte>(role)[byte(sort)] ^= std::byte{1};
    };
    return message_of<WrongResult>([&] { verified(device, request); });
  };
  const auto before = [](const SortRequest&) { return -1; };
  std::string text = refusal(OperandRole::input, before);
  EXPECT_NE(text.find("wrote before the input"), std::string::npos) << text;
  text = refusal(OperandRole::input, [](const SortRequest& sort) { return static_cast<i64>(4 * sort.n); });
  EXPECT_NE(text.find("wrote past the input"), std::string::npos) << text;
  text = refusal(OperandRole::values, before);
  EXPECT_NE(text.find("wrote before the values"), std::string::npos) << text;
}

TEST(MeasuredSorts, FindAConsumedInputAsItWasBeforeEveryRun) {
  SortRequest request = consuming(with_values({}, ValueType::f64));
  request.n = 3000;
  ConsumingDevice device(request);
  device.microseconds = [&, before = 0](int) mutable {
    const bool has_sorted = std::exchange(before, device.sorts) < device.sorts;
    return has_sorted ? 640.0 : 1.0;
  };
  const PreparedConfig sort(device, request, find_family("sort_block")->default_config(request, 90));
  const PreparedConfig* const sorts[] = {&sort};
  const Measurements measured = Measurer(device).measure(sorts, {.rounds = 2, .min_round_ms = 0}, 1);
  EXPECT_TRUE(std::holds_alternative<Measurement>(measured.configs[0]));
  const Bytes given = input_of({request});
  EXPECT_GT(device.fed.size(), 64u);
  for (const Bytes& keys : device.fed) ASSERT_EQ(keys, given);
}

// Equal keys trade places: their values tell.
TEST(VerifierOfSorts, RefusesWhatIsNotStable) {
  SortRequest request = with_values({.input_type = ValueType::u8}, ValueType::u32);
  SortingDevice device(request);
  device.spoil = [](const SortRequest& sort, const KernelArguments& arguments) {
    const auto* const keys = arguments.operand<const u8>(OperandRole::output);
    auto* const values = arguments.operand<u32>(OperandRole::values_output);
    for (u64 place = 1; place < sort.n; ++place)
      if (keys[place] == keys[place - 1]) return std::swap(values[place], values[place - 1]);
  };
  EXPECT_THROW(verified(device, request), WrongResult);
}

// A mistake that shows by other patterns than random bits alone.
TEST(VerifierOfSorts, FeedsKeysThatAreAlikeAndOrdered) {
  for (const InputPattern pattern : {InputPattern::specials, InputPattern::alike, InputPattern::ordered}) {
    SortingDevice device({});
    device.spoil = [&](const SortRequest& request, const KernelArguments& arguments) {
      Bytes found(request.n * 4);
      std::memcpy(found.data(), arguments.operand(OperandRole::input), found.size());
      InputSpec spec = with_pattern({}, request.n, pattern);
      spec.seed = 1;
      if (request.n > 100 && found == input_of(spec))
        arguments.operand<std::byte>(OperandRole::output)[0] ^= std::byte{1};
    };
    EXPECT_THROW(verified(device, {}), WrongResult) << token(pattern);
  }
}

}  // namespace
}  // namespace scantune
