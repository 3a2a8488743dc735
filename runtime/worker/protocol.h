// The lines of the worker protocol (docs/worker-protocol.md).
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "scantune/error.hpp"
#include "space/config_json.h"

namespace scantune {

// The error that answers a failed request. kind is one of the protocol's.
struct WorkerError : Error {
  WorkerError(std::string error_kind, const std::string& message, bool is_fatal = false)
      : Error(message), kind(std::move(error_kind)), fatal(is_fatal) {}

  std::string kind;
  bool fatal;  // the worker must be replaced
};

struct WorkerRequest {
  Json id;  // null if the line has no id
  std::string method;
  Json params = Json::object();
  std::string fault;  // why the line is not a request; empty if it is one
};

// Limits memory and time: at most 32 levels and 2^20 values.
WorkerRequest read_request(const std::string& line);

// Each returns one line, without its end.
std::string answer_line(const Json& id, Json result);
std::string error_line(const Json& id, const WorkerError& error);
std::string refusal_of_long_line();

Json error_json(const WorkerError& error);

// The list of function(each).
template <class Range, class Function>
Json list_of(const Range& range, const Function& function) {
  Json list = Json::array();
  for (const auto& one : range) list.push_back(function(one));
  return list;
}

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace scantune
