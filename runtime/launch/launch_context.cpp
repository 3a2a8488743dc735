#include "launch/launch_context.h"

#include <map>
#include <mutex>

namespace scantune {

LaunchContext& launch_context(const std::shared_ptr<Device>& device) {
  static std::mutex mutex;
  // A context keeps its device alive, so an address is never that of another device.
  static auto& contexts = *new std::map<const Device*, std::unique_ptr<LaunchContext>>;
  const std::lock_guard lock(mutex);
  auto& context = contexts[device.get()];
  if (context == nullptr) context = std::make_unique<LaunchContext>(device);
  return *context;
}

}  // namespace scantune
