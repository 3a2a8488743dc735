#include "launch/arguments.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <utility>

#include "launch/workspace_layout.h"
#include "scantune/error.hpp"
#include "space/strided.h"

namespace scantune {
namespace {

std::uintptr_t address_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

std::string hex(const void* pointer) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address_of(pointer)));
  return text;
}

std::string range(const void* first, u64 bytes) { return '[' + hex(first) + ", +" + std::to_string(bytes) + " bytes)"; }

bool wraps(const void* first, u64 bytes) {
  return address_of(first) > std::numeric_limits<std::uintptr_t>::max() - bytes;
}

bool overlap(const void* a, u64 a_bytes, const void* b, u64 b_bytes) {
  return address_of(a) < address_of(b) + b_bytes && address_of(b) < address_of(a) + a_bytes;
}

// The axes of its input, which has items.
StridedAxes axes_of(const Request& request) {
  const Layout& layout = request.layout;
  u64 sequences = layout.plane_sequences;
  for (const u64 extent : request.extents) sequences = std::max(sequences, extent);  // it has rows or columns
  return {{"item_stride", layout.input.item, request.n / std::max<u64>(sequences, 1)},
          {"row_stride", layout.input.sequence, layout.plane_sequences},
          {"plane_stride", layout.input.plane, sequences / std::max<u64>(layout.plane_sequences, 1)}};
}

// The strides of rows and planes as they are solved, merged or swapped. In reverse kernels have the negative ones of
// items.
std::string strides_text(const Layout& layout) {
  std::string text;
  for (const auto& [prefix, strides] : {std::pair("", layout.input), {", out_", layout.output}}) {
    const std::string next = *prefix == '\0' ? ", " : prefix;
    const i64 item = strides.first != 0 ? -strides.item : strides.item;
    text += prefix;
    if (strides.sequence != 0) text += "row_stride " + std::to_string(strides.sequence) + next;
    text += "item_stride " + std::to_string(item);
    if (strides.plane != 0) text += next + "plane_stride " + std::to_string(strides.plane);
  }
  return text;
}

// Whether kernels have a place for a pointer of every role.
constexpr bool all_have_places() {
  for (std::size_t role = 0; role < std::size(Tokens<OperandRole>::kNames); ++role)
    if (static_cast<int>(place_of(static_cast<OperandRole>(role))) >= KernelArguments::kMostRoles) return false;
  return true;
}
static_assert(all_have_places());

// The argument's name, and the role that C callers know it by where that is another.
std::string named_by_role(const RequestOperand& operand) {
  const std::string name = operand.name, role = Tokens<OperandRole>::kNames[static_cast<int>(operand.role)];
  return name == role || is_argument(operand.role) ? name : name + " (the " + role + ")";
}

[[noreturn]] void fail(const Request& request, const std::string& fault) {
  throw RequestError(to_string(request) + ": " + fault);
}

}  // namespace

void check_room(const Request& request, const RequestOperand& operand) {
  if (operand.items > std::numeric_limits<u64>::max() / static_cast<unsigned>(operand.item_bytes))
    fail(request, std::string(operand.extent) + " is " + std::to_string(operand.items) +
                      ", which is more items than fit in the address space");
}

CheckedRequest::CheckedRequest(const Request& request) : request_(request) {
  const Operands operands(request);
  for (const RequestOperand& operand : operands.list()) {
    if (operand.items == 0 && !request.algorithm().has_result_without_items(request))
      fail(request, std::string(operand.extent) + " is 0: there is nothing to do");
    check_room(request, operand);
  }
}

Arguments::Arguments(const CheckedRequest& request)
    : request_(request.get()),
      operands_(request_),
      count_(operands_.list().size()),
      has_layout_(request_.layout != Layout{}) {
  const auto all = operands_.list();
  // Dense items may begin elsewhere than at the pointer.
  const auto from_pointer_to_edge = [&](const RequestOperand& operand) {
    const i64 first = request_.layout.is_strided() ? 0 : operand.lowest_bytes();
    return static_cast<u64>(first) + (operand.from_end ? operand.bytes() : 0);
  };
  for (std::size_t place = 0; place < count_; ++place) {
    places_[place] = {
        .bytes = all[place].bytes(),
        .lowest_bytes = all[place].lowest_bytes(),
        .misaligning = static_cast<u64>(all[place].alignment) - 1,
        .vector_bits = all[place].is_array && comes_in_vectors(all[place].role) ? u64{kVectorAlignmentBytes} - 1 : 0,
        .edge_bytes = from_pointer_to_edge(all[place]),
        .role = place_of(all[place].role),
        .is_argument = is_argument(all[place].role),
        .may_be_null = all[place].may_be_null};
    for (std::size_t earlier = 0; earlier < place; ++earlier)
      if (places_[earlier].role == places_[place].role)
        throw Error(std::string(request_.algorithm().name()) +
                    " has two operands of one role, and kernels no place for it");
    some_may_be_null_ |= all[place].may_be_null;
    named_[place] = {all[place].name, nullptr, all[place].bytes(), static_cast<unsigned>(all[place].item_bytes)};
    const auto may_be_written = [](const RequestOperand& operand) {
      return is_written(operand.role) || operand.is_consumed;
    };
    if (!may_be_written(all[place])) continue;
    // An input in place of an output of as many items is fine: each is read before its result is written over it.
    const auto is_as_long = [&](const RequestOperand& other) {
      if (all[place].is_limited && all[place].bytes() < other.bytes()) return all[place].item_bytes == other.item_bytes;
      return all[place].bytes() == other.bytes();
    };
    for (std::size_t other = 0; other < count_; ++other)
      if (other > place || (other < place && !may_be_written(all[other])))  // each pair once
        pairs_[pair_count_++] = {place, other,
                                 all[place].role == OperandRole::output && all[other].role == OperandRole::input &&
                                     is_as_long(all[other]) && !all[place].lies_apart &&
                                     request_.layout.input == request_.layout.output};
  }
}

bool Arguments::are_plausible(const Pointers& pointers) const {
  for (std::size_t place = 0; place < count_; ++place) {
    const void* pointer = pointers[place];
    if ((pointer == nullptr && places_[place].bytes != 0 && !places_[place].may_be_null) ||
        (address_of(pointer) & places_[place].misaligning) != 0 || wraps(begin(place, pointers), places_[place].bytes))
      return false;
  }
  for (std::size_t pair = 0; pair < pair_count_; ++pair)
    if (collide(pairs_[pair], pointers)) return false;
  return true;
}

const std::byte* Arguments::begin(std::size_t place, const Pointers& pointers) const {
  const auto* const pointer = static_cast<const std::byte*>(pointers[place]);
  return pointer == nullptr ? nullptr : pointer + places_[place].lowest_bytes;
}

bool Arguments::collide(const Pair& pair, const Pointers& pointers) const {
  const std::byte *const output = begin(pair.output, pointers), *const other = begin(pair.other, pointers);
  if (pair.may_coincide && output == other) return false;
  if (!overlap(other, places_[pair.other].bytes, output, places_[pair.output].bytes)) return false;
  // Arrays may be in each other's gaps.
  return !pair.may_coincide || !request_.layout.is_strided() ||
         items_meet(axes_of(request_), static_cast<i64>(address_of(other) - address_of(output)),
                    static_cast<u64>(operands_.list()[pair.output].item_bytes));
}

void Arguments::check_fully(Device& device, const Pointers& pointers, Stream stream) const {
  check(device, pointers, stream);
  if (const auto fault = device_fault(device, pointers, stream); !fault.empty()) fail(request_, fault);
}

void Arguments::check_workspace(const GivenWorkspace& given, u64 needed_bytes, const Pointers& pointers) const {
  const auto needs = [&] { return ", and one run needs " + std::to_string(needed_bytes); };
  const auto workspace = [&] { return "workspace " + range(given.memory, needed_bytes); };
  if (given.memory == nullptr)
    fail(request_, "workspace.memory is null" + needs() + " bytes: pass memory of the device");
  if (given.bytes < needed_bytes)
    fail(request_, "workspace.bytes is " + std::to_string(given.bytes) + needs() + ": ask the plan how many it needs");
  if (address_of(given.memory) % kLeastWorkspaceAlignmentBytes != 0)
    fail(request_, "workspace.memory is " + hex(given.memory) + ", which is not a multiple of " +
                       std::to_string(kLeastWorkspaceAlignmentBytes) + " bytes: multiples of " +
                       std::to_string(kWorkspaceAlignmentBytes) + " are fastest");
  if (wraps(given.memory, needed_bytes)) fail(request_, workspace() + " passes the end of the address space");
  for (std::size_t place = 0; place < count_; ++place) {
    const std::byte* const operand = begin(place, pointers);
    const u64 bytes = places_[place].bytes;
    if (bytes > 0 && overlap(given.memory, needed_bytes, operand, bytes))
      fail(request_, workspace() + " and " + operands_.list()[place].name + ' ' + range(operand, bytes) +
                         " overlap: they must not overlap");
  }
}

Variant Arguments::fill(KernelArguments& arguments, const Pointers& pointers) const {
  u64 bits = 0;
  for (std::size_t place = 0; place < count_; ++place) {
    bits |= (address_of(pointers[place]) + places_[place].edge_bytes) & places_[place].vector_bits;
    arguments.set_operand(places_[place].role, pointers[place]);
  }
  if (has_layout_) [[unlikely]]
    take_layout(arguments, pointers);
  return bits == 0 ? Variant::aligned : Variant::any;
}

// Kernels with strides have the caller's pointers and the layout; those of dense items only know where these begin.
void Arguments::take_layout(KernelArguments& arguments, const Pointers& pointers) const {
  if (request_.layout.is_strided()) {
    arguments.layout = request_.layout;
    return;
  }
  for (std::size_t place = 0; place < count_; ++place)
    if (places_[place].lowest_bytes != 0) arguments.set_operand(places_[place].role, begin(place, pointers));
}

// Only requests that are measured or verified come here.
void Arguments::fill_arrays(KernelArguments& arguments, const Pointers& begins) const {
  for (std::size_t place = 0; place < count_; ++place)
    if (!places_[place].is_argument)
      arguments.set_operand(places_[place].role,
                            static_cast<const std::byte*>(begins[place]) - places_[place].lowest_bytes);
  arguments.layout = request_.layout;
}

// What the device knows of the memory comes before an overlap, since too large an n makes the ranges of neighbouring
// allocations overlap.
void Arguments::refuse(Device& device, const Pointers& pointers, Stream stream) const {
  std::string fault = address_fault(pointers);
  if (fault.empty()) fault = device_fault(device, pointers, stream);
  if (fault.empty()) fault = overlap_fault(pointers);
  fail(request_, fault);
}

std::string Arguments::address_fault(const Pointers& pointers) const {
  for (std::size_t place = 0; place < count_; ++place) {
    const RequestOperand& operand = operands_.list()[place];
    const std::string argument = std::string(operand.name) + " is ";
    if (pointers[place] == nullptr && operand.bytes() != 0 && !operand.may_be_null)
      return named_by_role(operand) + " is null, and n is " + std::to_string(request_.n) +
             ": pass memory of the device";
    if ((address_of(pointers[place]) & places_[place].misaligning) != 0)
      return argument + hex(pointers[place]) + ", which is not a multiple of the " + std::to_string(operand.alignment) +
             " bytes that its type is aligned to";
    if (wraps(begin(place, pointers), operand.bytes()))
      return argument + hex(begin(place, pointers)) + ", and the " + std::to_string(operand.bytes()) +
             " bytes from there pass the end of the address space";
  }
  return {};
}

std::string Arguments::device_fault(Device& device, const Pointers& pointers, Stream stream) const {
  std::array<NamedMemory, OperandList::kCapacity> named;
  for (std::size_t place = 0; place < count_; ++place) {
    named[place] = named_[place];
    named[place].memory = begin(place, pointers);
  }
  if (some_may_be_null_)
    for (std::size_t place = 0; place < count_; ++place)
      if (pointers[place] == nullptr && places_[place].may_be_null) named[place].bytes = 0;
  return device.argument_fault({named.data(), count_}, stream);
}

std::string Arguments::overlap_fault(const Pointers& pointers) const {
  const auto named = [&](std::size_t place) {
    return std::string(operands_.list()[place].name) + ' ' + range(begin(place, pointers), places_[place].bytes);
  };
  for (std::size_t index = 0; index < pair_count_; ++index) {
    const Pair& pair = pairs_[index];
    if (!collide(pair, pointers)) continue;
    if (is_argument(operands_.list()[pair.other].role))
      return named(pair.other) + " is in the " + named(pair.output) + ": it must be outside";
    const std::string overlap = named(pair.other) + " and " + named(pair.output) + " overlap";
    const bool is_of_scan = operands_.list()[pair.other].role == OperandRole::input && request_.layout.output.item != 0;
    if (request_.layout.is_strided() && is_of_scan)
      return overlap + ", and items of one may be in the other: " + strides_text(request_.layout) +
             (operands_.list()[pair.other].item_bytes == operands_.list()[pair.output].item_bytes
                  ? ". They must be the same, with the same strides, or not overlap"
                  : ". They must not overlap");
    return overlap + ": they must " + (pair.may_coincide ? "be the same range or " : "") + "not overlap";
  }
  return {};
}

}  // namespace scantune
