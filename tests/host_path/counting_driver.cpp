#include "counting_driver.h"

#include <cuda.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <string_view>
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

std::array<std::string_view, kMostCalls> names;
std::size_t name_count = 0;

int resident_clusters = 1;
CUresult launch_result = CUDA_SUCCESS;
CUresult context_result = CUDA_SUCCESS;
unsigned long long last_id = 0;
std::deque<Context> contexts;
std::deque<StreamRecord> streams;
std::vector<Allocation> allocations;
thread_local std::vector<Context*> current;  // the innermost is the last

// Records a call. It allocates nothing, because the tests count what the library allocates.
void record(std::string_view function) {
  if (name_count < kMostCalls) names[name_count++] = function.substr(0, function.find("_v"));
}

// Every function of this driver begins with it: no test would notice a call that is not recorded.
#define SCANTUNE_RECORD() record(__func__)

Context* top() { return current.empty() ? nullptr : current.back(); }
CUcontext handle_of(Context* context) { return reinterpret_cast<CUcontext>(context); }
Context* context_of(CUcontext handle) { return reinterpret_cast<Context*>(handle); }
CUstream handle_of(StreamRecord* stream) { return reinterpret_cast<CUstream>(stream); }
StreamRecord* stream_of(CUstream handle) { return reinterpret_cast<StreamRecord*>(handle); }

Context* new_context() { return &contexts.emplace_back(Context{++last_id}); }

// A new stream takes the handle of a destroyed one, but never its id, as in CUDA.
StreamRecord* new_stream() {
  const auto free = std::ranges::find(streams, 0u, &StreamRecord::id);
  StreamRecord& stream = free == streams.end() ? streams.emplace_back() : *free;
  stream = {++last_id, top(), false};
  return &stream;
}

// The allocation that holds an address; one of 0 bytes where there is none.
Allocation allocation_at(CUdeviceptr pointer) {
  const auto holds = [=](const Allocation& found) { return pointer - found.start < found.bytes; };
  const auto found = std::ranges::find_if(allocations, holds);
  return found == allocations.end() ? Allocation{} : *found;
}

// Writes an attribute; without an allocation every attribute is null.
void tell(CUpointer_attribute attribute, CUdeviceptr pointer, const Allocation& found, void* value) {
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      *static_cast<CUmemorytype*>(value) = found.bytes > 0 ? CU_MEMORYTYPE_DEVICE : CUmemorytype{};
      break;
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      *static_cast<CUcontext*>(value) = handle_of(found.owner);
      break;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      *static_cast<CUdeviceptr*>(value) = found.bytes > 0 ? pointer : 0;
      break;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      *static_cast<CUdeviceptr*>(value) = found.start;
      break;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      *static_cast<std::size_t*>(value) = found.bytes;
      break;
    default:  // it is on GPU 0, and is no managed memory
      *static_cast<int*>(value) = 0;
  }
}

}  // namespace

std::span<const std::string_view> calls() { return {names.data(), name_count}; }
void forget_calls() { name_count = 0; }
CUctx_st* make_context() { return handle_of(new_context()); }
void set_resident_clusters(int clusters) { resident_clusters = clusters; }
void set_launch_result(int result) { launch_result = static_cast<CUresult>(result); }
void set_context_result(int result) { context_result = static_cast<CUresult>(result); }
void begin_capture(CUstream_st* stream) { stream_of(stream)->captured = true; }
void end_capture(CUstream_st* stream) { stream_of(stream)->captured = false; }

}  // namespace scantune::testing::counting_driver

using namespace scantune::testing::counting_driver;

extern "C" {

CUresult cuInit(unsigned int) {
  SCANTUNE_RECORD();
  return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int* version) {
  SCANTUNE_RECORD();
  *version = CUDA_VERSION;
  return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult, const char** name) {
  SCANTUNE_RECORD();
  *name = "an error of the counting driver";
  return CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult, const char** text) {
  SCANTUNE_RECORD();
  *text = "it answers only what the tests of the host path need";
  return CUDA_SUCCESS;
}

// NVRTC calls this wherever it finds a driver, and can do without it.
CUresult cuGetExportTable(const void** table, const CUuuid*) {
  SCANTUNE_RECORD();
  *table = nullptr;
  return CUDA_ERROR_NOT_FOUND;
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  SCANTUNE_RECORD();
  *device = ordinal;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char* name, int bytes, CUdevice) {
  SCANTUNE_RECORD();
  std::strncpy(name, "NVIDIA H200", static_cast<std::size_t>(bytes));
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice) {
  SCANTUNE_RECORD();
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
  SCANTUNE_RECORD();
  static Context* const kPrimary = new_context();
  *context = handle_of(kPrimary);
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  SCANTUNE_RECORD();
  *context = handle_of(top());
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context) {
  SCANTUNE_RECORD();
  if (!current.empty()) current.pop_back();
  if (context != nullptr) current.push_back(context_of(context));
  return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent(CUcontext context) {
  SCANTUNE_RECORD();
  current.push_back(context_of(context));
  return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent(CUcontext* context) {
  SCANTUNE_RECORD();
  *context = handle_of(top());
  current.pop_back();
  return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice* device) {
  SCANTUNE_RECORD();
  *device = 0;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetId(CUcontext context, unsigned long long* id) {
  SCANTUNE_RECORD();
  *id = context_of(context)->id;
  return context_result;
}

CUresult cuCtxSynchronize() {
  SCANTUNE_RECORD();
  const bool is_capturing = std::ranges::any_of(streams, &StreamRecord::captured);
  return is_capturing ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : context_result;
}

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  SCANTUNE_RECORD();
  *module = static_cast<CUmodule>(const_cast<void*>(image));
  return CUDA_SUCCESS;
}

CUresult cuModuleUnload(CUmodule) {
  SCANTUNE_RECORD();
  return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char*) {
  SCANTUNE_RECORD();
  *function = reinterpret_cast<CUfunction>(module);
  return CUDA_SUCCESS;
}

CUresult cuFuncLoad(CUfunction) {
  SCANTUNE_RECORD();
  return CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int) {
  SCANTUNE_RECORD();
  return CUDA_SUCCESS;
}

CUresult cuLaunchKernelEx(const CUlaunchConfig*, CUfunction, void**, void**) {
  SCANTUNE_RECORD();
  return launch_result;
}

CUresult cuOccupancyMaxActiveClusters(int* clusters, CUfunction, const CUlaunchConfig*) {
  SCANTUNE_RECORD();
  *clusters = resident_clusters;
  return CUDA_SUCCESS;
}

CUresult cuMemAlloc(CUdeviceptr* pointer, std::size_t bytes) {
  SCANTUNE_RECORD();
  constexpr std::size_t kAlignment = 256;
  void* const memory = std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
  *pointer = reinterpret_cast<CUdeviceptr>(memory);
  allocations.push_back({*pointer, bytes, top()});
  return CUDA_SUCCESS;
}

CUresult cuMemFree(CUdeviceptr pointer) {
  SCANTUNE_RECORD();
  std::erase_if(allocations, [=](const Allocation& found) { return found.start == pointer; });
  std::free(reinterpret_cast<void*>(pointer));
  return CUDA_SUCCESS;
}

CUresult cuMemsetD8Async(CUdeviceptr, unsigned char, std::size_t, CUstream) {
  SCANTUNE_RECORD();
  return CUDA_SUCCESS;
}

CUresult cuPointerGetAttributes(unsigned int count, CUpointer_attribute* attributes, void** values,
                                CUdeviceptr pointer) {
  SCANTUNE_RECORD();
  const Allocation found = allocation_at(pointer);
  for (unsigned int index = 0; index < count; ++index) tell(attributes[index], pointer, found, values[index]);
  return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream* stream, unsigned int) {
  SCANTUNE_RECORD();
  *stream = handle_of(new_stream());
  return CUDA_SUCCESS;
}

CUresult cuStreamDestroy(CUstream stream) {
  SCANTUNE_RECORD();
  *stream_of(stream) = {};
  return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream) {
  SCANTUNE_RECORD();
  return CUDA_SUCCESS;
}

CUresult cuStreamGetId(CUstream stream, unsigned long long* id) {
  SCANTUNE_RECORD();
  *id = stream == nullptr ? top()->id : stream_of(stream)->id;
  return CUDA_SUCCESS;
}

CUresult cuStreamGetCtx(CUstream stream, CUcontext* context) {
  SCANTUNE_RECORD();
  *context = handle_of(stream == nullptr ? top() : stream_of(stream)->owner);
  return CUDA_SUCCESS;
}

CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t*, CUgraph* graph,
                                const CUgraphNode**,
#if CUDA_VERSION >= 13000
                                const CUgraphEdgeData**,
#endif
                                std::size_t*) {
  SCANTUNE_RECORD();
  const bool captured = stream != nullptr && stream_of(stream)->captured;
  *status = captured ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
  *graph = captured ? reinterpret_cast<CUgraph>(stream) : nullptr;
  return CUDA_SUCCESS;
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode*) {
  SCANTUNE_RECORD();
  return CUDA_SUCCESS;
}

CUresult cuUserObjectCreate(CUuserObject* object, void*, CUhostFn, unsigned int, unsigned int) {
  SCANTUNE_RECORD();
  *object = reinterpret_cast<CUuserObject>(&contexts);
  return CUDA_SUCCESS;
}

CUresult cuGraphRetainUserObject(CUgraph, CUuserObject, unsigned int, unsigned int) {
  SCANTUNE_RECORD();
  return CUDA_SUCCESS;
}
}
