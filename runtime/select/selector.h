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

// Kind, initial value and alignment do not enter the match: they hardly move the optimum. Next to them an operator
// moves it least, then types whose values are as wide, which take the same registers, vectors and status words; types
// of other sizes serve nobody. What came with the library and was measured on this very device is as good as the user's
// own for another n, and gives way to it for the same. Records within an octave come before those farther away, and
// among these records of the latency that was asked for. Between the records of two n a breakpoint decides where one
// was measured; elsewhere the nearer in log n serves, with exceptions. More than an octave from its n a record
// serves only where no other family is preferred to its own. Within an octave it serves, unless its family was the
// preferred one at its n and another takes over, being preferred more than it was there; then it serves only if its
// family won against that rule on the other side of n, or if what is left calls for its family. One whose config held
// its n in one tile or one cluster serves no more than these hold; if the nearest within an octave is such, records
// farther away do not serve either. A record measured without a guarantee (determinism, forward progress) also serves a
// request that asks for it, if its config keeps that guarantee. operator_name: of a custom operator, if it has one. A
// record of that name comes first, then those of its cost class. Throws RequestError when no family supports the
// request.
Selection select(const TuningTable& table, const DeviceIdentity& device, const ScanRequest& request,
                 std::string_view operator_name = {});

}  // namespace scantune
