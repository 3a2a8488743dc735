#include "bench_report.h"

#include <algorithm>
#include <bit>
#include <cstdio>

#include "space/space.h"

namespace scantune::bench {
namespace {

constexpr const char* kMethod =
    "Out-of-place scans, or reductions. Microseconds per launch: the median over replays of a CUDA graph of 64 (n <= "
    "2^22), 16 (n <= "
    "2^26) or 4 launches; the graphs of all contenders take turns, replay by replay, in one process. Spread: "
    "interquartile range over the median. Cold: launches rotate over up to 512 MiB of buffers; hot: they reuse one "
    "pair. Isolated: every launch stands between two ordinary kernels of 132 CTAs without programmatic dependent "
    "launch, whose own time in a graph of such kernels alone is taken off. Before they were timed, the first CUB's "
    "result was compared with the CPU's (a long one in evenly spread parts) and all others with that, bit by bit, in "
    "poisoned outputs; where two differ the CPU tells which is wrong, and that one was not timed. Of reductions every "
    "result was compared with the CPU's. CUB runs under its "
    "own policies: InclusiveSum, InclusiveScan or ExclusiveScan, which add i8, i16, u8 and u16 in 32 bits, f16 and "
    "bf16 "
    "in themselves; InclusiveScanInit from a zero of the output's type where that is wider than CUB's sums. Of "
    "reductions: Sum, Min, Max, ArgMin, ArgMax, or Reduce from such a zero. Forced "
    "look-ahead: CUB's persistent algorithm, which it does not choose on sm_90, with its policy for sm_100. Copy: the "
    "fastest, for each condition, of several vectorised and bulk-asynchronous kernels that read and write as many "
    "bytes; "
    "where a short measurement finds different ones fastest, all of these are listed. Offsets: items by "
    "which a pointer lies behind a 256-byte boundary.";

constexpr const char* kNone = "–";

template <class... Arguments>
std::string formatted(const char* format, Arguments... arguments) {
  char text[256];
  std::snprintf(text, sizeof text, format, arguments...);
  return text;
}

// Pads a text to a width. kNone counts as one column, whatever its bytes.
std::string padded(const std::string& text, std::size_t width) {
  const std::size_t columns = text == kNone ? 1 : text.size();
  return std::string(columns < width ? width - columns : 0, ' ') + text;
}

std::string spelled_us(const Time* time) {
  if (time == nullptr) return kNone;
  return formatted(time->median_us < 1000 ? "%.2f" : "%.1f", time->median_us);
}

std::string spelled_ratio(const std::optional<double>& ratio) { return ratio ? formatted("%.3f", *ratio) : kNone; }

const ContenderTimes* named(const CaseResult& result, const std::string& name) {
  const auto found = std::ranges::find(result.contenders, name, &ContenderTimes::name);
  return found == result.contenders.end() ? nullptr : &*found;
}

const ContenderTimes* lookahead(const CaseResult& result) {
  const auto found = std::ranges::find(result.contenders, Role::lookahead, &ContenderTimes::role);
  return found == result.contenders.end() ? nullptr : &*found;
}

// The text of a scan's time; the scan may not be there, or may be wrong.
std::string cell(const ContenderTimes* scan, Condition condition) {
  if (scan == nullptr) return kNone;
  if (!scan->wrong.empty()) return "wrong";
  const auto found = scan->times.find(condition);
  return spelled_us(found == scan->times.end() ? nullptr : &found->second);
}

nlohmann::ordered_json times_json(const ContenderTimes& contender) {
  nlohmann::ordered_json times = {{"role", token(contender.role)}, {"name", contender.name}};
  if (!contender.wrong.empty()) times["wrong"] = contender.wrong;
  for (const auto& [condition, time] : contender.times)
    times[token(condition)] = {{"us", time.median_us}, {"spread", time.spread}};
  return times;
}

nlohmann::ordered_json ratios_json(const CaseResult& result, Role role) {
  nlohmann::ordered_json ratios = nlohmann::ordered_json::object();
  for (const Condition condition : kAllConditions)
    if (const auto ratio = result.ratio(role, condition)) ratios[token(condition)] = *ratio;
  return ratios;
}

nlohmann::ordered_json facts_json(const RunFacts& facts) {
  nlohmann::ordered_json json = json_of(facts.provenance);
  json["cub"] = facts.cubs;
  json["seconds"] = facts.seconds;
  json["method"] = kMethod;
  json["failures"] = nlohmann::ordered_json::array();
  for (const Failure& failure : facts.failures)
    json["failures"].push_back({{"what", failure.what}, {"message", failure.message}});
  return json;
}

nlohmann::ordered_json json_of(const DrawResult& draw) {
  nlohmann::ordered_json json = {{"number", draw.number}};
  json.update(json_of(draw.result));
  json["slow"] = is_slow(draw.result);
  if (draw.first_ratio) json["first_cub_over_scantune"] = *draw.first_ratio;
  return json;
}

}  // namespace

std::string problem_name(const Request& request) {
  const Case subject{request};
  std::string name = token(subject.input().type);
  if (subject.output().type != subject.input().type) name += std::string(":") + token(subject.output().type);
  name += std::string(" ") + token(request.op().value());
  if (request.value<Kind>() == Kind::exclusive) name += std::string(" ") + token(Kind::exclusive);
  return subject.has_position() ? name + " " + token(Position::first) : name;
}

std::string size_name(u64 n) {
  return std::has_single_bit(n) ? "2^" + std::to_string(std::countr_zero(n)) : std::to_string(n);
}

std::string case_name(const Case& subject) {
  return problem_name(subject.request) + " " + size_name(subject.request.n) + " +" +
         std::to_string(subject.input_offset) + " +" + std::to_string(subject.output_offset);
}

ComparisonTable::ComparisonTable(std::vector<std::string> cubs, std::vector<Condition> conditions)
    : cubs_(std::move(cubs)), conditions_(std::move(conditions)) {}

std::string ComparisonTable::heading() const {
  std::string text = formatted("%-20s %10s | %9s %6s |", "problem", "n", "scantune", "GB/s");
  for (const std::string& cub : cubs_) text += padded(cub, 10);
  text += padded("look-ahead", 11) + padded("copy", 10) + padded("memcpy", 10) + " |";
  for (const Condition condition : conditions_) text += padded(token(condition), 14);
  return text + " | of copy | spread";
}

std::string ComparisonTable::line(const CaseResult& result) const {
  const Condition shown = conditions_.front();
  const Time* const own = result.fastest(Role::scantune, shown);
  std::string text = formatted("%-20s %10s | %9s %6.0f |", problem_name(result.subject.request).c_str(),
                               size_name(result.subject.request.n).c_str(), spelled_us(own).c_str(),
                               result.gigabytes_per_second(*own));
  for (const std::string& cub : cubs_) text += padded(cell(named(result, cub), shown), 10);
  text += padded(cell(lookahead(result), shown), 11);
  for (const Role role : {Role::copy, Role::memcpy}) text += padded(spelled_us(result.fastest(role, shown)), 10);
  text += " |";
  for (const Condition condition : conditions_) text += padded(spelled_ratio(result.ratio(Role::cub, condition)), 14);
  return text + " |" + padded(spelled_ratio(result.ratio(Role::copy, shown)), 8) +
         formatted(" | %5.1f%%", 100 * result.spread(shown));
}

std::string line_of(const DrawResult& draw) {
  const CaseResult& result = draw.result;
  std::string text =
      formatted("%4zu  %-18s %10s +%-2llu +%-2llu | %9s us | CUB %9s | %s spread %.1f%%", draw.number,
                problem_name(result.subject.request).c_str(), size_name(result.subject.request.n).c_str(),
                result.subject.input_offset, result.subject.output_offset,
                spelled_us(result.fastest(Role::scantune, Condition::cold)).c_str(),
                spelled_us(result.fastest(Role::cub, Condition::cold)).c_str(),
                spelled_ratio(result.ratio(Role::cub, Condition::cold)).c_str(), 100 * result.spread(Condition::cold));
  if (draw.first_ratio) text += ", measured again after " + spelled_ratio(draw.first_ratio);
  return is_slow(result) ? text + ", SLOW" : text;
}

std::string summary_of(std::span<const DrawResult> draws) {
  std::string text;
  std::size_t slow = 0, again = 0;
  for (const DrawResult& draw : draws) {
    again += draw.first_ratio.has_value();
    if (!is_slow(draw.result)) continue;
    ++slow;
    text += line_of(draw) + "\n";
  }
  return formatted("%zu draws, %zu measured again, %zu below %.2f of the faster CUB\n", draws.size(), again, slow,
                   kLeastRatio) +
         text;
}

nlohmann::ordered_json json_of(const CaseResult& result) {
  const Case& subject = result.subject;
  nlohmann::ordered_json contenders = nlohmann::ordered_json::array();
  for (const ContenderTimes& contender : result.contenders) contenders.push_back(times_json(contender));
  nlohmann::ordered_json json = {{"algorithm", subject.request.algorithm().name()},
                                 {"type", token(subject.input().type)},
                                 {"accumulator_type", token(subject.request.accumulator_type())},
                                 {"output_type", token(subject.output().type)},
                                 {"op", token(subject.request.op().value())}};
  if (const auto kind = subject.request.value<Kind>()) json["kind"] = token(*kind);
  if (const auto position = subject.request.value<Position>()) json["position"] = token(*position);
  json.update({{"latency", token(subject.request.value<Latency>().value())},
               {"n", subject.request.n},
               {"input_offset", subject.input_offset},
               {"output_offset", subject.output_offset},
               {"bytes_moved", moved_bytes(subject.request)},
               {"launches_per_graph", result.launches},
               {"buffer_pairs", result.buffers},
               {"samples", result.samples},
               {"contenders", std::move(contenders)},
               {"cub_over_scantune", ratios_json(result, Role::cub)},
               {"copy_over_scantune", ratios_json(result, Role::copy)},
               {"chosen", result.chosen}});
  return json;
}

nlohmann::ordered_json json_of(const RunFacts& facts, std::span<const CaseResult> results) {
  nlohmann::ordered_json json = facts_json(facts);
  json["results"] = nlohmann::ordered_json::array();
  for (const CaseResult& result : results) json["results"].push_back(json_of(result));
  return json;
}

nlohmann::ordered_json json_of(const RunFacts& facts, std::span<const DrawResult> draws, u64 seed) {
  nlohmann::ordered_json json = facts_json(facts);
  json["seed"] = seed;
  json["least_ratio"] = kLeastRatio;
  json["slow"] = std::ranges::count_if(draws, [](const DrawResult& draw) { return is_slow(draw.result); });
  json["draws"] = nlohmann::ordered_json::array();
  for (const DrawResult& draw : draws) json["draws"].push_back(json_of(draw));
  return json;
}

}  // namespace scantune::bench
