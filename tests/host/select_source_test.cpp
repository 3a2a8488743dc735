// Selections on the host device by predicates and equalities of the caller's own.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "select_case.h"

namespace scantune::select_test {
namespace {

TEST(SelectByOwnSource, KeepsWhatThePredicateSays) {
  const CustomOperator above{.source =
                                 "struct State { int least; int most; };\n"
                                 "__device__ bool keep(int item, State state) {\n"
                                 "  return item >= state.least && item <= state.most;\n}\n",
                             .name = {},
                             .state_bytes = 8};
  Random random(17);
  const SelectRequest request = of_type(ValueType::i32, Criterion::predicate, 2000);
  const Config config = drawn_config(request, random);
  for (const auto& [least, most] : {std::pair(-10, 20), {0, 0}, {50, -50}}) {
    Case selection{
        .request = request, .config = config, .items = {}, .kept = {}, .custom = &above, .constant = Bytes(8)};
    std::memcpy(selection.constant.data(), &least, 4);
    std::memcpy(selection.constant.data() + 4, &most, 4);
    for (u64 index = 0; index < request.n; ++index) {
      const i32 item = static_cast<i32>(random.below(100)) - 50;
      const auto* const bytes = reinterpret_cast<const unsigned char*>(&item);
      selection.items.insert(selection.items.end(), bytes, bytes + 4);
      selection.kept.push_back(item >= least && item <= most);
    }
    check(selection);
  }
}

// A function that says another thing each time it is asked sends items where none were counted, but not beside an
// array.
TEST(SelectByOwnSource, StaysInItsArraysWhateverItIsTold) {
  const std::string coin =
      "static unsigned asked = 12345;\n"
      "static __device__ unsigned coin() { return (asked = asked * 1664525u + 1013904223u) >> 16 & 1; }\n";
  const CustomOperator kept{.source = coin + "__device__ bool keep(int) { return coin(); }\n", .name = {}},
      none_then_all{.source = "static int asked;\n__device__ bool keep(int) { return asked++ >= 20000; }\n",
                    .name = {}},
      parts{.source = coin + "__device__ int part(int) { return coin() + coin(); }\n", .name = {}},
      loaded{.source = {}, .name = {}, .load = {.source = coin + "__device__ int load(int) { return coin(); }\n"}};
  for (const auto& [criterion, source] : {std::pair(Criterion::predicate, &kept),
                                          {Criterion::predicate, &none_then_all},
                                          {Criterion::parts, &parts},
                                          {Criterion::greater, &loaded},
                                          {Criterion::around, &loaded}})
    for (const auto& [rejected, room] : {std::pair(Rejected::dropped, u64{20000}),
                                         {Rejected::apart, 20000},
                                         {Rejected::behind, 20000},
                                         {Rejected::behind_reversed, 20000},
                                         {Rejected::dropped, 300},
                                         {Rejected::apart, 7000}}) {
      SelectRequest request = of_type(ValueType::i32, criterion, 20000);
      request.rejected = rejected;
      if (source == &loaded) request.load = Load::source;
      if (room < request.n) {
        request.room = OutputRoom::limited;
        request.capacity = request.second_capacity = request.rejected_capacity = room;
      }
      for (const FamilyModel* family : algorithm_of<SelectRequest>().families()) {
        if (family->unsupported_reason(request, kHostSm) != nullptr) continue;
        const Module& module = bench().kernels.get(
            instantiate(request, family->default_config(request, kHostSm), Variant::aligned, source));
        if (is_rehearsal()) continue;
        SCOPED_TRACE(std::string(family->name()) + ", " + token(criterion) + ", " + token(rejected) + ", room for " +
                     std::to_string(room));
        const GuardedMemory input(bench().device, 4 * request.n), output(bench().device, 4 * room),
            second(bench().device, 4 * room), others(bench().device, 4 * room), count(bench().device, 16);
        std::fill_n(input.data(), input.size(), kPoison);
        const Config config = family->default_config(request, kHostSm);
        const Workspace workspace(bench().device, family->workspace(config, request));
        KernelArguments arguments{};
        arguments.workspace = workspace.data();
        arguments.set_operand(OperandRole::input, input.data());
        arguments.set_operand(OperandRole::output, output.data());
        arguments.set_operand(OperandRole::second, second.data());
        arguments.set_operand(OperandRole::rejected, others.data());
        arguments.set_operand(OperandRole::count, count.data());
        const LaunchList list = family->launches(config, request, Variant::aligned);
        std::vector<HostLaunch> launches;
        for (int index = 0; index < list.count; ++index) launches.push_back({&module, list.launches[index], arguments});
        ASSERT_NO_THROW(bench().device.run(launches, Schedule::from_seed(1)));
        for (const GuardedMemory* memory : {&output, &second, &others, &count})
          EXPECT_TRUE(memory->surroundings_intact());
      }
    }
}

TEST(SelectByOwnSource, NeverAsksForItemsThatDoNotExist) {
  // A predicate that ends the process for what no item is.
  const CustomOperator picky{.source =
                                 "__device__ bool keep(unsigned item) {\n"
                                 "  if (item != 7 && item != 8) __builtin_trap();\n  return item == 7;\n}\n",
                             .name = {}};
  Random random(23);
  SelectRequest request = of_type(ValueType::u32, Criterion::predicate, 1);
  for (const u64 n : {1, 31, 63, 65, 200, 777}) {
    request.n = n;
    Case selection{
        .request = request, .config = drawn_config(request, random), .items = {}, .kept = {}, .custom = &picky};
    selection.misaligned_items = random.below(4);
    for (u64 index = 0; index < n; ++index) {
      const bool kept = random.below(2) == 0;
      selection.items.insert(selection.items.end(), {static_cast<unsigned char>(kept ? 7 : 8), 0, 0, 0});
      selection.kept.push_back(kept);
    }
    check(selection);
  }
}

TEST(SelectByOwnSource, TellsNeighboursApartAsItSays) {
  const CustomOperator keys{.source =
                                "struct Value { int key; int value; int more; };\n"
                                "__device__ bool equal(Value before, Value item) { return before.key == item.key; }\n",
                            .name = {}};
  Random random(29);
  SelectRequest request = of_struct(12, 4, Criterion::unique_by, 1500);
  Case selection{.request = request,
                 .config = drawn_config(request, random),
                 .items = random_bytes(1500 * 12, random),
                 .kept = {},
                 .custom = &keys};
  i32 last = 0;
  for (u64 index = 0; index < request.n; ++index) {
    const i32 key = static_cast<i32>(random.below(2));
    std::memcpy(&selection.items[index * 12], &key, 4);
    selection.kept.push_back(index == 0 || key != last);
    last = key;
  }
  check(selection);
}

}  // namespace
}  // namespace scantune::select_test
