// The declarations of algorithms.h as virtual calls.
#include <algorithm>
#include <string_view>
#include <tuple>

#include "space/space.h"

namespace scantune {
namespace {

template <class Typed>
Typed behind_maps_of(const Request& request) {
  if constexpr (HasMemoryTypes<Typed>)
    return without_memory_types(typed<Typed>(request));
  else if constexpr (HasMaps<Typed>)
    return behind_maps(typed<Typed>(request));
  else
    return typed<Typed>(request);
}

template <class Typed>
concept HasStarts = requires(Typed request) { behind_starts(request); };

// Whether a family's kernels are compiled for the number of columns, and may so take lines for items.
template <class Declared>
constexpr bool compiles_columns() {
  if constexpr (requires { Declared::kCompiledExtents; })
    return std::ranges::find(Declared::kCompiledExtents, std::string_view("columns")) !=
           std::ranges::end(Declared::kCompiledExtents);
  return false;
}
template <class Typed, class Declared>
concept TakesLines = requires(Typed request) { behind_lines(request); } && compiles_columns<Declared>();

// The request as a family sees it.
template <class Typed, class Declared>
Typed seen_by(const Request& request) {
  Typed seen = behind_maps_of<Typed>(request);
  if constexpr (HasStarts<Typed>) seen = behind_starts(seen);
  if constexpr (TakesLines<Typed, Declared>) seen = behind_lines(seen);
  return seen;
}

// Why no family can solve the request, or null.
template <class Typed>
const char* unsupported(const Typed& request) {
  if constexpr (HasStarts<Typed>) {
    if (const char* reason = invalid_starts_reason(request)) return reason;
    // Only what behind_lines() makes has both.
    if (request.segments == Segments::none && request.columns != 0)
      return "it has columns and no segments: leave columns out, or make segments columns";
  }
  return scantune::unsupported_reason(request);
}

template <class Typed, class C>
class FamilyOf final : public FamilyModel {
  using Declared = Family<C>;
  static Typed seen(const Request& request) { return seen_by<Typed, Declared>(request); }
  static constexpr int kParameterCount = static_cast<int>(std::size(Declared::kParameters));
  static_assert(kParameterCount <= Config::kMaxParameters);

 public:
  constexpr FamilyOf() {
    for (std::size_t index = 0; index < parameters_.size(); ++index) {
      const auto& row = Declared::kParameters[index];
      parameters_[index] = {row.name,
                            row.role,
                            {row.values, static_cast<std::size_t>(row.value_count)},
                            row.tokens,
                            row.may_be_absent ? std::optional(row.absent) : std::nullopt,
                            {row.from_default, static_cast<std::size_t>(row.from_default_count)}};
    }
  }

  const AlgorithmModel& algorithm() const override { return algorithm_of<Typed>(); }
  const char* name() const override { return Declared::kName; }
  const char* config_name() const override { return Declared::kConfigName; }
  const char* header() const override { return Declared::kHeader; }
  std::span<const char* const> kernels() const override { return Declared::kKernels; }
  std::span<const char* const> compiled_extents() const override {
    if constexpr (requires { Declared::kCompiledExtents; }) return Declared::kCompiledExtents;
    return {};
  }
  std::span<const ParameterModel> parameters() const override { return parameters_; }
  std::span<const FormerValue> former_values() const override {
    if constexpr (requires { Declared::kFormerValues; }) return Declared::kFormerValues;
    return {};
  }
  const char* unsupported_reason(const Request& request, int sm) const override {
    if (&request.algorithm() != &algorithm()) return "it is of another algorithm";
    if constexpr (HasStarts<Typed>) {
      const Typed own = behind_maps_of<Typed>(request);
      const bool has_columns = own.segments == Segments::columns || own.columns != 0;
      if (has_starts(own.segments) || has_columns)  // families may see other types, or lines
        if (const char* reason = unsupported(own)) return reason;
    }
    return Declared::unsupported_reason(seen(request), sm);
  }
  int preference(const Request& request, int sm) const override { return Declared::preference(seen(request), sm); }
  Config default_config(const Request& request, int sm) const override {
    return erase(Declared::default_config(seen(request), sm));
  }
  const char* invalid_reason(const Config& config, const Request& request, int sm) const override {
    // An enumerator out of its range would be undefined from here on.
    for (int index = 0; index < kParameterCount; ++index)
      if (const ParameterModel& parameter = parameters_[static_cast<std::size_t>(index)];
          parameter.tokens != nullptr && std::ranges::find(parameter.values, config[index]) == parameter.values.end())
        return "an enumerator is out of range";
    return Declared::invalid_reason(restore(config), seen(request), sm);
  }
  int tile_items(const Config& config, const Request& request) const override {
    return Declared::tile_items(restore(config), seen(request));
  }
  WorkspaceNeed workspace(const Config& config, const Request& request) const override {
    return Declared::workspace(restore(config), seen(request));
  }
  LaunchList launches(const Config& config, const Request& request, Variant variant) const override {
    if constexpr (HasStarts<Typed>)
      if (const Typed own = typed<Typed>(request); own.writes_totals()) return launches_of_totals(config, own, variant);
    return Declared::launches(restore(config), seen(request), variant);
  }
  Standing standing() const override {
    if constexpr (requires { Declared::kStanding; }) return Declared::kStanding;
    return Standing::library;
  }
  std::optional<Work> work(const Config& config, const Request& request) const override {
    if constexpr (requires { Declared::work(C{}, Typed{}); }) return Declared::work(restore(config), seen(request));
    return std::nullopt;
  }

 private:
  // Kernels are told the room for totals. Without items the first of them counts none.
  LaunchList launches_of_totals(const Config& config, Typed own, Variant variant) const {
    const bool is_empty = own.n == 0;
    if (is_empty) own.n = 1;
    LaunchList list = Declared::launches(restore(config), seen(own), variant);
    if (is_empty) {
      list.count = 1;
      list.launches[0].n = 0;
    }
    for (int index = 0; index < list.count; ++index)
      list.launches[index].extents[0] = own.room == OutputRoom::limited ? own.capacity : ~u64{0};
    return list;
  }
  Config erase(const C& typed) const {
    Config config(*this);
    for (int index = 0; index < kParameterCount; ++index) config[index] = Declared::kParameters[index].get(typed);
    return config;
  }
  C restore(const Config& config) const {
    C typed;
    for (int index = 0; index < kParameterCount; ++index) Declared::kParameters[index].set(typed, config[index]);
    return typed;
  }

  std::array<ParameterModel, kParameterCount> parameters_{};
};

template <class Typed>
constexpr auto kMembersOf = [] {
  std::array<MemberModel, std::size(Algorithm<Typed>::kMembers)> all{};
  for (std::size_t place = 0; place < all.size(); ++place) {
    const auto& row = Algorithm<Typed>::kMembers[place];
    all[place] = {row.name,
                  row.match,
                  row.spelling,
                  {row.tokens, static_cast<std::size_t>(row.token_count)},
                  row.meaning,
                  row.is_compiled,
                  row.by_default != nullptr,
                  static_cast<int>(place)};
  }
  return all;
}();

// The member that an extent names; null where it names none. Throws for one that there is not, which ends compiling.
template <class Typed>
constexpr const MemberModel* member_named(const char* name) {
  if (name == nullptr) return nullptr;
  for (const MemberModel& member : kMembersOf<Typed>)
    if (std::string_view(member.name) == name) return &member;
  throw "an extent names no member";
}

template <class Typed>
constexpr auto kExtentsOf = [] {
  if constexpr (requires { Algorithm<Typed>::kExtents; }) {
    std::array<ExtentModel, std::size(Algorithm<Typed>::kExtents)> all{};
    int place = 0;
    for (const auto& row : Algorithm<Typed>::kExtents) {
      all[static_cast<std::size_t>(place)] = {row.name,  row.meaning,    place,      member_named<Typed>(row.member),
                                              row.value, row.items_name, row.is_fine};
      ++place;
    }
    return all;
  } else {
    return std::array<ExtentModel, 0>{};
  }
}();

template <class Typed, class... Configs>
struct FamiliesIn {
  static constinit const std::tuple<FamilyOf<Typed, Configs>...> kModels;
  static constexpr std::array<const FamilyModel*, sizeof...(Configs)> kPointers{
      &std::get<FamilyOf<Typed, Configs>>(kModels)...};
};
template <class Typed, class... Configs>
constinit const std::tuple<FamilyOf<Typed, Configs>...> FamiliesIn<Typed, Configs...>::kModels{};

// Whether every operand names a type among the members, and an extent that there is.
template <class Typed>
consteval bool operands_resolve() {
  using Declared = Algorithm<Typed>;
  const OperandList list = Declared::operands(Typed{});
  for (int index = 0; index < list.count; ++index) {
    const std::string_view type = list.operands[index].type, extent = list.operands[index].extent;
    bool has_type = parse_token<ValueType>(type).has_value(),
         has_extent = extent == Operand::kItems || extent == Operand::kOne || extent == Operand::kTwo;
    for (const auto& row : Declared::kMembers) has_type |= type == row.name && row.spelling == Spelling::value_type;
    if constexpr (requires { Declared::kExtents; })
      for (const auto& row : Declared::kExtents) has_extent |= extent == row.name;
    if (!has_type || !has_extent) return false;
  }
  return list.count > 0;
}

// Whether an algorithm with an operator has a member for the type that it combines.
template <class Typed>
consteval bool operator_has_accumulator() {
  bool has_operator = false, has_accumulator = false;
  for (const auto& row : Algorithm<Typed>::kMembers) {
    has_operator |= row.spelling == Spelling::value_operator;
    has_accumulator |= std::string_view(row.name) == "accumulator_type";
  }
  return has_accumulator || !has_operator;
}

template <class Typed, class... Configs>
class AlgorithmOf final : public AlgorithmModel {
  using Declared = Algorithm<Typed>;
  static_assert(operands_resolve<Typed>(),
                "an operand names no member of a value type, or an extent that is not there");
  static_assert(operator_has_accumulator<Typed>(), "an operator combines values of the member accumulator_type");

 public:
  constexpr AlgorithmOf()
      : AlgorithmModel(Declared::kName, Declared::kRequestName, Declared::kProblemName, kMembersOf<Typed>,
                       kExtentsOf<Typed>) {}

  std::span<const FamilyModel* const> families() const override { return FamiliesIn<Typed, Configs...>::kPointers; }
  Request by_default() const override { return Typed{}; }
  int default_of(const MemberModel& member, const Request& request) const override {
    return Declared::kMembers[member.place].by_default(typed<Typed>(request));
  }
  OperandList operands(const Request& request) const override { return Declared::operands(typed<Typed>(request)); }
  Request compiled(const Request& request) const override {
    if constexpr (requires { Declared::compiled(Typed{}); }) return Declared::compiled(behind_maps_of<Typed>(request));
    return behind_maps_of<Typed>(request);
  }
  Request behind_maps(const Request& request) const override { return behind_maps_of<Typed>(request); }
  std::string remark(const Request& request) const override {
    if constexpr (requires { Declared::remark(Typed{}); }) return Declared::remark(typed<Typed>(request));
    return {};
  }
  bool has_result_without_items(const Request& request) const override {
    if constexpr (requires { Declared::has_result_without_items(Typed{}); })
      return Declared::has_result_without_items(typed<Typed>(request));
    return false;
  }
  const char* unsupported_reason(const Request& request) const override { return unsupported(typed<Typed>(request)); }
};

template <class List>
struct Erased;
template <class Typed, class... Configs>
struct Erased<FamiliesOf<Typed, Configs...>> {
  static constinit const AlgorithmOf<Typed, Configs...> kModel;
};
template <class Typed, class... Configs>
constinit const AlgorithmOf<Typed, Configs...> Erased<FamiliesOf<Typed, Configs...>>::kModel{};

template <class... Lists>
constexpr std::array<const AlgorithmModel*, sizeof...(Lists)> models_of(AlgorithmList<Lists...>) {
  return {&Erased<Lists>::kModel...};
}

}  // namespace

namespace detail {

constinit const std::array<const AlgorithmModel*, kAlgorithmCount> kAlgorithms = models_of(AllAlgorithms{});

}  // namespace detail
}  // namespace scantune
