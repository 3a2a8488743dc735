// Remarks for people, to standard error or to a program's log function.
#pragma once

#include <string_view>

namespace scantune {

// Gives the message to the log of the process; the same message only once. It never throws.
void log_once(std::string_view message) noexcept;

using LogFunction = void (*)(void* user, const char* message);

// Sets the log of the process. Any thread may call the log, one at a time (recursively if the log makes a remark), and
// none after another log was set. Null: standard error, as "scantune: message" and a newline, which SCANTUNE_LOG=quiet
// silences.
void set_log(LogFunction function, void* user) noexcept;

// Holds what the log remembers while the process forks, so that a child may use its log. A function of the log that
// runs meanwhile is not waited for: it may need what the forking thread holds.
void before_fork_of_log() noexcept;
void after_fork_of_log() noexcept;
void after_fork_of_log_in_child() noexcept;

}  // namespace scantune
