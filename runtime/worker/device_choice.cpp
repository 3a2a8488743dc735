#include "worker/device_choice.h"

#include <charconv>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "scantune/error.hpp"
#include "support/environment.h"

namespace scantune {
namespace {

template <class Integer>
std::optional<Integer> integer(std::string_view digits) {
  Integer value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

// The GPU of that index among those that the environment already allows.
std::string visible_device(unsigned index) {
  const char* visible = environment_variable("CUDA_VISIBLE_DEVICES");
  if (visible == nullptr) return std::to_string(index);
  std::vector<std::string> names;
  std::string_view rest = visible;
  for (std::size_t comma; (comma = rest.find(',')) != std::string_view::npos; rest.remove_prefix(comma + 1))
    names.emplace_back(rest.substr(0, comma));
  names.emplace_back(rest);
  if (index < names.size() && !names[index].empty()) return names[index];
  throw DeviceError("there is no GPU " + std::to_string(index) + ": CUDA_VISIBLE_DEVICES is '" + visible + "'");
}

}  // namespace

DeviceChoice DeviceChoice::parse(const std::string& device, const std::optional<std::string>& seed) {
  DeviceChoice choice;
  choice.seed_ = seed;
  if (seed && !integer<u64>(*seed)) throw RequestError("--seed must be an integer, found '" + *seed + "'");
  choice.is_host_ = device == "host";
  if (choice.is_host_ || device == "cuda") return choice;
  constexpr std::string_view kPrefix = "cuda:";
  const auto index =
      device.starts_with(kPrefix) ? integer<unsigned>(std::string_view(device).substr(kPrefix.size())) : std::nullopt;
  if (!index) throw RequestError("--device must be cuda, cuda:INDEX or host, found '" + device + "'");
  choice.index_ = *index;
  return choice;
}

std::shared_ptr<Device> DeviceChoice::open() {
  if (!passed_on_) {
    if (seed_) setenv("SCANTUNE_HOST_SEED", seed_->c_str(), 1);
    // The driver renumbers the visible GPUs, and the only one left is its first.
    if (index_ != 0) setenv("CUDA_VISIBLE_DEVICES", visible_device(index_).c_str(), 1);
    passed_on_ = true;
  }
  return is_host_ ? host_device() : cuda_device();
}

}  // namespace scantune
