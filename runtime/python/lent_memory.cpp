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

void keep_until_done(std::vector<LentMemory> memory, std::uint64_t stream) {
  static auto& kept = *new std::vector<Kept>;  // Python has ended when static objects are destroyed
  std::erase_if(kept, [](const Kept& one) { return one.done != nullptr && one.done->is_done(); });
  kept.push_back({std::move(memory), nullptr});
  try {
    kept.back().done = std::make_unique<Event>(stream);
  } catch (const std::runtime_error&) {  // it stays for good, which harms less than to give it back too early
  }
}

}  // namespace scantune::python
