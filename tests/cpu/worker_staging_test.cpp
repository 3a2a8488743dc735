#include "measure/staging.h"

#include <gtest/gtest.h>

#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

#include "measure/device_buffer.h"
#include "measure/upload_input.h"
#include "worker_scanning_device.h"

namespace scantune {
namespace {

using Part = Staging::Part;

// A device that copies as late as one may: in synchronize().
class LateDevice : public testing::ScanningDevice {
 public:
  void* allocate_staging(u64 bytes) override {
    staging_bytes += bytes;
    most_staging_bytes = std::max(most_staging_bytes, staging_bytes);
    void* const memory = ScanningDevice::allocate_staging(bytes);
    sizes_[memory] = bytes;
    return memory;
  }
  void free_staging(void* memory) noexcept override {
    EXPECT_TRUE(under_way_.empty());
    staging_bytes -= sizes_[memory];
    ScanningDevice::free_staging(memory);
  }
  void begin_upload(void* destination, const void* staging, u64 bytes) override {
    under_way_.push_back([=, this] { upload(destination, staging, bytes); });
  }
  void begin_download(void* staging, const void* source, u64 bytes) override {
    std::memset(staging, 0xee, bytes);
    under_way_.push_back([=, this] { download(staging, source, bytes); });
    ++downloads;
  }
  void synchronize() override {
    ScanningDevice::synchronize();
    for (const auto& copy : std::exchange(under_way_, {})) copy();
  }

  u64 staging_bytes = 0, most_staging_bytes = 0;
  int downloads = 0;

 private:
  std::vector<std::function<void()>> under_way_;
  std::map<void*, u64> sizes_;
};

class StagedCopies : public ::testing::Test {
 protected:
  static constexpr u64 kBytes = 1000;

  StagedCopies() : on_device_(device_, 4 * kBytes) {}

  // Parts of different lengths.
  std::vector<Part> parts() const {
    std::vector<Part> all;
    for (u64 done = 0, bytes = 1; done < kBytes; done += bytes, bytes += 37)
      all.push_back({on_device_.data() + done, std::min(bytes, kBytes - done)});
    return all;
  }
  static std::vector<std::byte> numbered() {
    std::vector<std::byte> bytes(kBytes);
    for (u64 index = 0; index < kBytes; ++index) bytes[index] = static_cast<std::byte>(index * 31 >> 2);
    return bytes;
  }

  LateDevice device_;
  DeviceBuffer on_device_;
  Staging staging_{device_};
};

TEST_F(StagedCopies, UploadEveryPartToEveryPlace) {
  const auto all = parts();
  const auto bytes = numbered();
  const auto make = [&](u64 part, std::span<std::byte> made) {
    const auto begin = all[part].on_device - on_device_.data();
    std::copy_n(bytes.begin() + begin, made.size(), made.begin());
  };
  staging_.upload(all, make, 3, kBytes + 10);
  for (int place = 0; place < 3; ++place)
    EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), on_device_.data() + place * (kBytes + 10))) << place;
}

TEST_F(StagedCopies, DownloadEveryPartInOrder) {
  const auto bytes = numbered();
  device_.upload(on_device_.data(), bytes.data(), kBytes);
  std::vector<std::byte> found;
  staging_.download(parts(), [&](u64, std::span<const std::byte> part) {
    found.insert(found.end(), part.begin(), part.end());
    return true;
  });
  EXPECT_EQ(found, bytes);
  EXPECT_TRUE(std::ranges::equal(staging_.download({on_device_.data() + 5, 7}), std::span(bytes).subspan(5, 7)));
}

// The copy of the next part is then under way, and must neither reach what is uploaded next nor freed memory.
TEST_F(StagedCopies, MayBeGivenUp) {
  const std::vector<std::byte> twos(kBytes, std::byte{2});
  device_.fill(on_device_.data(), std::byte{1}, kBytes);
  const auto all = parts();
  staging_.download(all, [&](u64 part, auto) { return part < 2; });
  EXPECT_EQ(device_.downloads, 4);
  const auto make = [&](u64, std::span<std::byte> made) { std::ranges::fill(made, std::byte{2}); };
  staging_.upload(all, make);
  EXPECT_TRUE(std::equal(twos.begin(), twos.end(), on_device_.data()));
  EXPECT_THROW(staging_.download(all, [](u64, auto) -> bool { throw std::runtime_error("no"); }), std::runtime_error);
}

TEST_F(StagedCopies, TakeLittleMemoryAndGiveItBack) {
  constexpr u64 kLarge = 100 << 20;
  DeviceBuffer large(device_, kLarge);
  {
    Staging staging(device_);
    staging.download({on_device_.data(), 4096});
    EXPECT_EQ(device_.staging_bytes, 128u << 10);
    u64 seen = 0;
    staging.download(parts_of(large.data(), kLarge, 24), [&](u64, std::span<const std::byte> part) {
      seen += part.size();
      return true;
    });
    EXPECT_EQ(seen, kLarge);
    EXPECT_LE(device_.most_staging_bytes, 32u << 20);
    staging.download({large.data(), Staging::kPartBytes + 4096});
    EXPECT_EQ(device_.staging_bytes, 2 * (Staging::kPartBytes + (64u << 10)));
  }
  EXPECT_EQ(device_.staging_bytes, 0u);
}

TEST_F(StagedCopies, CutIntoWholeUnits) {
  const auto all = parts_of(on_device_.data(), 3 * Staging::kPartBytes, 24);
  u64 bytes = 0;
  for (const Part& part : all) {
    EXPECT_EQ(part.on_device, on_device_.data() + bytes);
    EXPECT_LE(part.bytes, Staging::kPartBytes);
    EXPECT_EQ(bytes % 24, 0u);
    bytes += part.bytes;
  }
  EXPECT_EQ(bytes, 3 * Staging::kPartBytes);
}

TEST_F(StagedCopies, CarryAnInputOfManyPartsWhetherItIsKeptOrNot) {
  InputSpec spec{.request = ScanRequest{.input_type = ValueType::i64, .accumulator_type = ValueType::i64}};
  spec.request.n = (u64{3} << 19) + 5;
  const KnownInput made{spec}, kept{spec, std::make_shared<const KnownItems>(spec)};
  for (const KnownInput& input : {made, kept}) {
    DeviceBuffer on_device(device_, 2 * input.bytes());
    upload_input(staging_, input, on_device.data(), 2, input.bytes());
    for (const u64 place : {0, 1}) {
      const std::span<std::byte> uploaded(on_device.data() + place * input.bytes(), input.bytes());
      EXPECT_TRUE(std::ranges::equal(uploaded, kept.known->items()));
      EXPECT_TRUE(input.equals(0, uploaded));
      EXPECT_TRUE(input.equals(7, uploaded.subspan(56)));
      uploaded.back() ^= std::byte{1};
      EXPECT_FALSE(input.equals(0, uploaded));
    }
  }
}

}  // namespace
}  // namespace scantune
