#include "device/cuda/pointer_check.h"

#include <array>

#include "device/cuda/driver.h"
#include "device/device.h"

namespace scantune {
namespace {

struct Allocation {
  CUmemorytype type{};          // 0: CUDA does not know the pointer
  CUcontext context = nullptr;  // null for memory of no one context, as pools and virtual memory management make it
  CUdeviceptr accessible = 0;   // 0: kernels of the current context cannot reach it
  unsigned int managed = 0;
  int device_ordinal = 0;
  CUdeviceptr start = 0;
  std::size_t bytes = 0;
};

Allocation allocation_of(const CudaContext& context, CUdeviceptr pointer) {
  Allocation found;
  std::array attributes = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,    CU_POINTER_ATTRIBUTE_CONTEXT,
                           CU_POINTER_ATTRIBUTE_DEVICE_POINTER, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                           CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                           CU_POINTER_ATTRIBUTE_RANGE_SIZE};
  std::array<void*, attributes.size()> values = {&found.type,    &found.context,        &found.accessible,
                                                 &found.managed, &found.device_ordinal, &found.start,
                                                 &found.bytes};
  const CUresult result =
      Driver::instance().cuPointerGetAttributes(attributes.size(), attributes.data(), values.data(), pointer);
  if (result == CUDA_ERROR_INVALID_VALUE || result == CUDA_ERROR_INVALID_CONTEXT) return {};  // not an address of CUDA
  context.check(result, "cuPointerGetAttributes");
  return found;
}

std::string fault_of(const Allocation& found, const CudaContext& context, int device_ordinal) {
  if (found.type == 0) return "it is host memory, or no memory that CUDA knows; pass memory of the GPU";
  if (found.managed || found.type == CU_MEMORYTYPE_HOST)
    return found.accessible ? "" : "it is host memory that the GPU cannot reach";
  if (found.device_ordinal != device_ordinal)
    return "it is on GPU " + std::to_string(found.device_ordinal) + ", but the call runs on GPU " +
           std::to_string(device_ordinal);
  if (found.context && found.context != context.handle()) return "it belongs to another CUDA context of this GPU";
  return {};
}

}  // namespace

std::string PointerCheck::fault(const void* pointer, u64 bytes, unsigned item_bytes) {
  const u64 offset = reinterpret_cast<CUdeviceptr>(pointer) - known_start_;
  if (offset < known_bytes_ && bytes <= known_bytes_ - offset) return {};
  return fault_of_unknown(pointer, bytes, item_bytes);
}

std::string PointerCheck::fault_of_unknown(const void* pointer, u64 bytes, unsigned item_bytes) {
  u64 checked = 0;
  do {
    const auto address = reinterpret_cast<CUdeviceptr>(pointer) + checked;
    const Allocation found = allocation_of(context_, address);
    std::string fault = fault_of(found, context_, device_ordinal_);
    // Allocators that map physical memory piece by piece hand out buffers of several neighbouring ranges.
    if (!fault.empty()) return checked == 0 ? fault : shortage(checked, bytes, item_bytes);
    if (found.bytes == 0) return {};  // CUDA does not say how far it reaches
    known_start_ = found.start;
    known_bytes_ = found.bytes;
    checked += found.start + found.bytes - address;
    const bool may_continue = found.context == nullptr || checked >= bytes;
    if (!may_continue) return shortage(checked, bytes, item_bytes);
  } while (checked < bytes);
  return {};
}

}  // namespace scantune
