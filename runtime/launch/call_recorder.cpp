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
    const std::lock_guard lock(holding_);
    return &counters_.try_emplace(std::move(line), plan.request()).first->second;
  }

  void check_file() const { opened(file_); }

  void write() {
    const std::lock_guard lock(writing_);
    std::vector<std::pair<const std::string, CallCounter>*> all;
    {
      const std::lock_guard holding(holding_);
      for (auto& entry : counters_) all.push_back(&entry);
    }
    for (auto* entry : all)
      if (const CallCounter::Calls calls = entry->second.take(); calls.count > 0) write_line(*entry, calls);
  }

  // Whatever fails here fails again where the program writes the calls itself.
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
  }
  void after_fork() {
    holding_.unlock();
    writing_.unlock();
  }
  // The parent writes its own counts, and its thread does not run in the child.
  void begin_as_child() {
    for (auto& [line, counter] : counters_) counter.take();
    static_cast<void>(ticker_.release());
    is_kept_written_ = false;
    after_fork();
  }

  static void write_or_say_why() noexcept;

 private:
  using Entry = std::pair<const std::string, CallCounter>;

  void write_line(Entry& entry, const CallCounter::Calls& calls) try {
    // After a line that the disk had no room for begins a new one.
    const std::string line = (is_torn_ ? "\n" : "") + entry.first + ",\"calls\":" + std::to_string(calls.count) +
                             ",\"alignment\":" + std::to_string(calls.alignment) + "}\n";
    const FileDescriptor descriptor = opened(file_);
    ssize_t written;
    do written = ::write(descriptor.get(), line.data(), line.size());
    while (written < 0 && errno == EINTR);
    if (written == static_cast<ssize_t>(line.size())) {
      is_torn_ = false;
      return;
    }
    is_torn_ |= written > 0;
    throw unwritable(file_, written < 0 ? std::strerror(errno) : "there is no room for a whole line");
  } catch (...) {
    entry.second.put_back(calls);
    throw;
  }

  const std::string file_;
  std::mutex writing_;                           // taken before the other
  std::mutex holding_;                           // what follows
  std::map<std::string, CallCounter> counters_;  // by their lines
  std::unique_ptr<Ticker> ticker_;
  std::atomic<bool> is_kept_written_ = false;
  bool is_torn_ = false;  // guarded by writing_
};

std::atomic<CallRecorder*> only = nullptr;  // never destroyed: threads may call while the process ends

void CallRecorder::write_or_say_why() noexcept try { only.load()->write(); } catch (const RequestError& error) {
  log_once(error.what());
} catch (...) {  // out of memory: the counts are kept
}

CallRecorder* made_recorder() {
  const char* const file = environment_variable("SCANTUNE_RECORD");
  if (file == nullptr || *file == '\0') return nullptr;
  auto* const recorder = new CallRecorder(std::filesystem::absolute(file).string());
  only = recorder;
  pthread_atfork([] { only.load()->before_fork(); }, [] { only.load()->after_fork(); },
                 [] { only.load()->begin_as_child(); });
  try {
    recorder->check_file();
  } catch (const RequestError& error) {
    log_once(error.what());
  }
  return recorder;
}

CallRecorder* recorder() {
  static CallRecorder* const made = made_recorder();
  return made;
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
  const u64 count = count_.exchange(0, std::memory_order_acquire);
  return {count, 1u << std::countr_zero(addresses_.exchange(0, std::memory_order_relaxed) | kMostAlignment)};
}

void CallCounter::put_back(const Calls& calls) noexcept {
  addresses_.fetch_or(calls.alignment % kMostAlignment, std::memory_order_relaxed);
  count_.fetch_add(calls.count, std::memory_order_release);
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
