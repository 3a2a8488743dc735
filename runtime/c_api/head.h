// Reads the head of a request, which all requests have.
#pragma once

#include <type_traits>

#include "c_api/members.h"
#include "c_api/request.h"

namespace scantune::c_api {

[[noreturn]] inline void fail_spare(const char* member, std::uint64_t found) {
  fail(member, std::to_string(found) + "; members to come take its place, and until then it must be 0");
}

// Throws unless the reserved words are 0.
inline void check_spare(const char* member, std::uint64_t spare) {
  if (spare != 0) [[unlikely]]
    fail_spare(member, spare);
}

// Throws unless every choice of the head is valid: the device is -1 or 0, each of the others 0 or 1.
[[gnu::noinline]] inline void check_choices_one_by_one(const scantune_head& head) {
  checked_device(head.device);
  checked<Determinism>("determinism", head.determinism);
  checked<ForwardProgress>("forward_progress", head.forward_progress);
  checked<Latency>("latency", head.latency);
}

// Copies members of the head to the typed request. Throws if another member is wrong that can be checked before the
// request is.
template <class Typed>
[[gnu::always_inline]] inline void take_head(const scantune_head& head, Typed& request) {
  check_spare("head.spare", head.spare[0] | head.spare[1] | head.spare[2] | head.spare[3]);
  const int determinism = number_in(head.determinism), forward_progress = number_in(head.forward_progress),
            latency = number_in(head.latency);
  const unsigned device = static_cast<unsigned>(number_in(head.device)) + 1;
  if ((device | static_cast<unsigned>(determinism | forward_progress | latency)) > 1) [[unlikely]]
    check_choices_one_by_one(head);
  request.n = head.n;
  if constexpr (requires { request.determinism; }) request.determinism = static_cast<Determinism>(determinism);
  if constexpr (requires { request.forward_progress; })
    request.forward_progress = static_cast<ForwardProgress>(forward_progress);
  if constexpr (requires { request.latency; }) request.latency = static_cast<Latency>(latency);
}

// Sets the other members, after the request was checked.
inline void take_head(const scantune_head& head, Asked& asked) {
  asked.device = head.device;
  check_captured_launches(head.captured_launches);
  asked.captured_launches = head.captured_launches;
  asked.config = checked_config(head.config);
}

// The request that a head begins.
template <class Caller>
Asked checked_by_head(const scantune_head& head, Room& room) {
  // A new member inside padding would not make its struct grow, so its size would not show it.
  static_assert(std::has_unique_object_representations_v<Caller>);
  Caller storage;
  const Caller& said = *as_known(kVersion<Caller>, reinterpret_cast<const Caller*>(&head), kDefaults<Caller>, storage);
  Asked asked = checked_request(said, room);
  take_head(said.head, asked);
  return asked;
}

static_assert(SCANTUNE_HOST_DEVICE == -1 && SCANTUNE_RUN_TO_RUN == 1 && SCANTUNE_DOCUMENTED == 1 &&
              SCANTUNE_ISOLATED == 1);
static_assert(same(SCANTUNE_UNCONSTRAINED, Determinism::unconstrained) &&
              same(SCANTUNE_RUN_TO_RUN, Determinism::run_to_run));
static_assert(same(SCANTUNE_IN_ORDER, ForwardProgress::in_order) &&
              same(SCANTUNE_DOCUMENTED, ForwardProgress::documented));
// It is frozen: a request's own members begin after it.
static_assert(sizeof(scantune_head) == 80);

}  // namespace scantune::c_api
