// current_device() of this program. The linker takes it in place of the archive's own.
#include "api_current_device.h"

#include <cstdlib>
#include <utility>

namespace scantune {
namespace {

std::shared_ptr<Device> current;

// No test reads the databases of whoever runs it.
class NoDatabase : public ::testing::Environment {
 public:
  void SetUp() override {
    setenv("SCANTUNE_DB", "/dev/null/none.db", 1);
    setenv("SCANTUNE_DB_PATH", "/dev/null/none.db", 1);
  }
};
[[maybe_unused]] const auto* const kEnvironment = ::testing::AddGlobalTestEnvironment(new NoDatabase);

}  // namespace

const std::shared_ptr<Device>& current_device() { return current; }

namespace testing {

void set_current_device(std::shared_ptr<Device> device) { current = std::move(device); }

}  // namespace testing
}  // namespace scantune
