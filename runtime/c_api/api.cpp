// The functions of scantune.h, on the device and the tuning records of this process.
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "c_api/allocator.h"
#include "c_api/balance.h"
#include "c_api/problem.h"
#include "c_api/selection.h"
#include "c_api/sorting.h"
#include "c_api/status.h"
#include "launch/checked_call.h"
#include "launch/offsets_check.h"
#include "launch/workspace_layout.h"
#include "scantune/error.hpp"
#include "scantune/scantune.h"
#include "select/layers.h"
#include "support/log.h"

using namespace scantune;
using namespace scantune::c_api;

// The functions that run a plan: scantune_plan_run() and its kin.
enum class RunBy { run, run_arg, run_select, run_load_balance, run_sort };

struct scantune_plan {
  std::shared_ptr<Plan> plan;  // null where there is nothing to do
  Problem problem;
  std::string description;
  RunBy run_by;
  SelectionArrays arrays = {};                                  // of a selection
  Assigned assigned = Assigned::segments;                       // by a load balance
  Sorted sorted = Sorted::keys;                                 // by a sort
  std::unique_ptr<const OffsetsCheck> offsets_check = nullptr;  // of a load balance; null: nothing is checked
  std::unique_ptr<const CallStates> states = nullptr;           // what those of the problem are
};

struct scantune_buffer {
  explicit scantune_buffer(std::uint64_t size) : device(current_device()), bytes(size) {
    if (bytes > 0) data = device->allocate(bytes);
  }
  ~scantune_buffer() {
    if (data != nullptr) device->free(data);
  }
  scantune_buffer(const scantune_buffer&) = delete;
  scantune_buffer& operator=(const scantune_buffer&) = delete;

  std::shared_ptr<Device> device;
  void* data = nullptr;
  std::uint64_t bytes;
};

namespace {

Stream stream_of(scantune_stream stream) { return static_cast<Stream>(stream); }

template <class T>
T& not_null(const char* argument, T* pointer) {
  if (pointer == nullptr) throw RequestError(std::string(argument) + " is NULL");
  return *pointer;
}

void check_copy(const scantune_buffer& buffer, const char* argument, const void* memory, std::uint64_t bytes) {
  if (bytes > buffer.bytes)
    throw RequestError("bytes is " + std::to_string(bytes) + ", and the buffer holds " + std::to_string(buffer.bytes));
  if (bytes > 0 && memory == nullptr)
    throw RequestError(std::string(argument) + " is NULL, and bytes is " + std::to_string(bytes));
}

// What is wrong with a config is told for no items as for one.
void check_config_of_nothing(const Problem& asked) {
  if (asked.config.empty() || asked.request.n > 0) return;
  Request of_one_item = asked.request;
  of_one_item.n = 1;
  for (const ExtentModel& extent : of_one_item.algorithm().extents())
    if (of_one_item.has(extent)) of_one_item.set(extent, 1);
  select_given(asked.config, current_device()->identity(), of_one_item);
}

void run(const Problem& asked, const Pointers& pointers, scantune_stream stream) {
  thread_local PlanCache plans;
  if (asked.has_nothing_to_do()) return check_config_of_nothing(asked);
  run_checked(current_device(), tuning_table(), plans,
              {.request = asked.request,
               .custom = asked.custom,
               .pointers = pointers,
               .init = asked.init,
               .captured_launches = asked.captured_launches,
               .config = asked.config,
               .stream = stream_of(stream),
               .states = asked.states});
}

std::unique_ptr<scantune_plan> made_plan(Problem asked, RunBy run_by) {
  const auto& device = current_device();
  check_kept_pointers(*device, asked.request, asked.pointers(nullptr, nullptr));
  const std::optional<CustomOperator> copy = copy_of(std::exchange(asked.custom, std::nullopt));
  const CustomOperator* custom = copy ? &*copy : nullptr;
  std::shared_ptr<Plan> made;
  if (asked.has_nothing_to_do())
    check_config_of_nothing(asked);
  else
    made = make_plan(device, tuning_table(), CheckedRequest(asked.request), asked.captured_launches,
                     CaptureMemory::ahead, custom, asked.config);
  asked.config = {};  // the caller's text
  auto states = asked.states != nullptr ? std::make_unique<const CallStates>(*asked.states) : nullptr;
  asked.states = states.get();
  auto description = made != nullptr ? made->describe() : describe_empty(*device, asked.request, custom);
  auto plan = std::make_unique<scantune_plan>(scantune_plan{std::move(made), asked, std::move(description), run_by});
  plan->states = std::move(states);
  return plan;
}

// The functions that run plans of one kind.
struct Runners {
  const char* plain;
  const char* in_workspace;
};

constexpr Runners runners_of(RunBy run_by) {
  if (run_by == RunBy::run_arg) return {"scantune_plan_run_arg()", "scantune_plan_run_arg_in()"};
  if (run_by == RunBy::run_select) return {"scantune_plan_run_select()", "scantune_plan_run_select_in()"};
  if (run_by == RunBy::run_load_balance)
    return {"scantune_plan_run_load_balance()", "scantune_plan_run_load_balance(), for it needs no workspace"};
  if (run_by == RunBy::run_sort) return {"scantune_plan_run_sort()", "scantune_plan_run_sort_in()"};
  return {"scantune_plan_run()", "scantune_plan_run_in()"};
}

[[noreturn]] void refuse_plan(const scantune_plan& plan, RunBy asked, bool in_workspace) {
  const Runners runners = runners_of(plan.run_by);
  const std::string instead = std::string(": run it by ") + (in_workspace ? runners.in_workspace : runners.plain);
  if (plan.run_by == RunBy::run_select) throw RequestError("the plan is of a selection" + instead);
  if (plan.run_by == RunBy::run_load_balance) throw RequestError("the plan is of a load balance" + instead);
  if (plan.run_by == RunBy::run_sort) throw RequestError("the plan is of a sort" + instead);
  if (asked == RunBy::run_sort)
    throw RequestError("the plan is of no sort" + instead + ", or make one by scantune_sort_plan_create()");
  if (asked == RunBy::run_load_balance)
    throw RequestError("the plan is of no load balance" + instead +
                       ", or make one by scantune_load_balance_plan_create()");
  if (asked == RunBy::run_select)
    throw RequestError("the plan is of no selection" + instead + ", or make one by scantune_select_plan_create()");
  if (plan.run_by == RunBy::run_arg) throw RequestError("the plan also says where the result stands" + instead);
  throw RequestError("the plan has no index to write: make it by scantune_arg_reduce_plan_create()");
}

// Throws RequestError unless the plan is run by functions of this kind.
template <RunBy kRunBy, bool kInWorkspace>
const scantune_plan& checked_plan(const scantune_plan* plan) {
  const scantune_plan& made = not_null("plan", plan);
  if (made.run_by != kRunBy) [[unlikely]]
    refuse_plan(made, kRunBy, kInWorkspace);
  return made;
}

static_assert(SCANTUNE_WORKSPACE_ALIGNMENT == kWorkspaceAlignmentBytes);

}  // namespace

extern "C" {

const char* scantune_error_message(void) { return message(); }

int32_t scantune_error_cuda_result(void) { return cuda_result(); }

const char* scantune_version(void) { return SCANTUNE_VERSION; }

void scantune_set_log(scantune_log log, void* user) { set_log(log, user); }

scantune_type scantune_accumulator(scantune_type input, scantune_type output) {
  return default_accumulator_of(input, output);
}

scantune_status scantune_problem_init(scantune_problem* problem, size_t struct_bytes) {
  return guarded([&] { initialise(&not_null("problem", problem), struct_bytes); });
}

scantune_status scantune_scan(const scantune_problem* problem, const void* input, void* output,
                              scantune_stream stream) {
  // With the room on its stack g++ does not inline this by itself, and a warm call is held to its instructions.
  return guarded([&]() __attribute__((always_inline)) {
    MapRoom room;
    const Problem asked = checked_problem(problem, room);
    run(asked, asked.pointers(input, output), stream);
  });
}

scantune_status scantune_reduce(const scantune_problem* problem, const void* input, void* output,
                                scantune_stream stream) {
  return guarded([&] {
    MapRoom room;
    const Problem asked = checked_reduction(problem, Position::none, room);
    run(asked, asked.pointers(input, output), stream);
  });
}

scantune_status scantune_arg_reduce(const scantune_problem* problem, const void* input, void* output, uint64_t* index,
                                    scantune_stream stream) {
  return guarded([&] {
    MapRoom room;
    const Problem asked = checked_reduction(problem, Position::first, room);
    run(asked, asked.pointers(input, output, index), stream);
  });
}

scantune_status scantune_select(const scantune_selection* selection, const scantune_selection_arrays* arrays,
                                scantune_stream stream) {
  return guarded([&] {
    const SelectionProblem asked = checked_selection(selection);
    run(asked.problem, checked_arrays(asked.arrays, arrays), stream);
  });
}

scantune_status scantune_load_balance(const scantune_balance* balance, const scantune_balance_arrays* arrays,
                                      scantune_stream stream) {
  return guarded([&] {
    const BalanceProblem asked = checked_balance(balance);
    const Pointers pointers = checked_arrays(asked.assigned, arrays);
    if (asked.checks_offsets)
      OffsetsCheck(current_device(), asked.problem.request).check(pointers[0], stream_of(stream));
    run(asked.problem, pointers, stream);
  });
}

scantune_status scantune_sort(const scantune_sorting* sorting, const scantune_sorting_arrays* arrays,
                              scantune_stream stream) {
  return guarded([&] {
    const SortingProblem asked = checked_sort(sorting);
    run(asked.problem, checked_arrays(asked.sorted, arrays), stream);
  });
}

scantune_status scantune_plan_create(const scantune_problem* problem, scantune_plan** plan) {
  return guarded([&] {
    scantune_plan*& place = not_null("plan", plan);
    MapRoom room;
    place = made_plan(checked_problem(problem, room), RunBy::run).release();
  });
}

scantune_status scantune_reduce_plan_create(const scantune_problem* problem, scantune_plan** plan) {
  return guarded([&] {
    scantune_plan*& place = not_null("plan", plan);
    MapRoom room;
    place = made_plan(checked_reduction(problem, Position::none, room), RunBy::run).release();
  });
}

scantune_status scantune_arg_reduce_plan_create(const scantune_problem* problem, scantune_plan** plan) {
  return guarded([&] {
    scantune_plan*& place = not_null("plan", plan);
    MapRoom room;
    place = made_plan(checked_reduction(problem, Position::first, room), RunBy::run_arg).release();
  });
}

scantune_status scantune_select_plan_create(const scantune_selection* selection, scantune_plan** plan) {
  return guarded([&] {
    scantune_plan*& place = not_null("plan", plan);
    const SelectionProblem asked = checked_selection(selection);
    auto made = made_plan(asked.problem, RunBy::run_select);
    made->arrays = asked.arrays;
    place = made.release();
  });
}

scantune_status scantune_load_balance_plan_create(const scantune_balance* balance, scantune_plan** plan) {
  return guarded([&] {
    scantune_plan*& place = not_null("plan", plan);
    const BalanceProblem asked = checked_balance(balance);
    auto made = made_plan(asked.problem, RunBy::run_load_balance);
    made->assigned = asked.assigned;
    if (asked.checks_offsets) {
      auto check = std::make_unique<OffsetsCheck>(current_device(), asked.problem.request);
      check->load();
      made->offsets_check = std::move(check);
    }
    place = made.release();
  });
}

scantune_status scantune_sort_plan_create(const scantune_sorting* sorting, scantune_plan** plan) {
  return guarded([&] {
    scantune_plan*& place = not_null("plan", plan);
    const SortingProblem asked = checked_sort(sorting);
    auto made = made_plan(asked.problem, RunBy::run_sort);
    made->sorted = asked.sorted;
    place = made.release();
  });
}

scantune_status scantune_plan_run(scantune_plan* plan, const void* input, void* output, scantune_stream stream) {
  return guarded([&] {
    const scantune_plan& made = checked_plan<RunBy::run, false>(plan);
    if (made.plan != nullptr)
      made.plan->run(made.problem.pointers(input, output), made.problem.init, stream_of(stream), made.problem.states);
  });
}

scantune_status scantune_plan_run_arg(scantune_plan* plan, const void* input, void* output, uint64_t* index,
                                      scantune_stream stream) {
  return guarded([&] {
    const scantune_plan& made = checked_plan<RunBy::run_arg, false>(plan);
    made.plan->run(made.problem.pointers(input, output, index), made.problem.init, stream_of(stream),
                   made.problem.states);
  });
}

scantune_status scantune_plan_run_select(scantune_plan* plan, const scantune_selection_arrays* arrays,
                                         scantune_stream stream) {
  return guarded([&] {
    const scantune_plan& made = checked_plan<RunBy::run_select, false>(plan);
    made.plan->run(checked_arrays(made.arrays, arrays), made.problem.init, stream_of(stream), made.problem.states);
  });
}

scantune_status scantune_plan_run_load_balance(scantune_plan* plan, const scantune_balance_arrays* arrays,
                                               scantune_stream stream) {
  return guarded([&] {
    const scantune_plan& made = checked_plan<RunBy::run_load_balance, false>(plan);
    const Pointers pointers = checked_arrays(made.assigned, arrays);
    if (made.offsets_check != nullptr) made.offsets_check->check(pointers[0], stream_of(stream));
    if (made.plan != nullptr) made.plan->run(pointers, made.problem.init, stream_of(stream), made.problem.states);
  });
}

scantune_status scantune_plan_run_sort(scantune_plan* plan, const scantune_sorting_arrays* arrays,
                                       scantune_stream stream) {
  return guarded([&] {
    const scantune_plan& made = checked_plan<RunBy::run_sort, false>(plan);
    const Pointers pointers = checked_arrays(made.sorted, arrays);
    if (made.plan != nullptr) made.plan->run(pointers, made.problem.init, stream_of(stream), made.problem.states);
  });
}

uint64_t scantune_plan_workspace_bytes(const scantune_plan* plan) {
  return plan == nullptr || plan->plan == nullptr ? 0 : plan->plan->workspace_bytes();
}

scantune_status scantune_plan_run_in(scantune_plan* plan, const void* input, void* output, void* workspace,
                                     uint64_t workspace_bytes, scantune_stream stream) {
  return guarded([&] {
    const scantune_plan& made = checked_plan<RunBy::run, true>(plan);
    if (made.plan != nullptr)
      made.plan->run_in({workspace, workspace_bytes}, made.problem.pointers(input, output), made.problem.init,
                        stream_of(stream), made.problem.states);
  });
}

scantune_status scantune_plan_run_arg_in(scantune_plan* plan, const void* input, void* output, uint64_t* index,
                                         void* workspace, uint64_t workspace_bytes, scantune_stream stream) {
  return guarded([&] {
    const scantune_plan& made = checked_plan<RunBy::run_arg, true>(plan);
    made.plan->run_in({workspace, workspace_bytes}, made.problem.pointers(input, output, index), made.problem.init,
                      stream_of(stream), made.problem.states);
  });
}

scantune_status scantune_plan_run_select_in(scantune_plan* plan, const scantune_selection_arrays* arrays,
                                            void* workspace, uint64_t workspace_bytes, scantune_stream stream) {
  return guarded([&] {
    const scantune_plan& made = checked_plan<RunBy::run_select, true>(plan);
    made.plan->run_in({workspace, workspace_bytes}, checked_arrays(made.arrays, arrays), made.problem.init,
                      stream_of(stream), made.problem.states);
  });
}

scantune_status scantune_plan_run_sort_in(scantune_plan* plan, const scantune_sorting_arrays* arrays, void* workspace,
                                          uint64_t workspace_bytes, scantune_stream stream) {
  return guarded([&] {
    const scantune_plan& made = checked_plan<RunBy::run_sort, true>(plan);
    const Pointers pointers = checked_arrays(made.sorted, arrays);
    if (made.plan != nullptr)
      made.plan->run_in({workspace, workspace_bytes}, pointers, made.problem.init, stream_of(stream),
                        made.problem.states);
  });
}

const char* scantune_plan_description(const scantune_plan* plan) {
  return plan == nullptr ? "" : plan->description.c_str();
}

void scantune_plan_destroy(scantune_plan* plan) { delete plan; }

scantune_status scantune_release(scantune_stream stream) {
  return guarded([&] {
    const auto& device = current_device();
    if (const auto fault = device->argument_fault({}, stream_of(stream)); !fault.empty()) throw RequestError(fault);
    const StreamState state = device->stream_state(stream_of(stream));
    if (state.capturing_graph != nullptr) throw RequestError("the stream is being captured: end the capture first");
    launch_context(device).streams().release(state.id);
  });
}

scantune_status scantune_set_allocator(const scantune_allocator* allocator) {
  return guarded([&] { set_allocator(checked_allocator(allocator)); });
}

scantune_status scantune_trim(uint64_t* freed_bytes) {
  return guarded([&] {
    const u64 bytes = trim_launch_contexts();
    if (freed_bytes != nullptr) *freed_bytes = bytes;
  });
}

scantune_status scantune_buffer_create(uint64_t bytes, scantune_buffer** buffer) {
  return guarded([&] {
    scantune_buffer*& place = not_null("buffer", buffer);
    place = new scantune_buffer(bytes);
  });
}

void* scantune_buffer_data(const scantune_buffer* buffer) { return buffer == nullptr ? nullptr : buffer->data; }

scantune_status scantune_buffer_upload(scantune_buffer* buffer, const void* source, uint64_t bytes) {
  return guarded([&] {
    const scantune_buffer& to = not_null("buffer", buffer);
    check_copy(to, "source", source, bytes);
    if (bytes > 0) to.device->upload(to.data, source, bytes);
  });
}

scantune_status scantune_buffer_download(const scantune_buffer* buffer, void* destination, uint64_t bytes) {
  return guarded([&] {
    const scantune_buffer& from = not_null("buffer", buffer);
    check_copy(from, "destination", destination, bytes);
    if (bytes > 0) from.device->download(destination, from.data, bytes);
  });
}

void scantune_buffer_destroy(scantune_buffer* buffer) { delete buffer; }
}
