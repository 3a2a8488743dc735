// The public API from end to end on the host device, with a tuning database in place.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <sstream>
#include <thread>
#include <vector>

#include "device/device.h"
#include "scantune/runtime.hpp"
#include "select/tuning_record.h"
#include "space/config_json.h"

namespace scantune {
namespace {

namespace fs = std::filesystem;

constexpr u64 kTunedN = 3000;
constexpr int kTunedThreads = 128;

ScanRequest i32_sum(u64 n) {
  ScanRequest request;
  request.n = n;
  return request;
}

// A config that is nobody's default, so that describe() can only have it from the database.
Config tuned_config() {
  Config config = find_family("lookback")->default_config(i32_sum(kTunedN), kHostSm);
  config[0] = kTunedThreads;
  return config;
}

// Points the library at a database of its own before anything has been read. The cache of kernels is shared by all runs.
class Environment : public ::testing::Environment {
 public:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "scantune-api-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
    setenv("SCANTUNE_DEVICE", "host", 1);
    setenv("SCANTUNE_DB", (directory_ / "tuning.db").c_str(), 1);
    setenv("SCANTUNE_DB_PATH", (directory_ / "missing.db").c_str(), 1);
    setenv("SCANTUNE_CACHE", SCANTUNE_TEST_CACHE, 1);
    write_database(directory_ / "tuning.db");
  }
  void TearDown() override { fs::remove_all(directory_); }

 private:
  void write_database(const fs::path& file) {
    SQLite::Database database(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    std::ifstream schema(SCANTUNE_SCHEMA);
    std::stringstream text;
    text << schema.rdbuf();
    database.exec(text.str());
    database.exec(
        "INSERT INTO run VALUES (1, '2025-01-01T00:00:00Z', '0.1.0', '" + template_hash() +
        "', 'g++', 'host', 'quick', 1, '{}');"
        "INSERT INTO problem VALUES (1, 'i32', 'i32', 'i32', 'sum', 'inclusive', 'unconstrained', 'in_order');");
    const DeviceIdentity identity = host_device()->identity();
    SQLite::Statement device(database, "INSERT INTO device VALUES (1, 'host', ?, ?)");
    device.bind(1, identity.name);
    device.bind(2, identity.sm_count);
    device.exec();
    SQLite::Statement record(database,
                             "INSERT INTO record VALUES (1, 1, ?, 'lookback', ?, 1, 7.5, 0.01, 9.5, NULL, '2025-02-03')");
    record.bind(1, static_cast<std::int64_t>(kTunedN));
    record.bind(2, canonical_parameters(tuned_config()));
    record.exec();
  }

  fs::path directory_;
};

[[maybe_unused]] const auto* const kEnvironment = ::testing::AddGlobalTestEnvironment(new Environment);

template <class T>
std::vector<T> numbers(u64 n) {
  std::vector<T> values(n);
  for (u64 index = 0; index < n; ++index) values[index] = static_cast<T>(static_cast<int>(index * 7919 % 201) - 100);
  return values;
}

template <class T>
std::vector<T> downloaded(const runtime::Buffer<T>& buffer) {
  std::vector<T> values(buffer.size());
  buffer.download(values.data());
  return values;
}

template <class T>
std::vector<T> inclusive_sum(const std::vector<T>& values) {
  std::vector<T> sums(values.size());
  std::inclusive_scan(values.begin(), values.end(), sums.begin());
  return sums;
}

template <class T>
void expect_inclusive_sum(u64 n) {
  SCOPED_TRACE(n);
  const auto values = numbers<T>(n);
  const runtime::Buffer<T> in(values), out(n);
  runtime::scan(in.data(), out.data(), n);
  EXPECT_EQ(downloaded(out), inclusive_sum(values));
}

TEST(Api, ScansManySizesOneAfterAnother) {
  for (const u64 n : {0, 1, 33, 3000, 20'000, 100, 50'000, 3000}) expect_inclusive_sum<int>(n);
}

TEST(Api, InterleavesProblemsWhoseWorkspacesDifferInLayout) {
  for (int round = 0; round < 3; ++round) {
    expect_inclusive_sum<int>(20'000);
    expect_inclusive_sum<long long>(20'000);
    expect_inclusive_sum<double>(20'000);
  }
}

TEST(Api, ScansInPlaceAndFromAnyMultipleOfTheType) {
  const auto values = numbers<int>(10'001);
  const runtime::Buffer<int> buffer(values);
  runtime::scan(buffer.data() + 1, buffer.data() + 1, 10'000);
  const std::vector<int> tail(values.begin() + 1, values.end());
  auto expected = inclusive_sum(tail);
  expected.insert(expected.begin(), values[0]);
  EXPECT_EQ(downloaded(buffer), expected);
}

TEST(Api, StartsAnExclusiveScanFromTheInitialValueOfEachCall) {
  const auto values = numbers<float>(5000);
  const runtime::Buffer<float> in(values), out(5000);
  for (const float init : {50.0f, -50.0f}) {
    runtime::scan(in.data(), out.data(), 5000,
                  {.op = runtime::Op::max, .kind = runtime::Kind::exclusive, .init = init});
    std::vector<float> expected(5000);
    std::exclusive_scan(values.begin(), values.end(), expected.begin(), init,
                        [](float a, float b) { return std::max(a, b); });
    EXPECT_EQ(downloaded(out), expected);
  }
}

TEST(Api, RunsOnePlanAgainAndAgain) {
  const auto values = numbers<int>(kTunedN);
  const runtime::Buffer<int> in(values), out(kTunedN);
  const auto plan = runtime::plan<int>(kTunedN);
  for (int call = 0; call < 3; ++call) {
    runtime::scan(out.data(), out.data(), kTunedN, {.op = runtime::Op::max});  // so that old results do not pass
    plan(in.data(), out.data());
    EXPECT_EQ(downloaded(out), inclusive_sum(values));
  }
}

TEST(Api, ScansFromManyThreads) {
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([] { expect_inclusive_sum<int>(4000); });
  for (auto& thread : threads) thread.join();
}

TEST(Api, GoesOnAfterAStreamWasReleased) {
  expect_inclusive_sum<int>(20'000);
  runtime::release(nullptr);
  expect_inclusive_sum<int>(20'000);
}

TEST(Api, DescribesTheRecordThatWasSaved) {
  const std::string text = runtime::describe<int>(kTunedN);
  for (const std::string& part : {to_string(tuned_config()), std::string("exact_n"), std::string("7.5 us"),
                                  std::string("tuning.db"), std::string("2025-02-03")})
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in\n" << text;
}

TEST(Api, NamesTheArgumentThatIsNotOnTheDevice) {
  const runtime::Buffer<int> device(100);
  std::vector<int> host(100);
  try {
    runtime::scan(host.data(), device.data(), 100);
    FAIL() << "memory of the host was accepted";
  } catch (const RequestError& error) {
    EXPECT_NE(std::string(error.what()).find("input"), std::string::npos) << error.what();
  }
  EXPECT_THROW(runtime::scan(device.data(), device.data(), 101), RequestError) << "the buffer is shorter";
}

TEST(Api, RefusesCopiesThatDoNotFitTheirBuffer) {
  runtime::RawBuffer buffer(16);
  std::vector<char> bytes(32);
  EXPECT_THROW(buffer.upload(bytes.data(), 17), RequestError);
  EXPECT_THROW(buffer.download(bytes.data(), 17), RequestError);
  runtime::RawBuffer taken = std::move(buffer);
  taken.upload(bytes.data(), 16);
}

}  // namespace
}  // namespace scantune
