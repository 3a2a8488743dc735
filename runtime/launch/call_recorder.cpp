#include "launch/call_recorder.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "launch/call_line.h"
#include "scantune/error.hpp"
#include "support/environment.h"
#include "support/file_descriptor.h"
#include "support/log.h"

namespace scantune {
namespace {

constexpr std::chrono::seconds kBetweenWrites{10};
constexpr std::size_t kMostProblems = 10'000;  // a program may call with a new n each time, and counters stay

RequestError unwritable(const std::string& file, const std::string& fault) {
  return RequestError("SCANTUNE_RECORD is " + file + ", which cannot be written (" + fault +
                      "): name a file in a folder that exists and has room");
}

// It is opened for each write, so that it may be moved away meanwhile. Who opens a FIFO waits for nobody.
FileDescriptor opened(const std::string& file) {
  FileDescriptor descriptor(
      ::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666));
  if (descriptor.get() < 0) throw unwritable(file, std::strerror(errno));
  struct stat status {};
  if (::fstat(descriptor.get(), &status) != 0 || !S_ISREG(status.st_mode))
    throw unwritable(file, "it is not a regular file");
  return descriptor;
}

// A thread that acts now and then until it is stopped.
class Ticker {
 public:
  explicit Ticker(void (*act)()) : act_(act) {
    // Signals are for the program's own threads.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      thread_ = std::thread([this] { run(); });
    } catch (...) {
      pthread_sigmask(SIG_SETMASK, &before, nullptr);
      throw;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  void stop() {
    {
      const std::lock_guard lock(mutex_);
      is_stopped_ = true;
    }
    stopped_.notify_all();
    // A log may end the process, on this thread.
    if (thread_.get_id() == std::this_thread::get_id())
      thread_.detach();
    else
      thread_.join();
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    while (!stopped_.wait_for(lock, kBetweenWrites, [this] { return is_stopped_; })) {
      lock.unlock();
      act_();
      lock.lock();
    }
  }

  void (*act_)();
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool is_stopped_ = false;
  std::thread thread_;
};

class CallRecorder {
 public:
  explicit CallRecorder(std::string file) : file_(std::move(file)) {}

  CallCounter* counter(const Plan& plan) {
    std::string line = line_of(plan);
    {
      const std::lock_guard lock(holding_);
      if (const auto known = counters_.find(line); known != counters_.end()) return &known->second;
      if (counters_.size() < kMostProblems)
        return &counters_.try_emplace(std::move(line), plan.request()).first->second;
    }
    log_once("SCANTUNE_RECORD: the program has called " + std::to_string(kMostProblems) +
             " problems; further ones are not counted");
    return nullptr;
  }

  void check_file() const { opened(file_); }

  void write() {
    const std::lock_guard lock(writing_);
    std::vector<Entry*> all;
    {
      const std::lock_guard holding(holding_);
      for (auto& entry : counters_)
        if (entry.second.has_calls()) all.push_back(&entry);
    }
    if (all.empty()) return;
    const FileDescriptor descriptor = opened(file_);
    for (Entry* entry : all) write_line(descriptor.get(), *entry);
  }

  // Without a thread, record_flush() and the end of the process write the calls.
  void keep_written() noexcept try {
    if (is_kept_written_.load(std::memory_order_acquire)) return;
    const std::lock_guard lock(holding_);
    if (ticker_ == nullptr) ticker_ = std::make_unique<Ticker>(&write_or_say_why);
    is_kept_written_.store(true, std::memory_order_release);
  } catch (...) {
  }

  void end() noexcept {
    set_log(nullptr, nullptr);  // what the program's log needs may be gone
    std::unique_ptr<Ticker> ticker;
    {
      const std::lock_guard lock(holding_);
      ticker = std::move(ticker_);
    }
    if (ticker != nullptr) ticker->stop();
    write_or_say_why();
  }

  void before_fork() {
    writing_.lock();
    holding_.lock();
    before_fork_of_log();
  }
  void after_fork() {
    after_fork_of_log();
    unlock();
  }
  // The parent writes its own counts, and its thread does not run in the child.
  void begin_as_child() {
    for (auto& [line, counter] : counters_) counter.take();
    static_cast<void>(ticker_.release());
    is_kept_written_ = false;
    after_fork_of_log_in_child();
    unlock();
  }

  static void write_or_say_why() noexcept;

 private:
  using Entry = std::pair<const std::string, CallCounter>;

  void unlock() {
    holding_.unlock();
    writing_.unlock();
  }

  // Begins a new line: another process may have written a part of one, where the disk had no room for more.
  void write_line(int descriptor, Entry& entry) {
    const CallCounter::Calls calls = entry.second.take();
    try {
      const std::string line = "\n" + entry.first + ",\"calls\":" + std::to_string(calls.count) +
                               ",\"alignment\":" + std::to_string(calls.alignment) + "}\n";
      ssize_t written;
      do written = ::write(descriptor, line.data(), line.size());
      while (written < 0 && errno == EINTR);
      if (written != static_cast<ssize_t>(line.size()))
        throw unwritable(file_, written < 0 ? std::strerror(errno) : "there is no room for a whole line");
    } catch (...) {
      entry.second.put_back(calls);
      throw;
    }
  }

  const std::string file_;
  std::mutex writing_;                           // taken before the other; neither while the log is called
  std::mutex holding_;                           // what follows
  std::map<std::string, CallCounter> counters_;  // by their lines
  std::unique_ptr<Ticker> ticker_;
  std::atomic<bool> is_kept_written_ = false;
};

std::atomic<CallRecorder*> only = nullptr;  // never destroyed: threads may call while the process ends

void CallRecorder::write_or_say_why() noexcept try { only.load()->write(); } catch (const RequestError& error) {
  log_once(error.what());
} catch (...) {  // out of memory: the counts are kept
}

struct Made {
  CallRecorder* recorder = nullptr;
  std::string remark;  // what is wrong; empty if nothing is
};

Made without_recorder(const std::string& file, const std::string& fault) {
  return {nullptr, "SCANTUNE_RECORD is " + file + ", and calls are not counted (" + fault + ")"};
}

Made made_recorder() {
  const char* const name = environment_variable("SCANTUNE_RECORD");
  if (name == nullptr || *name == '\0') return {};
  std::error_code error;
  const std::filesystem::path file = std::filesystem::absolute(name, error);
  if (error) return without_recorder(name, "no current folder: " + error.message());
  only = new CallRecorder(file.string());
  if (const int fault = pthread_atfork([] { only.load()->before_fork(); }, [] { only.load()->after_fork(); },
                                       [] { only.load()->begin_as_child(); });
      fault != 0) {
    only = nullptr;
    return without_recorder(name, std::strerror(fault));
  }
  try {
    only.load()->check_file();
  } catch (const RequestError& unwritable) {
    return {only, unwritable.what()};
  }
  return {only, {}};
}

// The log may call the library, which must not find the recorder half made.
CallRecorder* recorder() {
  static const Made& made = *new Made(made_recorder());
  if (!made.remark.empty()) log_once(made.remark);
  return made.recorder;
}

// After the functions that the program has registered for its end, which may call the library.
[[gnu::destructor]] void end_recording() {
  if (CallRecorder* const recorder = only.load()) recorder->end();
}

}  // namespace

CallCounter::CallCounter(const Request& request) {
  const Operands operands(request);
  for (std::size_t place = 0; place < operands.list().size(); ++place)
    is_array_[place] = operands.list()[place].is_array;
}

CallCounter::Calls CallCounter::take() noexcept {
  const u64 state = state_.exchange(0, std::memory_order_acquire);
  return {state / kOneCall, 1u << std::countr_zero((state % kOneCall) | kMostAlignment)};
}

void CallCounter::put_back(const Calls& calls) noexcept {
  add(calls.count * kOneCall, calls.alignment % kMostAlignment);
}

void CallCounter::keep_written() noexcept { only.load()->keep_written(); }

CallCounter* counter_of(const Plan& plan) noexcept try {
  CallRecorder* const recorder = scantune::recorder();
  return recorder == nullptr ? nullptr : recorder->counter(plan);
} catch (...) {  // out of memory: the plan works without
  return nullptr;
}

void write_calls() {
  if (CallRecorder* const recorder = scantune::recorder()) recorder->write();
}

}  // namespace scantune
