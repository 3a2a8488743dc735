// Programs of other versions of the C header, and which version the library is of.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <string>

#include "api_current_device.h"

namespace scantune::testing {
namespace {

// The last bytes before memory that cannot be touched.
class EndOfMemory {
 public:
  EndOfMemory() {
    EXPECT_NE(pages_, MAP_FAILED);
    EXPECT_EQ(mprotect(end(0), page_bytes_, PROT_NONE), 0);
  }
  EndOfMemory(const EndOfMemory&) = delete;
  EndOfMemory& operator=(const EndOfMemory&) = delete;
  ~EndOfMemory() { munmap(pages_, 2 * page_bytes_); }

  void* end(std::size_t bytes) { return static_cast<char*>(pages_) + page_bytes_ - bytes; }

 private:
  const std::size_t page_bytes_ = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const pages_ = mmap(nullptr, 2 * page_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
};

// The bytes of the scan's request in the first header that has one.
constexpr std::size_t kFirstBytes = 256;

TEST_F(PublicApi, AProgramOfTheFirstHeaderIsServedWithDefaultsForTheRest) {
  EndOfMemory memory;
  auto* const request = static_cast<scantune_scan_request*>(memory.end(kFirstBytes));
  ASSERT_EQ(scantune_request_init(&request->head, SCANTUNE_SCAN, kFirstBytes), SCANTUNE_OK) << scantune_error_message();
  EXPECT_EQ(request->head.struct_bytes, kFirstBytes);
  request->head.n = 1 << 20;
  request->input_type = request->output_type = SCANTUNE_I32;
  const Stream stream = device_->make_stream();
  const auto c_stream = reinterpret_cast<scantune_stream>(stream);
  EXPECT_EQ(scantune_scan(request, address(0x1000000), address(0x9000000), c_stream), SCANTUNE_OK)
      << scantune_error_message();
  scantune_plan* plan = nullptr;
  ASSERT_EQ(scantune_plan_create(&request->head, &plan), SCANTUNE_OK) << scantune_error_message();
  const int launches = request->head.captured_launches;
  const scantune_arrays arrays = {2, {address(0x1000000), address(0x9000000)}};
  device_->begin_capture(stream, 1);
  for (int launch = 0; launch < launches; ++launch)
    EXPECT_EQ(scantune_plan_run(plan, &arrays, nullptr, c_stream), SCANTUNE_OK) << scantune_error_message();
  EXPECT_EQ(scantune_plan_run(plan, &arrays, nullptr, c_stream), SCANTUNE_REQUEST_ERROR);
  device_->destroy_graph(1);
  scantune_plan_destroy(plan);
}

// A struct as a later header may have it.
template <class Struct>
struct Later {
  Struct known;
  std::uint64_t unknown = 0;
};

TEST_F(PublicApi, AProgramOfALaterHeaderIsServedUnlessItSetsWhatIsUnknown) {
  const int identity = 5;
  Later<scantune_function> combine{SCANTUNE_FUNCTION_INIT};
  combine.known.struct_bytes = sizeof combine;
  combine.known.source = "Value combine";
  combine.known.identity = &identity;
  combine.known.identity_type = SCANTUNE_I32;
  Later<scantune_scan_request> request{SCANTUNE_SCAN_REQUEST_INIT};
  ASSERT_EQ(scantune_request_init(&request.known.head, SCANTUNE_SCAN, sizeof request), SCANTUNE_OK)
      << scantune_error_message();
  EXPECT_EQ(request.known.head.struct_bytes, sizeof request);
  request.known.head.n = 1000;
  request.known.input_type = request.known.output_type = SCANTUNE_I32;
  request.known.op = SCANTUNE_CUSTOM;
  request.known.kind = SCANTUNE_EXCLUSIVE;
  request.known.combine = &combine.known;
  const auto scan = [&] { return scantune_scan(&request.known, address(0x1000000), address(0x9000000), nullptr); };
  EXPECT_EQ(scan(), SCANTUNE_OK) << scantune_error_message();
  EXPECT_EQ(std::memcmp(last_launch().arguments.init, &identity, sizeof identity), 0);
  for (std::uint64_t* const member : {&request.unknown, &combine.unknown}) {
    *member = std::uint64_t{1} << 63;
    EXPECT_EQ(scan(), SCANTUNE_REQUEST_ERROR);
    EXPECT_TRUE(contains(scantune_error_message(), "sets a member that this library does not know"))
        << scantune_error_message();
    *member = 0;
  }
  EXPECT_EQ(device_->launched.size(), 1u);
}

TEST_F(PublicApi, HeaderAndLibraryAreOfOneVersion) {
  const auto version = std::to_string(SCANTUNE_VERSION_MAJOR) + '.' + std::to_string(SCANTUNE_VERSION_MINOR) + '.' +
                       std::to_string(SCANTUNE_VERSION_PATCH);
  EXPECT_EQ(scantune_version(), version);
}

}  // namespace
}  // namespace scantune::testing
