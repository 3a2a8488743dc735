// A selection on the host device and the plain loop that it is compared with: which items are kept, where these and the
// others go, and what is left alone.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "bench.h"
#include "scan_kernels.h"
#include "with_type.h"

namespace scantune::select_test {

using Flags = std::vector<unsigned char>;

inline constexpr unsigned char kPoison = 0xa5;

// What the maps of a selection do.
struct Maps {
  Bytes load_state = {};
  std::function<Bytes(void* written)> store_state = {};  // of a store that writes by itself: to numbers of 4 bytes
  // What store() makes of an item for a place in an output, or adds to what is written there.
  std::function<void(unsigned char* stored, const unsigned char* item, u64 place)> store = {};
};

// A selection of items, and which of them are to be kept.
struct Case {
  SelectRequest request;
  Config config;
  Bytes items;  // as the criterion sees them
  Flags kept;
  Flags second = {};  // of three parts, those of the other items that are in the second one
  u64 seed = 1;
  const CustomOperator* custom = nullptr;
  Bytes constant = {};       // or state
  Bytes flags = {};          // where what is kept does not tell them
  u64 misaligned_items = 0;  // how many items input and output lie behind a vector boundary
  bool in_place = false;
  const Maps* maps = nullptr;
  Bytes memory = {};  // what a load takes
};

// The bytes of the items that are flagged.
Bytes taken(const Bytes& items, int item_bytes, const Flags& flags);

// Whether memory begins with these bytes, and the rest is as it was.
testing::AssertionResult holds(const GuardedMemory& memory, const Bytes& expected, const unsigned char* rest = nullptr);

// Runs the selection twice on one workspace.
void check(const Case& selection);

Bytes random_bytes(u64 bytes, Random& random);

// All kept, none, half at random, few, every other one, the first half, the last one.
inline constexpr int kPatternCount = 7;
Flags pattern(int which, u64 n, Random& random);

// A legal config with small tiles, parameters drawn: of the family, or of one that is drawn too.
Config drawn_config(const FamilyModel& family, const SelectRequest& request, Random& random);
Config drawn_config(const SelectRequest& request, Random& random);

SelectRequest of_type(ValueType type, Criterion criterion, u64 n);
SelectRequest of_struct(int bytes, int alignment, Criterion criterion, u64 n);

}  // namespace scantune::select_test
