#include "select/least_time.h"

#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <sstream>

#include "space/operands.h"
#include "support/embedded_file.h"

namespace scantune {

std::span<const EmbeddedFile> least_times();  // embedded by the build

namespace {

constexpr double kBytesPerUs = 1e3;  // of one gigabyte per second

// A share of what the memory of a device needs: what L2 holds comes faster, and a record tells the extents beside n by
// their class.
struct Bounds {
  double launch_us;
  double memory_share;
  std::map<std::string, double> bandwidths;  // of the fastest memory known for the architecture
  double other_bandwidth;                    // that no memory has

  double bandwidth_of(const std::string& arch) const {
    const auto known = bandwidths.find(arch);
    return known != bandwidths.end() ? known->second : other_bandwidth;
  }
};

const Bounds& bounds() {
  static const Bounds read = [] {
    const auto json = nlohmann::json::parse(least_times().front().text);
    return Bounds{json.at("launch_us"), json.at("memory_share"), json.at("memory_gigabytes_per_second"),
                  json.at("memory_gigabytes_per_second_of_others")};
  }();
  return read;
}

std::string told(double number) {
  std::ostringstream text;
  text << number;
  return text.str();
}

}  // namespace

std::string impossibility(const std::string& arch, const Request& request, double time_us) {
  if (time_us < bounds().launch_us)
    return told(time_us) + " µs are impossible: an empty launch takes more than " + told(bounds().launch_us);
  const double bytes = static_cast<double>(moved_bytes(request));
  const double least_us = bounds().memory_share * bytes / (bounds().bandwidth_of(arch) * kBytesPerUs);
  if (time_us >= least_us) return {};
  return told(time_us) + " µs are impossible: no device of " + arch + " moves " + told(bytes) + " bytes in less than " +
         told(least_us);
}

}  // namespace scantune
