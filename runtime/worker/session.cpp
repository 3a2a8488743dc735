#include "worker/session.h"

#include <sstream>

#include "jit/binary_key.h"
#include "jit/cache_contents.h"
#include "select/layers.h"
#include "select/records_in_use.h"
#include "support/paths.h"
#include "worker/declarations.h"
#include "worker/described_device.h"
#include "worker/outcomes.h"

namespace scantune {
namespace {

constexpr int kProtocol = 4;

// This comes before anything is computed from a config, since parameters out of range divide by zero.
void require_legal(const Config& config, const Request& request, const DeviceIdentity& device) {
  if (const char* reason = reject_reason(config, request, device.sm)) throw WorkerError("unsupported", reason);
}

// The hash of all that any family's kernels are compiled from: another build's differs if some kernel does.
std::string hash_of_all_kernels(int sm) {
  std::vector<std::string> headers;
  for (const FamilyModel* family : families())
    for (const std::string& header : kernel_headers(*family, true)) headers.push_back(header);
  return template_hashes(view_of(sm)).of(headers);
}

}  // namespace

std::string Session::respond(const std::string& line) {
  WorkerRequest request;
  try {
    request = read_request(line);
    if (!request.fault.empty()) throw WorkerError("bad_request", request.fault);
    return answer_line(request.id, call(request));
  } catch (...) {
    return error_line(request.id, translated(std::current_exception()));
  }
}

WorkerError Session::translated(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const WorkerError& known) {
    return known;
  } catch (const RequestError& known) {
    return {"unsupported", known.what()};
  } catch (const CompileError& known) {
    return {"compile_error", known.what()};
  } catch (const WrongResult& known) {
    return {"wrong_result", known.what()};
  } catch (const NoInstrument& known) {
    return {"device_error", known.what()};
  } catch (const NoCheck& known) {
    return {"device_error", known.what()};
  } catch (const DatabaseError& known) {
    return {"bad_request", known.what()};
  } catch (const DeviceError& known) {
    const bool lost = device_ != nullptr && !is_alive(*device_);
    const bool missing = device_ == nullptr || dynamic_cast<const OutOfDeviceMemory*>(&known) != nullptr;
    return {missing && !lost ? "device_error" : "launch_error", known.what(), lost};
  } catch (const std::exception& unknown) {
    return {"internal", unknown.what()};
  }
}

Json Session::call(const WorkerRequest& request) {
  if (request.method == "hello") return hello({request.params, {"device"}});
  if (request.method == "space") return space({request.params, {"request", "configs", "gallery"}});
  if (request.method == "validate") return validate({request.params, {"request", "config"}});
  if (request.method == "compile")
    return compile({request.params, {"request", "config", "all_kinds", "measured_only", "offset"}});
  if (request.method == "verify") return verify({request.params, {"request", "config", "seed", "all_kinds"}});
  if (request.method == "measure")
    return measure({request.params, {"request", "configs", "policy", "samples", "offset"}});
  if (request.method == "select") return select({request.params, {"request", "databases", "runner_up"}});
  if (request.method == "races") return races({request.params, {"seed", "schedules"}});
  if (request.method == "built_in") return built_in({request.params, {}});
  if (request.method == "cache") return cache({request.params, {"most_bytes"}});
  throw WorkerError("bad_request", "there is no method '" + request.method + "'");
}

Device& Session::device() {
  if (device_ == nullptr) use(open_device_());
  return *device_;
}

void Session::use(std::shared_ptr<Device> device) {
  measurer_.reset();
  verifier_.reset();
  device_ = std::move(device);
  verifier_ = std::make_unique<Verifier>(*device_);
  measurer_ = std::make_unique<Measurer>(*device_);
}

Json Session::hello(const Params& params) {
  if (auto described = params.described_device()) use(std::make_shared<DescribedDevice>(*std::move(described)));
  const DeviceIdentity& identity = device().identity();
  Json described = {{"arch", identity.arch}, {"name", identity.name}, {"sm_count", identity.sm_count}};
  if (const auto peak = device().peak_gigabytes_per_second()) described["peak_gigabytes_per_second"] = *peak;
  return {
      {"protocol", kProtocol},
      {"version", SCANTUNE_VERSION},
      {"template_hash", hash_of_all_kernels(identity.sm)},
      {"compiler_version", device().compiler().version()},
      {"driver_version", device().driver_version()},
      {"device", std::move(described)},
      {"algorithms", list_of(algorithms(), [](const AlgorithmModel* algorithm) { return algorithm_json(*algorithm); })},
      {"families", list_of(families(), [](const FamilyModel* family) { return table_json(*family); })}};
}

Json Session::space(const Params& params) {
  const StatedRequest stated = params.stated();
  const Request& request = stated.request;
  const bool with_configs = params.truth("configs", true), with_gallery = params.truth("gallery", false);
  const int sm = device().identity().sm;
  Json families_json = Json::array(), refused = Json::object();
  for (const FamilyModel* family : request.algorithm().families()) {
    if (!with_gallery && family->standing() != Standing::library) continue;
    if (const char* reason = family->unsupported_reason(request, sm)) {
      refused[family->name()] = reason;
    } else {
      families_json.push_back(family_json(*family, request, sm, with_configs));
    }
  }
  Json json = {{"request", to_json(stated)},
               {"problem", canonical_request(stated)},
               {"shape", canonical_shape(request)},
               {"n_step", size_step(request)},
               {"default_config", to_json(default_config(request, sm))},
               {"families", std::move(families_json)}};
  if (with_gallery) json["refused"] = std::move(refused);
  return json;
}

Json Session::validate(const Params& params) {
  const Config config = params.config();
  const Request request = params.stated().request;
  const char* reason = reject_reason(config, request, device().identity().sm);
  Json json = {{"valid", reason == nullptr}};
  if (reason != nullptr) {
    json["reason"] = reason;
  } else if (const std::optional<Work> work = config.family().work(config, request)) {
    json["work"] = {{"operations", work->operations}, {"steps", work->steps}, {"bytes", work->bytes}};
  }
  return json;
}

Json Session::compile(const Params& params) {
  const StatedRequest stated = params.stated();
  const Config config = params.config();
  const bool all_kinds = params.truth("all_kinds", true), measured_only = params.truth("measured_only", false);
  const DeviceIdentity& identity = device().identity();
  require_legal(config, stated.request, identity);
  Compiler& compiler = device().compiler();
  Json json = Json::object();
  double compile_ms = 0;
  const Variant measured = variant_behind_boundaries(stated.request, params.offset());
  const auto kernels = measured_only ? std::vector{VerifiedKernel{stated.request, measured, &stated.custom}}
                                     : verified_kernels(stated.request, &stated.custom, all_kinds);
  for (const VerifiedKernel& kernel : kernels) {
    const Instantiation instantiation = instantiate_measured(kernel.request, config, kernel.variant, kernel.custom);
    const Binary binary = compiler.compile(instantiation, identity.arch);
    compile_ms += binary.compile_ms;
    if (json.empty()) {
      json["key"] = binary_key(compiler, instantiation, identity.arch);
      json["log"] = binary.log;
    }
  }
  json["cached"] = compile_ms == 0;
  json["compile_ms"] = compile_ms;
  return json;
}

Json Session::verify(const Params& params) {
  const StatedRequest stated = params.stated();
  const Config config = params.config();
  const VerifyOptions options{.seed = params.seed(), .all_kinds = params.truth("all_kinds", true)};
  require_legal(config, stated.request, device().identity());
  const auto checked = [&]() -> Json {
    return {{"checks", verifier_->verify(stated.request, config, &stated.custom, options)}};
  };
  try {
    return checked();
  } catch (const OutOfDeviceMemory&) {
    // The buffers of the last measurement are in the way; filling them again costs less than failing.
    if (!measurer_->release()) throw;
    return checked();
  }
}

Json Session::measure(const Params& params) {
  const StatedRequest stated = params.stated();
  const std::vector<Config> configs = params.configs();
  const MeasurePolicy policy = params.policy();
  const bool with_samples = params.truth("samples", false);
  const u64 offset = params.offset();
  std::vector<PreparedConfig> prepared;
  prepared.reserve(configs.size());  // pointers into it are kept
  std::vector<const PreparedConfig*> ready;
  std::vector<std::size_t> places;
  std::vector<Json> measurements(configs.size());
  for (std::size_t place = 0; place < configs.size(); ++place) {
    try {
      ready.push_back(&prepared.emplace_back(device(), stated.request, configs[place],
                                             variant_behind_boundaries(stated.request, offset), &stated.custom));
      places.push_back(place);
    } catch (const Error&) {
      measurements[place] = failure_json(translated(std::current_exception()));
    }
  }
  const Measurements measured = measurer_->measure(ready, policy, offset);
  for (std::size_t index = 0; index < places.size(); ++index)
    measurements[places[index]] = outcome_json(measured.configs[index], with_samples);
  return {{"measurements", std::move(measurements)}, {"ceiling_us", or_null(measured.ceiling_us)}};
}

Json Session::select(const Params& params) {
  const StatedRequest stated = params.stated();
  const auto databases = params.databases();
  const auto held = databases ? std::make_shared<const TuningTable>(table_of(*databases)) : records_in_use();
  const TuningTable& table = *held;
  const DeviceIdentity& identity = device().identity();
  Json json = selection_json(scantune::select(table, identity, stated.request, stated.custom.name));
  if (params.truth("runner_up", false)) {
    const auto next = runner_up(table, identity, stated.request, stated.custom.name);
    json["runner_up"] = next ? selection_json(*next) : Json(nullptr);
  }
  json["rejected"] = list_of(table.rejected(), [](const RejectedRow& refused) -> Json {
    return {{"row", refused.row}, {"reason", refused.reason}};
  });
  return json;
}

Json Session::races(const Params& params) {
  const u64 seed = params.seed();
  const int schedules = params.schedules();
  auto* const host = dynamic_cast<HostDevice*>(&device());
  if (host == nullptr)
    throw WorkerError("unsupported", "kernels with a race run on the host device alone, whose schedules show it");
  return {{"races", list_of(exhibits(), [&](const Exhibit& exhibit) {
             return exhibit_json(exhibit, run_exhibit(*host, exhibit, seed, schedules));
           })}};
}

Json Session::built_in(const Params&) {
  Json records = Json::array();
  for (const EmbeddedFile& file : built_in_databases()) {
    std::istringstream lines(file.text);
    for (std::string line; std::getline(lines, line);) records.push_back(Json::parse(line));
  }
  return {{"records", std::move(records)}};
}

Json Session::cache(const Params& params) {
  const auto directory = cache_directory();
  const auto most_bytes = params.most_bytes();
  CacheContents removed, left;
  if (directory && most_bytes) removed = evict(*directory, *most_bytes);
  if (directory) left = cache_contents(*directory);
  return {{"directory", directory ? Json(directory->string()) : Json(nullptr)},
          {"kernels", left.kernels()},
          {"bytes", left.bytes()},
          {"least_recent_use", left.kernels() > 0 ? Json(left.entries.front().used_at) : Json(nullptr)},
          {"removed_kernels", removed.kernels()},
          {"removed_bytes", removed.bytes()}};
}

}  // namespace scantune
