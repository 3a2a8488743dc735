// What the public API leaves in the cache of kernels. The cache of this process is empty at first.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "cpu/jit_temporary_directory.h"
#include "scantune/runtime.hpp"

namespace scantune::api_cache_test {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> keys_in(const fs::path& cache) {
  std::vector<std::string> keys;
  std::error_code none_yet;
  for (const auto& file : fs::directory_iterator(cache, none_yet)) keys.push_back(file.path().stem().string());
  return keys;
}

TEST(ApiCache, HoldsTheBinariesThatDescribeNames) {
  constexpr std::size_t kItems = 3000;
  const TemporaryDirectory directory;
  setenv("SCANTUNE_DEVICE", "host", 1);
  setenv("SCANTUNE_DB", (directory.path() / "missing.db").c_str(), 1);
  setenv("SCANTUNE_CACHE", directory.path().c_str(), 1);
  const std::vector<int> ones(kItems, 1);
  const runtime::Buffer<int> in(ones), out(kItems);
  runtime::scan(in.data(), out.data(), kItems, {.op = runtime::Op::max});
  const std::vector<std::string> of_max = keys_in(directory.path());
  EXPECT_EQ(of_max.size(), 2u) << "scan() compiles for aligned and for any pointers";
  runtime::scan(in.data(), out.data(), kItems);

  const std::string told = runtime::describe<int>(kItems, {.op = runtime::Op::max});
  for (const std::string& key : keys_in(directory.path())) {
    const bool is_of_max = std::ranges::find(of_max, key) != of_max.end();
    EXPECT_EQ(told.find(key) != std::string::npos, is_of_max) << key << " is in\n" << told;
  }
  EXPECT_EQ(keys_in(directory.path()).size(), 4u) << "sums are other binaries";
}

}  // namespace
}  // namespace scantune::api_cache_test
