#include "device/cuda/cuda_device.h"

#include "core/contract/arch.h"
#include "device/cuda/driver.h"
#include "device/cuda/graph_timer.h"
#include "device/cuda/launch_attributes.h"
#include "device/cuda/nvml.h"
#include "device/cuda/pointer_check.h"
#include "jit/cached_compiler.h"
#include "jit/nvrtc_compiler.h"
#include "scantune/error.hpp"
#include "support/paths.h"

namespace scantune {
namespace {

CUdeviceptr address_of(const void* memory) { return reinterpret_cast<CUdeviceptr>(memory); }

int current_ordinal(const CudaContext& context) {
  CUdevice device = 0;
  context.check(Driver::instance().cuCtxGetDevice(&device), "cuCtxGetDevice");
  return device;
}

int attribute_of(const CudaContext& context, int ordinal, CUdevice_attribute attribute) {
  int value = 0;
  context.check(Driver::instance().cuDeviceGetAttribute(&value, attribute, ordinal), "cuDeviceGetAttribute");
  return value;
}

DeviceIdentity identity_of(const CudaContext& context, int ordinal) {
  char name[256] = {};
  context.check(Driver::instance().cuDeviceGetName(name, sizeof name, ordinal), "cuDeviceGetName");
  const int sm = 10 * attribute_of(context, ordinal, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
                 attribute_of(context, ordinal, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  return {"sm_" + std::to_string(sm), sm, name,
          attribute_of(context, ordinal, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)};
}

std::string pci_bus_id_of(int ordinal) {
  char id[32] = {};
  Driver::instance().cuDeviceGetPCIBusId(id, sizeof id, ordinal);
  return id;
}

Stream non_blocking_stream(const CudaContext& context) {
  CUstream stream = nullptr;
  context.check(Driver::instance().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  return stream;
}

CUresult capture_info(Stream stream, CUstreamCaptureStatus& status, CUgraph& graph) {
#if CUDA_VERSION >= 13000
  return Driver::instance().cuStreamGetCaptureInfo(stream, &status, nullptr, &graph, nullptr, nullptr, nullptr);
#else
  return Driver::instance().cuStreamGetCaptureInfo(stream, &status, nullptr, &graph, nullptr, nullptr);
#endif
}

CUlaunchConfig config_of(const Launch& launch, LaunchAttributes& attributes, int sm_count, Stream stream) {
  CUlaunchConfig config{};
  config.gridDimX = grid_blocks(launch, sm_count);
  config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = static_cast<unsigned int>(launch.block_threads);
  config.blockDimY = config.blockDimZ = 1;
  config.sharedMemBytes = static_cast<unsigned int>(launch.shared_bytes);
  config.hStream = stream;
  config.attrs = attributes.list();
  config.numAttrs = attributes.count();
  return config;
}

// The context must be current.
std::string stream_fault_in(const CudaContext& context, Stream stream) {
  CUcontext owner = nullptr;
  context.check(Driver::instance().cuStreamGetCtx(stream, &owner), "cuStreamGetCtx");
  return owner == context.handle() ? "" : "it belongs to another CUDA context than the current one";
}

}  // namespace

CudaDevice::CudaDevice(std::shared_ptr<const CudaContext> context)
    : context_(std::move(context)),
      ordinal_(current_ordinal(*context_)),
      identity_(identity_of(*context_, ordinal_)),
      l2_bytes_(static_cast<u64>(attribute_of(*context_, ordinal_, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE))) {
  const OutsideCaptures outside;
  own_stream_ = non_blocking_stream(*context_);
  timing_stream_ = non_blocking_stream(*context_);
}

CudaDevice::~CudaDevice() {
  try {
    const CurrentContext current(*context_);
    for (const Stream stream : {own_stream_, timing_stream_}) Driver::instance().cuStreamDestroy(stream);
  } catch (const DeviceError&) {  // the context is gone, and its streams with it
  }
}

Compiler& CudaDevice::compiler() {
  static CachedCompiler compiler(std::make_unique<NvrtcCompiler>(), BinaryCache(cache_directory()));
  return compiler;
}

std::string CudaDevice::driver_version() const {
  int version = 0;
  context_->check(Driver::instance().cuDriverGetVersion(&version), "cuDriverGetVersion");
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::unique_ptr<Module> CudaDevice::load(const Binary& binary, std::span<const std::string> kernels,
                                         std::span<const int> max_shared_bytes) {
  return std::make_unique<CudaModule>(context_, binary, kernels, max_shared_bytes,
                                      limits_of(identity_.sm).cluster_blocks > kMaxPortableClusterBlocks);
}

void CudaDevice::check_fits(const Module& module, const Launch& launch) {
  if (launch.cluster_blocks == 1) return;
  context_->refuse_if_failed();
  const CurrentContext current(*context_);
  const OutsideCaptures outside;
  Launch alone = launch;
  alone.pdl = false;
  LaunchAttributes attributes(alone);
  const CUlaunchConfig config = config_of(alone, attributes, identity_.sm_count, nullptr);
  const CUfunction function = static_cast<const CudaModule&>(module).function(launch.kernel);
  int clusters = 0;
  context_->check(Driver::instance().cuOccupancyMaxActiveClusters(&clusters, function, &config),
                  "cuOccupancyMaxActiveClusters");
  if (clusters == 0)
    throw DeviceError("no cluster of " + std::to_string(launch.cluster_blocks) + " CTAs of " +
                      std::to_string(launch.block_threads) + " threads and " + std::to_string(launch.shared_bytes) +
                      " bytes of shared memory fits " + identity_.name + " as this process sees it (" +
                      std::to_string(identity_.sm_count) + " SMs): tune on it, or choose a smaller cluster_blocks");
}

void CudaDevice::launch(const Module& module, const Launch& launch, KernelArguments& arguments, Stream stream) {
  context_->refuse_if_failed();
  const CurrentContext current(*context_);
  set_launch(arguments, launch);
  void* parameters[] = {&arguments};

  LaunchAttributes attributes(launch);
  const CUlaunchConfig config = config_of(launch, attributes, identity_.sm_count, stream);
  const CUfunction function = static_cast<const CudaModule&>(module).function(launch.kernel);
  context_->check(Driver::instance().cuLaunchKernelEx(&config, function, parameters, nullptr), "cuLaunchKernelEx");
}

void CudaDevice::in_context(const std::function<void()>& call) {
  const CurrentContext current(*context_);
  const OutsideCaptures outside;
  call();
}

// A handle may be that of a later context by now. A context that has failed is still there.
bool CudaDevice::is_gone() const {
  unsigned long long id = 0;
  const CUresult result = Driver::instance().cuCtxGetId(context_->handle(), &id);
  if (result == CUDA_SUCCESS) return id != context_->id();
  return result == CUDA_ERROR_CONTEXT_IS_DESTROYED || result == CUDA_ERROR_INVALID_CONTEXT;
}

void* CudaDevice::allocate(u64 bytes) {
  context_->refuse_if_failed();
  const CurrentContext current(*context_);
  const OutsideCaptures outside;
  CUdeviceptr memory = 0;
  context_->check(Driver::instance().cuMemAlloc(&memory, bytes > 0 ? bytes : 1),
                  ("cuMemAlloc of " + std::to_string(bytes) + " bytes").c_str());
  return reinterpret_cast<void*>(memory);
}

void CudaDevice::free(void* memory) noexcept try {
  if (!memory) return;
  const CurrentContext current(*context_);
  const OutsideCaptures outside;
  Driver::instance().cuMemFree(address_of(memory));
} catch (const DeviceError&) {  // the context is gone, and its memory with it
}

void CudaDevice::fill(void* memory, std::byte value, u64 bytes) {
  context_->refuse_if_failed();
  if (bytes == 0) return;
  const CurrentContext current(*context_);
  const OutsideCaptures outside;
  const auto byte = std::to_integer<unsigned char>(value);
  context_->check(Driver::instance().cuMemsetD8Async(address_of(memory), byte, bytes, own_stream_), "cuMemsetD8Async");
  context_->check(Driver::instance().cuStreamSynchronize(own_stream_), "cuStreamSynchronize");
}

void CudaDevice::enqueue_zero(void* memory, u64 bytes, Stream stream) {
  context_->refuse_if_failed();
  const CurrentContext current(*context_);
  context_->check(Driver::instance().cuMemsetD8Async(address_of(memory), 0, bytes, stream), "cuMemsetD8Async");
}

void CudaDevice::enqueue_copy(void* destination, const void* source, u64 bytes, Stream stream) {
  context_->refuse_if_failed();
  const CurrentContext current(*context_);
  context_->check(Driver::instance().cuMemcpyDtoDAsync(address_of(destination), address_of(source), bytes, stream),
                  "cuMemcpyDtoDAsync");
}

void CudaDevice::upload(void* destination, const void* source, u64 bytes) {
  synchronize();
  if (bytes == 0) return;
  const CurrentContext current(*context_);
  context_->check(Driver::instance().cuMemcpyHtoD(address_of(destination), source, bytes), "cuMemcpyHtoD");
  // A copy from pageable memory returns once the source has been read; the destination may still be under way.
  context_->check(Driver::instance().cuStreamSynchronize(nullptr), "cuStreamSynchronize");
}

void CudaDevice::download(void* destination, const void* source, u64 bytes) {
  synchronize();
  if (bytes == 0) return;
  const CurrentContext current(*context_);
  context_->check(Driver::instance().cuMemcpyDtoH(destination, address_of(source), bytes), "cuMemcpyDtoH");
}

void CudaDevice::download_behind(Stream stream, void* destination, const void* source, u64 bytes) {
  context_->refuse_if_failed();
  const CurrentContext current(*context_);
  context_->check(Driver::instance().cuMemcpyDtoHAsync(destination, address_of(source), bytes, stream),
                  "cuMemcpyDtoHAsync");
  context_->check(Driver::instance().cuStreamSynchronize(stream), "cuStreamSynchronize");
}

void CudaDevice::copy(void* destination, const void* source, u64 bytes) {
  synchronize();
  if (bytes == 0) return;
  const CurrentContext current(*context_);
  enqueue_copy(destination, source, bytes, own_stream_);
  context_->check(Driver::instance().cuStreamSynchronize(own_stream_), "cuStreamSynchronize");
}

void CudaDevice::synchronize() {
  context_->refuse_if_failed();
  const CurrentContext current(*context_);
  context_->check(Driver::instance().cuCtxSynchronize(), "cuCtxSynchronize");
}

void* CudaDevice::allocate_staging(u64 bytes) {
  context_->refuse_if_failed();
  const CurrentContext current(*context_);
  const OutsideCaptures outside;
  void* memory = nullptr;
  context_->check(Driver::instance().cuMemHostAlloc(&memory, bytes > 0 ? bytes : 1, 0),
                  ("cuMemHostAlloc of " + std::to_string(bytes) + " bytes").c_str());
  return memory;
}

void CudaDevice::free_staging(void* memory) noexcept try {
  if (!memory) return;
  const CurrentContext current(*context_);
  const OutsideCaptures outside;
  Driver::instance().cuMemFreeHost(memory);
} catch (const DeviceError&) {  // the context is gone, and its memory with it
}

void CudaDevice::begin_upload(void* destination, const void* staging, u64 bytes) {
  context_->refuse_if_failed();
  if (bytes == 0) return;
  const CurrentContext current(*context_);
  context_->check(Driver::instance().cuMemcpyHtoDAsync(address_of(destination), staging, bytes, own_stream_),
                  "cuMemcpyHtoDAsync");
}

void CudaDevice::begin_download(void* staging, const void* source, u64 bytes) {
  context_->refuse_if_failed();
  if (bytes == 0) return;
  const CurrentContext current(*context_);
  context_->check(Driver::instance().cuMemcpyDtoHAsync(staging, address_of(source), bytes, own_stream_),
                  "cuMemcpyDtoHAsync");
}

StreamState CudaDevice::stream_state(Stream stream) {
  context_->refuse_if_failed();
  const CurrentContext current(*context_);
  CUstreamCaptureStatus status{};
  CUgraph graph = nullptr;
  context_->check(capture_info(stream, status, graph), "cuStreamGetCaptureInfo");
  if (status == CU_STREAM_CAPTURE_STATUS_INVALIDATED)
    throw DeviceError("the capture of the stream has been invalidated by an earlier call; end it and start again");
  // The driver has no id for a stream that it captures.
  if (status == CU_STREAM_CAPTURE_STATUS_ACTIVE) return {0, graph};
  unsigned long long id = 0;
  context_->check(Driver::instance().cuStreamGetId(stream, &id), "cuStreamGetId");
  return {id, nullptr};
}

std::optional<int> CudaDevice::sm_clock_mhz() {
  // The management library is opened only here: initialising it takes milliseconds, which scans should not pay.
  return NvmlDevice(pci_bus_id_of(ordinal_)).sm_clock_mhz();
}

std::optional<double> CudaDevice::peak_gigabytes_per_second() {
  int clock_khz = 0, bus_bits = 0;  // stay 0 where the driver does not tell
  Driver::instance().cuDeviceGetAttribute(&clock_khz, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, ordinal_);
  Driver::instance().cuDeviceGetAttribute(&bus_bits, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, ordinal_);
  return scantune::peak_gigabytes_per_second(clock_khz, bus_bits);
}

std::string CudaDevice::pointer_fault(const void* pointer, u64 bytes, unsigned item_bytes) {
  context_->refuse_if_failed();
  const CurrentContext current(*context_);
  return PointerCheck(*context_, ordinal_).fault(pointer, bytes, item_bytes);
}

std::string CudaDevice::stream_fault(Stream stream) {
  context_->refuse_if_failed();
  const CurrentContext current(*context_);
  return stream_fault_in(*context_, stream);
}

// Looks up the current context only once, since every warm scan() comes here.
std::string CudaDevice::argument_fault(std::span<const NamedMemory> arguments, Stream stream) {
  context_->refuse_if_failed();
  const CurrentContext current(*context_);
  PointerCheck check(*context_, ordinal_);
  return first_fault(
      arguments,
      [&](const void* memory, u64 bytes, unsigned item_bytes) { return check.fault(memory, bytes, item_bytes); },
      [&] { return stream_fault_in(*context_, stream); });
}

void CudaDevice::retain_until_graph_dies(void* graph, void (*release)(void*), void* token) {
  const Driver& driver = Driver::instance();
  CUuserObject object = nullptr;
  CUresult result = driver.cuUserObjectCreate(&object, token, release, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC);
  if (result != CUDA_SUCCESS) release(token);
  context_->check(result, "cuUserObjectCreate");
  result = driver.cuGraphRetainUserObject(static_cast<CUgraph>(graph), object, 1, CU_GRAPH_USER_OBJECT_MOVE);
  if (result != CUDA_SUCCESS) driver.cuUserObjectRelease(object, 1);
  context_->check(result, "cuGraphRetainUserObject");
}

double CudaDevice::time_us(const std::function<void(Stream)>& enqueue, int replays) {
  context_->refuse_if_failed();
  const std::lock_guard lock(timing_);
  const CurrentContext current(*context_);
  return time_graph_us(*context_, timing_stream_, enqueue, replays);
}

}  // namespace scantune
