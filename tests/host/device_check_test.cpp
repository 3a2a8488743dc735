// Outputs checked against their inputs by kernels on the device, and by the CPU for comparison.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "checked_problems.h"
#include "core/contract/check.h"
#include "device/host/host_device.h"
#include "jit/host_compiler.h"
#include "kept_compiler.h"
#include "measure/device_buffer.h"
#include "measure/verify.h"
#include "message_of.h"

namespace scantune::device_check_test {
namespace {

using testing::HasSubstr;

class DeviceChecks : public testing::Test {
 protected:
  HostDevice device_{0, kept_host_compiler()};
};

// The constructor compares a right output and spoiled ones, and throws.
TEST_F(DeviceChecks, SayOfEverySortOfProblemWhatTheCpuSays) {
  for (const Request& request : checked_problems())
    EXPECT_NO_THROW(DeviceCheck(device_, request)) << to_string(request);
}

TEST_F(DeviceChecks, KeepToInputsWhoseResultsDoNotDependOnTheOrder) {
  const Request request = scan_of(ValueType::f32);
  EXPECT_TRUE(DeviceCheck::exists_for({request}));
  EXPECT_FALSE(DeviceCheck::exists_for({request, InputPattern::rounding}));
}

// The output of a problem on the device, which tests spoil, and its check.
class CheckedOutput {
 public:
  CheckedOutput(Device& device, Request request, u64 n)
      : device_(device), check_(device, request), input_(InputSpec{with(request, n)}), items_(n) {
    std::vector<std::byte> items(input_.bytes());
    input_.write(0, items);
    device.upload(from_.data(), items.data(), items.size());
    make_reference(input_)->expect(input_, expected_);
  }

  std::vector<i32> expected() const {
    std::vector<i32> values(items_);
    std::memcpy(values.data(), expected_.data(), expected_.size());
    return values;
  }
  u64 first_wrong(const std::vector<i32>& output) {
    device_.upload(to_.data(), output.data(), output.size() * sizeof(i32));
    return check_.first_wrong(from_.data(), to_.data(), items_);
  }

 private:
  static Request with(Request request, u64 n) {
    request.n = n;
    return request;
  }

  Device& device_;
  DeviceCheck check_;
  KnownInput input_;
  u64 items_;
  std::vector<std::byte> expected_ = std::vector<std::byte>(items_ * sizeof(i32));
  DeviceBuffer from_{device_, input_.bytes()}, to_{device_, items_ * sizeof(i32)};
};

TEST_F(DeviceChecks, FindTheFirstWrongItemAtEveryEdge) {
  for (const u64 n : {u64{1}, u64{2}, kCheckedItems, kCheckedItems + 1, 2 * kCheckedItems + 100}) {
    CheckedOutput output(device_, scan_of(ValueType::i32), n);
    EXPECT_EQ(output.first_wrong(output.expected()), n);
    for (const u64 wrong : {u64{0}, n / 2, kCheckedItems - 1, kCheckedItems, kCheckedItems + 1, n - 1}) {
      if (wrong >= n) continue;
      auto found = output.expected();
      found[wrong] ^= 1 << 31;
      EXPECT_EQ(output.first_wrong(found), wrong) << n << " items";
      found[n - 1] += 1;
      EXPECT_LE(output.first_wrong(found), wrong) << n << " items";
    }
  }
}

TEST_F(DeviceChecks, FindATileInAnothersPlaceACarryThatIsMissingAndItemsThatWereNotWritten) {
  constexpr u64 kItems = 3 * kCheckedItems, kTile = 512, kFirst = 9 * kTile;
  CheckedOutput output(device_, scan_of(ValueType::i32), kItems);
  const auto right = output.expected();
  const auto at = [](std::vector<i32>& values, u64 index) {
    return values.begin() + static_cast<std::ptrdiff_t>(index);
  };

  auto shifted = right;
  std::copy_n(at(shifted, kFirst), kTile, at(shifted, kFirst + kTile));
  EXPECT_EQ(output.first_wrong(shifted), kFirst + kTile);

  auto without_carry = right;
  for (u64 index = kFirst; index < kItems; ++index)
    without_carry[index] = static_cast<i32>(static_cast<u32>(right[index]) - static_cast<u32>(right[kFirst - 1]));
  EXPECT_EQ(output.first_wrong(without_carry), kFirst);

  auto unwritten = right;
  std::fill_n(at(unwritten, kFirst), 3, i32(0xa5a5a5a5));
  EXPECT_EQ(output.first_wrong(unwritten), kFirst);
}

// Look-back with the fewest items in a tile of 128 threads that are legal for the types: 512 of i32.
Config small_tiles(const ScanRequest& request) {
  Config config = find_family("lookback")->default_config(request, kHostSm);
  const auto parameter = [&](std::string_view name) -> int& {
    const auto all = config.family().parameters();
    const auto found = std::ranges::find_if(all, [&](const ParameterModel& known) { return known.name == name; });
    return config[static_cast<int>(found - all.begin())];
  };
  parameter("block_threads") = 128;
  int& items = parameter("items_per_thread");
  for (items = 4; items < 64 && reject_reason(config, request, kHostSm) != nullptr; items *= 2) {
  }
  return config;
}

const VerifyOptions kOnDevice{.all_kinds = false, .most_items_on_cpu = 0};
const VerifyOptions kOnCpu{.all_kinds = false};

TEST_F(DeviceChecks, VerifyAConfigAsTheCpuDoes) {
  for (ScanRequest request : {scan_of(ValueType::i32), scan_of(ValueType::f16, Operator::max),
                              scan_of(ValueType::u8, Operator::sum, Kind::exclusive, Init::memory)}) {
    request.n = 5000;
    Verifier verifier(device_);
    EXPECT_EQ(verifier.verify(request, small_tiles(request), nullptr, kOnDevice),
              verifier.verify(request, small_tiles(request), nullptr, kOnCpu))
        << to_string(request);
  }
}

// The library's templates with one expression of one of them replaced.
class WithMistake {
 public:
  WithMistake(const std::string& path, const std::string& right, const std::string& wrong)
      : files_(template_files().begin(), template_files().end()) {
    const auto file = std::ranges::find_if(files_, [&](const TemplateFile& known) { return known.path == path; });
    text_ = file->text;
    text_.replace(text_.find(right), right.size(), wrong);  // throws if the template lacks the expression
    file->text = text_.c_str();
  }

  std::span<const TemplateFile> files() const { return files_; }

 private:
  std::vector<TemplateFile> files_;
  std::string text_;
};

std::string complaint(Device& device, const VerifyOptions& options) {
  ScanRequest request = scan_of(ValueType::i32);
  request.n = 5000;
  return message_of<WrongResult>([&] { Verifier(device).verify(request, small_tiles(request), nullptr, options); });
}

// The mistakes put a tile in its neighbour's place, and count a carry twice.
TEST_F(DeviceChecks, CatchMistakesOfAFamilyWithTheWordsOfTheCpu) {
  const std::vector<std::array<const char*, 3>> mistakes = {
      {"scan/parts/tile_place.h", "(Problem::kFirstTile + tile) * kTileItems", "(tile - (tile == 5)) * kTileItems"},
      {"core/parts/decoupled_look_back.h", "return carry;", "return tile == 7 ? Op::combine(carry, carry) : carry;"}};
  for (const auto& [path, right, wrong] : mistakes) {
    const WithMistake templates(path, right, wrong);
    HostDevice device(0, std::make_unique<HostCompiler>(templates.files()));
    const std::string message = complaint(device, kOnDevice);
    EXPECT_THAT(message, HasSubstr("of 4999 items")) << path;
    EXPECT_THAT(message, HasSubstr(" should be ")) << path;
    EXPECT_EQ(message, complaint(device, kOnCpu)) << path;
  }
  EXPECT_EQ(complaint(device_, kOnDevice), "");
}

}  // namespace
}  // namespace scantune::device_check_test
