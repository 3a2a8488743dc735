// The selection of a config for a problem, and how well its record matched.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "select/tuning_table.h"

namespace scantune {

// From the best match to none; the selector takes the first that it can.
enum class ConfigOrigin {
  exact_n,         // tuned on this device for this n
  between_n,       // tuned on this device for another n, and serves this one
  other_operator,  // tuned on this device for another operator of the same types and sizes
  other_types,     // tuned on this device for other types of the same sizes
  other_device,    // tuned on another device of the same architecture, the nearest in SM count that serves
  built_in,        // a record that came with the library; the reason says how it matched
  untuned,         // the family's default
  given            // the caller's own: nothing was selected
};
template <>
struct Tokens<ConfigOrigin> {
  static constexpr const char* kNames[] = {"exact_n",      "between_n", "other_operator", "other_types",
                                           "other_device", "built_in",  "default",        "given"};
};

struct Selection {
  Config config;
  ConfigOrigin origin = ConfigOrigin::untuned;
  std::string reason;                  // for messages: one clause, no full stop
  std::optional<TuningRecord> record;  // what the config comes from; none when untuned
};

// Selects by the rules of rules.h. Members that any record serves do not enter the match: they hardly move the optimum.
// operator_name is that of a custom operator, if it has one. Throws RequestError when no family supports the request.
Selection select(const TuningTable& table, const DeviceIdentity& device, const Request& request,
                 std::string_view operator_name = {});

// What select() would choose without its chosen config, in records or as default; nullopt if no family has another
// config.
std::optional<Selection> runner_up(const TuningTable& table, const DeviceIdentity& device, const Request& request,
                                   std::string_view operator_name = {});

// The caller's own config, in the JSON of given_config(). Throws RequestError that says why the device cannot run it.
Selection select_given(std::string_view config, const DeviceIdentity& device, const Request& request);

}  // namespace scantune
