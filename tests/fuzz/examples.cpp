#include "examples.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace scantune::fuzz {

std::vector<StatedRequest> example_requests() {
  std::vector<StatedRequest> requests;
  for (const char* text :
       {R"({"input_type": "i32", "n": 1000})", R"({"input_type": "i8", "output_type": "i64", "n": 65536})",
        R"({"input_type": "f16", "op": "max", "kind": "exclusive", "init": "memory", "n": 1048576})",
        R"({"input_type": "f64", "determinism": "run_to_run", "latency": "isolated", "n": 4096})",
        R"({"input_type": "u8", "op": "bit_xor", "forward_progress": "documented", "n": 281474976710656})",
        R"({"input_type": "custom12", "op": "custom_moderate", "n": 5000,
            "operator": {"name": "affine", "alignment": 4, "source": "struct Value { int a[3]; };"}})",
        R"({"input_type": "i64", "op": "custom_cheap", "operator": {"name": "mine"}, "n": 1})"})
    requests.push_back(stated_request(Json::parse(text)));
  return requests;
}

std::vector<Config> example_configs() {
  std::vector<Config> configs;
  for (const StatedRequest& stated : example_requests())
    for (const FamilyModel* family : families())
      if (family->unsupported_reason(stated.request, 90) == nullptr)
        if (const Config config = family->default_config(stated.request, 90);
            std::ranges::find(configs, config) == configs.end())
          configs.push_back(config);
  return configs;
}

std::vector<DeviceIdentity> example_devices() {
  return {{"sm_90", 90, "NVIDIA H200", 132},
          {"sm_90", 90, "NVIDIA H100", 114},
          {"sm_75", 75, "Tesla T4", 40},
          {"host", kHostSm, "host", 1}};
}

}  // namespace scantune::fuzz
