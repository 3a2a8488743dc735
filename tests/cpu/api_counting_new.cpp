// Counts what a test's own code allocates. It stands apart from its users, so that the compiler does not see into new
// and delete.
#include "api_counting_new.h"

#include <cstdlib>
#include <new>

namespace scantune::testing {

std::atomic<long> allocation_count{0};

}  // namespace scantune::testing

void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  ++scantune::testing::allocation_count;
  return std::malloc(bytes);
}
void* operator new(std::size_t bytes) {
  if (void* memory = ::operator new(bytes, std::nothrow)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
