// The rows of covering designs by the names of their factors.
#pragma once

#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/variant.h"
#include "covering.h"
#include "space/space.h"

namespace scantune {

// A row's values by the factors' names.
class RowReader {
 public:
  RowReader(const Design& design, const DesignRow& row) : design_(design), row_(row) {}

  const std::string& operator[](const char* factor) const { return design_.value(row_, factor); }
  bool is(const char* factor, std::string_view value) const { return (*this)[factor] == value; }
  template <class Enum>
  Enum token_of(const char* factor) const {
    const auto value = parse_token<Enum>((*this)[factor]);
    if (!value) throw std::runtime_error((*this)[factor] + " is no token of " + factor);
    return *value;
  }
  const FamilyModel& family() const { return *find_family((*this)["family"]); }
  Variant variant() const { return is("pointers", "any") ? Variant::any : Variant::aligned; }

  // What numbers the random draws of a row: the same for equal rows, whatever else is in the table.
  u64 seed() const {
    u64 seed = 17;
    for (const int value : row_) seed = 31 * seed + static_cast<u64>(value);
    return seed;
  }

 private:
  const Design& design_;
  const DesignRow& row_;
};

// The names of the tokens, which are the values of a factor.
template <class Enum>
std::vector<std::string> all_tokens() {
  return {std::begin(Tokens<Enum>::kNames), std::end(Tokens<Enum>::kNames)};
}

}  // namespace scantune
