// The functions of scantune.h, on the device and the tuning records of this process.
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "c_api/allocator.h"
#include "c_api/members.h"
#include "c_api/places.h"
#include "c_api/request.h"
#include "c_api/status.h"
#include "launch/call_recorder.h"
#include "launch/checked_call.h"
#include "launch/offsets_check.h"
#include "launch/workspace_layout.h"
#include "scantune/error.hpp"
#include "scantune/scantune.h"
#include "select/records_in_use.h"
#include "support/log.h"

using namespace scantune;
using namespace scantune::c_api;

struct scantune_plan {
  // What a call does beside its launch.
  struct Beside {
    std::unique_ptr<const OffsetsCheck> offsets_check;  // null: nothing is checked
    bool is_counted = false;
  };

  Asked asked;
  Places places;
  std::shared_ptr<Plan> plan;  // null where there is nothing to do
  std::string description;
  std::unique_ptr<const Beside> beside;      // null: a call does nothing else
  std::unique_ptr<const CallStates> states;  // what those of the request are
  bool is_plain;                             // a call only launches, and its arrays are input and output
};

struct scantune_buffer {
  scantune_buffer(std::shared_ptr<Device> of, std::uint64_t size) : device(std::move(of)), bytes(size) {
    if (bytes > 0) data = device->allocate(bytes);
  }
  scantune_buffer(std::shared_ptr<Device> of, void* memory, std::uint64_t size)
      : device(std::move(of)), data(size > 0 ? memory : nullptr), bytes(size), is_wrapped(true) {
    if (data != nullptr) device->wrap(data, bytes);
  }
  ~scantune_buffer() {
    if (data != nullptr && is_wrapped)
      device->unwrap(data, bytes);
    else if (data != nullptr)
      device->free(data);
  }
  scantune_buffer(const scantune_buffer&) = delete;
  scantune_buffer& operator=(const scantune_buffer&) = delete;

  std::shared_ptr<Device> device;
  void* data = nullptr;
  std::uint64_t bytes;
  bool is_wrapped = false;  // the caller's memory
};

namespace {

Stream stream_of(scantune_stream stream) { return static_cast<Stream>(stream); }

[[noreturn]] void fail_null(const char* argument, const char* what) {
  fail(argument, std::string("NULL: pass ") + what);
}

template <class T>
T& not_null(const char* argument, const char* what, T* pointer) {
  if (pointer == nullptr) [[unlikely]]
    fail_null(argument, what);
  return *pointer;
}

constexpr const char* kBuffer = "what scantune_buffer_create() made";

void check_copy(const scantune_buffer& buffer, const char* argument, const void* memory, std::uint64_t bytes) {
  if (bytes > buffer.bytes)
    throw RequestError("bytes is " + std::to_string(bytes) + ", and the buffer holds " + std::to_string(buffer.bytes) +
                       ": copy at most these");
  if (bytes > 0 && memory == nullptr)
    throw RequestError(std::string(argument) + " is NULL, and bytes is " + std::to_string(bytes) +
                       ": pass memory of the host");
}

// Check a given config even when n is 0.
void check_config_of_nothing(const Asked& asked) {
  if (asked.config.empty() || asked.request.n > 0) return;
  Request of_one_item = asked.request;
  of_one_item.n = 1;
  for (const ExtentModel& extent : of_one_item.algorithm().extents())
    if (of_one_item.has(extent)) of_one_item.set(extent, 1);
  select_given(asked.config, device_of(asked.device)->identity(), of_one_item);
}

// The plans that the calls of a thread use.
struct ThreadCalls {
  u64 generation = ~u64{0};  // of the records that they were chosen by
  PlanCache plans;

  void refresh() {
    plans.clear();
    records_in_use();  // which may read them
    generation = records_generation.load();
  }
};

void run(const Asked& asked, const Pointers& pointers, scantune_stream stream) {
  if (asked.has_nothing_to_do()) return check_config_of_nothing(asked);
  thread_local ThreadCalls of_this_thread;
  ThreadCalls& calls = of_this_thread;
  if (calls.generation != records_generation.load(std::memory_order_relaxed)) [[unlikely]]
    calls.refresh();
  const u64 generation = calls.generation;
  run_checked(device_of(asked.device), &records_for_a_plan, calls.plans,
              {.request = asked.request,
               .custom = asked.custom,
               .pointers = pointers,
               .init = asked.init,
               .captured_launches = asked.captured_launches,
               .config = asked.config,
               .stream = stream_of(stream),
               .states = asked.states});
  // A remark on the way may have called a log that reloaded and scanned: what is remembered is of records before.
  if (calls.generation != generation) [[unlikely]]
    calls.plans.clear();
}

std::unique_ptr<const OffsetsCheck> loaded_check(const Asked& asked) {
  if (!asked.checks_offsets) return nullptr;
  auto check = std::make_unique<OffsetsCheck>(device_of(asked.device), asked.request, asked.refuses_overlap);
  check->load();
  return check;
}

std::unique_ptr<const scantune_plan::Beside> beside_launches(const Asked& asked, const Plan* plan) {
  scantune_plan::Beside made{loaded_check(asked), plan != nullptr && plan->is_counted()};
  if (made.offsets_check == nullptr && !made.is_counted) return nullptr;
  return std::make_unique<const scantune_plan::Beside>(std::move(made));
}

std::unique_ptr<scantune_plan> made_plan(Asked asked) {
  const auto& device = device_of(asked.device);
  const Places places(asked);
  check_kept_pointers(*device, asked.request, places.kept());
  const std::optional<CustomOperator> copy = copy_of(std::exchange(asked.custom, std::nullopt));
  const CustomOperator* custom = copy ? &*copy : nullptr;
  std::shared_ptr<Plan> made;
  if (asked.has_nothing_to_do())
    check_config_of_nothing(asked);
  else
    made = make_plan(device, *records_for_a_plan(), CheckedRequest(asked.request), asked.captured_launches,
                     CaptureMemory::ahead, custom, asked.config);
  asked.config = {};  // the caller's text
  auto states = asked.states != nullptr ? std::make_unique<const CallStates>(*asked.states) : nullptr;
  asked.states = states.get();
  auto beside = beside_launches(asked, made.get());
  const bool is_plain = made != nullptr && places.are_plain() && beside == nullptr;
  std::string description = made != nullptr ? made->describe() : describe_empty(*device, asked.request, custom);
  return std::make_unique<scantune_plan>(scantune_plan{.asked = asked,
                                                       .places = places,
                                                       .plan = std::move(made),
                                                       .description = std::move(description),
                                                       .beside = std::move(beside),
                                                       .states = std::move(states),
                                                       .is_plain = is_plain});
}

[[gnu::always_inline]] inline void launch(const scantune_plan& made, const Pointers& pointers,
                                          const scantune_workspace* workspace, scantune_stream stream) {
  if (workspace == nullptr)
    made.plan->run(pointers, made.asked.init, stream_of(stream), made.asked.states);
  else
    made.plan->run_in({workspace->memory, workspace->bytes}, pointers, made.asked.init, stream_of(stream),
                      made.asked.states);
}

// Apart from calls that only launch, which are held to their instructions.
[[gnu::noinline]] void run_with_more(const scantune_plan& made, const Pointers& pointers,
                                     const scantune_workspace* workspace, scantune_stream stream) {
  const scantune_plan::Beside& more = *made.beside;
  if (more.offsets_check != nullptr) more.offsets_check->check(pointers, stream_of(stream));
  if (made.plan == nullptr) return;
  launch(made, pointers, workspace, stream);
  if (more.is_counted) made.plan->count(pointers);
}

// The arrays of a scan. Without maps and an n in memory its operands are input, output and what it may start from.
Pointers scanned(const Asked& asked, const void* input, void* output) {
  if (asked.has_other_arrays) [[unlikely]]
    fail("segments",
         "by flags, bits, keys or offsets, and this function takes input and output alone: call "
         "scantune_run() with all arrays");
  if (asked.states == nullptr && asked.device_n == nullptr) return {input, output, asked.device_init};
  const scantune_arrays arrays = {2, {input, output}};
  return Places(asked).of(asked.request, &arrays);
}

static_assert(SCANTUNE_WORKSPACE_ALIGNMENT == kWorkspaceAlignmentBytes);

}  // namespace

extern "C" {

const char* scantune_error_message(void) { return message(); }

int32_t scantune_error_cuda_result(void) { return cuda_result(); }

const char* scantune_version(void) { return SCANTUNE_VERSION; }

void scantune_set_log(scantune_log log, void* user) { set_log(log, user); }

scantune_type scantune_accumulator(scantune_type input, scantune_type output) { return accumulator_of(input, output); }

scantune_status scantune_request_init(scantune_head* request, scantune_algorithm algorithm, size_t struct_bytes) {
  return guarded(
      [&] { initialise(&not_null("request", "the head of the request to set", request), algorithm, struct_bytes); });
}

scantune_status scantune_scan(const scantune_scan_request* request, const void* input, void* output,
                              scantune_stream stream) {
  // With the room on its stack g++ does not inline this by itself, and a warm call is held to its instructions.
  return guarded([&]() __attribute__((always_inline)) {
    Room room;
    const Asked asked = checked_scan(request, room);
    run(asked, scanned(asked, input, output), stream);
  });
}

scantune_status scantune_run(const scantune_head* request, const scantune_arrays* arrays, scantune_stream stream) {
  return guarded([&] {
    Room room;
    const Asked asked = checked_request(request, room);
    const Pointers pointers = Places(asked).of(asked.request, arrays);
    if (asked.checks_offsets)
      OffsetsCheck(device_of(asked.device), asked.request, asked.refuses_overlap).check(pointers, stream_of(stream));
    run(asked, pointers, stream);
  });
}

scantune_status scantune_plan_create(const scantune_head* request, scantune_plan** plan) {
  return guarded([&] {
    scantune_plan*& place = not_null("plan", "where the plan is to go", plan);
    place = nullptr;
    Room room;
    place = made_plan(checked_request(request, room)).release();
  });
}

scantune_status scantune_plan_run(const scantune_plan* plan, const scantune_arrays* arrays,
                                  const scantune_workspace* workspace, scantune_stream stream) {
  return guarded([&] {
    const scantune_plan& made = not_null("plan", "what scantune_plan_create() made", plan);
    Pointers pointers = made.places.kept();
    if (made.is_plain && arrays != nullptr && arrays->count == 2) [[likely]] {  // plans are held to their instructions
      pointers[0] = arrays->of[SCANTUNE_INPUT];
      pointers[1] = arrays->of[SCANTUNE_OUTPUT];
    } else {
      pointers = made.places.of(made.asked.request, arrays);
      if (made.beside != nullptr) return run_with_more(made, pointers, workspace, stream);
      if (made.plan == nullptr) return;
    }
    launch(made, pointers, workspace, stream);
  });
}

uint64_t scantune_plan_workspace_bytes(const scantune_plan* plan) {
  return plan == nullptr || plan->plan == nullptr ? 0 : plan->plan->workspace_bytes();
}

const char* scantune_plan_description(const scantune_plan* plan) {
  return plan == nullptr ? "" : plan->description.c_str();
}

void scantune_plan_destroy(scantune_plan* plan) { delete plan; }

scantune_status scantune_reload(void) {
  return guarded([] { reload_records(); });
}

scantune_status scantune_record_flush(void) {
  return guarded([] { write_calls(); });
}

scantune_status scantune_release(scantune_stream stream, scantune_device device) {
  return guarded([&] {
    checked_device(device);
    const auto& of = device_of(device);
    if (const auto fault = of->argument_fault({}, stream_of(stream)); !fault.empty()) throw RequestError(fault);
    const StreamState state = of->stream_state(stream_of(stream));
    if (state.capturing_graph != nullptr) throw RequestError("stream is being captured: end the capture first");
    launch_context(of).streams().release(state.id);
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

scantune_status scantune_buffer_create(uint64_t bytes, scantune_device device, scantune_buffer** buffer) {
  return guarded([&] {
    scantune_buffer*& place = not_null("buffer", "where the buffer is to go", buffer);
    place = nullptr;
    checked_device(device);
    place = new scantune_buffer(device_of(device), bytes);
  });
}

scantune_status scantune_buffer_wrap(void* memory, uint64_t bytes, scantune_device device, scantune_buffer** buffer) {
  return guarded([&] {
    scantune_buffer*& place = not_null("buffer", "where the buffer is to go", buffer);
    place = nullptr;
    checked_device(device);
    if (memory == nullptr && bytes > 0) fail_null("memory", "memory of the host");
    if (bytes > ~reinterpret_cast<std::uintptr_t>(memory))
      throw RequestError("bytes is " + std::to_string(bytes) + ", which from memory pass the end of the address space");
    place = new scantune_buffer(device_of(device), memory, bytes);
  });
}

void* scantune_buffer_data(const scantune_buffer* buffer) { return buffer == nullptr ? nullptr : buffer->data; }

scantune_status scantune_buffer_upload(scantune_buffer* buffer, const void* source, uint64_t bytes) {
  return guarded([&] {
    const scantune_buffer& to = not_null("buffer", kBuffer, buffer);
    check_copy(to, "source", source, bytes);
    if (bytes > 0) to.device->upload(to.data, source, bytes);
  });
}

scantune_status scantune_buffer_download(const scantune_buffer* buffer, void* destination, uint64_t bytes) {
  return guarded([&] {
    const scantune_buffer& from = not_null("buffer", kBuffer, buffer);
    check_copy(from, "destination", destination, bytes);
    if (bytes > 0) from.device->download(destination, from.data, bytes);
  });
}

void scantune_buffer_destroy(scantune_buffer* buffer) { delete buffer; }
}
