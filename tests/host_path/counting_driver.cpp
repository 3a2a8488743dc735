#include "counting_driver.h"

#include <cuda.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <vector>

namespace scantune::testing::counting_driver {
namespace {

struct Context {
  unsigned long long id;
};

struct StreamRecord {
  unsigned long long id = 0;  // 0 once it has been destroyed
  Context* owner = nullptr;
  bool captured = false;
};

struct Allocation {
  CUdeviceptr start = 0;
  std::size_t bytes = 0;
  Context* owner = nullptr;
};

constexpr std::size_t kMostCalls = 1024;

std::array<const char*, kMostCalls> names;
std::size_t name_count = 0;

unsigned long long last_id = 0;
std::deque<Context> contexts;
std::deque<StreamRecord> streams;
std::vector<Allocation> allocations;
thread_local std::vector<Context*> current;  // the innermost last

// Allocates nothing: the tests count what the library allocates.
void record(const char* function) {
  if (name_count < kMostCalls) names[name_count++] = function;
}

Context* top() { return current.empty() ? nullptr : current.back(); }
CUcontext handle_of(Context* context) { return reinterpret_cast<CUcontext>(context); }
Context* context_of(CUcontext handle) { return reinterpret_cast<Context*>(handle); }
CUstream handle_of(StreamRecord* stream) { return reinterpret_cast<CUstream>(stream); }
StreamRecord* stream_of(CUstream handle) { return reinterpret_cast<StreamRecord*>(handle); }

Context* new_context() { return &contexts.emplace_back(Context{++last_id}); }

// As CUDA does: the handle of a destroyed stream is the next one's, an id is nobody else's.
StreamRecord* new_stream() {
  const auto free = std::ranges::find(streams, 0u, &StreamRecord::id);
  StreamRecord& stream = free == streams.end() ? streams.emplace_back() : *free;
  stream = {++last_id, top(), false};
  return &stream;
}

const Allocation* allocation_at(CUdeviceptr pointer) {
  const auto holds = [=](const Allocation& found) { return pointer - found.start < found.bytes; };
  const auto found = std::ranges::find_if(allocations, holds);
  return found == allocations.end() ? nullptr : &*found;
}

void tell(CUpointer_attribute attribute, const Allocation& found, void* value) {
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      *static_cast<CUmemorytype*>(value) = CU_MEMORYTYPE_DEVICE;
      break;
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      *static_cast<CUcontext*>(value) = handle_of(found.owner);
      break;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      *static_cast<CUdeviceptr*>(value) = found.start;
      break;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      *static_cast<std::size_t*>(value) = found.bytes;
      break;
    default:  // GPU 0, and no managed memory
      *static_cast<int*>(value) = 0;
  }
}

}  // namespace

std::span<const char* const> calls() { return {names.data(), name_count}; }
void forget_calls() { name_count = 0; }
CUctx_st* make_context() { return handle_of(new_context()); }
void begin_capture(CUstream_st* stream) { stream_of(stream)->captured = true; }
void end_capture(CUstream_st* stream) { stream_of(stream)->captured = false; }

}  // namespace scantune::testing::counting_driver

using namespace scantune::testing::counting_driver;

extern "C" {

CUresult cuInit(unsigned int) { return CUDA_SUCCESS; }

CUresult cuDriverGetVersion(int* version) {
  *version = CUDA_VERSION;
  return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult, const char** name) {
  *name = "an error of the counting driver";
  return CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult, const char** text) {
  *text = "it answers only what the tests of the host path need";
  return CUDA_SUCCESS;
}

// NVRTC asks for it wherever it finds a driver, and does without where there is none.
CUresult cuGetExportTable(const void** table, const CUuuid*) {
  *table = nullptr;
  return CUDA_ERROR_NOT_FOUND;
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  *device = ordinal;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char* name, int bytes, CUdevice) {
  std::strncpy(name, "NVIDIA H200", static_cast<std::size_t>(bytes));
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice) {
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      *value = 9;
      break;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      *value = 132;
      break;
    default:
      *value = 0;
  }
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
  static Context* const kPrimary = new_context();
  *context = handle_of(kPrimary);
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  record("cuCtxGetCurrent");
  *context = handle_of(top());
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context) {
  record("cuCtxSetCurrent");
  if (!current.empty()) current.pop_back();
  if (context != nullptr) current.push_back(context_of(context));
  return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent(CUcontext context) {
  record("cuCtxPushCurrent");
  current.push_back(context_of(context));
  return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent(CUcontext* context) {
  record("cuCtxPopCurrent");
  *context = handle_of(top());
  current.pop_back();
  return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice* device) {
  *device = 0;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetId(CUcontext context, unsigned long long* id) {
  record("cuCtxGetId");
  *id = context_of(context)->id;
  return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize() { return CUDA_SUCCESS; }

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  record("cuModuleLoadData");
  *module = static_cast<CUmodule>(const_cast<void*>(image));
  return CUDA_SUCCESS;
}

CUresult cuModuleUnload(CUmodule) { return CUDA_SUCCESS; }

CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char*) {
  *function = reinterpret_cast<CUfunction>(module);
  return CUDA_SUCCESS;
}

CUresult cuFuncLoad(CUfunction) { return CUDA_SUCCESS; }
CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int) { return CUDA_SUCCESS; }

CUresult cuLaunchKernelEx(const CUlaunchConfig*, CUfunction, void**, void**) {
  record("cuLaunchKernelEx");
  return CUDA_SUCCESS;
}

CUresult cuMemAlloc(CUdeviceptr* pointer, std::size_t bytes) {
  record("cuMemAlloc");
  constexpr std::size_t kAlignment = 256;
  void* const memory = std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
  *pointer = reinterpret_cast<CUdeviceptr>(memory);
  allocations.push_back({*pointer, bytes, top()});
  return CUDA_SUCCESS;
}

CUresult cuMemFree(CUdeviceptr pointer) {
  record("cuMemFree");
  std::erase_if(allocations, [=](const Allocation& found) { return found.start == pointer; });
  std::free(reinterpret_cast<void*>(pointer));
  return CUDA_SUCCESS;
}

CUresult cuMemsetD8Async(CUdeviceptr, unsigned char, std::size_t, CUstream) {
  record("cuMemsetD8Async");
  return CUDA_SUCCESS;
}

CUresult cuPointerGetAttributes(unsigned int count, CUpointer_attribute* attributes, void** values,
                                CUdeviceptr pointer) {
  record("cuPointerGetAttributes");
  const Allocation* const found = allocation_at(pointer);
  if (found == nullptr) return CUDA_ERROR_INVALID_VALUE;
  for (unsigned int index = 0; index < count; ++index) tell(attributes[index], *found, values[index]);
  return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream* stream, unsigned int) {
  *stream = handle_of(new_stream());
  return CUDA_SUCCESS;
}

CUresult cuStreamDestroy(CUstream stream) {
  *stream_of(stream) = {};
  return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream) { return CUDA_SUCCESS; }

CUresult cuStreamGetId(CUstream stream, unsigned long long* id) {
  record("cuStreamGetId");
  *id = stream == nullptr ? top()->id : stream_of(stream)->id;
  return CUDA_SUCCESS;
}

CUresult cuStreamGetCtx(CUstream stream, CUcontext* context) {
  record("cuStreamGetCtx");
  *context = handle_of(stream == nullptr ? top() : stream_of(stream)->owner);
  return CUDA_SUCCESS;
}

CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t*, CUgraph* graph,
                                const CUgraphNode**,
#if CUDA_VERSION >= 13000
                                const CUgraphEdgeData**,
#endif
                                std::size_t*) {
  record("cuStreamGetCaptureInfo");
  const bool captured = stream != nullptr && stream_of(stream)->captured;
  *status = captured ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
  *graph = captured ? reinterpret_cast<CUgraph>(stream) : nullptr;
  return CUDA_SUCCESS;
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode*) { return CUDA_SUCCESS; }

CUresult cuUserObjectCreate(CUuserObject* object, void*, CUhostFn, unsigned int, unsigned int) {
  record("cuUserObjectCreate");
  *object = reinterpret_cast<CUuserObject>(&contexts);
  return CUDA_SUCCESS;
}

CUresult cuGraphRetainUserObject(CUgraph, CUuserObject, unsigned int, unsigned int) {
  record("cuGraphRetainUserObject");
  return CUDA_SUCCESS;
}
}
