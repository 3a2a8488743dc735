#include "worker/protocol.h"

#include "worker/line_reader.h"

namespace scantune {
namespace {

// Foreign text in a message may be no UTF-8.
std::string line_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// Takes the members of a request that are there, and returns why the document is not a request.
std::string take(Json& document, WorkerRequest& request) {
  if (!document.is_object()) return "the line is not a JSON object";
  if (const auto id = document.find("id"); id != document.end()) {
    if (id->is_structured()) return "id must be a number or a string";
    request.id = *id;
  }
  const auto method = document.find("method");
  if (method == document.end() || !method->is_string()) return "method must be a string";
  request.method = method->get<std::string>();
  if (const auto params = document.find("params"); params != document.end()) request.params = std::move(*params);
  if (!request.params.is_object()) return "params must be a JSON object";
  return {};
}

constexpr int kMostLevels = 32;
constexpr std::size_t kMostValues = std::size_t{1} << 20;

// Why a document is more than a request.
struct Excess {
  std::string fault;
};

// Throws Excess while it reads: a line of brackets would become a hundred times as much memory.
Json parse(const std::string& line) {
  std::size_t values = 0;
  const auto within_limits = [&](int level, Json::parse_event_t, const Json&) {
    if (level >= kMostLevels)
      throw Excess{"the line is nested more than " + std::to_string(kMostLevels) + " levels deep"};
    if (++values > kMostValues) throw Excess{"the line holds more than " + std::to_string(kMostValues) + " values"};
    return true;
  };
  return Json::parse(line, within_limits, false);
}

}  // namespace

WorkerRequest read_request(const std::string& line) {
  WorkerRequest request;
  try {
    Json document = parse(line);
    request.fault = take(document, request);
  } catch (const Excess& excess) {
    request.fault = excess.fault;
  }
  return request;
}

std::string answer_line(const Json& id, Json result) {
  return line_of({{"id", id}, {"ok", true}, {"result", std::move(result)}});
}

std::string error_line(const Json& id, const WorkerError& error) {
  return line_of({{"id", id}, {"ok", false}, {"error", error_json(error)}});
}

std::string refusal_of_long_line() {
  return error_line(nullptr, {"bad_request", "the line is longer than " + std::to_string(LineReader::kMostBytes >> 20) +
                                                 " MiB: no request is; an operator's source must be shorter"});
}

Json error_json(const WorkerError& error) {
  Json json = Json::object();
  json["kind"] = error.kind;
  if (error.fatal) json["fatal"] = true;
  json["message"] = error.what();
  return json;
}

}  // namespace scantune
