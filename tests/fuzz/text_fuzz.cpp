// Configs, requests and records as text: what parses is written as a text that parses to the same.
#include <nlohmann/json.hpp>
#include <string_view>

#include "examples.h"
#include "json_mutator.h"
#include "libfuzzer.h"
#include "require.h"
#include "scantune/error.hpp"
#include "select/layers.h"
#include "table_checks.h"

namespace scantune::fuzz {
namespace {

void check_config(const Json& json) {
  try {
    const Config config = config_from_json(json);
    require(config_from_json(to_json(config)) == config, "a config comes back from its JSON");
    require(parse_config(config.family().name(), canonical_parameters(config)) == config,
            "a config comes back from a database's text");
  } catch (const RequestError&) {
  }
}

void check_given(std::string_view text) {
  for (const AlgorithmModel* algorithm : algorithms()) try {
      Request request(*algorithm);
      request.n = 4096;
      const Config config = given_config(text, request, 90);
      require(reject_reason(config, request, 90) == nullptr, "a config that is taken from a caller can run");
    } catch (const RequestError&) {
    }
}

void check_request(const Json& json) {
  try {
    const StatedRequest stated = stated_request(json);
    require(stated_request(to_json(stated)) == stated, "a request comes back from its JSON");
    const std::string text = canonical_request(stated);
    require(canonical_request(parse_request(stated.request.algorithm(), text)) == text,
            "a request comes back from a database's text");
  } catch (const RequestError&) {
  }
}

void check_row(std::string_view text) {
  for (const AlgorithmModel* algorithm : algorithms()) try {
      const std::string canonical = canonical_request(parse_request(*algorithm, text));
      require(canonical_request(parse_request(*algorithm, canonical)) == canonical, "a request has one spelling");
    } catch (const RequestError&) {
    }
}

void check_parameters(std::string_view text) {
  for (const FamilyModel* family : families()) try {
      const Config config = parse_config(family->name(), text);
      require(parse_config(family->name(), canonical_parameters(config)) == config, "parameters come back from text");
    } catch (const RequestError&) {
    }
}

void check_records(std::string_view lines) {
  try {
    check_table(TuningTable(parse_built_in(lines)));
  } catch (const DatabaseError&) {
  }
}

// A line as db/builtin/records.jsonl has it.
Json example_record(const Config& config) {
  return {
      {"arch", "sm_90"},
      {"device_name", "NVIDIA H200"},
      {"sm_count", 132},
      {"algorithm", "scan"},
      {"request", {{"input_type", "i32"}, {"accumulator_type", "i32"}, {"output_type", "i32"}, {"kind", "exclusive"}}},
      {"n", 4096},
      {"serves", {2048, 8192}},
      {"family", config.family().name()},
      {"config", Json::parse(canonical_parameters(config))},
      {"template_hash", template_hash(config.family(), false, 90)},
      {"median_us", 3.5},
      {"default_us", 4.5},
      {"finished_at", "2026-01-31T12:00:00Z"},
      {"breakpoint",
       {{"n_high", 65536},
        {"n_switch", 8000},
        {"regret", 0.01},
        {"template_hash", template_hash(config.family(), false, 90)}}}};
}

std::vector<Json> text_examples() {
  std::vector<Json> all;
  for (const StatedRequest& stated : example_requests()) {
    all.push_back(to_json(stated));
    all.push_back(Json::parse(canonical_request(stated)));
  }
  for (const Config& config : example_configs()) {
    all.push_back(to_json(config));
    all.push_back(to_json(config)["parameters"]);
    all.push_back(example_record(config));
  }
  return all;
}

}  // namespace
}  // namespace scantune::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace scantune::fuzz;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_parameters(text);
  check_given(text);
  check_row(text);
  check_records(text);
  if (const auto json = scantune::Json::parse(text, nullptr, false); !json.is_discarded()) {
    check_config(json);
    check_request(json);
  }
  return 0;
}

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most_bytes, unsigned seed) {
  static const scantune::fuzz::JsonMutator kMutator(scantune::fuzz::text_examples());
  return kMutator.mutate(data, size, most_bytes, seed);
}
