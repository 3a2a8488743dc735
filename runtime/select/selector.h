// Which config a problem gets, and how well the record behind it matched.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "select/tuning_table.h"

namespace scantune {

// From the best match to none; the selector takes the first that it can.
enum class ConfigOrigin {
  exact_n,         // tuned on this device for this n
  between_n,       // tuned on this device for another n: by a breakpoint, or the nearest that serves this one
  other_operator,  // tuned on this device for another operator of the same types and sizes
  other_types,     // tuned on this device for other types of the same sizes
  other_device,    // tuned on another device of the same architecture, the nearest in SM count
  built_in,        // a record that came with the library; the reason says how it matched
  untuned          // the family's default
};
template <>
struct Tokens<ConfigOrigin> {
  static constexpr const char* kNames[] = {"exact_n",      "between_n", "other_operator", "other_types",
                                           "other_device", "built_in",  "default"};
};

struct Selection {
  Config config;
  ConfigOrigin origin = ConfigOrigin::untuned;
  std::string reason;                  // for people: one clause, no full stop
  std::optional<TuningRecord> record;  // what the config comes from; none when untuned
};

// By the rules of rules.h. Members that any record serves do not enter the match: they hardly move the optimum.
// operator_name: of a custom operator, if it has one. Throws RequestError when no family supports the request.
Selection select(const TuningTable& table, const DeviceIdentity& device, const Request& request,
                 std::string_view operator_name = {});

}  // namespace scantune
