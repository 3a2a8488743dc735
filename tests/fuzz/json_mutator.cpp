#include "json_mutator.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>

#include "draws.h"
#include "libfuzzer.h"

namespace scantune::fuzz {
namespace {

std::vector<Json> edges() {
  return {nullptr,
          true,
          false,
          0,
          -1,
          1.5,
          1e308,
          -0.0,
          std::numeric_limits<std::int64_t>::min(),
          std::numeric_limits<std::uint64_t>::max(),
          std::numeric_limits<int>::max(),
          65537,
          "",
          "\xff\xc0",
          "\n\x1b[2J",
          std::string(300, 'a'),
          Json::array(),
          Json::object()};
}

void collect(const Json& json, std::vector<Json>& values, std::vector<std::string>& names) {
  values.push_back(json);
  if (json.is_object())
    for (const auto& [name, member] : json.items()) names.push_back(name);
  for (const Json& child : json)
    if (&child != &json) collect(child, values, names);
}

// Finds all values within a document, which itself comes first.
void places(Json& json, std::vector<Json*>& found) {
  found.push_back(&json);
  if (json.is_structured())
    for (Json& child : json) places(child, found);
}

void mutate_text(Json& json) {
  auto text = json.get<std::string>();
  const std::size_t size = text.size();
  text.resize(size + 16);
  text.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(text.data()), size, text.size()));
  json = std::move(text);
}

void mutate_number(Json& json, Random& random) {
  const auto step = static_cast<std::int64_t>(below(random, 3)) - 1;
  if (json.is_number_integer() && below(random, 2) == 0)
    json = static_cast<std::uint64_t>(json.get<std::uint64_t>() + static_cast<std::uint64_t>(step));
  else
    json = static_cast<std::uint64_t>(random()) << below(random, 33);
}

}  // namespace

JsonMutator::JsonMutator(std::vector<Json> examples) : examples_(std::move(examples)), values_(edges()) {
  for (const Json& example : examples_) collect(example, values_, names_);
}

std::size_t JsonMutator::mutate(std::uint8_t* data, std::size_t size, std::size_t most_bytes, unsigned seed) const {
  Random random(seed);
  Json document = Json::parse(std::string_view(reinterpret_cast<const char*>(data), size), nullptr, false);
  if (document.is_discarded() || below(random, 16) == 0) {
    if (below(random, 4) != 0) return LLVMFuzzerMutate(data, size, most_bytes);
    document = one_of(random, examples_);
  }
  std::vector<Json*> found;
  places(document, found);
  Json& place = *one_of(random, found);
  switch (below(random, 6)) {
    case 0:
      if (place.is_structured() && !place.empty())
        place.erase(std::next(place.begin(), static_cast<std::ptrdiff_t>(below(random, place.size()))));
      break;
    case 1:
      if (place.is_object()) place[one_of(random, names_)] = one_of(random, values_);
      if (place.is_array()) place.push_back(one_of(random, values_));
      break;
    case 2:
      if (Json other = *one_of(random, found); &place != &document) place = std::move(other);
      break;
    case 3:
      if (place.is_string()) mutate_text(place);
      if (place.is_number()) mutate_number(place, random);
      break;
    default:
      place = one_of(random, values_);
  }
  return put(document.dump(-1, ' ', false, Json::error_handler_t::ignore), data, size, most_bytes);
}

}  // namespace scantune::fuzz
