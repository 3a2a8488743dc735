// Runs the tests of an executable after a rehearsal (rehearsal.h).
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <exception>
#include <iostream>
#include <stdexcept>

#include "rehearsal.h"

namespace scantune {
namespace {

// Texts as bytes for a pipe: each after its length.
void put(std::string& bytes, const std::string& text) {
  const u64 length = text.size();
  bytes.append(reinterpret_cast<const char*>(&length), sizeof length).append(text);
}
std::string take(const std::string& bytes, std::size_t& at) {
  u64 length;
  std::memcpy(&length, &bytes[at], sizeof length);
  at += sizeof length + length;
  return bytes.substr(at - length, length);
}
void put(std::string& bytes, const std::vector<std::string>& texts) {
  put(bytes, std::to_string(texts.size()));
  for (const std::string& text : texts) put(bytes, text);
}
std::vector<std::string> take_all(const std::string& bytes, std::size_t& at) {
  std::vector<std::string> texts(std::stoul(take(bytes, at)));
  for (std::string& text : texts) text = take(bytes, at);
  return texts;
}

// Keeps what fails where nobody sees it.
class Failures : public testing::EmptyTestEventListener {
 public:
  void OnTestStart(const testing::TestInfo& test) override {
    test_ = std::string(test.test_suite_name()) + "." + test.name();
  }
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    all.push_back(test_ + ": " + result.message());
  }
  std::vector<std::string> all;

 private:
  std::string test_;  // which gtest must not be asked for while it tells of a failure
};

// A test of kernels that takes none tests nothing, as where no family is able to do what it asks for.
class KernelsTaken : public testing::EmptyTestEventListener {
 public:
  void OnTestStart(const testing::TestInfo&) override { rehearsal().taken = 0; }
  void OnTestEnd(const testing::TestInfo& test) override {
    if (rehearsal().taken == 0 && test.result()->Passed())
      ADD_FAILURE() << "the test has run no kernel, and has not said that it needs none (needs_no_kernel)";
  }
};

// Runs the tests where nobody sees it, and writes what fails and what they ask for.
[[noreturn]] void rehearse(int to) {
  rehearsal().is_on = true;
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  delete listeners.Release(listeners.default_result_printer());
  delete listeners.Release(listeners.default_xml_generator());
  auto* const failures = new Failures;
  listeners.Append(failures);
  listeners.Append(new KernelsTaken);
  [[maybe_unused]] const int outcome = RUN_ALL_TESTS();
  std::string bytes;
  put(bytes, failures->all);
  for (const Instantiation& one : rehearsal().asked_for) {
    put(bytes, one.source);
    put(bytes, one.headers);
    put(bytes, one.kernels);
    put(bytes, one.label);
  }
  for (std::size_t written = 0; written < bytes.size();) {
    const ssize_t count = write(to, &bytes[written], bytes.size() - written);
    if (count <= 0) _exit(1);
    written += static_cast<std::size_t>(count);
  }
  _exit(0);
}

// Returns what failed in the rehearsal.
std::vector<std::string> compile_what_tests_take() {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe could be opened");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no process could be started");
  if (child == 0) rehearse(ends[1]);
  close(ends[1]);
  std::string bytes;
  char part[1 << 16];
  for (ssize_t count; (count = read(ends[0], part, sizeof part)) > 0;)
    bytes.append(part, static_cast<std::size_t>(count));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) throw std::runtime_error("the rehearsal of the tests ended with status " + std::to_string(status));
  std::vector<Instantiation> all;
  std::size_t at = 0;
  const std::vector<std::string> failures = take_all(bytes, at);
  while (at < bytes.size()) {
    Instantiation& one = all.emplace_back();
    one.source = take(bytes, at);
    one.headers = take_all(bytes, at);
    one.kernels = take_all(bytes, at);
    one.label = take(bytes, at);
  }
  std::cout << all.size() << " kernels in " << joined(all).size() << " units" << std::endl;
  for (const std::string& failure : failures) std::cout << "in the rehearsal: " << failure << std::endl;
  rehearsal().kernels.add(all);
  rehearsal().was_on = true;
  return failures;
}

// Each kernel that was not told of is a call of the compiler more.
int missed_kernels() {
  for (const std::string& label : rehearsal().missed) std::cout << "not in the rehearsal: " << label << "\n";
  return rehearsal().missed.empty() ? 0 : 1;
}

}  // namespace
}  // namespace scantune

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  std::vector<std::string> failures_before;
  try {
    if (!testing::GTEST_FLAG(list_tests)) failures_before = scantune::compile_what_tests_take();
  } catch (const std::exception& error) {
    std::cout << error.what() << "\n";
    return 1;
  }
  const int failures = RUN_ALL_TESTS();
  return failures != 0 || !failures_before.empty() ? 1 : scantune::missed_kernels();
}
