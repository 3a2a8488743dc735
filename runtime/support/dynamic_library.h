// A shared library opened at run time.
#pragma once

#include <string>
#include <vector>

namespace scantune {

class DynamicLibrary {
 public:
  // Opens the first of the candidates that can be opened: names for the loader's search, or paths. failures() says what
  // the loader reported of those before it, and about all of them when none opened.
  explicit DynamicLibrary(const std::vector<std::string>& candidates);
  DynamicLibrary(const DynamicLibrary&) = delete;
  DynamicLibrary& operator=(const DynamicLibrary&) = delete;
  // The library is never closed: CUDA's libraries run threads and exit handlers of their own.
  ~DynamicLibrary() = default;

  explicit operator bool() const { return handle_ != nullptr; }
  const std::string& failures() const { return failures_; }  // one line each
  std::string path() const;                                  // the file that was opened, as far as the loader knows
  void* find(const char* symbol) const;                      // null if it is missing

  template <class Function>
  Function find_as(const char* symbol) const {
    return reinterpret_cast<Function>(find(symbol));
  }

 private:
  void* handle_ = nullptr;
  std::string failures_;
};

}  // namespace scantune
