// scantune-worker: answers one JSON request per line (docs/worker-protocol.md).
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>

#include "worker/device_choice.h"
#include "worker/line_reader.h"
#include "worker/protocol.h"
#include "worker/session.h"

namespace {

using Outcome = scantune::LineReader::Outcome;

constexpr const char* kUsage =
    "usage: scantune-worker [--device cuda[:INDEX]|host] [--seed SEED]\n"
    "Reads one JSON request per line from standard input and answers each with one line; see "
    "docs/worker-protocol.md.\n";

struct Options {
  std::string device = "cuda:0";
  std::optional<std::string> seed;
};

[[noreturn]] void fail(const std::string& fault) {
  std::cerr << "scantune-worker: " << fault << "\n" << kUsage;
  std::exit(2);
}

Options parse(int count, char** arguments) {
  Options options;
  for (int index = 1; index < count; ++index) {
    const std::string_view name = arguments[index];
    if (name == "--help") {
      std::cout << kUsage;
      std::exit(0);
    }
    if (name == "--version") {
      std::cout << "scantune-worker " SCANTUNE_VERSION "\n";
      std::exit(0);
    }
    if (name != "--device" && name != "--seed") fail("there is no option " + std::string(name));
    if (++index == count) fail(std::string(name) + " needs a value");
    if (name == "--device")
      options.device = arguments[index];
    else
      options.seed = arguments[index];
  }
  return options;
}

// A worker that hangs in a kernel does not see the end of its input: have the system end it with its client.
void end_with_parent() {
  const pid_t parent = getppid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) std::_Exit(1);  // it ended before the signal was requested
}

}  // namespace

int main(int count, char** arguments) {
  end_with_parent();
  const Options options = parse(count, arguments);
  std::optional<scantune::DeviceChoice> choice;
  try {
    choice = scantune::DeviceChoice::parse(options.device, options.seed);
  } catch (const scantune::Error& error) {
    fail(error.what());
  }
  // A client that is gone shows as a failed write, which ends the loop.
  std::signal(SIGPIPE, SIG_IGN);
  std::ios::sync_with_stdio(false);
  scantune::Session session([&] { return choice->open(); });
  scantune::LineReader lines(std::cin);
  std::string line;
  for (auto read = lines.next(line); read != Outcome::end; read = lines.next(line)) {
    if (read == Outcome::line && line.empty()) continue;
    std::cout << (read == Outcome::line ? session.respond(line) : scantune::refusal_of_long_line()) << '\n'
              << std::flush;
    if (!std::cout) return 1;
  }
  // The process ends without unwinding: a context that a kernel still occupies would keep the process.
  std::cout.flush();
  std::_Exit(0);
}
