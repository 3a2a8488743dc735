#include "launch/launch_context.h"

#include <map>
#include <mutex>
#include <vector>

namespace scantune {
namespace {

std::mutex contexts_mutex;

// The mutex is locked. A context keeps its device alive, so an address is never that of another device.
auto& contexts() {
  static auto& all = *new std::map<const Device*, std::unique_ptr<LaunchContext>>;
  return all;
}

// The contexts whose memory still exists.
std::vector<LaunchContext*> live_contexts() {
  std::vector<LaunchContext*> live;
  {
    const std::lock_guard lock(contexts_mutex);
    for (const auto& [device, context] : contexts()) live.push_back(context.get());
  }
  std::erase_if(live, [](const LaunchContext* context) { return context->device().is_gone(); });
  return live;
}

}  // namespace

LaunchContext& launch_context(const std::shared_ptr<Device>& device) {
  const std::lock_guard lock(contexts_mutex);
  auto& context = contexts()[device.get()];
  if (context == nullptr) context = std::make_unique<LaunchContext>(device);
  return *context;
}

u64 trim_launch_contexts() {
  const std::vector<LaunchContext*> live = live_contexts();
  for (const LaunchContext* context : live) context->device().synchronize();
  u64 bytes = 0;
  for (LaunchContext* context : live) bytes += context->trim();
  return bytes;
}

}  // namespace scantune
