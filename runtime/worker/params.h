// The parameters of requests, read strictly: what is missing, unknown or out of range is a bad_request.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "measure/race.h"
#include "worker/protocol.h"

namespace scantune {

class Params {
 public:
  // json must be an object with no other members than these, and must outlive this object.
  Params(const Json& json, std::initializer_list<std::string_view> known);

  StatedRequest stated() const;
  Config config() const;
  std::vector<Config> configs() const;
  MeasurePolicy policy() const;
  u64 seed() const;       // 1 unless given
  u64 offset() const;     // 0 unless given
  int schedules() const;  // `schedules` of races: 100 unless given
  bool truth(const char* name, bool unless_given) const;
  std::optional<std::vector<std::filesystem::path>> databases() const;  // nullopt unless given
  std::optional<DeviceIdentity> described_device() const;               // `device` of hello
  std::optional<u64> most_bytes() const;                                // `most_bytes` of cache

 private:
  const Json& json_;
};

}  // namespace scantune
