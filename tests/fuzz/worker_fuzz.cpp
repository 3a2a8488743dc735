// Lines to a worker: each is answered by one line of JSON, and none ends the worker or keeps it busy.
#include <array>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "cpu/worker_scanning_device.h"
#include "examples.h"
#include "json_mutator.h"
#include "libfuzzer.h"
#include "require.h"
#include "worker/session.h"

namespace scantune::fuzz {
namespace {

constexpr int kMostLaunches = 200;  // limit for one line

// A device with little memory that stops at a number of launches, so that no policy takes long.
class BoundedDevice : public testing::ScanningDevice {
 public:
  BoundedDevice() {
    memory_bytes = 1 << 14;
    total_bytes = 1 << 17;
  }
  void begin_line() { launches_ = 0; }
  void launch(const Module& module, const Launch& shape, KernelArguments& arguments, Stream stream) override {
    if (++launches_ > kMostLaunches) throw DeviceError("the time of the device is up");
    try {
      ScanningDevice::launch(module, shape, arguments, stream);
    } catch (const std::logic_error&) {
      throw DeviceError("a source that the device does not understand");
    }
  }

 private:
  int launches_ = 0;
};

struct Worker {
  std::shared_ptr<BoundedDevice> device = std::make_shared<BoundedDevice>();
  Session session{[this] { return device; }};

  std::string respond(const std::string& line) {
    device->begin_line();
    device->compiler().sources.clear();
    device->compiler().instantiations.clear();
    return session.respond(line);
  }
};

void check_answer(const std::string& answer) {
  require(answer.find('\n') == std::string::npos, "an answer is one line");
  const Json json = Json::parse(answer, nullptr, false);
  require(json.is_object() && json.contains("id"), "an answer is an object with an id");
  if (json.value("ok", false)) return require(json["result"].is_object(), "an answer that is ok has a result");
  const auto kind = json["error"]["kind"].get<std::string>();
  static constexpr std::array kKinds = {"bad_request",  "unsupported",  "compile_error",
                                        "wrong_result", "launch_error", "device_error"};
  require(std::ranges::find(kKinds, kind) != kKinds.end(), "an error is of a kind that a client can act on: " + answer);
  require(!json["error"].contains("fatal"), "the device is not lost");
}

Json line(const char* method, Json params) { return {{"id", 1}, {"method", method}, {"params", std::move(params)}}; }

std::vector<Json> line_examples() {
  std::vector<Json> lines{line("hello", Json::object())};
  for (const StatedRequest& stated : example_requests()) {
    const Json request = to_json(stated);
    lines.push_back(line("space", {{"request", request}}));
    lines.push_back(line("select", {{"request", request}, {"databases", Json::array()}}));
    for (const Config& config : example_configs()) {
      const Json chosen = to_json(config);
      lines.push_back(line("validate", {{"request", request}, {"config", chosen}}));
      lines.push_back(
          line("compile", {{"request", request}, {"config", chosen}, {"all_kinds", false}, {"measured_only", true}}));
      lines.push_back(line("verify", {{"request", request}, {"config", chosen}, {"seed", 3}, {"all_kinds", true}}));
      const Json policy = {
          {"rounds", 2}, {"min_round_ms", 0.1}, {"rotate", true}, {"ceiling", true}, {"slower_than", 2}};
      lines.push_back(
          line("measure", {{"request", request}, {"configs", {chosen}}, {"policy", policy}, {"samples", true}}));
    }
  }
  return lines;
}

// Whether a line names files of this machine, which a target must not read.
bool names_other_files(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("params") || !json["params"].is_object()) return false;
  const Json databases = json["params"].value("databases", Json());
  return databases.dump(-1, ' ', false, Json::error_handler_t::ignore).find('/') != std::string::npos;
}

}  // namespace
}  // namespace scantune::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace scantune::fuzz;
  setenv("SCANTUNE_DB", "none.db", 0);
  const std::string line(reinterpret_cast<const char*>(data), size);
  if (names_other_files(line)) return -1;
  Worker worker;
  check_answer(worker.respond(line));
  return 0;
}

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most_bytes, unsigned seed) {
  static const scantune::fuzz::JsonMutator kMutator(scantune::fuzz::line_examples());
  return kMutator.mutate(data, size, most_bytes, seed);
}
