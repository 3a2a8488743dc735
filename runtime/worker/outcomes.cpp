#include "worker/outcomes.h"

#include "select/printable.h"

namespace scantune {
namespace {

Json measurement_json(const Measurement& measurement, bool with_samples) {
  Json json = {{"median_us", measurement.median_us},
               {"spread", measurement.spread},
               {"samples", measurement.samples_us.size()},
               {"launches_per_sample", measurement.launches_per_sample},
               {"sm_clock_mhz", or_null(measurement.sm_clock_mhz)},
               {"probe_only", measurement.probe_only}};
  if (with_samples) json["samples_us"] = measurement.samples_us;
  return json;
}

Json origin_json(const RecordOrigin& origin) {
  Json json = {{"by", origin.by}, {"file", origin.file}, {"run", origin.run}};
  if (!origin.host.empty()) json["host"] = origin.host;
  if (!origin.signer.empty()) json["signer"] = origin.signer;
  return json;
}

// What the record that was selected says, and where it comes from.
Json record_json(const TuningRecord& record) {
  const DeviceIdentity& device = record.device;
  return {{"device", {{"arch", device.arch}, {"name", device.name}, {"sm_count", device.sm_count}}},
          {"algorithm", record.request.algorithm().name()},
          {"request", canonical_request({record.request, {.source = {}, .name = record.operator_name}})},
          {"shape", record.shape},
          {"n", record.request.n},
          {"serves", {record.served_above, record.served_up_to}},
          {"median_us", record.median_us},
          {"default_us", or_null(record.default_us)},
          {"layer", token(record.layer)},
          {"database", printable(record.database)},
          {"finished_at", record.finished_at},
          {"origin", record.origin ? origin_json(*record.origin) : Json(nullptr)}};
}

}  // namespace

Json failure_json(const WorkerError& error) { return {{"error", error_json(error)}}; }

Json outcome_json(const MeasureOutcome& outcome, bool with_samples) {
  if (const auto* measurement = std::get_if<Measurement>(&outcome)) return measurement_json(*measurement, with_samples);
  const auto& failure = std::get<MeasureFailure>(outcome);
  return failure_json(
      {failure.of_device && !failure.fatal ? "device_error" : "launch_error", failure.message, failure.fatal});
}

Json selection_json(const Selection& selection) {
  return {{"config", to_json(selection.config)},
          {"origin", token(selection.origin)},
          {"reason", selection.reason},
          {"record", selection.record ? record_json(*selection.record) : Json(nullptr)}};
}

Json exhibit_json(const Exhibit& exhibit, const ExhibitRuns& runs) {
  Json json = {{"name", exhibit.name},
               {"family", exhibit.family},
               {"flaw", exhibit.flaw},
               {"n", exhibit.n},
               {"schedules", runs.schedules},
               {"wrong", runs.wrong},
               {"wrong_of_family", runs.wrong_of_family},
               {"first", nullptr}};
  if (const auto& first = runs.first)
    json["first"] = {{"seed", first->seed}, {"schedule", first->schedule}, {"fault", printable(first->fault)}};
  return json;
}

}  // namespace scantune
