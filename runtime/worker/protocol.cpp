#include "worker/protocol.h"

namespace scantune {
namespace {

// Foreign text in a message may be no UTF-8.
std::string line_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// Returns why the document is no request, having taken from it what there is.
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

}  // namespace

WorkerRequest read_request(const std::string& line) {
  WorkerRequest request;
  Json document = Json::parse(line, nullptr, false);
  request.problem = take(document, request);
  return request;
}

std::string answer_line(const Json& id, Json result) {
  Json line = Json::object();
  line["id"] = id;
  line["ok"] = true;
  line["result"] = std::move(result);
  return line_of(line);
}

std::string error_line(const Json& id, const WorkerError& error) {
  Json line = Json::object();
  line["id"] = id;
  line["ok"] = false;
  line["error"] = error_json(error);
  return line_of(line);
}

Json error_json(const WorkerError& error) {
  Json json = Json::object();
  json["kind"] = error.kind;
  if (error.fatal) json["fatal"] = true;
  json["message"] = error.what();
  return json;
}

}  // namespace scantune
