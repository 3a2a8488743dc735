// Segments that start where flags or keys say, on the GPU: with an initial value of each, and with keys that a source
// compares. What families do with them is in families_test.cpp.
#include <cstdint>
#include <vector>

#include "gpu_test.h"

namespace scantune::starts_test {
namespace {

using runtime::Buffer;
using runtime::Equality;
using runtime::Kind;

class StartsOnGpu : public GpuTest {};

constexpr std::size_t kSizes[] = {1, 31, 1000, 100'003, 3'000'001, (std::size_t{1} << 25) + 5};

template <class T>
std::vector<T> downloaded(const Buffer<T>& memory) {
  std::vector<T> items(memory.size());
  memory.download(items.data());
  return items;
}

std::int32_t item(std::size_t index) { return static_cast<std::int32_t>((index * 2654435761u) >> 9 & 1023) - 500; }

// Runs of 1 to some hundred items.
bool starts_at(std::size_t index) { return index == 0 || (index * 40503u >> 3) % (1 + index % 97 * 3) == 0; }

TEST_F(StartsOnGpu, BeginWithAValueOfEach) {
  for (const std::size_t n : kSizes) {
    std::vector<std::int32_t> items(n), inits, inclusive(n), exclusive(n);
    std::vector<std::uint8_t> flags(n);
    std::int32_t sum = 0;
    for (std::size_t index = 0; index < n; ++index) {
      items[index] = item(index);
      flags[index] = starts_at(index) ? static_cast<std::uint8_t>(index | 1) : 0;
      if (starts_at(index)) inits.push_back(sum = item(inits.size() * 3 + 1));
      exclusive[index] = sum;
      inclusive[index] = sum += items[index];
    }
    const Buffer<std::int32_t> in(items), starts(inits), out(n);
    const Buffer<std::uint8_t> by(flags);
    runtime::segmented_scan(in.data(), by.data(), out.data(), n, {.device_inits = starts.data()});
    EXPECT_EQ(downloaded(out), inclusive) << n << " items";
    runtime::segmented_scan(in.data(), by.data(), in.data(), n,
                            {.kind = Kind::exclusive, .device_inits = starts.data()});
    EXPECT_EQ(downloaded(in), exclusive) << n << " items in place";
  }
}

struct Address {
  std::int32_t country;
  float stamp;  // says nothing
  std::int32_t house;
  bool operator==(const Address&) const = default;
};
struct Mask {
  std::int32_t bits;
};
const char* const kSameHouse =
    "struct Value { int country; float stamp; int house; };\n"
    "struct State { int bits; };\n"
    "__device__ bool equal(Value a, Value b, State mask) {\n"
    "  return a.country == b.country && ((a.house ^ b.house) & mask.bits) == 0;\n}\n";

TEST_F(StartsOnGpu, AreWhereASourceSaysThatKeysDiffer) {
  for (const std::size_t n : kSizes) {
    std::vector<std::int32_t> items(n), sums, scanned(n);
    std::vector<Address> addresses(n), first;
    std::int32_t kind = 0;
    for (std::size_t index = 0; index < n; ++index) {
      items[index] = item(index);
      if (starts_at(index)) kind = (kind + 1) % 4;
      addresses[index] = {kind / 2, static_cast<float>(index), kind % 2 + (item(index) & 0x3f0)};
      if (starts_at(index)) {
        first.push_back(addresses[index]);
        sums.push_back(0);
      }
      scanned[index] = sums.back() += items[index];
    }
    const Buffer<std::int32_t> in(items), out(n), totals(n);
    const Buffer<Address> keys(addresses), run_keys(n);
    const Buffer<std::uint64_t> count(1);
    const auto equality = Equality::source(kSameHouse, Mask{0xf});
    runtime::scan_by_key(in.data(), keys.data(), out.data(), n, {.equality = equality});
    EXPECT_EQ(downloaded(out), scanned) << n << " items";
    runtime::reduce_by_key(in.data(), keys.data(), run_keys.data(), totals.data(), count.data(), n,
                           {.equality = equality});
    EXPECT_EQ(downloaded(count).front(), first.size()) << n << " items";
    auto found_keys = downloaded(run_keys);
    auto found_sums = downloaded(totals);
    found_keys.resize(first.size());
    found_sums.resize(sums.size());
    EXPECT_EQ(found_keys, first) << n << " items";
    EXPECT_EQ(found_sums, sums) << n << " items";
  }
}

}  // namespace
}  // namespace scantune::starts_test
