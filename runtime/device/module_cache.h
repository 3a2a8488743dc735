// The loaded modules of one device.
#pragma once

#include <future>
#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>

#include "device/device.h"

namespace scantune {

struct LoadedModule {
  std::string key;  // the binary's, as binary_key() makes it
  std::string compiler;
  std::string log;
  std::unique_ptr<Module> module;
};

class ModuleCache {
 public:
  // The device must outlive the cache, and every module it handed out.
  explicit ModuleCache(Device& device) : device_(device) {}

  // Compiles and loads the instantiation unless that has been done. Threads that request the same module at once wait
  // for one compilation and share its result or exception; a failure is not remembered. Finding a module takes one
  // shared lock. Plans keep their modules, so launches do not use the cache. max_shared_bytes: the largest dynamic
  // shared memory of each kernel.
  std::shared_ptr<const LoadedModule> get(const Instantiation& instantiation, std::span<const int> max_shared_bytes);

 private:
  using Loading = std::shared_future<std::shared_ptr<const LoadedModule>>;

  std::shared_ptr<const LoadedModule> load(const std::string& key, const Instantiation& instantiation,
                                           std::span<const int> max_shared_bytes);
  std::optional<Loading> find(const std::string& slot);  // callers wait for it without the lock
  void forget(const std::string& slot);

  Device& device_;
  std::shared_mutex mutex_;
  std::map<std::string, Loading> modules_;
};

}  // namespace scantune
