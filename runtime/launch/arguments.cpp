#include "launch/arguments.h"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>

#include "scantune/error.hpp"

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

std::size_t offset_of(OperandRole role) {
  switch (role) {
    case OperandRole::input:
      return offsetof(KernelArguments, input);
    case OperandRole::output:
      return offsetof(KernelArguments, output);
    case OperandRole::init:
      break;
  }
  return offsetof(KernelArguments, init_memory);
}

[[noreturn]] void fail(const Request& request, const std::string& fault) {
  throw RequestError(to_string(request) + ": " + fault);
}

}  // namespace

void check_extents(const Request& request) {
  const Operands operands(request);
  for (const RequestOperand& operand : operands.list())
    if (operand.items > std::numeric_limits<u64>::max() / static_cast<unsigned>(operand.item_bytes))
      fail(request, "n is " + std::to_string(request.n) + ", which is more items than fit in the address space");
}

Arguments::Arguments(const Request& request) : request_(request), operands_(request), count_(operands_.list().size()) {
  for (std::size_t place = 0; place < count_; ++place) {
    const RequestOperand& operand = operands_.list()[place];
    places_[place] = {.bytes = operand.bytes(),
                      .misaligning = static_cast<u64>(operand.alignment) - 1,
                      .vector_bits = operand.is_array ? u64{kVectorAlignmentBytes} - 1 : 0,
                      .offset = offset_of(operand.role),
                      .role = operand.role};
  }
}

bool Arguments::are_plausible(const Pointers& pointers) const {
  for (std::size_t place = 0; place < count_; ++place) {
    const void* pointer = pointers[place];
    if (pointer == nullptr || (address_of(pointer) & places_[place].misaligning) != 0 ||
        wraps(pointer, places_[place].bytes))
      return false;
  }
  for (std::size_t output = 0; output < count_; ++output)
    if (places_[output].role == OperandRole::output)
      for (std::size_t other = 0; other < count_; ++other)
        if (other != output && collide(other, output, pointers)) return false;
  return true;
}

// An input in place of the output is fine: every item is read before its result is written over it.
bool Arguments::collide(std::size_t operand, std::size_t output, const Pointers& pointers) const {
  const Place &read = places_[operand], &written = places_[output];
  const bool in_place =
      read.role == OperandRole::input && pointers[operand] == pointers[output] && read.bytes == written.bytes;
  return !in_place && overlap(pointers[operand], read.bytes, pointers[output], written.bytes);
}

void Arguments::check_fully(Device& device, const Pointers& pointers, Stream stream) const {
  check(device, pointers, stream);
  if (const auto fault = device_fault(device, pointers, stream); !fault.empty()) fail(request_, fault);
}

Variant Arguments::variant(const Pointers& pointers) const {
  u64 bits = 0;
  for (std::size_t place = 0; place < count_; ++place) bits |= address_of(pointers[place]) & places_[place].vector_bits;
  return bits == 0 ? Variant::aligned : Variant::any;
}

void Arguments::fill(KernelArguments& arguments, const Pointers& pointers) const {
  for (std::size_t place = 0; place < count_; ++place)
    std::memcpy(reinterpret_cast<std::byte*>(&arguments) + places_[place].offset, &pointers[place], sizeof(void*));
}

void Arguments::fill_arrays(KernelArguments& arguments, const Pointers& pointers) const {
  for (std::size_t place = 0; place < count_; ++place)
    if (places_[place].vector_bits != 0)
      std::memcpy(reinterpret_cast<std::byte*>(&arguments) + places_[place].offset, &pointers[place], sizeof(void*));
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
    if (pointers[place] == nullptr) return argument + "null, and n is " + std::to_string(request_.n);
    if ((address_of(pointers[place]) & places_[place].misaligning) != 0)
      return argument + hex(pointers[place]) + ", which is not a multiple of the " + std::to_string(operand.alignment) +
             " bytes that its type is aligned to";
    if (wraps(pointers[place], operand.bytes()))
      return argument + hex(pointers[place]) + ", and the " + std::to_string(operand.bytes()) +
             " bytes from there pass the end of the address space";
  }
  return {};
}

std::string Arguments::device_fault(Device& device, const Pointers& pointers, Stream stream) const {
  std::array<NamedMemory, OperandList::kCapacity> named{};
  for (std::size_t place = 0; place < count_; ++place) {
    const RequestOperand& operand = operands_.list()[place];
    named[place] = {operand.name, pointers[place], operand.bytes(), static_cast<unsigned>(operand.item_bytes)};
  }
  return device.argument_fault({named.data(), count_}, stream);
}

std::string Arguments::overlap_fault(const Pointers& pointers) const {
  const auto named = [&](std::size_t place) {
    return std::string(operands_.list()[place].name) + ' ' + range(pointers[place], places_[place].bytes);
  };
  for (std::size_t output = 0; output < count_; ++output) {
    if (places_[output].role != OperandRole::output) continue;
    for (std::size_t other = 0; other < count_; ++other) {
      if (other == output || !collide(other, output, pointers)) continue;
      if (places_[other].role == OperandRole::init)
        return named(other) + " lies in the " + named(output) + ", which is written before it is read";
      return named(other) + " and " + named(output) + " overlap: they must be the same range or lie apart";
    }
  }
  return {};
}

}  // namespace scantune
