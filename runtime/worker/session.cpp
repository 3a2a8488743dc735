#include "worker/session.h"

#include <algorithm>
#include <map>
#include <new>
#include <sstream>

#include "jit/binary_key.h"
#include "jit/cache_contents.h"
#include "measure/exhibits.h"
#include "select/layers.h"
#include "select/printable.h"
#include "select/selector.h"
#include "support/paths.h"
#include "worker/described_device.h"

namespace scantune {
namespace {

constexpr int kProtocol = 4;

// Where a value stands in its parameter's list.
std::size_t index_of(const ParameterModel& parameter, int value) {
  const auto found = std::ranges::find(parameter.values, value);
  if (found == parameter.values.end())
    throw Error(std::string("a searched config has a value of ") + parameter.name + " that its table does not list");
  return static_cast<std::size_t>(found - parameter.values.begin());
}

// This comes before anything is computed from a config, since parameters out of range divide by zero.
void require_legal(const Config& config, const Request& request, const DeviceIdentity& device) {
  if (const char* reason = reject_reason(config, request, device.sm)) throw WorkerError("unsupported", reason);
}

Json parameter_json(const ParameterModel& parameter) {
  Json values = Json::array();
  for (const int value : parameter.values) values.push_back(value_json(parameter, value));
  Json json = Json::object();
  json["name"] = parameter.name;
  json["role"] = parameter.role == Role::primary ? "primary" : "secondary";
  json["values"] = std::move(values);
  return json;
}

Json configs_json(const FamilyModel& family, const Request& request, int sm) {
  Json configs = Json::array();
  for (const Config& config : searched_configs(family, request, sm)) {
    Json indices = Json::array();
    for (std::size_t index = 0; index < family.parameters().size(); ++index)
      indices.push_back(index_of(family.parameters()[index], config[static_cast<int>(index)]));
    configs.push_back(std::move(indices));
  }
  return configs;
}

Json family_json(const FamilyModel& family, const Request& request, int sm, bool with_configs) {
  Json parameters = Json::array();
  for (const ParameterModel& parameter : family.parameters()) parameters.push_back(parameter_json(parameter));
  Json json = Json::object();
  json["name"] = family.name();
  json["template_hash"] = template_hash(family, request.has_custom_operator(), sm);
  json["parameters"] = std::move(parameters);
  json["configs"] = with_configs ? configs_json(family, request, sm) : Json::array();
  json["default"] = to_json(family.default_config(request, sm));
  return json;
}

// What rows of a family may hold beside the parameters that it has.
Json table_json(const FamilyModel& family) {
  Json parameters = Json::array(), former = Json::array();
  for (const ParameterModel& parameter : family.parameters()) {
    Json& json = parameters.emplace_back(Json::object());
    json["name"] = parameter.name;
    if (parameter.absent) json["absent_means"] = value_json(parameter, *parameter.absent);
  }
  for (const FormerValue& value : family.former_values()) former.push_back(to_json(family, value));
  Json json = Json::object();
  json["name"] = family.name();
  json["algorithm"] = family.algorithm().name();
  json["standing"] = token(family.standing());
  json["parameters"] = std::move(parameters);
  json["former_values"] = std::move(former);
  return json;
}

// What a request of an algorithm may say: values by default are null where other members decide them.
Json member_json(const MemberModel& member, const Request& by_default) {
  Json json = Json::object();
  json["name"] = member.name;
  json["spelling"] = token(member.spelling);
  json["match"] = token(member.match);
  json["is_option"] = member.is_option();
  json["values"] = Json::array();
  for (const char* value : member.tokens) json["values"].push_back(value);
  json["default"] = nullptr;
  if (member.spelling != Spelling::value_type) json["default"] = spell(member, by_default);
  json["meaning"] = member.meaning;
  return json;
}

Json extent_json(const ExtentModel& extent) {
  Json json = {{"name", extent.name}, {"meaning", extent.meaning}};
  if (extent.member != nullptr)
    json["where"] = {{extent.member->name, extent.member->tokens[static_cast<std::size_t>(extent.value)]}};
  return json;
}

Json operands_json(const Request& by_default) {
  Json operands = Json::array();
  const OperandList list = by_default.algorithm().operands(by_default);
  for (int index = 0; index < list.count; ++index) {
    const Operand& operand = list.operands[index];
    Json& json = operands.emplace_back(Json::object());
    json["name"] = operand.name;
    json["role"] = token(operand.role);
    json["type"] = operand.type;
    json["extent"] = operand.extent;
  }
  return operands;
}

Json algorithm_json(const AlgorithmModel& algorithm) {
  const Request by_default(algorithm);
  Json json = Json::object();
  json["name"] = algorithm.name();
  json["members"] = Json::array();
  for (const MemberModel& member : algorithm.members()) json["members"].push_back(member_json(member, by_default));
  json["extents"] = Json::array();
  for (const ExtentModel& extent : algorithm.extents()) json["extents"].push_back(extent_json(extent));
  json["operands"] = operands_json(by_default);
  return json;
}

// The hash of all that any family's kernels are compiled from: another build's differs if some kernel does.
std::string hash_of_all_kernels(int sm) {
  std::vector<std::string> headers;
  for (const FamilyModel* family : families())
    for (const std::string& header : kernel_headers(*family, true)) headers.push_back(header);
  return template_hashes(view_of(sm)).of(headers);
}

Json measurement_json(const Measurement& measurement, bool with_samples) {
  Json json = Json::object();
  json["median_us"] = measurement.median_us;
  json["spread"] = measurement.spread;
  json["samples"] = measurement.samples_us.size();
  if (with_samples) json["samples_us"] = measurement.samples_us;
  json["launches_per_sample"] = measurement.launches_per_sample;
  json["sm_clock_mhz"] = nullptr;
  if (measurement.sm_clock_mhz) json["sm_clock_mhz"] = *measurement.sm_clock_mhz;
  json["probe_only"] = measurement.probe_only;
  return json;
}

// What the record that was selected says, and where it comes from.
Json record_json(const TuningRecord& record) {
  Json json = Json::object();
  json["device"] = {{"arch", record.device.arch}, {"name", record.device.name}, {"sm_count", record.device.sm_count}};
  json["algorithm"] = record.request.algorithm().name();
  json["request"] = canonical_request({record.request, {.source = {}, .name = record.operator_name}});
  json["shape"] = canonical_shape(record.request);
  json["n"] = record.request.n;
  json["median_us"] = record.median_us;
  json["default_us"] = nullptr;
  if (record.default_us) json["default_us"] = *record.default_us;
  json["layer"] = token(record.layer);
  json["database"] = printable(record.database);
  json["finished_at"] = record.finished_at;
  json["origin"] = nullptr;
  if (!record.origin) return json;
  const RecordOrigin& origin = *record.origin;
  json["origin"] = {{"by", origin.by}, {"file", origin.file}, {"run", origin.run}};
  if (!origin.host.empty()) json["origin"]["host"] = origin.host;
  if (!origin.signer.empty()) json["origin"]["signer"] = origin.signer;
  return json;
}

Json selection_json(const Selection& selection) {
  Json json = Json::object();
  json["config"] = to_json(selection.config);
  json["origin"] = token(selection.origin);
  json["reason"] = selection.reason;
  json["record"] = selection.record ? record_json(*selection.record) : Json(nullptr);
  return json;
}

Json exhibit_json(const Exhibit& exhibit, const ExhibitRuns& runs) {
  Json json = Json::object();
  json["name"] = exhibit.name;
  json["family"] = exhibit.family;
  json["flaw"] = exhibit.flaw;
  json["n"] = exhibit.n;
  json["schedules"] = runs.schedules;
  json["wrong"] = runs.wrong;
  json["wrong_of_family"] = runs.wrong_of_family;
  json["first"] = nullptr;
  if (const auto& first = runs.first)
    json["first"] = {{"seed", first->seed}, {"schedule", first->schedule}, {"fault", printable(first->fault)}};
  return json;
}

Json failed(const WorkerError& error) {
  Json json = Json::object();
  json["error"] = error_json(error);
  return json;
}

Json outcome_json(const MeasureOutcome& outcome, bool with_samples) {
  if (const auto* measurement = std::get_if<Measurement>(&outcome)) return measurement_json(*measurement, with_samples);
  const auto& failure = std::get<MeasureFailure>(outcome);
  return failed(
      {failure.of_device && !failure.fatal ? "device_error" : "launch_error", failure.message, failure.fatal});
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
    return compile({request.params, {"request", "config", "all_kinds", "measured_only"}});
  if (request.method == "verify") return verify({request.params, {"request", "config", "seed", "all_kinds"}});
  if (request.method == "measure") return measure({request.params, {"request", "configs", "policy", "samples"}});
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
  Json json = Json::object();
  json["protocol"] = kProtocol;
  json["version"] = SCANTUNE_VERSION;
  json["template_hash"] = hash_of_all_kernels(identity.sm);
  json["compiler_version"] = device().compiler().version();
  json["driver_version"] = device().driver_version();
  json["device"] = Json::object();
  json["device"]["arch"] = identity.arch;
  json["device"]["name"] = identity.name;
  json["device"]["sm_count"] = identity.sm_count;
  if (const auto peak = device().peak_gigabytes_per_second()) json["device"]["peak_gigabytes_per_second"] = *peak;
  json["algorithms"] = Json::array();
  for (const AlgorithmModel* algorithm : algorithms()) json["algorithms"].push_back(algorithm_json(*algorithm));
  json["families"] = Json::array();
  for (const FamilyModel* family : families()) json["families"].push_back(table_json(*family));
  return json;
}

Json Session::space(const Params& params) {
  const StatedRequest stated = params.stated();
  const Request& request = stated.request;
  const bool with_configs = params.with_configs(), with_gallery = params.with_gallery();
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
  Json json = Json::object();
  json["request"] = to_json(stated);
  json["problem"] = canonical_request(stated);
  json["shape"] = canonical_shape(request);
  json["default_config"] = to_json(default_config(request, sm));
  json["families"] = std::move(families_json);
  if (with_gallery) json["refused"] = std::move(refused);
  return json;
}

Json Session::validate(const Params& params) {
  const Config config = params.config();
  const Request request = params.stated().request;
  const char* reason = reject_reason(config, request, device().identity().sm);
  Json json = Json::object();
  json["valid"] = reason == nullptr;
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
  const DeviceIdentity& identity = device().identity();
  require_legal(config, stated.request, identity);
  Compiler& compiler = device().compiler();
  Json json = Json::object();
  double compile_ms = 0;
  for (const VerifiedKernel& kernel : verified_kernels(stated.request, &stated.custom, params.all_kinds())) {
    const Instantiation instantiation = instantiate_measured(kernel.request, config, kernel.variant, kernel.custom);
    const Binary binary = compiler.compile(instantiation, identity.arch);
    compile_ms += binary.compile_ms;
    if (json.empty()) {
      json["key"] = binary_key(compiler, instantiation, identity.arch);
      json["log"] = binary.log;
    }
    if (params.measured_only()) break;  // the measured kernel comes first
  }
  json["cached"] = compile_ms == 0;
  json["compile_ms"] = compile_ms;
  return json;
}

Json Session::verify(const Params& params) {
  const StatedRequest stated = params.stated();
  const Config config = params.config();
  const VerifyOptions options{.seed = params.seed(), .all_kinds = params.all_kinds()};
  require_legal(config, stated.request, device().identity());
  Json json = Json::object();
  try {
    json["checks"] = verifier_->verify(stated.request, config, &stated.custom, options);
  } catch (const OutOfDeviceMemory&) {
    // The buffers of the last measurement are in the way; filling them again costs less than failing.
    if (!measurer_->release()) throw;
    json["checks"] = verifier_->verify(stated.request, config, &stated.custom, options);
  }
  return json;
}

Json Session::measure(const Params& params) {
  const StatedRequest stated = params.stated();
  const std::vector<Config> configs = params.configs();
  const MeasurePolicy policy = params.policy();
  const bool with_samples = params.with_samples();
  std::vector<PreparedConfig> prepared;
  prepared.reserve(configs.size());  // pointers into it are kept
  std::vector<const PreparedConfig*> ready;
  std::vector<std::size_t> places;
  std::vector<Json> measurements(configs.size());
  for (std::size_t place = 0; place < configs.size(); ++place) {
    try {
      ready.push_back(&prepared.emplace_back(device(), stated.request, configs[place],
                                             variant_from_boundaries(stated.request), &stated.custom));
      places.push_back(place);
    } catch (const Error&) {
      measurements[place] = failed(translated(std::current_exception()));
    }
  }
  const Measurements measured = measurer_->measure(ready, policy);
  for (std::size_t index = 0; index < places.size(); ++index)
    measurements[places[index]] = outcome_json(measured.configs[index], with_samples);

  Json json = Json::object();
  json["measurements"] = std::move(measurements);
  json["ceiling_us"] = nullptr;
  if (measured.ceiling_us) json["ceiling_us"] = *measured.ceiling_us;
  return json;
}

Json Session::select(const Params& params) {
  const StatedRequest stated = params.stated();
  const auto databases = params.databases();
  std::optional<TuningTable> given;
  const TuningTable& table = databases ? given.emplace(table_of(*databases)) : tuning_table();
  const DeviceIdentity& identity = device().identity();
  Json json = selection_json(scantune::select(table, identity, stated.request, stated.custom.name));
  if (params.with_runner_up()) {
    const auto next = runner_up(table, identity, stated.request, stated.custom.name);
    json["runner_up"] = next ? selection_json(*next) : Json(nullptr);
  }
  Json rejected = Json::array();
  for (const RejectedRow& refused : table.rejected()) {
    Json row = Json::object();
    row["row"] = refused.row;
    row["reason"] = refused.reason;
    rejected.push_back(std::move(row));
  }
  json["rejected"] = std::move(rejected);
  return json;
}

Json Session::races(const Params& params) {
  const u64 seed = params.seed();
  const int schedules = params.schedules();
  auto* const host = dynamic_cast<HostDevice*>(&device());
  if (host == nullptr)
    throw WorkerError("unsupported", "kernels with a race run on the host device alone, whose schedules show it");
  Json list = Json::array();
  for (const Exhibit& exhibit : exhibits())
    list.push_back(exhibit_json(exhibit, run_exhibit(*host, exhibit, seed, schedules)));
  Json json = Json::object();
  json["races"] = std::move(list);
  return json;
}

Json Session::built_in(const Params&) {
  Json records = Json::array();
  for (const EmbeddedFile& file : built_in_databases()) {
    std::istringstream lines(file.text);
    for (std::string line; std::getline(lines, line);) records.push_back(Json::parse(line));
  }
  Json json = Json::object();
  json["records"] = std::move(records);
  return json;
}

Json Session::cache(const Params& params) {
  const auto directory = cache_directory();
  const auto most_bytes = params.most_bytes();
  CacheContents removed, left;
  if (directory && most_bytes) removed = evict(*directory, *most_bytes);
  if (directory) left = cache_contents(*directory);
  Json json = Json::object();
  json["directory"] = nullptr;
  if (directory) json["directory"] = directory->string();
  json["kernels"] = left.kernels();
  json["bytes"] = left.bytes();
  json["least_recent_use"] = nullptr;
  if (left.kernels() > 0) json["least_recent_use"] = left.entries.front().used_at;
  json["removed_kernels"] = removed.kernels();
  json["removed_bytes"] = removed.bytes();
  return json;
}

}  // namespace scantune
