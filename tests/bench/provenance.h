// Where and when figures were taken.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "device/device.h"

namespace scantune::bench {

struct Provenance {
  std::string gpu;
  std::string driver;
  std::string compiler;
  std::string commit;  // empty if not given
  std::string date;    // UTC, ISO 8601
};

Provenance provenance_of_this_run(Device& device, const std::string& commit);

std::string heading_of(const Provenance& provenance);  // a heading in one line
nlohmann::ordered_json json_of(const Provenance& provenance);

// Throws scantune::Error when the file cannot be written.
void write_json(const std::filesystem::path& file, const nlohmann::ordered_json& json);

}  // namespace scantune::bench
