// Records that are saved while a program runs.
#include <gtest/gtest.h>

#include <cstdlib>

#include "api_current_device.h"
#include "scantune/runtime.hpp"
#include "select_database_file.h"

namespace scantune::testing {
namespace {

constexpr u64 kReloadedItems = u64{1} << 20;

class Reload : public DatabaseFile {
 protected:
  void SetUp() override {
    DatabaseFile::SetUp();
    set_current_device(device_);
    setenv("SCANTUNE_DB", file_.c_str(), 1);
  }
  void TearDown() override {
    setenv("SCANTUNE_DB", "/dev/null/none.db", 1);
    runtime::reload();
    DatabaseFile::TearDown();
  }

  int threads_of_a_scan() {
    runtime::scan(static_cast<const int*>(address(0x1000000)), static_cast<int*>(address(0x9000000)), kReloadedItems);
    return device_->launched.back().launch.block_threads;
  }

  std::shared_ptr<FakeDevice> device_ = std::make_shared<FakeDevice>();
};

TEST_F(Reload, MakesCallsAndLaterPlansUseTheRecordsThatWereSavedSince) {
  SQLite::Database database = create(file_);
  insert(database, row_with("lookback", kReloadedItems, "block_threads", 64));
  runtime::reload();
  EXPECT_EQ(threads_of_a_scan(), 64);
  const auto before = runtime::plan<int>(kReloadedItems);
  database.exec("DELETE FROM record");
  insert(database, row_with("lookback", kReloadedItems, "block_threads", 512));
  EXPECT_EQ(threads_of_a_scan(), 64) << "nothing was reloaded";

  runtime::reload();
  EXPECT_EQ(threads_of_a_scan(), 512);
  EXPECT_TRUE(contains(runtime::plan<int>(kReloadedItems).describe(), "block_threads=512"));
  EXPECT_TRUE(contains(before.describe(), "block_threads=64")) << "a plan keeps its config";
}

TEST_F(Reload, MakesTheNextCallOfAProblemOneThatCannotBeCaptured) {
  runtime::reload();
  threads_of_a_scan();
  const Stream stream = device_->make_stream();
  const auto scan = [&] {
    runtime::scan(static_cast<const int*>(address(0x1000000)), static_cast<int*>(address(0x9000000)), kReloadedItems,
                  {.stream = stream});
  };
  scan();
  runtime::reload();
  device_->begin_capture(stream, 1);
  EXPECT_TRUE(contains(message_of<RequestError>(scan), "the stream is being captured, and a first call"));
  device_->end_capture(stream);
  scan();
  device_->begin_capture(stream, 1);
  EXPECT_EQ(message_of<RequestError>(scan), "");
  device_->end_capture(stream);
  device_->destroy_graph(1);
}

TEST_F(Reload, LeavesOutADatabaseThatCannotBeReadAnyMore) {
  SQLite::Database database = create(file_);
  insert(database, row_with("lookback", kReloadedItems, "block_threads", 64));
  runtime::reload();
  ASSERT_EQ(threads_of_a_scan(), 64);
  std::filesystem::resize_file(file_, 100);
  runtime::reload();
  EXPECT_FALSE(contains(runtime::describe<int>(kReloadedItems), file_.string()));
}

}  // namespace
}  // namespace scantune::testing
