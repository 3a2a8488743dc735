// The memory that a kernel may access.
#include <gmock/gmock.h>

#include <set>

#include "kernel_fixture.h"

namespace scantune::accesses_test {
namespace {

using testing::HasSubstr;

class Accesses : public KernelFixture {};

TEST_F(Accesses, ReportsAccessesOutOfBounds) {
  const auto module = compile(R"(SCANTUNE_KERNEL(kernel, 32, 1) {
  const u32* in = arguments.operand<const u32>(OperandRole::input);
  const u32 value = load_global<CacheHint::normal>(in + thread_rank());
  store_global<CacheHint::normal>(arguments.operand<u32>(OperandRole::output) + thread_rank(), value);
})");
  DeviceArray<u32> small(device_, 31), large(device_, 32);
  const std::string load = report(*module, {.block_threads = 32}, arguments(small.data(), large.data()));
  EXPECT_THAT(load, HasSubstr("CTA 0, warp 0, lane 31 accesses global memory out of bounds"));
  EXPECT_THAT(load, HasSubstr("0 bytes past the end of the allocation of 124 bytes"));
  EXPECT_THAT(load, HasSubstr("at kernel.cpp:3"));
  const std::string store = report(*module, {.block_threads = 32}, arguments(large.data(), small.data()));
  EXPECT_THAT(store, HasSubstr("at kernel.cpp:4"));
  EXPECT_EQ(report(*module, {.block_threads = 32}, arguments(large.data(), large.data())), "");
}

TEST_F(Accesses, ReportsAccessesToFreedMemory) {
  const auto module = compile(R"(SCANTUNE_KERNEL(kernel, 32, 1) {
  load_global<CacheHint::normal>(arguments.operand<const u32>(OperandRole::input));
})");
  const void* freed;
  {
    DeviceArray<u32> memory(device_, 1);
    freed = memory.data();
    EXPECT_EQ(report(*module, {.block_threads = 32}, arguments(freed, nullptr)), "");
  }
  EXPECT_THAT(report(*module, {.block_threads = 32}, arguments(freed, nullptr)), HasSubstr("out of bounds"));
}

TEST_F(Accesses, ReportsMisalignedAccesses) {
  const auto module = compile(R"(SCANTUNE_KERNEL(kernel, 32, 1) {
  load_global<CacheHint::normal>(arguments.operand<const u64>(OperandRole::input));
})");
  DeviceArray<u32> memory(device_, 4);
  EXPECT_EQ(report(*module, {.block_threads = 1}, arguments(memory.data(), nullptr)), "");
  EXPECT_THAT(report(*module, {.block_threads = 1}, arguments(memory.data() + 1, nullptr)),
              HasSubstr("misaligned address"));
}

// Values move in words, as by instructions: 12 bytes that are aligned to 4 are three words, each of which is checked.
TEST_F(Accesses, MoveValuesInWordsOfTheirAlignment) {
  const auto module = compile(R"(
struct Value {
  u32 words[3];
};
SCANTUNE_KERNEL(kernel, 4, 1) {
  const Value value = load_global<CacheHint::normal>(arguments.operand<const Value>(OperandRole::input) + thread_rank());
  store_global<CacheHint::normal>(arguments.operand<Value>(OperandRole::output) + thread_rank(), value);
})");
  DeviceArray<u32> in(device_, 13), out(device_, 12);
  for (u32 word = 0; word < in.size(); ++word) in[word] = word;
  EXPECT_EQ(report(*module, {.block_threads = 4}, arguments(in.data() + 1, out.data())), "");
  for (u32 word = 0; word < out.size(); ++word) EXPECT_EQ(out[word], word + 1);
  EXPECT_THAT(report(*module, {.block_threads = 4}, arguments(in.data() + 2, out.data())),
              HasSubstr("0 bytes past the end of the allocation of 52 bytes"));
  EXPECT_THAT(
      report(*module, {.block_threads = 4}, arguments(reinterpret_cast<unsigned char*>(in.data()) + 2, out.data())),
      HasSubstr("misaligned address"));
}

TEST_F(Accesses, ReportsSharedMemoryThatIsTooSmall) {
  const auto module = compile(R"(SCANTUNE_KERNEL(kernel, 32, 1) {
  shared_memory<u32[8]>()[8 + thread_rank() % 2] = 1;
})");
  EXPECT_THAT(report(*module, {.block_threads = 32, .shared_bytes = 32}, {}),
              HasSubstr("past the end of its shared memory"));
  EXPECT_EQ(report(*module, {.block_threads = 32, .shared_bytes = 48}, {}), "");
}

TEST_F(Accesses, FillsSharedMemoryWithArbitraryBytes) {
  const auto module = compile(R"(SCANTUNE_KERNEL(kernel, 1, 1) {
  store_global<CacheHint::normal>(arguments.operand<u32>(OperandRole::output), shared_memory<u32[8]>()[3]);
})");
  std::set<u32> values;
  DeviceArray<u32> out(device_, 1);
  for (u64 seed = 1; seed <= 10; ++seed) {
    run(*module, {.block_threads = 1, .shared_bytes = 32}, arguments(nullptr, out.data()), seed);
    values.insert(out[0]);
  }
  EXPECT_GT(values.size(), 8u);
}

TEST_F(Accesses, ReportsAStackThatIsTooSmall) {
  const auto module = compile(R"(
static void overflow() {
  volatile char frame[32 * 1024 + 64];
  for (u32 index = 0; index < sizeof frame; ++index) frame[index] = 1;
}
SCANTUNE_KERNEL(kernel, 2, 1) {
  if (thread_rank() != 0) overflow();  // the stack of thread 0 is next to the one that overflows
})");
  EXPECT_THAT(report(*module, {.block_threads = 2}, {}), HasSubstr("more stack than a fibre has"));
}

}  // namespace
}  // namespace scantune::accesses_test
