#include "select/tuning_record.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "scantune/error.hpp"
#include "select/carried_hashes.h"
#include "select/least_time.h"
#include "select/printable.h"
#include "space/config_json.h"

namespace scantune {
namespace {

constexpr std::size_t kLongestConfig = 4096;
constexpr int kLargestParameter = 1 << 16;  // families multiply such values, and an int must hold the product

std::string label(const RecordRow& row) {
  return printable(row.family) + " for " + printable(row.algorithm) + " " + printable(row.request) + " of " +
         std::to_string(row.n) + " items on " + printable(row.device_name) + " (" + printable(row.arch) + ") in " +
         row.database;
}

std::string breakpoint_label(const std::string& record) { return "the breakpoint above " + record; }

[[noreturn]] void reject(const std::string& reason) { throw RequestError(reason); }

void check_sizes(const RecordRow& row) {
  for (const std::string* text : {&row.device_name, &row.template_hash, &row.finished_at})
    if (text->size() > kLongestText) reject("a text is longer than " + std::to_string(kLongestText) + " bytes");
  if (row.request.size() > kLongestRequest)
    reject("the request is longer than " + std::to_string(kLongestRequest) + " bytes");
  if (row.config.size() > kLongestConfig)
    reject("the config is longer than " + std::to_string(kLongestConfig) + " bytes");
  if (row.n < 1 || static_cast<u64>(row.n) > kMostItems) reject("n is out of range");
  if (row.served_above < 0 || row.served_above >= row.n || row.served_up_to < row.n ||
      static_cast<u64>(row.served_up_to) > kMostItems)
    reject("its range, more than " + std::to_string(row.served_above) + " and up to " +
           std::to_string(row.served_up_to) + " items, does not hold n, or is out of range");
  if (row.sm_count < 1 || row.sm_count > kMostSms) reject("sm_count is out of range");
  if (!std::isfinite(row.median_us) || row.median_us <= 0) reject("median_us is not a positive number");
  if (row.default_us && (!std::isfinite(*row.default_us) || *row.default_us <= 0))
    reject("default_us is not a positive number");
}

// A request has one spelling, so that no two rows are of one problem.
StatedRequest well_spelled(const ProblemRow& row) {
  const AlgorithmModel* algorithm = find_algorithm(row.algorithm);
  if (algorithm == nullptr)
    reject("the algorithm is '" + printable(row.algorithm) + "', which this version does not know");
  StatedRequest stated = parse_request(*algorithm, row.request);
  if (canonical_request(stated) != row.request)
    reject("the request is not spelled as a tuner spells it: " + printable(row.request));
  adopt_shape(stated.request, row.shape);
  return stated;
}

StatedRequest request_of(const RecordRow& row) { return row.stated ? *row.stated : well_spelled(row); }

// Why the config serves no request like the record's; null if it may serve some. How long rows or columns were is known
// by their class alone, and a config may be for some lengths of that class and not for others: whoever selects
// it asks again, for the request at hand.
const char* reason_against(const Config& config, const Request& request, int sm) {
  const char* const reason = reject_reason(config, request, sm);
  if (reason == nullptr) return nullptr;
  u64 sequences = 0;
  for (const ExtentModel& extent : request.algorithm().extents())
    if (request.has(extent)) sequences = std::max(sequences, request[extent]);
  if (sequences == 0) return reason;
  // Lengths that fit a CTA, among them multiples of any number of items that a thread may hold.
  constexpr u64 kLengths[] = {4096, 3840, 3584, 3456, 3328, 2816};
  constexpr int kHalvings = 8;
  for (int halvings = 0; halvings < kHalvings; ++halvings)
    for (const u64 length : kLengths) {
      Request other = request;
      other.n = sequences * (length >> halvings);
      if (reject_reason(config, other, sm) == nullptr) return nullptr;
    }
  return reason;
}

Config config_of(const RecordRow& row, const Request& request, int sm) {
  Config config = parse_config(row.family, row.config);
  for (int index = 0; index < static_cast<int>(config.family().parameters().size()); ++index)
    if (config[index] < -kLargestParameter || config[index] > kLargestParameter)
      reject(std::string(config.family().parameters()[static_cast<std::size_t>(index)].name) + " is out of range");
  if (const char* reason = reason_against(config, request, sm)) reject(reason);
  return config;
}

Breakpoint breakpoint_of(const BreakpointRow& breakpoint, std::int64_t n) {
  const auto& [n_high, n_switch] = breakpoint;
  if (n_high <= n || static_cast<u64>(n_high) > kMostItems) reject("its upper end is out of range");
  if (n_switch <= n || n_switch > n_high) reject("it is not between its ends");
  return {static_cast<u64>(n_high), static_cast<u64>(n_switch)};
}

void check_times(const RecordRow& row, const Request& request) {
  const auto check_time = [&](const char* name, double time_us) {
    const std::string reason = impossibility(row.arch, request, time_us);
    if (!reason.empty()) reject(std::string(name) + ": " + reason);
  };
  check_time("median_us", row.median_us);
  if (row.default_us) check_time("default_us", *row.default_us);
}

TuningRecord record_of(const RecordRow& row) {
  check_sizes(row);
  const int sm = sm_of(row.arch);
  StatedRequest stated = request_of(row);
  const RequestKey key = key_of(stated.request);
  resize(stated.request, static_cast<u64>(row.n));
  check_times(row, stated.request);
  return {.device = {row.arch, sm, printable(row.device_name), static_cast<int>(row.sm_count)},
          .request = stated.request,
          .key = key,
          .shape = row.shape,
          .served_above = static_cast<u64>(row.served_above),
          .served_up_to = static_cast<u64>(row.served_up_to),
          .operator_name = std::move(stated.custom.name),
          .config = config_of(row, stated.request, sm),
          .template_hash = CarriedHashes::known().now(row.template_hash),
          .median_us = row.median_us,
          .default_us = row.default_us,
          .finished_at = printable(row.finished_at),
          .breakpoint = std::nullopt,
          .layer = row.layer,
          .database = row.database,
          .origin = row.origin};
}

}  // namespace

int sm_of(const std::string& arch) {
  if (arch == "host") return kHostSm;
  int sm = 0;
  const char* const end = arch.data() + arch.size();
  if (arch.starts_with("sm_"))
    if (const auto [rest, error] = std::from_chars(arch.data() + 3, end, sm);
        error == std::errc{} && rest == end && sm >= 10 && sm < 1000)
      return sm;
  reject("arch is '" + printable(arch) + "', which is neither host nor sm_ and a number");
}

std::shared_ptr<const StatedRequest> stated_by(const ProblemRow& row) {
  try {
    return std::make_shared<const StatedRequest>(well_spelled(row));
  } catch (const RequestError&) {
    return nullptr;  // check() says why
  }
}

std::variant<TuningRecord, RejectedRow> check(const RecordRow& row) {
  try {
    return record_of(row);
  } catch (const Error& error) {
    return RejectedRow{label(row), error.what()};
  }
}

std::variant<Breakpoint, RejectedRow> check_breakpoint(const RecordRow& row) {
  try {
    return breakpoint_of(*row.breakpoint, row.n);
  } catch (const Error& error) {
    return RejectedRow{breakpoint_label(label(row)), error.what()};
  }
}

RejectedRow rejected_breakpoint(const TuningRecord& record, const std::string& reason) {
  return {breakpoint_label(to_string(record.request, record.operator_name) + " on " + record.device.name + " in " +
                           record.database),
          reason};
}

}  // namespace scantune
