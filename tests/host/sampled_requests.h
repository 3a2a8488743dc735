// A seeded sample of all the problems that kernels solve.
#pragma once

#include <string>
#include <vector>

#include "config/request.h"

namespace scantune {

// `count` problems with built-in operators, or as many more as it takes for each type to be input, accumulator and
// output, each pair of kTypePairs to be input and output with the default accumulator, and each operator and each
// combination of kind and initial value to occur. n is 0.
std::vector<ScanRequest> sampled_requests(int count, u64 seed);

struct TypePair {
  ValueType input, output;
};

// What callers combine most.
inline constexpr TypePair kTypePairs[] = {
    {ValueType::i8, ValueType::i8},     {ValueType::i16, ValueType::i16}, {ValueType::i32, ValueType::i32},
    {ValueType::i64, ValueType::i64},   {ValueType::u8, ValueType::u8},   {ValueType::u16, ValueType::u16},
    {ValueType::u32, ValueType::u32},   {ValueType::u64, ValueType::u64}, {ValueType::f16, ValueType::f16},
    {ValueType::bf16, ValueType::bf16}, {ValueType::f32, ValueType::f32}, {ValueType::f64, ValueType::f64},
    {ValueType::i8, ValueType::i32},    {ValueType::i8, ValueType::i64},  {ValueType::u8, ValueType::u32},
    {ValueType::f16, ValueType::f32},   {ValueType::i32, ValueType::i64}, {ValueType::i64, ValueType::i32},
    {ValueType::i32, ValueType::f32},   {ValueType::f32, ValueType::f64}, {ValueType::f64, ValueType::f16},
};

// The properties of a problem of which the sample has every one.
std::vector<std::string> properties(const ScanRequest& request);

// Every legal problem.
std::vector<ScanRequest> all_requests();

// f16_f32_f32_sum_exclusive_from_value
std::string name_of(const ScanRequest& request);

}  // namespace scantune
