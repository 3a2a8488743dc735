// Places finds the operand that each of a caller's arrays is.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "c_api/request.h"
#include "launch/arguments.h"

namespace scantune::c_api {

// The place of each role's array in the order of a request's operands.
class Places {
 public:
  // Pointers that the request itself holds are kept.
  explicit Places(const Asked& asked);

  // The pointers of a call. Throws a RequestError that names arrays which the request does not have. Arguments finds
  // missing ones.
  Pointers of(const Request& request, const scantune_arrays* arrays) const {
    if (arrays == nullptr) [[unlikely]]
      refuse_null();
    Pointers pointers = kept_;
    const std::uint64_t count = arrays->count - 1 < SCANTUNE_ROLES ? arrays->count : known_count(*arrays);
    std::uintptr_t others = 0;
    for (std::uint64_t role = 0; role < count; ++role) {
      if (place_of_[role] < pointers.size())
        pointers[place_of_[role]] = arrays->of[role];
      else
        others |= reinterpret_cast<std::uintptr_t>(arrays->of[role]);
    }
    if (others != 0) [[unlikely]]
      refuse(request, *arrays);
    return pointers;
  }

  const Pointers& kept() const { return kept_; }
  // Whether the arrays are input and output, in the first two places: then pointers may be overwritten in place.
  bool are_plain() const {
    return place_of_[SCANTUNE_INPUT] == 0 && place_of_[SCANTUNE_OUTPUT] == 1 && array_count() == 2;
  }

 private:
  // How many the request has.
  int array_count() const {
    return static_cast<int>(std::ranges::count_if(place_of_, [](int place) { return place < OperandList::kCapacity; }));
  }
  [[noreturn]] static void refuse_null();
  std::uint64_t known_count(const scantune_arrays& arrays) const;
  [[noreturn]] void refuse(const Request& request, const scantune_arrays& arrays) const;

  Pointers kept_ = {};
  std::array<std::uint8_t, SCANTUNE_ROLES> place_of_;  // by role; unused for a role without a place
};

}  // namespace scantune::c_api
