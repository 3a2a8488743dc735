// The pointers of a call, and what can be said against them.
#pragma once

#include <array>
#include <span>

#include "device/device.h"
#include "space/operands.h"

namespace scantune {

// In the order of the request's operands. Kernels write through those of outputs.
using Pointers = std::array<const void*, OperandList::kCapacity>;

// Throws RequestError if more items are asked for than the address space has room for.
void check_extents(const Request& request);

// The arguments of calls for one request, whose extents are not 0 and were checked.
class Arguments {
 public:
  explicit Arguments(const Request& request);

  // Throws RequestError if null, alignment, the end of the address space or an overlap says that a pointer is wrong.
  // Where none does nobody is asked: this is small enough for every call of a plan.
  void check(Device& device, const Pointers& pointers, Stream stream) const {
    if (!are_plausible(pointers)) [[unlikely]]
      refuse(device, pointers, stream);
  }
  // Likewise, with all that the device knows of their memory and of the stream.
  void check_fully(Device& device, const Pointers& pointers, Stream stream) const;

  // Whether all arrays are aligned for vectors.
  Variant variant(const Pointers& pointers) const;
  // Puts the pointers where kernels find them: all, or those of arrays.
  void fill(KernelArguments& arguments, const Pointers& pointers) const;
  void fill_arrays(KernelArguments& arguments, const Pointers& pointers) const;

 private:
  struct Place {
    u64 bytes;
    u64 misaligning;     // bits that the address must not have
    u64 vector_bits;     // bits that keep kernels for aligned pointers from it
    std::size_t offset;  // into the kernel's arguments
    OperandRole role;
  };

  bool are_plausible(const Pointers& pointers) const;
  bool collide(std::size_t operand, std::size_t output, const Pointers& pointers) const;
  [[noreturn]] void refuse(Device& device, const Pointers& pointers, Stream stream) const;
  std::string address_fault(const Pointers& pointers) const;
  std::string device_fault(Device& device, const Pointers& pointers, Stream stream) const;
  std::string overlap_fault(const Pointers& pointers) const;

  Request request_;
  Operands operands_;
  std::array<Place, OperandList::kCapacity> places_{};
  std::size_t count_;
};

}  // namespace scantune
