#include "space/request_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "scantune/error.hpp"
#include "space/json_checks.h"
#include "space/space.h"
#include "space/spelling.h"
#include "space/strided.h"

namespace scantune {
namespace {

[[noreturn]] void refuse(const MemberModel& member, const char* more, const Json& json) {
  const std::string known = names_of(member.tokens, [](const char* spelling) { return spelling; });
  throw RequestError(std::string("request.") + member.name + " must be one of " + known + more + "; found " +
                     quote(json));
}

// All custom types of a request are one.
int type_value(const MemberModel& member, const Json& json, Request& request) {
  const auto type = json.is_string() ? parse_type(json.get_ref<const std::string&>()) : std::nullopt;
  if (!type) refuse(member, ", the last with its bytes, custom1 to custom32", json);
  if (!adopt(request, *type))
    throw RequestError(std::string("request.") + member.name + " is " + spell(*type) + " beside custom" +
                       std::to_string(request.custom_bytes) + ": a request has one custom type");
  return static_cast<int>(type->type);
}

int operator_value(const MemberModel& member, const Json& json, StatedRequest& stated) {
  auto op = json.is_string() ? parse_operator(json.get_ref<const std::string&>()) : std::nullopt;
  if (!op) refuse(member, ", the last three also with a name, as in custom_cheap:affine", json);
  stated.custom.name = std::move(op->name);
  return static_cast<int>(op->op);
}

int token_value(const MemberModel& member, const Json& json) {
  if (json.is_string())
    for (std::size_t value = 0; value < member.tokens.size(); ++value)
      if (json.get_ref<const std::string&>() == member.tokens[value]) return static_cast<int>(value);
  refuse(member, "", json);
}

int member_value(const MemberModel& member, const Json& json, StatedRequest& stated) {
  switch (member.spelling) {
    case Spelling::value_type:
      return type_value(member, json, stated.request);
    case Spelling::value_operator:
      return operator_value(member, json, stated);
    case Spelling::token:
      break;
  }
  return token_value(member, json);
}

// Reads the members that `admits` lets pass; the others have their defaults.
template <class Admits>
void read_members(const Json& json, StatedRequest& stated, const Admits& admits) {
  Request& request = stated.request;
  for (const MemberModel& member : request.members())
    if (const auto named = json.find(member.name); named != json.end() && admits(member))
      request.set(member, member_value(member, *named, stated));
  for (std::size_t place = request.members().size(); place-- > 0;) {
    const MemberModel& member = request.members()[place];
    if (json.contains(member.name) && admits(member)) continue;
    if (!member.has_default) throw RequestError(std::string("request.") + member.name + " is missing");
    request.set(member, request.algorithm().default_of(member, request));
  }
}

template <class Admits>
std::vector<std::string_view> names_of_members(const AlgorithmModel& algorithm, const Admits& admits) {
  std::vector<std::string_view> names;
  for (const MemberModel& member : algorithm.members())
    if (admits(member)) names.emplace_back(member.name);
  return names;
}

std::string text_member(const Json& json, const char* name) {
  const auto member = json.find(name);
  if (member == json.end()) return {};
  if (!member->is_string()) throw RequestError(std::string("request.operator.") + name + " must be a text");
  return member->get<std::string>();
}

// No source of a map or an equality comes in JSON, and kernels that are tuned without serve those with some.
void refuse_maps(const Request& request) {
  for (const MemberModel& member : request.members()) {
    const bool is_map = member.tokens.data() == Tokens<Load>::kNames || member.tokens.data() == Tokens<Store>::kNames;
    if (request[member] == 0 || (!is_map && member.tokens.data() != Tokens<Equality>::kNames)) continue;
    throw RequestError(std::string("request.") + member.name + " is " + spell(member, request) + ": " +
                       (is_map ? "maps" : "equalities") +
                       " come with the calls of programs, and nothing is tuned with them; leave it out");
  }
}

void read_operator(const Json& json, StatedRequest& stated) {
  Request& request = stated.request;
  if (!request.has_custom_operator()) {
    if (const auto criterion = request.value<Criterion>())
      throw RequestError(
          std::string("request.operator is for criteria of the caller's own, predicate and unique_by, ") +
          "and request.criterion is " + token(*criterion));
    if (const auto comparison = request.value<Comparison>())
      throw RequestError(std::string("request.operator is for comparisons of the caller's own, source, and ") +
                         "request.comparison is " + token(*comparison));
    const auto op = request.op();
    throw RequestError(std::string("request.operator is for custom operators, and ") +
                       (op ? std::string("request.op is ") + token(*op)
                           : std::string("a ") + request.algorithm().name() + " takes no operator"));
  }
  require_object(json, "request.operator");
  std::vector<std::string_view> known = {"source", "alignment"};
  if (request.op()) known.emplace_back("name");  // records of a predicate have no name
  require_known(json, "request.operator", known);
  stated.custom.source = text_member(json, "source");
  if (const auto name = json.find("name"); name != json.end()) {
    if (!name->is_string() || !is_operator_name(name->get_ref<const std::string&>()))
      throw RequestError("request.operator.name must be " + std::string(kOperatorNameRule) + "; found " + quote(*name));
    if (!stated.custom.name.empty() && *name != stated.custom.name)
      throw RequestError("request.operator.name is " + quote(*name) + ", and request.op names " + stated.custom.name);
    stated.custom.name = name->get<std::string>();
  }
  if (json.contains("source") && stated.custom.source.empty()) throw RequestError("request.operator.source is empty");
  const auto alignment = json.find("alignment");
  if (alignment == json.end()) return;
  if (request.custom_bytes == 0)
    throw RequestError("request.operator.alignment is for custom types, and the request has no custom type");
  for (int allowed = 1; allowed <= kVectorAlignmentBytes; allowed *= 2)
    if (*alignment == allowed && alignment->is_number_integer()) {
      request.custom_alignment = allowed;
      return;
    }
  throw RequestError("request.operator.alignment must be 1, 2, 4, 8 or 16; found " + quote(*alignment));
}

Json operator_json(const StatedRequest& stated) {
  Json json = Json::object();
  if (!stated.custom.name.empty()) json["name"] = stated.custom.name;
  if (!stated.custom.source.empty()) json["source"] = stated.custom.source;
  if (stated.request.custom_bytes != 0) json["alignment"] = stated.request.custom_alignment;
  return json;
}

u64 extent_member(const Json& json, const char* name) {
  const auto member = json.find(name);
  if (member == json.end()) throw RequestError(std::string("request.") + name + " is missing");
  // A negative number is not unsigned; a built one may be signed and positive.
  if (member->is_number_integer() && (member->is_number_unsigned() || member->get<i64>() > 0))
    if (const u64 extent = member->get<u64>(); extent >= 1 && extent <= kMostItems) return extent;
  throw RequestError(std::string("request.") + name + " must be an integer from 1 to 2^" +
                     std::to_string(kLargestMagnitude) + "; found " + quote(*member));
}

void read_extent(const Json& json, const ExtentModel& extent, Request& request) {
  if (request.has(extent)) return request.set(extent, extent_member(json, extent.name));
  if (json.contains(extent.name))
    throw RequestError(std::string("request.") + extent.name + " is for requests with " + extent.member->name + " " +
                       extent.member->tokens[static_cast<std::size_t>(extent.value)] + ", and this one has " +
                       spell(*extent.member, request));
}

bool may_have_layout(const AlgorithmModel& algorithm) { return &algorithm == &algorithm_of<CopyRequest>(); }

i64 stride_member(const Json& strides, const std::string& where, const char* name) {
  const auto member = strides.find(name);
  if (member == strides.end()) return 0;
  constexpr auto kMost = static_cast<i64>(kMostItems);
  if (member->is_number_integer() && (!member->is_number_unsigned() || member->get<u64>() <= kMostItems))
    if (const i64 stride = member->get<i64>(); stride >= -kMost) return stride;
  throw RequestError(where + "." + name + " must be an integer from -2^" + std::to_string(kLargestMagnitude) +
                     " to 2^" + std::to_string(kLargestMagnitude) + "; found " + quote(*member));
}

Strides strides_member(const Json& layout, const char* name) {
  const auto member = layout.find(name);
  if (member == layout.end()) throw RequestError(std::string("request.layout.") + name + " is missing");
  const std::string where = std::string("request.layout.") + name;
  require_object(*member, where.c_str());
  require_known(*member, where.c_str(), {"item", "sequence", "plane", "first"});
  return {stride_member(*member, where, "item"), stride_member(*member, where, "sequence"),
          stride_member(*member, where, "plane"), stride_member(*member, where, "first")};
}

StridedAxes axes_of(const Strides& strides, const Request& request) {
  const u64 count = sequences(request), plane_sequences = request.layout.plane_sequences;
  return {{"item", strides.item, request.n / count},
          {"sequence", strides.sequence, std::min(count, plane_sequences)},
          {"plane", strides.plane, count / plane_sequences}};
}

// Throws unless every item has a place, and every result one of its own.
void check_places(const Request& request) {
  for (const Strides& strides : {request.layout.input, request.layout.output})
    if (!range_of(axes_of(strides, request), strides.first))
      throw RequestError("request.layout leads farther than 64 bits count bytes: give smaller strides");
  if (const auto names = coinciding(axes_of(request.layout.output, request)))
    throw RequestError("request.layout.output: with these numbers of " + names->first + " and " + names->second +
                       " two results may share a place");
}

void read_layout(const Json& json, Request& request) {
  require_object(json, "request.layout");
  require_known(json, "request.layout", {"input", "output", "plane_sequences"});
  request.layout = {strides_member(json, "input"), strides_member(json, "output"),
                    json.contains("plane_sequences") ? extent_member(json, "plane_sequences") : sequences(request)};
  if (const char* reason = request.algorithm().unsupported_reason(request))
    throw RequestError(std::string("request.layout: ") + reason);
  check_places(request);
}

Json layout_json(const Layout& layout) {
  const auto strides_json = [](const Strides& strides) -> Json {
    return {{"item", strides.item}, {"sequence", strides.sequence}, {"plane", strides.plane}, {"first", strides.first}};
  };
  return {{"input", strides_json(layout.input)},
          {"output", strides_json(layout.output)},
          {"plane_sequences", layout.plane_sequences}};
}

const AlgorithmModel& algorithm_member(const Json& json) {
  const auto member = json.find("algorithm");
  if (member == json.end()) return *algorithms().front();
  const AlgorithmModel* algorithm =
      member->is_string() ? find_algorithm(member->get_ref<const std::string&>()) : nullptr;
  if (algorithm != nullptr) return *algorithm;
  const std::string known = names_of(algorithms(), [](const AlgorithmModel* one) { return one->name(); });
  throw RequestError("request.algorithm must be one of " + known + "; found " + quote(*member));
}

}  // namespace

Json to_json(const StatedRequest& stated) {
  const Request& request = stated.request;
  const AlgorithmModel& algorithm = request.algorithm();
  Json json = Json::object();
  json["algorithm"] = algorithm.name();
  for (const MemberModel& member : algorithm.members()) json[member.name] = spell(member, request);
  json["n"] = request.n;
  for (const ExtentModel& extent : algorithm.extents())
    if (request.has(extent)) json[extent.name] = request[extent];
  if (request.has_custom_operator()) json["operator"] = operator_json(stated);
  if (request.layout.is_strided()) json["layout"] = layout_json(request.layout);
  return json;
}

std::string canonical_request(const StatedRequest& stated) {
  const Request& request = stated.request;
  Json json = Json::object();
  for (const MemberModel& member : request.members())
    if (member.is_recorded() && (member.match == Match::width || !request.has_default(member)))
      json[member.name] = member.spelling == Spelling::value_operator
                              ? spell(SpelledOperator{*request.op(), stated.custom.name})
                              : spell(member, request);
  return json.dump();
}

// A logarithm to base 2: 10 or 10.25.
Json class_json(int number_class) {
  if (number_class % kClassesPerOctave == 0) return number_class / kClassesPerOctave;
  return static_cast<double>(number_class) / kClassesPerOctave;
}

std::string canonical_shape(const Request& request) {
  Json json = Json::object();
  for (const ExtentModel& extent : request.algorithm().extents())
    if (request.has(extent) && extent.is_recorded())
      json[extent.recorded_name()] = class_json(class_of(recorded_number(request, extent), extent.is_fine));
  return json.empty() ? std::string() : json.dump();
}

StatedRequest stated_request(const Json& json) {
  require_object(json, "request");
  const AlgorithmModel& algorithm = algorithm_member(json);
  const auto all = [](const MemberModel&) { return true; };
  auto known = names_of_members(algorithm, all);
  known.insert(known.end(), {"algorithm", "n", "operator"});
  if (may_have_layout(algorithm)) known.emplace_back("layout");
  for (const ExtentModel& extent : algorithm.extents()) known.emplace_back(extent.name);
  require_known(json, "request", known);
  StatedRequest stated{Request(algorithm), {}};
  read_members(json, stated, all);
  stated.request.n = extent_member(json, "n");
  for (const ExtentModel& extent : algorithm.extents()) read_extent(json, extent, stated.request);
  refuse_maps(stated.request);
  if (const auto layout = json.find("layout"); layout != json.end()) read_layout(*layout, stated.request);
  if (const auto custom = json.find("operator"); custom != json.end()) read_operator(*custom, stated);
  return stated;
}

StatedRequest parse_request(const AlgorithmModel& algorithm, std::string_view text) {
  const Json json = parsed("the request", text);
  const auto is_recorded = [](const MemberModel& member) { return member.is_recorded(); };
  require_object(json, "request");
  require_known(json, "request", names_of_members(algorithm, is_recorded));
  StatedRequest stated{Request(algorithm), {}};
  read_members(json, stated, is_recorded);
  return stated;
}

void adopt_shape(Request& request, std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  bool has_all = true;
  for (const ExtentModel& extent : request.algorithm().extents()) {
    if (!request.has(extent) || !extent.is_recorded()) continue;
    const Json told = json.is_object() ? json.value(extent.recorded_name(), Json()) : Json();
    has_all &= told.is_number() && told >= 0 && told <= kLargestMagnitude;
    if (has_all)
      set_recorded_number(request, extent, number_of_class(static_cast<int>(told.get<double>() * kClassesPerOctave)));
  }
  if (!has_all || canonical_shape(request) != text)
    throw RequestError("the shape is " + quote(std::string(text)) + ", which is not that of a " +
                       request.algorithm().name() + ": records of rows name row_items since 0.3; tune again");
}

}  // namespace scantune
