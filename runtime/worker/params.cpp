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

std::string text(const Json& json, const char* name) {
  const Json& value = member(json, name);
  if (!value.is_string()) refuse(std::string(name) + " must be a text");
  const std::string& found = value.get_ref<const std::string&>();
  if (found.empty() || found.size() > kLongestText)
    refuse(std::string(name) + " must have 1 to " + std::to_string(kLongestText) + " bytes");
  return found;
}

bool truth(const Json& json, const char* name, bool fallback) {
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
  const double rounds = number(*found, "rounds", policy.rounds, 1, 100'000);
  if (rounds != std::floor(rounds)) refuse("rounds must be an integer");
  policy.rounds = static_cast<int>(rounds);
  policy.min_round_ms = number(*found, "min_round_ms", policy.min_round_ms, 0, 60'000);
  policy.rotate = truth(*found, "rotate", policy.rotate);
  policy.ceiling = truth(*found, "ceiling", policy.ceiling);
  if (found->contains("slower_than")) policy.slower_than = number(*found, "slower_than", 0, 1, 1e9);
  return policy;
}

bool Params::with_samples() const { return truth(json_, "samples", false); }

bool Params::with_runner_up() const { return truth(json_, "runner_up", false); }

bool Params::measured_only() const { return truth(json_, "measured_only", false); }

u64 Params::seed() const {
  const auto found = json_.find("seed");
  if (found == json_.end()) return 1;
  if (!found->is_number_integer()) refuse("seed must be an integer");
  return found->get<u64>();
}

int Params::schedules() const {
  const double schedules = number(json_, "schedules", 100, 1, 10'000);
  if (schedules != std::floor(schedules)) refuse("schedules must be an integer");
  return static_cast<int>(schedules);
}

bool Params::all_kinds() const { return truth(json_, "all_kinds", true); }

bool Params::with_configs() const { return truth(json_, "configs", true); }

bool Params::with_gallery() const { return truth(json_, "gallery", false); }

std::optional<DeviceIdentity> Params::described_device() const {
  const auto found = json_.find("device");
  if (found == json_.end()) return std::nullopt;
  if (!found->is_object()) refuse("device must be a JSON object");
  require_known(*found, {"arch", "name", "sm_count"});
  const std::string arch = text(*found, "arch"), name = text(*found, "name");
  const double sm_count = number(member(*found, "sm_count"), "sm_count", 1, kMostSms);
  if (sm_count != std::floor(sm_count)) refuse("sm_count must be an integer");
  return DeviceIdentity{arch, read([&] { return sm_of(arch); }), name, static_cast<int>(sm_count)};
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
