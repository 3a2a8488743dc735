// Arguments of calls, and plans.
#pragma once

#include "scantune/cxx20.hpp"
#ifdef SCANTUNE_CXX20

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

#include "scantune/device.hpp"
#include "scantune/memory.hpp"
#include "scantune/mistakes.hpp"
#include "scantune/status.hpp"
#include "scantune/types.hpp"

namespace scantune::runtime {

namespace detail {

// The type of a count, index or n in memory, by its size and sign.
template <class Integer>
constexpr scantune_type count_type() {
  static_assert(kIsIndex<Integer>, "counts and indices are integers of 4 or 8 bytes, signed or not");
  if constexpr (sizeof(Integer) == 4) return std::is_signed_v<Integer> ? SCANTUNE_I32 : SCANTUNE_U32;
  return std::is_signed_v<Integer> ? SCANTUNE_I64 : SCANTUNE_U64;
}

// A pointer from which such an integer is read, in device memory.
class Read {
 public:
  constexpr Read(std::nullptr_t = nullptr) {}
  template <class Integer>
  constexpr Read(const Integer* pointer) : pointer_(pointer), type_(count_type<Integer>()) {}

  constexpr const void* get() const { return pointer_; }
  constexpr scantune_type type() const { return type_; }  // the default without a pointer

 private:
  const void* pointer_ = nullptr;
  scantune_type type_ = SCANTUNE_DEFAULT_TYPE;
};

// A pointer to which such integers are written: any type as wide as Integer.
template <class Integer>
class Written {
 public:
  constexpr Written(std::nullptr_t) {}
  template <class Other>
  constexpr Written(Other* pointer) : pointer_(pointer) {
    static_assert(!std::is_const_v<Other>, "the count or index is const: it is written there");
    static_assert(sizeof(Other) == sizeof(Integer),
                  "the plan's counts or indices have another width: name their type, as in select_plan<float, int>(n)");
    count_type<Other>();
  }

  constexpr const void* get() const { return pointer_; }

 private:
  const void* pointer_ = nullptr;
};

// A pointer to flags: of the plan's type, or of another integer as wide.
template <class Flag>
class FlagPointer {
 public:
  constexpr FlagPointer(std::nullptr_t) {}
  template <class Other>
  constexpr FlagPointer(const Other* flags) : flags_(flags) {
    static_assert(
        std::is_same_v<Flag, Other> ||
            (std::is_integral_v<Flag> && std::is_integral_v<Other> && sizeof(Flag) == sizeof(Other)),
        "the plan's flags are of another type: name theirs, as in select_flagged_plan<float, std::uint64_t, int>(n)");
  }

  constexpr const void* get() const { return flags_; }

 private:
  const void* flags_ = nullptr;
};

template <class T>
constexpr const void* address_of(T* pointer) {
  return pointer;
}
template <class Pointer>
constexpr const void* address_of(const Pointer& pointer) {
  return pointer.get();
}

// The arrays of a call, by role. Those after the last one named are unset.
template <scantune_role... kRoles, class... Pointers>
scantune_arrays arrays_of(const Pointers&... pointers) {
  constexpr int kCount = std::max({static_cast<int>(kRoles)...}) + 1;
  scantune_arrays arrays;
  arrays.count = kCount;
  if constexpr (kCount != sizeof...(kRoles)) std::fill(arrays.of, arrays.of + kCount, nullptr);
  ((arrays.of[kRoles] = address_of(pointers)), ...);
  return arrays;
}

template <class Request, class PlanType>
struct Call;

}  // namespace detail

// An array that a plan takes: its role, and a pointer to it.
template <scantune_role kRole, class PointerType>
struct Array {
  using Pointer = PointerType;
  static constexpr scantune_role role = kRole;
};
template <class T>
using Input = Array<SCANTUNE_INPUT, const T*>;
template <class T>
using Output = Array<SCANTUNE_OUTPUT, T*>;
template <class T>
using Values = Array<SCANTUNE_VALUES, const T*>;
template <class T>
using ValuesOutput = Array<SCANTUNE_VALUES_OUTPUT, T*>;
template <class T>
using Second = Array<SCANTUNE_SECOND, T*>;
template <class T>
using Rejected = Array<SCANTUNE_REJECTED, T*>;
template <class Flag>
using Flags = Array<SCANTUNE_FLAGS, detail::FlagPointer<Flag>>;
template <class Key>
using Keys = Array<SCANTUNE_KEYS, const Key*>;
template <class Key>
using KeysOutput = Array<SCANTUNE_KEYS_OUTPUT, Key*>;
template <class Offset>
using Begins = Array<SCANTUNE_BEGINS, const Offset*>;
template <class Offset>
using Ends = Array<SCANTUNE_ENDS, const Offset*>;
template <class Integer>
using Count = Array<SCANTUNE_COUNT, detail::Written<Integer>>;
template <class Integer>
using Indices = Array<SCANTUNE_INDICES, detail::Written<Integer>>;
template <class Integer>
using SecondIndices = Array<SCANTUNE_SECOND_INDICES, detail::Written<Integer>>;

// A call for exactly n items, or with device_n for at most n: kernels are chosen, compiled and loaded. Copies share one
// state. Any number of threads may call one plan, or several, on one stream or many. Calls on one stream share its
// workspace, in order. A plan of one launch takes no lock; a plan of several launches makes other calls on its stream
// wait until all are enqueued.
template <class... Arrays>
class Plan {
 public:
  // Runs the plan on the stream. Each pointer must be aligned to its type. The call allocates nothing once the stream
  // has been used, and may be captured into a graph. It checks pointers for null, alignment and overlap, but not
  // whether the memory exists.
  void operator()(typename Arrays::Pointer... arrays, Stream stream = nullptr) const {
    const scantune_arrays all = detail::arrays_of<Arrays::role...>(arrays...);
    detail::check(scantune_plan_run(state_.get(), &all, nullptr, stream));
  }
  // The same in the caller's workspace. The library allocates nothing for the run and keeps nothing for its stream,
  // except for a check of offsets, and a capture does not count towards captured_launches. The run zeroes what it needs
  // zeroed, in the stream. A workspace serves one run at a time: runs enqueued in one stream may share it, and a graph
  // needs it at every replay. Threads that share one must not call at the same time. Throws RequestError if the
  // workspace is null, too small or misaligned, or overlaps what the run reads or writes.
  void operator()(typename Arrays::Pointer... arrays, const Workspace& workspace, Stream stream = nullptr) const {
    const scantune_arrays all = detail::arrays_of<Arrays::role...>(arrays...);
    const scantune_workspace given = {workspace.memory, workspace.bytes};
    detail::check(scantune_plan_run(state_.get(), &all, &given, stream));
  }

  template <class... Arguments>
    requires detail::MistakenByPlan<Arguments...>
  void operator()(const Arguments&...) const {
    detail::explain_mistake<Arguments...>();
  }

  // Bytes of workspace that one run needs. If 0, any workspace is accepted.
  std::uint64_t workspace_bytes() const { return scantune_plan_workspace_bytes(state_.get()); }

  // Says which config runs, from which record, and why. A plan that is created only for this needs no
  // captured_launches.
  std::string describe() const { return scantune_plan_description(state_.get()); }

 private:
  template <class Request, class PlanType>
  friend struct detail::Call;

  explicit Plan(const scantune_head& request) {
    scantune_plan* state = nullptr;
    detail::check(scantune_plan_create(&request, &state));
    state_.reset(state, &scantune_plan_destroy);
  }

  std::shared_ptr<scantune_plan> state_;
};

namespace detail {

// A function's request. Its run and its plan follow from the arrays of the plan's type.
template <class Request, class... Arrays>
struct Call<Request, Plan<Arrays...>> {
  Request request;  // may point into the options that it was made from
  Stream stream;    // theirs

  void run(typename Arrays::Pointer... arrays) const {
    const scantune_arrays all = arrays_of<Arrays::role...>(arrays...);
    check(scantune_run(&request.head, &all, stream));
  }

  Plan<Arrays...> plan() const {
    if (stream != nullptr)
      throw RequestError("stream is given, and a plan takes its stream with each call: pass it there");
    return Plan<Arrays...>(request.head);
  }
};

}  // namespace detail

}  // namespace scantune::runtime

#endif
