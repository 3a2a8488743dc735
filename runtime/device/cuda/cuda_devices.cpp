// Which CudaDevice a thread's scans run on.
#include <map>
#include <mutex>

#include "device/cuda/cuda_device.h"
#include "device/cuda/driver.h"

namespace scantune {
namespace {

void check(CUresult result, const char* call) { CudaContext(nullptr, 0).check(result, call); }

CUcontext make_primary_context_current() {
  const Driver& driver = Driver::instance();
  CUdevice first = 0;
  check(driver.cuDeviceGet(&first, 0), "cuDeviceGet");
  CUcontext context = nullptr;
  check(driver.cuDevicePrimaryCtxRetain(&context, first), "cuDevicePrimaryCtxRetain");  // never released
  check(driver.cuCtxSetCurrent(context), "cuCtxSetCurrent");
  return context;
}

u64 id_of(CUcontext context) {
  unsigned long long id = 0;
  check(Driver::instance().cuCtxGetId(context, &id), "cuCtxGetId");
  return id;
}

// Devices by the id of their context: handles are reused, ids are not. They live as long as the process, since plans
// and captured graphs may outlive everything else.
const std::shared_ptr<Device>& device_of(CUcontext context, u64 id) {
  static auto& mutex = *new std::mutex;
  static auto& devices = *new std::map<u64, std::shared_ptr<Device>>;
  const std::lock_guard lock(mutex);
  std::shared_ptr<Device>& device = devices[id];
  if (!device) device = std::make_shared<CudaDevice>(std::make_shared<CudaContext>(context, id));
  return device;
}

// The context must be current. Each thread remembers its device, so that the call path of scan() takes no lock.
const std::shared_ptr<Device>& device_of_current(CUcontext context) {
  thread_local u64 last_id = 0;
  thread_local const std::shared_ptr<Device>* last = nullptr;
  const u64 id = id_of(context);
  if (last == nullptr || last_id != id) {
    last = &device_of(context, id);
    last_id = id;
  }
  return *last;
}

}  // namespace

const std::shared_ptr<Device>& cuda_device() {
  CUcontext context = nullptr;
  check(Driver::instance().cuCtxGetCurrent(&context), "cuCtxGetCurrent");
  return device_of_current(context ? context : make_primary_context_current());
}

}  // namespace scantune
