// The items of selections, and which of them are kept.
#pragma once

#include <span>
#include <vector>

#include "measure/inputs.h"

namespace scantune {

// Writes the items of the input that start at item `first` and fill `out`. About half of the items are kept, one by one
// at random, or as many are in each part; with InputPattern::specials all, none or half of several hundred neighbours.
void fill_selection_input(const InputSpec& spec, u64 first, std::span<std::byte> out);

// The same of an operand beside it: flags or values.
void fill_beside_selection(const InputSpec& spec, OperandRole role, u64 first, std::span<std::byte> out);

// What items are compared with, where they are with a constant.
void fill_selection_constant(const Request& request, unsigned char* constant);

// For each of these items, which start at item `first`, the number of its part, of which 0 is kept. before: the item
// before them; null where they are the first.
std::vector<unsigned char> parts_of_items(const InputSpec& spec, u64 first, std::span<const std::byte> items,
                                          const std::byte* before);

}  // namespace scantune
