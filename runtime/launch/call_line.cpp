#include "launch/call_line.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "space/config_json.h"
#include "space/request_json.h"
#include "support/sha256.h"

namespace scantune {
namespace {

// The numbers that records keep only the classes of.
Json extents_json(const Request& request) {
  Json json = Json::object();
  for (const ExtentModel& extent : request.algorithm().extents())
    if (request.has(extent) && extent.is_recorded()) json[extent.recorded_name()] = recorded_number(request, extent);
  return json;
}

Json sources_json(const CustomOperator& custom) {
  Json json = Json::object();
  for (const auto& [role, source] :
       {std::pair("function", &custom.source), std::pair("load", &custom.load.source),
        std::pair("store", &custom.store.source), std::pair("equal", &custom.equal.source)})
    if (!source->empty()) json[role] = Sha256().add(*source).hex();
  return json;
}

Json record_json(const TuningRecord& record) {
  return {{"n", record.request.n},
          {"median_us", record.median_us},
          {"default_us", record.default_us ? Json(*record.default_us) : Json(nullptr)},
          {"layer", token(record.layer)}};
}

}  // namespace

std::string line_of(const Plan& plan) {
  const DeviceIdentity& device = plan.device().identity();
  const Request request = plan.request().algorithm().behind_maps(plan.request());
  const StatedRequest stated{request, {.source = {}, .name = std::string(name_of(plan.custom()))}};
  const Selection& selection = plan.selection();
  const std::string shape = canonical_shape(request);
  const Json config = to_json(selection.config);
  Json json = {{"arch", device.arch},
               {"device_name", device.name},
               {"sm_count", device.sm_count},
               {"algorithm", request.algorithm().name()},
               {"request", Json::parse(canonical_request(stated))},
               {"shape", shape.empty() ? Json("") : Json::parse(shape)},
               {"n", request.n},
               {"extents", extents_json(request)},
               {"family", config.at("family")},
               {"config", config.at("parameters")},
               {"origin", token(selection.origin)},
               {"reason", selection.reason},
               {"record", selection.record ? record_json(*selection.record) : Json(nullptr)}};
  if (plan.custom() != nullptr) json["sources"] = sources_json(*plan.custom());
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.pop_back();
  return text;
}

}  // namespace scantune
