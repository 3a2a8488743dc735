#include "worker/params.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "select/printable.h"
#include "select/tuning_record.h"

namespace scantune {
namespace {

[[noreturn]] void refuse(const std::string& message) { throw WorkerError("bad_request", message); }

void require_known(const Json& json, std::initializer_list<std::string_view> known) {
  for (const auto& member : json.items())
    if (std::ranges::find(known, member.key()) == known.end()) refuse("there is no parameter '" + member.key() + "'");
}

// What config_json refuses is the client's mistake here.
template <class Read>
auto read(const Read& function) {
  try {
    return function();
  } catch (const RequestError& error) {
    refuse(error.what());
  }
}

const Json& member(const Json& json, const char* name) {
  const auto found = json.find(name);
  if (found == json.end()) refuse(std::string(name) + " is missing");
  return *found;
}

double number(const Json& value, const char* name, double least, double most) {
  if (value.is_number())
    if (const double read = value.get<double>(); read >= least && read <= most) return read;
  refuse(std::string(name) + " must be a number from " + std::to_string(least) + " to " + std::to_string(most));
}

double number(const Json& json, const char* name, double fallback, double least, double most) {
  const auto found = json.find(name);
  return found == json.end() ? fallback : number(*found, name, least, most);
}

int integer(const char* name, double value) {
  if (value != std::floor(value)) refuse(std::string(name) + " must be an integer");
  return static_cast<int>(value);
}

std::string text(const Json& json, const char* name) {
  const Json& value = member(json, name);
  if (!value.is_string()) refuse(std::string(name) + " must be a text");
  const std::string& found = value.get_ref<const std::string&>();
  if (found.empty() || found.size() > kLongestText)
    refuse(std::string(name) + " must have 1 to " + std::to_string(kLongestText) + " bytes");
  return found;
}

bool truth_in(const Json& json, const char* name, bool fallback) {
  const auto found = json.find(name);
  if (found == json.end()) return fallback;
  if (!found->is_boolean()) refuse(std::string(name) + " must be true or false");
  return found->get<bool>();
}

}  // namespace

Params::Params(const Json& json, std::initializer_list<std::string_view> known) : json_(json) {
  require_known(json, known);
}

StatedRequest Params::stated() const {
  return read([&] { return stated_request(member(json_, "request")); });
}

Config Params::config() const {
  return read([&] { return config_from_json(member(json_, "config")); });
}

std::vector<Config> Params::configs() const {
  const Json& list = member(json_, "configs");
  if (!list.is_array() || list.empty()) refuse("configs must be a list with at least one config");
  std::vector<Config> configs;
  for (const Json& json : list) configs.push_back(read([&] { return config_from_json(json); }));
  return configs;
}

MeasurePolicy Params::policy() const {
  MeasurePolicy policy;
  const auto found = json_.find("policy");
  if (found == json_.end()) return policy;
  if (!found->is_object()) refuse("policy must be a JSON object");
  require_known(*found, {"rounds", "min_round_ms", "rotate", "ceiling", "slower_than"});
  policy.rounds = integer("rounds", number(*found, "rounds", policy.rounds, 1, 100'000));
  policy.min_round_ms = number(*found, "min_round_ms", policy.min_round_ms, 0, 60'000);
  policy.rotate = truth_in(*found, "rotate", policy.rotate);
  policy.ceiling = truth_in(*found, "ceiling", policy.ceiling);
  if (found->contains("slower_than")) policy.slower_than = number(*found, "slower_than", 0, 1, 1e9);
  return policy;
}

bool Params::truth(const char* name, bool unless_given) const { return truth_in(json_, name, unless_given); }

u64 Params::seed() const {
  const auto found = json_.find("seed");
  if (found == json_.end()) return 1;
  if (!found->is_number_integer()) refuse("seed must be an integer");
  return found->get<u64>();
}

u64 Params::offset() const {
  constexpr int kMostItems = 64;
  return static_cast<u64>(integer("offset", number(json_, "offset", 0, 0, kMostItems)));
}

int Params::schedules() const { return integer("schedules", number(json_, "schedules", 100, 1, 10'000)); }

std::optional<DeviceIdentity> Params::described_device() const {
  const auto found = json_.find("device");
  if (found == json_.end()) return std::nullopt;
  if (!found->is_object()) refuse("device must be a JSON object");
  require_known(*found, {"arch", "name", "sm_count"});
  const std::string arch = text(*found, "arch"), name = text(*found, "name");
  const int sm_count = integer("sm_count", number(member(*found, "sm_count"), "sm_count", 1, kMostSms));
  return DeviceIdentity{arch, read([&] { return sm_of(arch); }), name, sm_count};
}

std::optional<u64> Params::most_bytes() const {
  const auto found = json_.find("most_bytes");
  if (found == json_.end()) return std::nullopt;
  if (!found->is_number_unsigned()) refuse("most_bytes must be an integer that is not negative");
  return found->get<u64>();
}

std::optional<std::vector<std::filesystem::path>> Params::databases() const {
  const auto found = json_.find("databases");
  if (found == json_.end()) return std::nullopt;
  if (!found->is_array()) refuse("databases must be a list of paths");
  std::vector<std::filesystem::path> paths;
  for (const Json& path : *found) {
    if (!path.is_string()) refuse("databases must be a list of paths");
    paths.emplace_back(path.get_ref<const std::string&>());
  }
  return paths;
}

}  // namespace scantune
