#include "python/lent_memory.h"

#include <memory>
#include <stdexcept>
#include <utility>

#include "python/driver.h"

namespace scantune::python {
namespace {

struct Kept {
  std::vector<LentMemory> memory;
  std::unique_ptr<Event> done;  // null: nobody knows when
};

}  // namespace

void keep_until_done(std::vector<LentMemory> memory, std::int32_t gpu, std::uint64_t stream) {
  static auto& kept = *new std::vector<Kept>;  // Python has ended when static objects are destroyed
  // What gives memory back may let other threads call this function, so nothing is destroyed before the list is whole.
  std::vector<Kept> done, waiting;
  for (Kept& one : kept) (one.done != nullptr && one.done->is_done() ? done : waiting).push_back(std::move(one));
  waiting.push_back({std::move(memory), nullptr});
  kept = std::move(waiting);
  try {
    kept.back().done = std::make_unique<Event>(gpu, stream);
  } catch (const std::runtime_error&) {  // it stays for good, which harms less than to give it back too early
  }
}

}  // namespace scantune::python
