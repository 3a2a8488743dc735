// A request with its algorithm's type erased, for the database, the worker, the selector and plans.
// templates/<algorithm>/config/<algorithm>.h declares the request.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "algorithms.h"

namespace scantune {

class AlgorithmModel;
class FamilyModel;

struct MemberModel {
  const char* name;
  Match match;
  Spelling spelling;
  std::span<const char* const> tokens;
  const char* meaning;
  bool is_compiled;
  bool has_default;
  int place;  // in the algorithm's table

  // Whether a record names it.
  constexpr bool is_recorded() const { return match != Match::per_call; }
  // Whether the command line has an option for it, and messages name it only where it departs from its default.
  constexpr bool is_option() const {
    return spelling == Spelling::token && (match == Match::exact || match == Match::nearest || match == Match::at_most);
  }
};

struct ExtentModel {
  const char* name;
  const char* meaning;
  int place;                  // in the algorithm's table
  const MemberModel* member;  // whose value says which requests have it; null: every request
  int value;
  const char* items_name;  // records name how many items each has, under this name; null: they name the extent
  bool is_fine;            // records tell four numbers an octave apart, else one

  // Whether a record names its class.
  constexpr bool is_recorded() const { return member == nullptr || member->is_recorded(); }
  constexpr const char* recorded_name() const { return items_name != nullptr ? items_name : name; }
};

class Request {
 public:
  static constexpr std::size_t kMaxMembers = 24;
  static constexpr std::size_t kMaxExtents = 4;  // beside n

  // Every member at its default, without items.
  explicit Request(const AlgorithmModel& algorithm);
  // The request of an algorithm as its own struct.
  template <class Typed>
    requires requires { Algorithm<Typed>::kName; }
  Request(const Typed& typed);

  const AlgorithmModel& algorithm() const { return *algorithm_; }
  inline std::span<const MemberModel> members() const;
  int operator[](const MemberModel& member) const { return values_[static_cast<std::size_t>(member.place)]; }
  void set(const MemberModel& member, int value) {
    values_[static_cast<std::size_t>(member.place)] = static_cast<unsigned char>(value);
  }
  inline bool has_default(const MemberModel& member) const;  // whether the member is at it
  // Whether this request has the extent. Otherwise the extent is 0 and not shown.
  bool has(const ExtentModel& extent) const {
    return extent.member == nullptr || (*this)[*extent.member] == extent.value;
  }
  u64 operator[](const ExtentModel& extent) const { return extents[static_cast<std::size_t>(extent.place)]; }
  void set(const ExtentModel& extent, u64 items) { extents[static_cast<std::size_t>(extent.place)] = items; }

  ValueType type(const MemberModel& member) const { return static_cast<ValueType>((*this)[member]); }
  int bytes_of(ValueType type) const { return type == ValueType::custom ? custom_bytes : size_of(type); }
  int alignment_of(ValueType type) const { return type == ValueType::custom ? custom_alignment : size_of(type); }
  // The value of the first member of an enum; nullopt if the algorithm has no such member.
  template <class Enum>
  std::optional<Enum> value() const;
  // nullopt where the algorithm combines nothing.
  inline std::optional<Operator> op() const;
  // The type that its operator combines, or else that of its items.
  inline ValueType accumulator_type() const;
  int accumulator_bytes() const { return bytes_of(accumulator_type()); }
  // The type of what the caller's operator or predicate takes. A comparison of keys takes half-precision numbers as
  // floats.
  ValueType source_type() const {
    if (value<Comparison>() && is_floating(accumulator_type()) && size_of(accumulator_type()) == 2)
      return ValueType::f32;
    return value<Subject>() == Subject::flag ? value_type(*value<FlagType>()) : accumulator_type();
  }
  // Whether a less() of the caller's says which of two items comes first.
  bool is_by_less() const { return value<OrderedBy>() == OrderedBy::less || value<Comparison>() == Comparison::source; }
  // Whether it takes a source of the caller's: an operator, a comparison or a predicate.
  bool has_custom_operator() const {
    if (is_by_less()) return true;
    if (const auto operation = op()) return is_custom(*operation);
    const auto criterion = value<Criterion>();
    return criterion && has_source(*criterion);
  }

  inline bool operator==(const Request& other) const;
  inline u64 hash() const;

 private:
  auto words() const;

  const AlgorithmModel* algorithm_;
  std::array<unsigned char, kMaxMembers> values_{};

 public:
  u64 n = 0;                                   // items
  std::array<u64, kMaxExtents> extents{};      // beside n
  int custom_bytes = 0, custom_alignment = 0;  // those of ValueType::custom; 0 where no type is custom
  Layout layout{};                             // of an algorithm that has one; records serve every layout
  MemoryTypes memory{};                        // of an algorithm that has them, likewise
  ComparedType key_type{};                     // of an algorithm that has one, likewise
};

static_assert(std::has_unique_object_representations_v<Request>, "padding would make equal ones differ");

inline auto Request::words() const { return std::bit_cast<std::array<u64, sizeof(Request) / sizeof(u64)>>(*this); }

// Compares by words, since every scan() compares its request with those of the plans that it remembers.
inline bool Request::operator==(const Request& other) const {
  const auto mine = words(), its = other.words();
  u64 difference = 0;
  for (std::size_t word = 0; word < mine.size(); ++word) difference |= mine[word] ^ its[word];
  return difference == 0;
}

inline u64 Request::hash() const {
  u64 hash = 0;
  for (const u64 word : words()) hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
  return hash;
}

// One algorithm as virtual calls; core/contract/algorithm.h documents the contract. Each takes requests of this
// algorithm.
class AlgorithmModel {
 public:
  virtual ~AlgorithmModel() = default;
  const char* name() const { return name_; }
  const char* request_name() const { return request_name_; }
  const char* problem_name() const { return problem_name_; }
  std::span<const MemberModel> members() const { return members_; }
  std::span<const ExtentModel> extents() const { return extents_; }              // beside n
  const MemberModel* operator_member() const { return operator_member_; }        // null where nothing is combined
  const MemberModel* accumulator_member() const { return accumulator_member_; }  // else the type of the items
  virtual std::span<const FamilyModel* const> families() const = 0;
  virtual Request by_default() const = 0;  // every member at its default, without items
  virtual int default_of(const MemberModel& member, const Request& request) const = 0;
  virtual OperandList operands(const Request& request) const = 0;
  virtual Request compiled(const Request& request) const = 0;
  // The request with the types that its kernels see if maps of the caller's convert from and to memory.
  virtual Request behind_maps(const Request& request) const = 0;
  virtual std::string remark(const Request& request) const = 0;
  virtual bool has_result_without_items(const Request& request) const = 0;
  virtual const char* unsupported_reason(const Request& request) const = 0;

 protected:
  constexpr AlgorithmModel(const char* name, const char* request_name, const char* problem_name,
                           std::span<const MemberModel> members, std::span<const ExtentModel> extents)
      : name_(name), request_name_(request_name), problem_name_(problem_name), members_(members), extents_(extents) {
    for (const MemberModel& member : members_) {
      if (member.spelling == Spelling::value_operator) operator_member_ = &member;
      if (std::string_view(member.name) == "accumulator_type") accumulator_member_ = &member;
    }
    if (accumulator_member_ == nullptr) accumulator_member_ = &members_.front();
  }

 private:
  const char* name_;
  const char* request_name_;
  const char* problem_name_;
  std::span<const MemberModel> members_;
  std::span<const ExtentModel> extents_;
  const MemberModel* operator_member_ = nullptr;
  const MemberModel* accumulator_member_ = nullptr;
};

std::span<const AlgorithmModel* const> algorithms();          // the first is the default
const AlgorithmModel* find_algorithm(std::string_view name);  // null if it is unknown

// The algorithm of a request's own struct.
template <class Typed>
const AlgorithmModel& algorithm_of();
// A request of that algorithm as its own struct. Throws Error for one of another.
template <class Typed>
Typed typed(const Request& request);

// The text of a member's value. A custom operator is spelled without its name.
std::string spell(const MemberModel& member, const Request& request);
// A phrase for messages: "documented forward progress".
std::string phrase(const MemberModel& member, const Request& request);
// The name of a member or extent as the command line spells it: forward-progress.
std::string option_name(const char* name);
// i32 inclusive sum of 1024 items; types as in spelling.h
std::string to_string(const Request& request, std::string_view operator_name = {});

// The key that records share if they serve the same requests at some n: the algorithm, every member that they name, and
// the classes of the extents other than n.
struct RequestKey {
  std::string_view algorithm;
  std::array<unsigned char, Request::kMaxMembers> members;  // 0 for the others
  std::array<int, Request::kMaxExtents> classes;
  int custom_bytes;

  auto operator<=>(const RequestKey&) const = default;
};
RequestKey key_of(const Request& request);

// How many rows or columns the items are cut into, of which n is a multiple; 1 where they are one sequence.
u64 sequences(const Request& request);

// What records keep of an extent: its number, or the items that each of so many has.
u64 recorded_number(const Request& request, const ExtentModel& extent);
void set_recorded_number(Request& request, const ExtentModel& extent, u64 number);

// Classes of numbers, in quarters of an octave: the logarithm to base 2 is 10 for 2^10, and 10.25, 10.5 and 10.75 stand
// for 1.25, 1.5 and 1.75 times as much. Without is_fine they are whole; -1 for 0.
inline constexpr int kClassesPerOctave = 4;
int class_of(u64 number, bool is_fine);
u64 number_of_class(int number_class);

// Gives the request so many items, in sequences as long as before.
void resize(Request& request, u64 n);
// What n is a multiple of in such requests.
u64 size_step(const Request& request);

namespace detail {

template <class... Lists>
constexpr std::size_t count_of(AlgorithmList<Lists...>) {
  return sizeof...(Lists);
}
inline constexpr std::size_t kAlgorithmCount = count_of(AllAlgorithms{});
extern const std::array<const AlgorithmModel*, kAlgorithmCount> kAlgorithms;  // as algorithms.h lists them

template <class Typed, class First, class... Configs, class... Others>
constexpr std::size_t place_of(AlgorithmList<FamiliesOf<First, Configs...>, Others...>) {
  if constexpr (std::is_same_v<Typed, First>) {
    return 0;
  } else {
    return 1 + place_of<Typed>(AlgorithmList<Others...>{});
  }
}

[[noreturn]] void refuse_as(const char* algorithm, const Request& request);  // throws Error

}  // namespace detail

inline std::span<const MemberModel> Request::members() const { return algorithm_->members(); }

inline bool Request::has_default(const MemberModel& member) const {
  return member.has_default && (*this)[member] == algorithm_->default_of(member, *this);
}

inline std::optional<Operator> Request::op() const {
  const MemberModel* member = algorithm_->operator_member();
  if (member == nullptr) return std::nullopt;
  return static_cast<Operator>((*this)[*member]);
}

inline ValueType Request::accumulator_type() const { return type(*algorithm_->accumulator_member()); }

template <class Enum>
std::optional<Enum> Request::value() const {
  for (const MemberModel& member : members())
    if (member.tokens.data() == Tokens<Enum>::kNames) return static_cast<Enum>((*this)[member]);
  return std::nullopt;
}

template <class Typed>
const AlgorithmModel& algorithm_of() {
  return *detail::kAlgorithms[detail::place_of<Typed>(AllAlgorithms{})];
}

template <class Typed>
  requires requires { Algorithm<Typed>::kName; }
Request::Request(const Typed& typed) : algorithm_(&algorithm_of<Typed>()), n(typed.n) {
  using Declared = Algorithm<Typed>;
  static_assert(std::size(Declared::kMembers) <= kMaxMembers);
  [&]<std::size_t... kPlaces>(std::index_sequence<kPlaces...>) {
    ((values_[kPlaces] = static_cast<unsigned char>(Declared::kMembers[kPlaces].get(typed))), ...);
  }(std::make_index_sequence<std::size(Declared::kMembers)>());
  if constexpr (requires { Declared::kExtents; }) {
    static_assert(std::size(Declared::kExtents) <= kMaxExtents);
    for (std::size_t place = 0; place < std::size(Declared::kExtents); ++place)
      extents[place] = Declared::kExtents[place].get(typed);
  }
  if constexpr (requires { typed.custom_bytes; }) {
    custom_bytes = typed.custom_bytes;
    custom_alignment = typed.custom_alignment;
  }
  if constexpr (requires { typed.layout; }) layout = typed.layout;
  if constexpr (requires { typed.memory; }) memory = typed.memory;
  if constexpr (requires { typed.key_type; }) key_type = typed.key_type;
}

template <class Typed>
Typed typed(const Request& request) {
  using Declared = Algorithm<Typed>;
  if (&request.algorithm() != &algorithm_of<Typed>()) detail::refuse_as(Declared::kName, request);
  Typed result;
  const auto members = request.members();
  [&]<std::size_t... kPlaces>(std::index_sequence<kPlaces...>) {
    (Declared::kMembers[kPlaces].set(result, request[members[kPlaces]]), ...);
  }(std::make_index_sequence<std::size(Declared::kMembers)>());
  result.n = request.n;
  if constexpr (requires { Declared::kExtents; })
    for (std::size_t place = 0; place < std::size(Declared::kExtents); ++place)
      Declared::kExtents[place].set(result, request.extents[place]);
  if constexpr (requires { result.custom_bytes; }) {
    result.custom_bytes = request.custom_bytes;
    result.custom_alignment = request.custom_alignment;
  }
  if constexpr (requires { result.layout; }) result.layout = request.layout;
  if constexpr (requires { result.memory; }) result.memory = request.memory;
  if constexpr (requires { result.key_type; }) result.key_type = request.key_type;
  return result;
}

}  // namespace scantune
