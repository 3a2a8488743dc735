// Who exported a record, and where it was checked: "origin" in the policy of its run.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace scantune {

// Texts of a stranger, made printable. A text that is not given is empty.
struct RecordOrigin {
  std::string by;      // who exported it
  std::string file;    // the database that it was exported from, without its directory
  std::string run;     // digits that identify the run
  std::string host;    // digits that identify the machine
  std::string signer;  // whose signature was verified, if this database is one that verified it
};

inline constexpr std::size_t kLongestPolicy = 4096;  // bytes; a tuner writes none longer

// Null where a policy has no origin that the tuner takes for one (tuner/scantune/model/origin.py), or cannot be read:
// nothing depends on it.
std::shared_ptr<const RecordOrigin> origin_of_policy(std::string_view policy);

// A clause for messages: "exported by alice from tuning.db (run 0123456789ab), signed by alice@example.com".
std::string phrase(const RecordOrigin& origin);

}  // namespace scantune
