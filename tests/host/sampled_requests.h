// A seeded sample of all the problems that kernels solve.
#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "space/space.h"

namespace scantune {

struct TypePair {
  ValueType input, output;
};

// The types that callers combine most.
inline constexpr TypePair kTypePairs[] = {
    {ValueType::i8, ValueType::i8},     {ValueType::i16, ValueType::i16}, {ValueType::i32, ValueType::i32},
    {ValueType::i64, ValueType::i64},   {ValueType::u8, ValueType::u8},   {ValueType::u16, ValueType::u16},
    {ValueType::u32, ValueType::u32},   {ValueType::u64, ValueType::u64}, {ValueType::f16, ValueType::f16},
    {ValueType::bf16, ValueType::bf16}, {ValueType::f32, ValueType::f32}, {ValueType::f64, ValueType::f64},
    {ValueType::i8, ValueType::i32},    {ValueType::i8, ValueType::i64},  {ValueType::u8, ValueType::u32},
    {ValueType::f16, ValueType::f32},   {ValueType::i32, ValueType::i64}, {ValueType::i64, ValueType::i32},
    {ValueType::i32, ValueType::f32},   {ValueType::f32, ValueType::f64}, {ValueType::f64, ValueType::f16},
};

// Every legal problem with a built-in operator. n is 0.
std::vector<ScanRequest> all_requests();

// A number of items that every family scans, whatever their type.
inline constexpr u64 kSomeItems = 1024;

// The requests among all_requests() that the family solves, given enough items.
std::vector<ScanRequest> requests_for(const FamilyModel& family);

// `count` of the problems, or as many more as it takes for every property that occurs in `all` to occur.
std::vector<ScanRequest> sampled_requests(int count, u64 seed, std::vector<ScanRequest> all = all_requests());

// The properties of a problem that a sample must not miss: its input, accumulator and output type; its operator; its
// kind and initial value; its types, if they are a pair of kTypePairs with the default accumulator; what it packs, if
// it packs, and for sums with which kind and initial value.
std::vector<std::string> properties(const ScanRequest& request);

// A name such as f16_f32_f32_sum_exclusive_from_value.
std::string name_of(const ScanRequest& request);

// One of a family's sample, and a seed for what else is drawn.
struct SampledProblem {
  const FamilyModel* family;
  ScanRequest request;
  u64 seed;
};

void PrintTo(const SampledProblem& problem, std::ostream* out);

// `count` problems or more of each family, which has a sample of its own. The seeds go up from first_seed.
std::vector<SampledProblem> sampled_problems(std::span<const FamilyModel* const> families, int count, u64 sample_seed,
                                             u64 first_seed);

inline constexpr auto kNameOfSampled = [](const auto& tested) {
  return std::string(tested.param.family->name()) + "_" + name_of(tested.param.request);
};

}  // namespace scantune
