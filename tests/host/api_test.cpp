// The public API from end to end on the host device, with a tuning database in place.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <numeric>
#include <sstream>
#include <thread>
#include <vector>

#include "device/host/host_device.h"
#include "families_under_test.h"
#include "jit/cached_compiler.h"
#include "jit/host_compiler.h"
#include "launch/plan.h"
#include "message_of.h"
#include "scantune/runtime.hpp"
#include "select/tuning_record.h"
#include "space/config_json.h"

namespace scantune::api_test {
namespace {

namespace fs = std::filesystem;

constexpr u64 kTunedN = 3000;
constexpr int kTunedThreads = 128;

ScanRequest i32_sum(u64 n) {
  ScanRequest request;
  request.n = n;
  return request;
}

ScanRequest i64_max() {
  ScanRequest request = i32_sum(kTunedN);
  request.input_type = request.accumulator_type = request.output_type = ValueType::i64;
  request.op = Operator::max;
  return request;
}

// A config that is no default, so that describe() can only have it from the database.
Config tuned_config(const ScanRequest& request) {
  Config config = find_family("lookback")->default_config(request, kHostSm);
  config[0] = kTunedThreads;
  return config;
}

// Points the library at a database of its own before anything has been read, and at a cache of kernels: an empty one,
// or the one that tests keep.
class Environment : public ::testing::Environment {
 public:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "scantune-api-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
    setenv("SCANTUNE_DEVICE", "host", 1);
    setenv("SCANTUNE_DB", (directory_ / "tuning.db").c_str(), 1);
    setenv("SCANTUNE_DB_PATH", (directory_ / "missing.db").c_str(), 1);
    const char* const kept = std::getenv("SCANTUNE_TEST_KERNELS");
    setenv("SCANTUNE_CACHE", kept == nullptr ? (directory_ / "cache").c_str() : kept, 1);
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
        "INSERT INTO run VALUES (1, '2025-01-01T00:00:00Z', '0.1.0', '" +
        template_hash(*find_family("lookback"), false, kHostSm) +
        "', 'g++', 'host', 'quick', 1, '{}');"
        R"(INSERT INTO problem VALUES (1, 'scan', '{"input_type":"i32","accumulator_type":"i32","output_type":"i32"}', ''), )"
        R"((2, 'scan', '{"input_type":"i64","accumulator_type":"i64","output_type":"i64","op":"max"}', ''))");
    const DeviceIdentity identity = host_device()->identity();
    SQLite::Statement device(database, "INSERT INTO device VALUES (1, 'host', ?, ?)");
    device.bind(1, identity.name);
    device.bind(2, identity.sm_count);
    device.exec();
    for (const auto& [problem, request] : {std::pair(1, i32_sum(kTunedN)), std::pair(2, i64_max())}) {
      SQLite::Statement record(database,
                               "INSERT INTO record VALUES (1, ?, ?2, 'lookback', ?, 1, 7.5, 0.01, 9.5, NULL, "
                               "'2025-02-03', ?2 / 2, ?2, '[]')");
      record.bind(1, problem);
      record.bind(2, static_cast<std::int64_t>(kTunedN));
      record.bind(3, canonical_parameters(tuned_config(request)));
      record.exec();
    }
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

// Wraps memory as a buffer of the host device.
struct Unwrap {
  void operator()(scantune_buffer* buffer) const { scantune_buffer_destroy(buffer); }
};
std::unique_ptr<scantune_buffer, Unwrap> wrapped(void* memory, u64 bytes) {
  scantune_buffer* buffer = nullptr;
  EXPECT_EQ(scantune_buffer_wrap(memory, bytes, SCANTUNE_HOST_DEVICE, &buffer), SCANTUNE_OK);
  return std::unique_ptr<scantune_buffer, Unwrap>(buffer);
}

TEST(Api, ScansMemoryOfTheProgramsInPlaceWhileItIsWrapped) {
  constexpr u64 kItems = 5000;
  auto values = numbers<int>(kItems), sums = std::vector<int>(kItems);
  const auto scan = [&](u64 n) {
    scantune_scan_request request = SCANTUNE_SCAN_REQUEST_INIT;
    request.head.n = n;
    request.input_type = request.output_type = SCANTUNE_I32;
    return scantune_scan(&request, values.data(), sums.data(), nullptr);
  };
  {
    // The same memory is wrapped more than once, and from elsewhere.
    auto first_items = wrapped(values.data(), sizeof(int));
    const auto in = wrapped(values.data(), kItems * sizeof(int));
    auto rest = wrapped(&values[8], (kItems - 8) * sizeof(int));
    const auto out = wrapped(sums.data(), kItems * sizeof(int));
    EXPECT_EQ(scantune_buffer_data(in.get()), values.data());
    ASSERT_EQ(scan(kItems), SCANTUNE_OK) << scantune_error_message();
    EXPECT_EQ(sums, inclusive_sum(values));
    first_items = nullptr;
    rest = nullptr;
    EXPECT_EQ(scan(kItems), SCANTUNE_OK) << scantune_error_message();
    EXPECT_EQ(scan(kItems + 1), SCANTUNE_REQUEST_ERROR);
    EXPECT_NE(std::string(scantune_error_message()).find("input: the allocation holds 20000 bytes"), std::string::npos)
        << scantune_error_message();
  }
  EXPECT_EQ(scan(kItems), SCANTUNE_REQUEST_ERROR);
  EXPECT_NE(std::string(scantune_error_message()).find("input: is not memory of the host device"), std::string::npos);
}

TEST(Api, ScansEachRowFromTheInitialValue) {
  constexpr u64 kRows = 7, kLength = 331;
  const auto values = numbers<int>(kRows * kLength);
  std::vector<int> expected(values.size());
  for (u64 row = 0; row < kRows; ++row) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(row * kLength);
    std::exclusive_scan(begin, begin + kLength, expected.begin() + static_cast<std::ptrdiff_t>(row * kLength), 9);
  }
  const runtime::Buffer<int> in(values), out(values.size());
  const runtime::ScanOptions<int> options{
      .kind = runtime::Kind::exclusive, .segments = runtime::Segments::rows(kRows, kLength), .init = 9};
  runtime::scan(in.data(), out.data(), values.size(), options);
  EXPECT_EQ(downloaded(out), expected);
  const auto plan = runtime::plan<int>(values.size(), options);
  EXPECT_NE(plan.describe().find("of 2317 items, 7 rows"), std::string::npos) << plan.describe();
  plan(in.data(), in.data());
  EXPECT_EQ(downloaded(in), expected);
}

TEST(Api, ScansEachColumnFromTheInitialValue) {
  constexpr u64 kLength = 331;
  for (const u64 columns : {u64{1}, u64{7}, u64{100}}) {
    SCOPED_TRACE(columns);
    const auto values = numbers<int>(columns * kLength);
    std::vector<int> expected(values.size());
    for (u64 place = 0; place < values.size(); ++place)
      expected[place] = place < columns ? 9 : expected[place - columns] + values[place - columns];
    const runtime::Buffer<int> in(values), out(values.size());
    const runtime::ScanOptions<int> options{
        .kind = runtime::Kind::exclusive, .segments = runtime::Segments::columns(columns, kLength), .init = 9};
    runtime::scan(in.data(), out.data(), values.size(), options);
    EXPECT_EQ(downloaded(out), expected);
    const auto plan = runtime::plan<int>(values.size(), options);
    // One column is one sequence.
    const std::string shape = " of " + std::to_string(values.size()) +
                              (columns == 1 ? " items on" : " items, " + std::to_string(columns) + " columns");
    EXPECT_NE(plan.describe().find(shape), std::string::npos) << plan.describe();
    plan(in.data(), in.data());
    EXPECT_EQ(downloaded(in), expected);
  }
}

TEST(Api, ReducesEachRowOfNoItemsToTheInitialValueOrTheIdentity) {
  constexpr u64 kRows = 7;
  const runtime::Buffer<int> out(std::vector<int>(kRows, 5));
  const runtime::Segments rows = runtime::Segments::rows(kRows, 0);
  runtime::reduce<int>(nullptr, out.data(), 0, {.segments = rows});
  EXPECT_EQ(downloaded(out), std::vector<int>(kRows, 0));
  runtime::reduce_plan<int>(0, {.segments = rows, .init = 9})(nullptr, out.data());
  EXPECT_EQ(downloaded(out), std::vector<int>(kRows, 9));
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
    runtime::scan(out.data(), out.data(), kTunedN, {.op = runtime::Op::max});  // overwrites the results of the last run
    plan(in.data(), out.data());
    EXPECT_EQ(downloaded(out), inclusive_sum(values));
  }
}

TEST(Api, ScansFromManyThreads) {
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) threads.emplace_back([] { expect_inclusive_sum<int>(4000); });
  for (auto& thread : threads) thread.join();
}

TEST(Api, GoesOnAfterAStreamWasReleased) {
  expect_inclusive_sum<int>(20'000);
  runtime::release(nullptr);
  expect_inclusive_sum<int>(20'000);
}

TEST(Api, ScansInAnAllocatorsMemoryAndAfterItHasGoneBack) {
  const auto sum = [] { expect_inclusive_sum<double>(20'000); };
  runtime::trim();
  std::map<void*, std::unique_ptr<runtime::Buffer<unsigned char>>> held;
  int allocations = 0;
  runtime::set_allocator({[&](std::uint64_t bytes, int) {
                            ++allocations;
                            auto buffer = std::make_unique<runtime::Buffer<unsigned char>>(
                                std::vector<unsigned char>(bytes, 0xff));
                            void* const memory = buffer->data();
                            held[memory] = std::move(buffer);
                            return memory;
                          },
                          [&](void* memory, std::uint64_t, int) { held.erase(memory); }});
  for (int round = 1; round <= 2; ++round) {
    sum();
    sum();
    EXPECT_EQ(allocations, round);
    EXPECT_GT(runtime::trim(), 0u);
    EXPECT_TRUE(held.empty());
  }
  runtime::reset_allocator();
  sum();
  EXPECT_EQ(allocations, 2);
  EXPECT_GT(runtime::trim(), 0u);
  sum();
}

TEST(Api, DescribesTheRecordThatWasSaved) {
  const std::string text = runtime::describe<int>(kTunedN);
  for (const std::string& part :
       {to_string(tuned_config(i32_sum(kTunedN))), std::string("exact_n"), std::string("7.5 us"),
        std::string(std::getenv("SCANTUNE_DB")), std::string("2025-02-03")})
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in\n" << text;
}

TEST(Api, RunsTheConfigOfTheRecordThatDescribeNames) {
  const auto values = numbers<long long>(kTunedN);
  const runtime::Buffer<long long> in(values), out(kTunedN);
  runtime::scan(in.data(), out.data(), kTunedN, {.op = runtime::Op::max});
  std::vector<long long> expected(kTunedN);
  std::inclusive_scan(values.begin(), values.end(), expected.begin(), [](auto a, auto b) { return std::max(a, b); });
  EXPECT_EQ(downloaded(out), expected);

  const std::string text = runtime::describe<long long>(kTunedN, {.op = runtime::Op::max});
  for (const std::string& part :
       {to_string(tuned_config(i64_max())), std::string("exact_n"), std::string(std::getenv("SCANTUNE_DB"))})
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in\n" << text;
}

// A host device that keeps what it was given to load.
class RecordingDevice : public HostDevice {
 public:
  explicit RecordingDevice(const fs::path& cache)
      : HostDevice(0, std::make_unique<CachedCompiler>(std::make_unique<HostCompiler>(), BinaryCache(cache))) {}

  std::unique_ptr<Module> load(const Binary& binary, std::span<const std::string> kernels,
                               std::span<const int> max_shared_bytes) override {
    images.push_back(binary.image);
    auto module = HostDevice::load(binary, kernels, max_shared_bytes);
    loaded.push_back(module.get());
    return module;
  }
  void launch(const Module& module, const Launch& launch, KernelArguments& arguments, Stream stream) override {
    HostDevice::launch(module, launch, arguments, stream);
    launched.push_back(&module);
  }

  std::vector<std::vector<char>> images;
  std::vector<const Module*> loaded;
  std::vector<const Module*> launched;
};

// The key that a description names before `which`.
std::string key_before(const std::string& text, const std::string& which) {
  const std::size_t end = text.find(which);
  return end == std::string::npos || end < 64 ? "" : text.substr(end - 64, 64);
}

TEST(Api, DescribesTheBinaryThatRan) {
  const auto device = std::make_shared<RecordingDevice>(std::getenv("SCANTUNE_CACHE"));
  const BinaryCache cache{fs::path(std::getenv("SCANTUNE_CACHE"))};
  const auto plan = make_plan(device, TuningTable(), CheckedRequest(i32_sum(1000)), 0);
  const std::string text = plan->describe();
  auto* const memory = static_cast<std::byte*>(device->allocate(8192));
  device->zero(memory, 8192);
  for (const auto& [which, offset] : {std::pair(" (aligned)", 0), std::pair(" (any alignment)", 4)}) {
    plan->run({memory + offset, memory + offset}, InitialValue(), nullptr);
    const auto ran = std::ranges::find(device->loaded, device->launched.back());
    ASSERT_NE(ran, device->loaded.end());
    const auto cached = cache.load(key_before(text, which));
    ASSERT_TRUE(cached.has_value()) << "no file of the key" << which << " in\n" << text;
    EXPECT_EQ(cached->image, device->images[static_cast<std::size_t>(ran - device->loaded.begin())]) << which;
  }
  EXPECT_NE(device->images[0], device->images[1]);
}

TEST(Api, ScansOfSeveralLaunchesOnOneStreamFromManyThreadsDoNotDisturbEachOther) {
  constexpr u64 kItems = 20'000;
  ScanRequest request;
  request.input_type = request.accumulator_type = request.output_type = ValueType::f32;
  request.determinism = Determinism::run_to_run;
  request.n = kItems;
  const Config config = find_family("three_phase")->default_config(request, kHostSm);
  ASSERT_GT(config.family().launches(config, request, Variant::aligned).count, 1);
  Plan plan(host_device(), CheckedRequest(request),
            {config, ConfigOrigin::untuned, "chosen by the test", std::nullopt});
  std::vector<std::thread> threads;
  for (int thread = 1; thread <= 3; ++thread)
    threads.emplace_back([&, thread] {
      const std::vector<float> values(kItems, static_cast<float>(thread));
      const runtime::Buffer<float> in(values), out(kItems);
      for (int call = 0; call < 8; ++call) {
        plan.run({in.data(), out.data()}, InitialValue(), nullptr);
        ASSERT_EQ(downloaded(out), inclusive_sum(values)) << "thread " << thread << ", call " << call;
      }
    });
  for (auto& thread : threads) thread.join();
}

std::string spelled(const Config& config) {
  return std::string(R"({"family": ")") + config.family().name() + R"(", "parameters": )" +
         canonical_parameters(config) + "}";
}

TEST(Api, RunsAGivenConfigOfEveryFamilyThatSupportsTheScan) {
  constexpr u64 kItems = 700;
  const auto values = numbers<int>(kItems);
  const runtime::Buffer<int> in(values);
  runtime::Buffer<int> out(kItems);
  int ran = 0;
  for (const FamilyModel* family : all_scan_families()) {
    if (family->unsupported_reason(i32_sum(kItems), kHostSm) != nullptr) continue;
    SCOPED_TRACE(family->name());
    const std::string config = spelled(searched_configs(*family, i32_sum(kItems), kHostSm).front());
    const Config expected = given_config(config, i32_sum(kItems), kHostSm);
    EXPECT_NE(expected, family->default_config(i32_sum(kItems), kHostSm)) << "which a default might run";
    for (const bool planned : {false, true}) {
      out.upload(std::vector<int>(kItems).data());
      if (planned)
        runtime::plan<int>(kItems, {.config = config})(in.data(), out.data());
      else
        runtime::scan(in.data(), out.data(), kItems, {.config = config});
      EXPECT_EQ(downloaded(out), inclusive_sum(values)) << (planned ? "of a plan" : "of scan()");
    }
    const std::string text = runtime::describe<int>(kItems, {.config = config});
    EXPECT_NE(text.find("config: " + to_string(expected)), std::string::npos) << text;
    EXPECT_NE(text.find("origin: given, by the caller"), std::string::npos) << text;
    ++ran;
  }
  EXPECT_GE(ran, 4);
}

TEST(Api, RunsAGivenConfigInPlaceOfARecordAndOfAnOperatorOfItsOwn) {
  const char* const config = R"({"family": "three_phase", "parameters": {"block_threads": 64}})";
  EXPECT_NE(runtime::describe<int>(kTunedN).find("exact_n"), std::string::npos);
  EXPECT_NE(runtime::describe<int>(kTunedN, {.config = config}).find("three_phase{block_threads=64"),
            std::string::npos);
  const auto op = runtime::Op::custom("__device__ Value combine(Value a, Value b) { return a + b; }", 0);
  const auto values = numbers<int>(kTunedN);
  const runtime::Buffer<int> in(values), out(kTunedN);
  runtime::scan(in.data(), out.data(), kTunedN, {.op = op, .config = config});
  EXPECT_EQ(downloaded(out), inclusive_sum(values));
}

TEST(Api, RunsNothingInPlaceOfAConfigThatIsRefused) {
  const auto values = numbers<int>(kTunedN);
  const runtime::Buffer<int> in(values), out(values);
  for (const char* config : {R"({"family": "lookback", "block_threads": 63})", R"({"family": "lookback", "items": 4})",
                             R"({"family": "copy_vectors"})", R"({"family": "lookback", "layout": "diagonal"})",
                             R"({"family": "lookback")"}) {
    const runtime::ScanOptions<int> options{.config = config};
    EXPECT_THROW(runtime::scan(in.data(), out.data(), kTunedN, options), RequestError) << config;
    EXPECT_THROW(runtime::plan<int>(kTunedN, options), RequestError) << config;
  }
  EXPECT_EQ(downloaded(out), values);
}

TEST(Api, NamesTheArgumentThatIsNotOnTheDevice) {
  const runtime::Buffer<int> device(100);
  std::vector<int> host(100);
  const std::string message = message_of<RequestError>([&] { runtime::scan(host.data(), device.data(), 100); });
  EXPECT_NE(message.find("input"), std::string::npos) << message;
  EXPECT_THROW(runtime::scan(device.data(), device.data(), 101), RequestError) << "the buffer is shorter";
}

}  // namespace
}  // namespace scantune::api_test
