#include "provenance.h"

#include <ctime>
#include <fstream>

#include "scantune/error.hpp"

namespace scantune::bench {

Provenance provenance_of_this_run(Device& device, const std::string& commit) {
  const std::time_t now = std::time(nullptr);
  char date[32];
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  return {device.identity().name, device.driver_version(), device.compiler().version(), commit, date};
}

std::string heading_of(const Provenance& provenance) {
  return provenance.gpu + ", driver " + provenance.driver + ", " + provenance.compiler + ", " + provenance.date +
         (provenance.commit.empty() ? "" : ", commit " + provenance.commit);
}

nlohmann::ordered_json json_of(const Provenance& provenance) {
  return {{"gpu", provenance.gpu},
          {"driver", provenance.driver},
          {"compiler", provenance.compiler},
          {"commit", provenance.commit},
          {"date", provenance.date}};
}

void write_json(const std::filesystem::path& file, const nlohmann::ordered_json& json) {
  std::ofstream out(file);
  out << json.dump(1) << "\n";
  if (!out.flush()) throw Error("cannot write " + file.string());
}

}  // namespace scantune::bench
