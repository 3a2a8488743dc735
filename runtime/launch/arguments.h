// The pointers of a call, and their checks.
#pragma once

#include <array>
#include <span>

#include "device/device.h"
#include "space/operands.h"

namespace scantune {

// Pointers in the order of the request's operands. Kernels write through those of outputs.
using Pointers = std::array<const void*, OperandList::kCapacity>;

// Memory of the caller's for one call to work in. It may hold anything.
struct GivenWorkspace {
  void* memory;
  u64 bytes;
};

// A request whose extents are not 0, unless it has a result for n = 0, and not more than the address space can hold.
class CheckedRequest {
 public:
  explicit CheckedRequest(const Request& request);  // throws RequestError that names the extent

  const Request& get() const { return request_; }

 private:
  Request request_;
};

// Throws RequestError if the operand has more items than the address space has room for.
void check_room(const Request& request, const RequestOperand& operand);

// The arguments of calls for one request.
class Arguments {
 public:
  explicit Arguments(const CheckedRequest& request);

  // Throws RequestError if a pointer is null, misaligned, past the end of the address space or overlaps another. The
  // device is queried only for the text of an error, so this is fast enough for every call of a plan.
  void check(Device& device, const Pointers& pointers, Stream stream) const {
    if (!are_plausible(pointers)) [[unlikely]]
      refuse(device, pointers, stream);
  }
  // Checks the pointers and the stream by querying the device.
  void check_fully(Device& device, const Pointers& pointers, Stream stream) const;

  // Throws RequestError if a call with these pointers cannot work in the first needed_bytes of the caller's workspace:
  // these bytes must be outside every operand, gaps included.
  void check_workspace(const GivenWorkspace& given, u64 needed_bytes, const Pointers& pointers) const;

  // Writes the pointers to the kernel arguments. Returns which kernels serve them.
  Variant fill(KernelArguments& arguments, const Pointers& pointers) const;
  // Writes only those of arrays, whose lowest items, not the first ones, are at `begins`.
  void fill_arrays(KernelArguments& arguments, const Pointers& begins) const;

 private:
  struct Place {
    u64 bytes;
    i64 lowest_bytes;  // from the pointer to the first of them, 0 or less
    u64 misaligning;   // bits that the address must not have
    u64 vector_bits;   // bits that rule out kernels for aligned pointers, edge_bytes past the pointer
    u64 edge_bytes;
    OperandRole role;
    bool is_argument;  // in the place of one of the kernel's other arguments
    bool may_be_null;
  };

  // An output or consumed input, and another operand.
  struct Pair {
    std::size_t output;
    std::size_t other;
    bool may_coincide;
  };
  static constexpr std::size_t kMostPairs = OperandList::kCapacity * (OperandList::kCapacity - 1);

  void take_layout(KernelArguments& arguments, const Pointers& pointers) const;
  bool are_plausible(const Pointers& pointers) const;
  // The first byte of an operand; null where the pointer is.
  const std::byte* begin(std::size_t place, const Pointers& pointers) const;
  bool collide(const Pair& pair, const Pointers& pointers) const;
  [[noreturn]] void refuse(Device& device, const Pointers& pointers, Stream stream) const;
  std::string address_fault(const Pointers& pointers) const;
  std::string device_fault(Device& device, const Pointers& pointers, Stream stream) const;
  std::string overlap_fault(const Pointers& pointers) const;

  Request request_;
  Operands operands_;
  std::array<Place, OperandList::kCapacity> places_{};
  std::array<Pair, kMostPairs> pairs_{};
  std::array<NamedMemory, OperandList::kCapacity> named_{};  // complete except the addresses
  std::size_t count_, pair_count_ = 0;
  bool has_layout_;  // of strides, or of dense items that do not begin at the pointers
  bool some_may_be_null_ = false;
};

}  // namespace scantune
