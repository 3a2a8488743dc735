// Selections on the host device whose items come or go through maps of the caller's: every kind of map, whatever
// decides and wherever items go.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>

#include "core/machine/half.h"
#include "designed_rows.h"
#include "edge_sizes.h"
#include "effort.h"
#include "select_case.h"

namespace scantune::select_test::mapped {
namespace {

constexpr int kMostTileItems = 512;

template <class T>
T at(const unsigned char* item) {
  T value;
  std::memcpy(&value, item, sizeof value);
  return value;
}
template <class T>
void put(unsigned char* item, T value) {
  std::memcpy(item, &value, sizeof value);
}
template <class State>
Bytes bytes_of_state(const State& state) {
  Bytes bytes(sizeof state);
  std::memcpy(bytes.data(), &state, sizeof state);
  return bytes;
}

struct Point {
  float x;
  i32 id;
  float y;
};
constexpr const char* kPoint = "{ float x; int id; float y; };\n";

struct MapCase {
  const char* name;
  ValueType item;  // between the maps
  Load load;
  Store store;
  MemoryTypes memory;
  std::string load_source, store_source;
  Maps maps;
  std::function<void(unsigned char* in_memory, u32 bits)> draw;
  std::function<void(unsigned char* item, const unsigned char* in_memory, u64 index)> loaded;
  std::function<i64(const unsigned char* item)> number;  // what criteria look at
};

template <class T>
i64 number_of(const unsigned char* item) {
  return static_cast<i64>(at<T>(item));
}
i64 id_of(const unsigned char* item) { return at<Point>(item).id; }
void draw_byte(unsigned char* item, u32 bits) { put(item, static_cast<u8>(bits % 5)); }
void draw_number(unsigned char* item, u32 bits) { put(item, static_cast<i32>(bits % 7) - 3); }
void draw_point(unsigned char* item, u32 bits) { put(item, Point{1.5f, static_cast<i32>(bits % 6), -2}); }

// Adds to what is there, so that a second call is noticed.
constexpr const char* kScatter =
    "struct State { unsigned* to; };\n"
    "__device__ void store(Value item, unsigned long long place, State state) { state.to[place] += item + 1000; }\n";
Bytes scatter_state(void* written) { return bytes_of_state(written); }
void scattered(unsigned char* stored, const unsigned char* item, u64) {
  put(stored, at<u32>(stored) + at<u32>(item) + 1000);
}

std::vector<MapCase> map_cases() {
  const auto copied = [](unsigned char* item, const unsigned char* from, u64) { put(item, at<i32>(from)); };
  return {
      {"widened",
       ValueType::u32,
       Load::source,
       Store::none,
       {.loaded = ValueType::u8},
       "// Value and Result are declared.\n__device__ Result load(Value x) { return x * 3u; }\n",
       "",
       {},
       draw_byte,
       [](unsigned char* item, const unsigned char* from, u64) { put(item, u32{at<u8>(from)} * 3); },
       number_of<u32>},
      {"as_wide",
       ValueType::i32,
       Load::source,
       Store::source,
       {.loaded = ValueType::f32, .stored = ValueType::f32},
       "__device__ int load(float x) { return static_cast<int>(x * 2); }\n",
       "__device__ float store(int x) { return x + 0.25f; }\n",
       {.store = [](unsigned char* to, const unsigned char* item, u64) { put(to, f32(at<i32>(item)) + 0.25f); }},
       [](unsigned char* item, u32 bits) { put(item, f32(bits % 7) / 2 - 1); },
       [](unsigned char* item, const unsigned char* from, u64) { put(item, static_cast<i32>(at<f32>(from) * 2)); },
       number_of<i32>},
      {"counted",
       ValueType::i64,
       Load::generated,
       Store::none,
       {},
       "struct State { long long least; };\n"
       "__device__ long long load(unsigned long long i, State state) {\n"
       "  return static_cast<long long>(i * 7 % 11) + state.least;\n}\n",
       "",
       {.load_state = bytes_of_state(i64{-5})},
       nullptr,
       [](unsigned char* item, const unsigned char*, u64 index) { put(item, static_cast<i64>(index * 7 % 11) - 5); },
       number_of<i64>},
      {"halves",
       ValueType::f16,
       Load::indexed,
       Store::source,
       {.loaded = ValueType::bf16, .stored = ValueType::f32},
       "__device__ float load(float x, unsigned long long i) { return x + i % 3; }\n",
       "__device__ float store(float x) { return x * 2; }\n",
       {.store = [](unsigned char* to, const unsigned char* item, u64) { put(to, exact_value_of(at<f16>(item)) * 2); }},
       [](unsigned char* item, u32 bits) { put(item, rounded_to<bf16>(static_cast<i32>(bits % 5) - 3)); },
       [](unsigned char* item, const unsigned char* from, u64 index) {
         put(item, rounded_to<f16>(f64{exact_value_of(at<bf16>(from))} + static_cast<f64>(index % 3)));
       },
       [](const unsigned char* item) { return static_cast<i64>(exact_value_of(at<f16>(item))); }},
      {"narrowed",
       ValueType::i32,
       Load::none,
       Store::indexed,
       {.stored = ValueType::u8},
       "",
       "struct State { int more; };\n"
       "__device__ unsigned char store(int x, unsigned long long place, State state) {\n"
       "  return static_cast<unsigned char>(x + place * 3 + state.more);\n}\n",
       {.store_state = [](void*) { return bytes_of_state(i32{41}); },
        .store = [](unsigned char* to, const unsigned char* item,
                    u64 place) { put(to, static_cast<u8>(static_cast<u64>(at<i32>(item)) + place * 3 + 41)); }},
       draw_number,
       copied,
       number_of<i32>},
      {"member",
       ValueType::i32,
       Load::source,
       Store::none,
       {.loaded = ValueType::custom},
       std::string("struct Value ") + kPoint + "__device__ int load(Value point) { return point.id; }\n",
       "",
       {},
       draw_point,
       [](unsigned char* item, const unsigned char* from, u64) { put(item, at<Point>(from).id); },
       number_of<i32>},
      {"made_structs",
       ValueType::custom,
       Load::indexed,
       Store::source,
       {.loaded = ValueType::i32, .stored = ValueType::i16},
       "%Result%__device__ Result load(int x, unsigned long long i) { return {x * 0.5f, x, i * 1.0f}; }\n",
       "%Value%__device__ short store(Value point) { return static_cast<short>(point.y); }\n",
       {.store = [](unsigned char* to, const unsigned char* item,
                    u64) { put(to, static_cast<i16>(at<Point>(item).y)); }},
       draw_number,
       [](unsigned char* item, const unsigned char* from, u64 index) {
         put(item, Point{static_cast<f32>(at<i32>(from)) * 0.5f, at<i32>(from), static_cast<f32>(index)});
       },
       id_of},
      {"turned_structs",
       ValueType::custom,
       Load::source,
       Store::indexed,
       {.loaded = ValueType::custom, .stored = ValueType::custom},
       "%Value%%Same%__device__ Result load(Value p) { return {p.y, p.id + 1, p.x}; }\n",
       "%Value%%Same%__device__ Result store(Value p, unsigned long long place) { p.x = place; return p; }\n",
       {.store =
            [](unsigned char* to, const unsigned char* item, u64 place) {
              Point point = at<Point>(item);
              point.x = static_cast<f32>(place);
              put(to, point);
            }},
       draw_point,
       [](unsigned char* item, const unsigned char* from, u64) {
         const Point point = at<Point>(from);
         put(item, Point{point.y, point.id + 1, point.x});
       },
       id_of},
      {"scatter",
       ValueType::u32,
       Load::source,
       Store::writing,
       {.loaded = ValueType::u8},
       "__device__ unsigned load(unsigned char x) { return x; }\n",
       kScatter,
       {.store_state = scatter_state, .store = scattered},
       draw_byte,
       [](unsigned char* item, const unsigned char* from, u64) { put(item, u32{at<u8>(from)}); },
       number_of<u32>},
      {"no_arrays",
       ValueType::u32,
       Load::generated,
       Store::writing,
       {},
       "__device__ unsigned load(unsigned long long i) { return static_cast<unsigned>(i * i % 13); }\n",
       kScatter,
       {.store_state = scatter_state, .store = scattered},
       nullptr,
       [](unsigned char* item, const unsigned char*, u64 index) { put(item, static_cast<u32>(index * index % 13)); },
       number_of<u32>},
  };
}

const std::vector<MapCase>& cases() {
  static const std::vector<MapCase> kCases = map_cases();
  return kCases;
}
const MapCase& map_of(const RowReader& row) {
  return *std::ranges::find_if(cases(), [&](const MapCase& one) { return row.is("map", one.name); });
}

SelectRequest mapped_request(const RowReader& row) {
  const MapCase& map = map_of(row);
  SelectRequest request{.input_type = map.item,
                        .criterion = row.token_of<Criterion>("criterion"),
                        .selected = row.token_of<Selected>("selected"),
                        .rejected = row.token_of<Rejected>("rejected"),
                        .values = row.token_of<Values>("values"),
                        .subject = row.token_of<Subject>("subject"),
                        .room = row.token_of<OutputRoom>("room"),
                        .load = map.load,
                        .store = map.store,
                        .n = 1,
                        .memory = map.memory};
  if (map.item == ValueType::custom || map.memory.has(ValueType::custom)) {
    request.custom_bytes = sizeof(Point);
    request.custom_alignment = alignof(Point);
  }
  return request;
}

bool is_legal(const RowReader& row) {
  const SelectRequest request = mapped_request(row);
  // Sources would have to take the bits of halves.
  if (request.input_type == ValueType::f16 && has_source(request.criterion) && request.subject == Subject::item)
    return false;
  if (row.is("place", "in_place") && (!request.may_be_in_place() || row.is("map", "widened") ||
                                      row.is("map", "narrowed") || row.is("map", "halves") || row.is("map", "member")))
    return false;
  return row.family().unsupported_reason(request, kHostSm) == nullptr;
}

const Design& mapped_design() {
  static const Design kDesign = [] {
    std::vector<std::string> names;
    for (const MapCase& map : cases()) names.emplace_back(map.name);
    return Design("maps_of_selections", 2, 1,
                  {{"family", names_of(algorithm_of<SelectRequest>().families())},
                   {"map", names},
                   {"criterion", {"greater", "flagged", "unique", "predicate", "unique_by", "parts", "around"}},
                   {"subject", all_tokens<Subject>()},
                   {"selected", {"items", "indices", "items_and_indices"}},
                   {"rejected", all_tokens<Rejected>()},
                   {"values", {"none", "bytes_4"}},
                   {"room", all_tokens<OutputRoom>()},
                   {"place", {"apart", "in_place"}},
                   {"pointers", {"aligned", "any"}, true}},
                  [](const DesignRow& values) { return is_legal({mapped_design(), values}); });
  }();
  return kDesign;
}

TEST(MappedSelectionDesign, CoversEveryPairOfValues) {
  needs_no_kernel();
  if (mapped_design().write_if_asked()) return;
  EXPECT_EQ(mapped_design().gaps(), std::vector<std::string>{});
}

// A criterion's source looks at the lowest bits.
std::string criterion_source(const SelectRequest& request) {
  const bool of_struct = request.input_type == ValueType::custom && request.subject == Subject::item;
  const std::string value = of_struct ? std::string("struct Value ") + kPoint : "", id = of_struct ? ".id" : "";
  switch (request.criterion) {
    case Criterion::predicate:
      return value + "__device__ bool keep(Value x) { return (x" + id + " & 1) != 0; }\n";
    case Criterion::unique_by:
      return value + "__device__ bool equal(Value a, Value b) { return a" + id + " == b" + id + "; }\n";
    case Criterion::parts:
      return value + "__device__ int part(Value x) { return static_cast<int>(x" + id + " & 3); }\n";
    default:
      return {};
  }
}

// The structs that a map's source defines, where the criterion's does not declare them.
std::string with_structs(std::string source, bool are_declared) {
  const std::pair<std::string, std::string> kNames[] = {{"%Value%", std::string("struct Value ") + kPoint},
                                                        {"%Result%", std::string("struct Result ") + kPoint},
                                                        {"%Same%", "using Result = Value;\n"}};
  for (const auto& [name, definition] : kNames)
    if (const auto found = source.find(name); found != std::string::npos)
      source.replace(found, name.size(), are_declared ? "" : definition);
  return source;
}

CustomOperator sources_of(const MapCase& map, const SelectRequest& request) {
  const bool are_declared = has_source(request.criterion) && request.subject == Subject::item;
  CustomOperator sources{.source = criterion_source(request), .name = {}};
  sources.load = {with_structs(map.load_source, are_declared), static_cast<int>(map.maps.load_state.size())};
  const int state = map.maps.store_state ? static_cast<int>(map.maps.store_state(nullptr).size()) : 0;
  sources.store = {with_structs(map.store_source, are_declared), state};
  return sources;
}

// The part that something is in by its number, after the one before it.
int part_of(Criterion criterion, i64 number, const i64* before) {
  switch (criterion) {
    case Criterion::flagged:
      return number != 0 ? 0 : 1;
    case Criterion::greater:
      return number > 1 ? 0 : 1;
    case Criterion::predicate:
      return (number & 1) != 0 ? 0 : 1;
    case Criterion::parts:
      return static_cast<int>(number & 3);
    case Criterion::around:
      return number < 1 ? 0 : number == 1 ? 1 : 2;
    default:
      return before == nullptr || number != *before ? 0 : 1;
  }
}

// The constant 1.
Bytes constant_of(const SelectRequest& request) {
  Bytes bytes(8);
  switch (request.subject_type()) {
    case ValueType::f16:
      put(bytes.data(), rounded_to<f16>(1));
      break;
    default:
      put(bytes.data(), u64{1});  // the first bytes are those of fewer bits
  }
  return bytes;
}

Case selection_of(const MapCase& map, const SelectRequest& request, const Config& config, Random& random) {
  Case selection{.request = request, .config = config, .items = {}, .kept = {}, .maps = &map.maps};
  const auto item_bytes = static_cast<u64>(request.input_bytes());
  const u64 memory_bytes = converts(request.load)       ? static_cast<u64>(request.bytes_of(map.memory.loaded))
                           : request.load == Load::none ? item_bytes
                                                        : 0;
  selection.items.resize(request.n * item_bytes);
  selection.memory.resize(request.n * memory_bytes);
  i64 before = 0;
  for (u64 index = 0; index < request.n; ++index) {
    unsigned char *const in_memory = selection.memory.data() + index * memory_bytes,
                         *const item = &selection.items[index * item_bytes];
    if (memory_bytes > 0) map.draw(in_memory, random.below(1u << 30));
    map.loaded(item, in_memory, index);
    i64 number = map.number(item);
    if (request.reads_flags()) {
      number = random.below(4);
      selection.flags.push_back(static_cast<unsigned char>(number));
    }
    const int part = part_of(request.criterion, number, index > 0 ? &before : nullptr);
    selection.kept.push_back(part == 0);
    selection.second.push_back(request.parts() == 3 && part == 1);
    before = number;
  }
  if (has_constant(request.criterion)) selection.constant = constant_of(request);
  return selection;
}

class MappedSelection : public testing::TestWithParam<DesignRow> {};

// A row has every third of the edge sizes, others than the next row; long runs have all.
TEST_P(MappedSelection, PutsItemsWhereTheyBelong) {
  const RowReader row(mapped_design(), GetParam());
  const MapCase& map = map_of(row);
  SelectRequest request = mapped_request(row);
  const CustomOperator sources = sources_of(map, request);
  Random random(row.seed());
  Config config = drawn_config(row.family(), request, random);
  while (row.family().tile_items(config, request) > kMostTileItems)
    config = drawn_config(row.family(), request, random);
  u64 turn = row.seed();
  for (const u64 n : edge_sizes(static_cast<u64>(row.family().tile_items(config, request)))) {
    if (kTestEffort == 1 && turn++ % 3 != 0) continue;
    request.n = n;
    if (request.is_limited()) {
      request.capacity = n / 3;
      request.second_capacity = n / 5;
      request.rejected_capacity = n / 4;
    }
    Case selection = selection_of(map, request, config, random);
    selection.custom = &sources;
    selection.seed = random.below(1u << 30);
    selection.misaligned_items = row.is("pointers", "aligned") ? 0 : 1 + random.below(15);
    selection.in_place = row.is("place", "in_place");
    check(selection);
    if (HasFailure()) return;
  }
}
INSTANTIATE_TEST_SUITE_P(Designed, MappedSelection, testing::ValuesIn(rows_to_run(mapped_design())),
                         kNameOf<mapped_design>);

// The item before a tile's first one may be stored by then, as a map has changed it.
TEST(MappedSelections, AreNotInPlaceWhereNeighboursAreCompared) {
  needs_no_kernel();
  EXPECT_TRUE(SelectRequest{.criterion = Criterion::unique}.may_be_in_place());
  EXPECT_TRUE((SelectRequest{.criterion = Criterion::flagged, .store = Store::source}.may_be_in_place()));
  EXPECT_FALSE((SelectRequest{.criterion = Criterion::unique, .load = Load::source}.may_be_in_place()));
  EXPECT_FALSE((SelectRequest{.criterion = Criterion::unique_by, .store = Store::source}.may_be_in_place()));
}

}  // namespace
}  // namespace scantune::select_test::mapped
