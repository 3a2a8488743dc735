#include "test_operator.h"

#include <algorithm>
#include <cstring>

#include "with_type.h"

namespace scantune {
namespace {

ScanRequest request_of(ValueType input, ValueType accumulator, ValueType output, Operator cost) {
  return {.input_type = input, .accumulator_type = accumulator, .output_type = output, .op = cost};
}

ScanRequest request_of_custom(int bytes, int alignment, Operator cost) {
  ScanRequest request = request_of(ValueType::custom, ValueType::custom, ValueType::custom, cost);
  request.custom_bytes = bytes;
  request.custom_alignment = alignment;
  return request;
}

template <class Value>
ScanRequest request_of_custom(Operator cost) {
  return request_of_custom(sizeof(Value), alignof(Value), cost);
}

template <class Value, class Combine>
auto on_memory(Combine combine) {
  return [combine](void* result, const void* earlier, const void* later) {
    Value a, b;
    std::memcpy(&a, earlier, sizeof a);
    std::memcpy(&b, later, sizeof b);
    const Value combined = combine(a, b);
    std::memcpy(result, &combined, sizeof combined);
  };
}

template <class Value, class Draw>
auto to_memory(Draw draw) {
  return [draw](void* item, Random& random) {
    const Value drawn = draw(random);
    std::memcpy(item, &drawn, sizeof drawn);
  };
}

u32 random_bits(Random& random) { return static_cast<u32>(random.next()); }

struct Affine {
  u32 scale, offset;
};

Affine then(Affine earlier, Affine later) {
  return {earlier.scale * later.scale, earlier.offset * later.scale + later.offset};
}

// A map with an odd scale has an inverse, so no map makes its result independent of what came before.
Affine drawn_affine(Random& random) { return {random_bits(random) | 1, random_bits(random)}; }

// Each name is one that a kernel uses, or the text around it, and means something else here.
constexpr const char* kCommonNames = R"(#define T float
#define Op float
#define items 1
#define lane 2
#define count 3
#define n 4
#define tile 5
#define input 6
#define first 7
#define value 8
#define Choice 9
#define exclusive 10
typedef double u32;
typedef int i64;
namespace instance {
struct Problem {};
}  // namespace instance
struct TileScan {};
template <class A>
struct OperatorOf {};
enum Kind { inclusive };
struct Problem {
  unsigned scale, offset;
};
using Value = Problem;
#define Problem 11
constexpr Value kNothing{0, 0};
__device__ Value shuffle_up(Value, unsigned) { return kNothing; }
__device__ Value shuffle_down(Value, unsigned) { return kNothing; }
__device__ Value shuffle_index(Value, unsigned) { return kNothing; }
__device__ Value combine_if(bool, Value, Value) { return kNothing; }
__device__ Value from_bytes(const unsigned char*) { return kNothing; }
__device__ Value load_payload(const Value*) { return kNothing; }
__device__ void store_payload(Value*, Value) {}
__device__ Value load_relaxed(const Value*) { return kNothing; }
__device__ void store_relaxed(Value*, Value) {}
__device__ void copy_bytes(unsigned*, const Value*, unsigned) {}
__device__ void copy_bytes(unsigned char*, const Value*, unsigned) {}
__device__ void copy_bytes(Value*, const unsigned*, unsigned) {}
template <class A>
__device__ A convert(Value) {
  return {};
}
template <auto kHint>
__device__ Value load_global(const Value*) {
  return kNothing;
}
template <auto kHint>
__device__ void store_global(Value*, Value) {}
template <class A, auto kConfig, class B>
__device__ Value look_back(B&, unsigned, unsigned) {
  return kNothing;
}
template <auto kStrategy, class A>
__device__ Value warp_inclusive_scan(Value, unsigned, unsigned, Value*) {
  return kNothing;
}
template <auto kLanes, class A>
__device__ Value warp_reduce_descending(Value, unsigned, unsigned) {
  return kNothing;
}
__device__ unsigned ballot(unsigned a, unsigned b) { return a * b; }
__device__ Value combine(Value earlier, Value later) {
  return {ballot(earlier.scale, later.scale), ballot(later.scale, earlier.offset) + later.offset};
}
// This line goes on: \)";

}  // namespace

TestOperator affine_maps() {
  return {.name = "affine_maps",
          .request = request_of_custom<Affine>(Operator::custom_moderate),
          .custom = {.source = R"(struct Value {
  unsigned scale = 1, offset = 0;
};
__device__ __forceinline__ Value combine(const Value& earlier, const Value& later) {
  return {earlier.scale * later.scale, later.scale * earlier.offset + later.offset};
}
)",
                     .name = "affine"},
          .combine = on_memory<Affine>(then),
          .draw = to_memory<Affine>(drawn_affine)};
}

TestOperator affine_maps_among_common_names() {
  TestOperator maps = affine_maps();
  maps.name = "affine_maps_among_common_names";
  maps.custom = {.source = kCommonNames, .name = ""};
  return maps;
}

TestOperator affine_maps_in_i64() {
  const auto unpacked = [](i64 value) {
    return Affine{static_cast<u32>(static_cast<u64>(value) >> 32), static_cast<u32>(value)};
  };
  const auto packed = [](Affine map) { return static_cast<i64>(static_cast<u64>(map.scale) << 32 | map.offset); };
  return {.name = "affine_maps_in_i64",
          .request = request_of(ValueType::i64, ValueType::i64, ValueType::i64, Operator::custom_moderate),
          .custom = {.source = R"(__device__ Value combine(Value earlier, Value later) {
  const unsigned scale = (earlier >> 32) * (later >> 32);
  const unsigned offset = static_cast<unsigned>(earlier) * (later >> 32) + later;
  return static_cast<Value>(static_cast<unsigned long long>(scale) << 32 | offset);
}
)",
                     .name = ""},
          .combine = on_memory<i64>([=](i64 a, i64 b) { return packed(then(unpacked(a), unpacked(b))); }),
          .draw = to_memory<i64>([=](Random& random) { return packed(drawn_affine(random)); })};
}

TestOperator running_extremes() {
  struct Extremes {
    f32 low, high;
  };
  return {.name = "running_extremes",
          .request = request_of_custom<Extremes>(Operator::custom_cheap),
          .custom = {.source = R"(struct Extremes {
  float low, high;
};
using Value = Extremes;
__host__ __device__ inline Value combine(const Value earlier, const Value later) {
  return {fminf(earlier.low, later.low), fmaxf(earlier.high, later.high)};
}
)",
                     .name = ""},
          .combine = on_memory<Extremes>(
              [](Extremes a, Extremes b) { return Extremes{std::min(a.low, b.low), std::max(a.high, b.high)}; }),
          .draw = to_memory<Extremes>([](Random& random) {
            const f32 value = static_cast<f32>(static_cast<i32>(random_bits(random)) >> random.below(30));
            return Extremes{value, value};
          })};
}

TestOperator complex_products() {
  struct Complex {
    u32 re, im;
  };
  return {.name = "complex_products",
          .request = request_of_custom<Complex>(Operator::custom_moderate),
          .custom = {.source = R"(struct Value {
  int re, im;
};
__device__ constexpr Value operator*(Value a, Value b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
static __device__ Value combine(Value earlier, Value later) { return earlier * later; }
)",
                     .name = "complex.product"},
          .combine = on_memory<Complex>(
              [](Complex a, Complex b) { return Complex{a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }),
          // One part is odd and one is even, so the norm is odd, and no product becomes zero.
          .draw = to_memory<Complex>(
              [](Random& random) { return Complex{random_bits(random) | 1, random_bits(random) & ~1u}; })};
}

TestOperator last_nonzero(ValueType input, ValueType accumulator, ValueType output) {
  const std::string types = std::string(Tokens<ValueType>::kNames[static_cast<int>(input)]) + "_" +
                            Tokens<ValueType>::kNames[static_cast<int>(accumulator)] + "_" +
                            Tokens<ValueType>::kNames[static_cast<int>(output)];
  const ScanRequest request = request_of(input, accumulator, output, Operator::custom_cheap);
  return {.name = "last_nonzero_" + types,
          .request = request,
          .custom = {.source = R"(__device__ Value combine(Value earlier, Value later) {
  return later != 0 ? later : earlier;
}
)",
                     .name = ""},
          .combine =
              [accumulator](void* result, const void* earlier, const void* later) {
                with_accumulator(accumulator, [&]<class T>(T) {
                  on_memory<T>([](const T& a, const T& b) { return b != T{} ? b : a; })(result, earlier, later);
                });
              },
          .draw =
              [request](void* item, Random& random) {
                const i32 value = random.chance(90) ? 0 : static_cast<i32>(random.below(100));
                with_type(request.input_type, [&]<class Item>(Item typed) {
                  if constexpr (std::is_arithmetic_v<Item>)
                    typed = is_half(request.input_type)
                                ? static_cast<Item>(encoded(format_of(request.input_type), value))
                                : static_cast<Item>(value);
                  std::memcpy(item, &typed, static_cast<std::size_t>(request.input_bytes()));
                });
              }};
}

TestOperator padded_values() {
  struct Padded {
    u64 sum;
    u8 last;
  };
  return {.name = "padded_values",
          .request = request_of_custom<Padded>(Operator::custom_cheap),
          .custom = {.source = R"(struct Value {
  unsigned long long sum;
  unsigned char last;
};
__device__ Value combine(Value earlier, Value later) { return {earlier.sum + later.sum, later.last}; }
)",
                     .name = ""},
          .combine = on_memory<Padded>([](Padded a, Padded b) { return Padded{a.sum + b.sum, b.last}; }),
          .draw = to_memory<Padded>(
              [](Random& random) { return Padded{random.next(), static_cast<u8>(random_bits(random))}; }),
          .padding_bytes = sizeof(Padded) - sizeof(u64) - sizeof(u8)};
}

TestOperator maps_of_bytes(int bytes, int alignment) {
  const int part_bytes = std::min(alignment, 4), half_bits = 4 * part_bytes;
  const u32 half_mask = (1u << half_bits) - 1;
  const auto part_of = [part_bytes](const void* value, int offset) {
    u32 part = 0;
    std::memcpy(&part, static_cast<const unsigned char*>(value) + offset, static_cast<std::size_t>(part_bytes));
    return part;
  };
  const auto set_part = [part_bytes](void* value, int offset, u32 part) {
    std::memcpy(static_cast<unsigned char*>(value) + offset, &part, static_cast<std::size_t>(part_bytes));
  };
  const char* const part_type = part_bytes == 1 ? "unsigned char" : part_bytes == 2 ? "unsigned short" : "unsigned";
  const std::string size = std::to_string(bytes), count = std::to_string(bytes / part_bytes);
  return {.name = "maps_of_" + size + "_bytes_aligned_to_" + std::to_string(alignment),
          .request =
              request_of_custom(bytes, alignment, bytes < 8 ? Operator::custom_moderate : Operator::custom_expensive),
          // Each part is an affine map, its scale in the high half.
          .custom = {.source = "struct alignas(" + std::to_string(alignment) + ") Value {\n  " + part_type + " parts[" +
                               count + "];\n};\nconstexpr int kHalf = " + std::to_string(half_bits) + ";\n" +
                               R"(__device__ Value combine(Value earlier, Value later) {
  Value result;
#pragma unroll
  for (int part = 0; part < sizeof(Value) / sizeof(later.parts[0]); ++part) {
    const unsigned scale = later.parts[part] >> kHalf;
    const unsigned scales = (earlier.parts[part] >> kHalf) * scale;
    const unsigned offset = earlier.parts[part] * scale + later.parts[part];
    result.parts[part] = scales << kHalf | offset & ((1 << kHalf) - 1);
  }
  return result;
}
)",
                     .name = ""},
          .combine =
              [=](void* result, const void* earlier, const void* later) {
                for (int offset = 0; offset < bytes; offset += part_bytes) {
                  const u32 a = part_of(earlier, offset), b = part_of(later, offset);
                  const Affine map = then({a >> half_bits, a & half_mask}, {b >> half_bits, b & half_mask});
                  set_part(result, offset, (map.scale & half_mask) << half_bits | (map.offset & half_mask));
                }
              },
          .draw =
              [=](void* item, Random& random) {
                for (int offset = 0; offset < bytes; offset += part_bytes) {
                  const Affine map = drawn_affine(random);
                  set_part(item, offset, map.scale << half_bits | (map.offset & half_mask));
                }
              }};
}

std::vector<TestOperator> test_operators() {
  std::vector<TestOperator> all = {
      affine_maps(),
      affine_maps_among_common_names(),
      running_extremes(),
      complex_products(),
      padded_values(),
      affine_maps_in_i64(),
      last_nonzero(ValueType::f32, ValueType::f32, ValueType::f32),
      last_nonzero(ValueType::i8, ValueType::i32, ValueType::i16),
      last_nonzero(ValueType::bf16, ValueType::f32, ValueType::f16),
      last_nonzero(ValueType::i32, ValueType::i64, ValueType::i64),
  };
  constexpr struct {
    int bytes, alignment;
  } kShapes[] = {{1, 1},  {2, 1},  {2, 2},   {3, 1},  {4, 4},  {6, 2},   {8, 1}, {8, 8},
                 {12, 4}, {16, 2}, {16, 16}, {20, 4}, {24, 8}, {32, 16}, {32, 8}};
  for (const auto [bytes, alignment] : kShapes) all.push_back(maps_of_bytes(bytes, alignment));
  return all;
}

}  // namespace scantune
