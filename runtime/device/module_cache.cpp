#include "device/module_cache.h"

#include <mutex>

#include "jit/binary_key.h"

namespace scantune {
namespace {

// Which attributes a module was loaded with is part of its place in the cache.
std::string slot_of(const std::string& key, std::span<const int> max_shared_bytes) {
  std::string slot = key;
  for (const int bytes : max_shared_bytes) slot.append(" ").append(std::to_string(bytes));
  return slot;
}

}  // namespace

std::shared_ptr<const LoadedModule> ModuleCache::get(const Instantiation& instantiation,
                                                     std::span<const int> max_shared_bytes) {
  const std::string key = binary_key(device_.compiler(), instantiation, device_.identity().arch);
  const std::string slot = slot_of(key, max_shared_bytes);
  if (const std::optional<Loading> known = find(slot)) return known->get();
  std::promise<std::shared_ptr<const LoadedModule>> promise;
  Loading loading;
  bool first = false;
  {
    const std::unique_lock lock(mutex_);
    const auto [place, inserted] = modules_.try_emplace(slot, promise.get_future().share());
    loading = place->second;
    first = inserted;
  }
  if (!first) return loading.get();
  try {
    promise.set_value(load(key, instantiation, max_shared_bytes));
  } catch (...) {
    forget(slot);
    promise.set_exception(std::current_exception());
  }
  return loading.get();
}

std::optional<ModuleCache::Loading> ModuleCache::find(const std::string& slot) {
  const std::shared_lock lock(mutex_);
  const auto found = modules_.find(slot);
  if (found == modules_.end()) return std::nullopt;
  return found->second;
}

std::shared_ptr<const LoadedModule> ModuleCache::load(const std::string& key, const Instantiation& instantiation,
                                                      std::span<const int> max_shared_bytes) {
  Binary binary = device_.compiler().compile(instantiation, device_.identity().arch);
  auto loaded = std::make_shared<LoadedModule>();
  loaded->key = key;
  loaded->module = device_.load(binary, instantiation.kernels, max_shared_bytes);
  loaded->compiler = std::move(binary.compiler);
  loaded->log = std::move(binary.log);
  return loaded;
}

void ModuleCache::forget(const std::string& slot) {
  const std::unique_lock lock(mutex_);
  modules_.erase(slot);
}

}  // namespace scantune
