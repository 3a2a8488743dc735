// Segments that start where flags or keys say, on the GPU: with an initial value of each, and with keys that a source
// compares. What families do with them is in families_test.cpp.
#include <cstdint>
#include <memory>
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

// Addresses whose houses differ in bits that a mask leaves out, an item of each, and what runs of them come to.
struct Runs {
  explicit Runs(std::size_t n) : items(n), addresses(n), scanned(n) {
    std::int32_t kind = 0;
    for (std::size_t index = 0; index < n; ++index) {
      items[index] = item(index);
      if (starts_at(index)) kind = (kind + 1) % 4;
      addresses[index] = {kind / 2, static_cast<float>(index), kind % 2 + (item(index) & 0x3f0)};
      if (starts_at(index)) {
        keys.push_back(addresses[index]);
        sums.push_back(0);
      }
      scanned[index] = sums.back() += items[index];
    }
  }

  std::vector<std::int32_t> items;
  std::vector<Address> addresses, keys;
  std::vector<std::int32_t> scanned, sums;
};

TEST_F(StartsOnGpu, AreWhereASourceSaysThatKeysDiffer) {
  for (const std::size_t n : kSizes) {
    const Runs runs(n);
    const Buffer<std::int32_t> in(runs.items), out(n), totals(n);
    const Buffer<Address> keys(runs.addresses), run_keys(n);
    const Buffer<std::uint64_t> count(1);
    const auto equality = Equality::source(kSameHouse, Mask{0xf});
    runtime::scan_by_key(in.data(), keys.data(), out.data(), n, {.equality = equality});
    EXPECT_EQ(downloaded(out), runs.scanned) << n << " items";
    runtime::reduce_by_key(in.data(), keys.data(), run_keys.data(), totals.data(), count.data(), n,
                           {.equality = equality});
    EXPECT_EQ(downloaded(count).front(), runs.keys.size()) << n << " items";
    auto found_keys = downloaded(run_keys);
    auto found_sums = downloaded(totals);
    found_keys.resize(runs.keys.size());
    found_sums.resize(runs.sums.size());
    EXPECT_EQ(found_keys, runs.keys) << n << " items";
    EXPECT_EQ(found_sums, runs.sums) << n << " items";
  }
}

// Two plans whose masks differ, of one kernel, on eight streams at once and in a graph on each. With a mask of no bits
// countries alone differ.
TEST_F(StartsOnGpu, AreThoseOfEachPlansStateOnEightStreamsAtOnce) {
  constexpr std::size_t kItems = 1'000'003;
  const Runs runs(kItems);
  std::vector<std::int32_t> by_country(kItems);
  for (std::size_t index = 0; index < kItems; ++index) {
    const bool goes_on = index > 0 && runs.addresses[index].country == runs.addresses[index - 1].country;
    by_country[index] = runs.items[index] + (goes_on ? by_country[index - 1] : 0);
  }
  const std::vector<std::int32_t>* const expected[] = {&runs.scanned, &by_country};
  const Buffer<std::int32_t> in(runs.items);
  const Buffer<Address> keys(runs.addresses);
  std::vector<runtime::ScanByKeyPlan<std::int32_t, Address>> plans;
  for (const std::int32_t mask : {0xf, 0})
    plans.push_back(runtime::scan_by_key_plan<std::int32_t, Address>(
        kItems, {.equality = Equality::source(kSameHouse, Mask{mask}), .captured_launches = 8}));
  const std::vector<TestStream> streams(8);
  std::vector<Buffer<std::int32_t>> outputs;
  std::vector<std::unique_ptr<TestGraph>> graphs;
  for (std::size_t index = 0; index < streams.size(); ++index) {
    const Buffer<std::int32_t>& output = outputs.emplace_back(kItems);
    graphs.push_back(std::make_unique<TestGraph>(
        streams[index], [&] { plans[index % 2](in.data(), keys.data(), output.data(), streams[index]); }));
  }
  for (int round = 0; round < 50; ++round)
    for (std::size_t index = 0; index < streams.size(); ++index) {
      plans[(index + 1) % 2](in.data(), keys.data(), outputs[index].data(), streams[index]);
      graphs[index]->launch(streams[index]);
    }
  for (std::size_t index = 0; index < streams.size(); ++index) {
    streams[index].synchronize();
    EXPECT_TRUE(downloaded(outputs[index]) == *expected[index % 2]) << "stream " << index;
  }
}

}  // namespace
}  // namespace scantune::starts_test
