#include "support/dynamic_library.h"

#include <dlfcn.h>
#include <link.h>

namespace scantune {

DynamicLibrary::DynamicLibrary(const std::vector<std::string>& candidates) {
  for (const std::string& candidate : candidates) {
    handle_ = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_) return;
    failures_ += "  " + std::string(dlerror()) + "\n";
  }
}

std::string DynamicLibrary::path() const {
  link_map* map = nullptr;
  if (!handle_ || dlinfo(handle_, RTLD_DI_LINKMAP, &map) != 0) return {};
  return map->l_name;
}

void* DynamicLibrary::find(const char* symbol) const { return handle_ ? dlsym(handle_, symbol) : nullptr; }

}  // namespace scantune
