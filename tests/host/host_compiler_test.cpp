#include "jit/host_compiler.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "device/host/host_device.h"
#include "machine_headers.h"
#include "message_of.h"
#include "scantune/error.hpp"

namespace scantune::host_compiler_test {
namespace {

using testing::HasSubstr;

// Sets an environment variable for one test.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) {
    if (const char* const old = std::getenv(name)) old_ = old;
    setenv(name, value.c_str(), 1);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment() { old_ ? setenv(name_, old_->c_str(), 1) : unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> old_;
};

class Directory {
 public:
  Directory() : path_(std::filesystem::temp_directory_path() / ("scantune-test-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path_);
  }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  ~Directory() { std::filesystem::remove_all(path_); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

Instantiation kernel_of(const std::string& body) {
  return {.source = machine_includes() + "SCANTUNE_KERNEL(kernel, 32, 1) {" + body + "}\n",
          .headers = machine_headers(),
          .kernels = {"kernel"},
          .label = "the kernel of a test"};
}

// A script in the place of a compiler.
void write_compiler(const std::filesystem::path& path, const std::string& script) {
  std::ofstream(path) << "#!/bin/sh\n" << script;
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
}

TEST(HostCompiler, MakesASharedObjectAndSaysWithWhat) {
  HostCompiler compiler;
  const Binary binary = compiler.compile(kernel_of(""), "host");
  EXPECT_EQ(std::string(binary.image.data(), 4),
            "\x7f"
            "ELF");
  EXPECT_EQ(binary.compiler, compiler.version());
  EXPECT_GT(binary.compile_ms, 0);
}

// Empty if it compiles.
std::string log_of(const Instantiation& kernel) {
  return message_of<CompileError>([&] { HostCompiler().compile(kernel, "host"); });
}

TEST(HostCompiler, PutsTheWholeLogIntoTheError) {
  const std::string log = log_of(kernel_of("no_such_function(); also_not_this();"));
  EXPECT_THAT(log, HasSubstr("the kernel of a test for host did not compile"));
  EXPECT_THAT(log, HasSubstr("no_such_function"));
  EXPECT_THAT(log, HasSubstr("also_not_this"));
}

TEST(HostCompiler, CompilesNothingForGpus) {
  EXPECT_THROW(HostCompiler().compile(kernel_of(""), "sm_90"), CompileError);
}

TEST(HostCompiler, SaysWhatToInstallWhenThereIsNone) {
  const Environment chosen("SCANTUNE_CXX", ""), path("PATH", "/nowhere");
  HostCompiler compiler;
  EXPECT_THAT(message_of<DeviceError>([&] { compiler.compile(kernel_of(""), "host"); }),
              HasSubstr("install g++ or set SCANTUNE_CXX"));
}

TEST(HostCompiler, RunsWhatTheEnvironmentNamesAndOnlyToCompile) {
  const Directory directory;
  const auto compiler_path = directory.path() / "compiler";
  write_compiler(compiler_path, "touch " + directory.path().string() + "/ran\necho broken compiler >&2\nexit 3\n");
  const Environment chosen("SCANTUNE_CXX", compiler_path.string());
  HostCompiler compiler;
  EXPECT_THAT(compiler.fingerprint(), HasSubstr(compiler_path.string()));
  EXPECT_FALSE(std::filesystem::exists(directory.path() / "ran"));
  const std::string log = message_of<CompileError>([&] { compiler.compile(kernel_of(""), "host"); });
  EXPECT_THAT(log, HasSubstr("broken compiler"));
  EXPECT_THAT(log, HasSubstr("returned 3"));
  EXPECT_TRUE(std::filesystem::exists(directory.path() / "ran"));
}

TEST(HostCompiler, SaysOfACompilerThatWasKilledByWhichSignal) {
  const Directory directory;
  const auto compiler_path = directory.path() / "compiler";
  write_compiler(compiler_path, "kill -KILL $$\n");
  const Environment chosen("SCANTUNE_CXX", compiler_path.string());
  EXPECT_THAT(log_of(kernel_of("")), HasSubstr("Killed signal terminated program " + compiler_path.string()));
}

TEST(HostCompiler, LeavesNothingBehind) {
  const Directory directory;
  const Environment temporary("TMPDIR", directory.path().string());
  HostCompiler compiler;
  compiler.compile(kernel_of(""), "host");
  EXPECT_THROW(compiler.compile(kernel_of("wrong"), "host"), CompileError);
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
}

TEST(HostCompiler, LeavesNoTemporaryFileOfACompilerThatWasKilled) {
  const Directory directory;
  const auto temporary_files = directory.path() / "temporary", compiler_path = directory.path() / "compiler";
  std::filesystem::create_directory(temporary_files);
  write_compiler(compiler_path, "mktemp && kill -KILL $$\n");
  const Environment chosen("SCANTUNE_CXX", compiler_path.string()), temporary("TMPDIR", temporary_files.string());
  EXPECT_THROW(HostCompiler().compile(kernel_of(""), "host"), CompileError);
  EXPECT_TRUE(std::filesystem::is_empty(temporary_files));
}

TEST(HostCompiler, GivesTheCompilerOneAndAHalfGibibytes) {
  const Directory directory;
  const auto compiler_path = directory.path() / "compiler";
  write_compiler(compiler_path, "ulimit -v\nexit 1\n");
  const Environment chosen("SCANTUNE_CXX", compiler_path.string());
  EXPECT_THAT(log_of(kernel_of("")), HasSubstr(":\n1572864\n"));  // the limit in KiB
}

// The scanner of sources is the first guard, and this is the second, because the key of a binary covers the text alone.
TEST(HostCompiler, RefusesAKernelThatReadAFileOfItsOwn) {
  const Directory directory;
  const std::string header = (directory.path() / "header.h").string();
  std::ofstream(header) << "inline void f() {}\n";
  Instantiation kernel = kernel_of("f();");
  kernel.source = "#include \"" + header + "\"\n" + kernel.source;
  EXPECT_THAT(log_of(kernel), HasSubstr("read " + header + ", and kernels cannot include files"));
}

TEST(HostDevice, RefusesImagesThatAreNoKernels) {
  HostDevice device;
  const Binary garbage{.image = {'n', 'o'}, .compiler = "", .log = ""};
  const std::vector<std::string> kernels = {"kernel"}, others = {"other"};
  EXPECT_THROW(device.load(garbage, kernels, {}), DeviceError);
  const Binary binary = device.compiler().compile(kernel_of(""), "host");
  EXPECT_NO_THROW(device.load(binary, kernels, {}));
  EXPECT_THROW(device.load(binary, others, {}), DeviceError);
}

std::ptrdiff_t open_files() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
}

// The loader knows libraries by path: two kernels of the same name must not become one. Their files do not stay open.
TEST(HostDevice, KeepsKernelsOfTheSameNameApart) {
  HostDevice device;
  auto* const out = static_cast<u32*>(device.allocate(4));
  const std::vector<std::string> kernels = {"kernel"};
  std::vector<std::unique_ptr<Module>> modules;
  const std::ptrdiff_t files = open_files();
  for (u32 value = 0; value < 3; ++value) {
    const std::string body =
        "if (scantune::thread_rank() == 0) "
        "scantune::store_relaxed(arguments.operand<scantune::u32>(scantune::OperandRole::output), " +
        std::to_string(value) + ");";
    modules.push_back(device.load(device.compiler().compile(kernel_of(body), "host"), kernels, {}));
  }
  EXPECT_EQ(open_files(), files);
  for (u32 value = 0; value < 3; ++value) {
    KernelArguments arguments{};
    arguments.set_operand(OperandRole::output, out);
    device.launch(*modules[value], {.block_threads = 32}, arguments, nullptr);
    EXPECT_EQ(*out, value);
  }
  device.free(out);
}

TEST(HostDevice, RefusesLaunchesThatADriverWouldRefuse) {
  HostDevice device;
  const std::vector<std::string> kernels = {"kernel"};
  const auto module = device.load(device.compiler().compile(kernel_of(""), "host"), kernels, {});
  KernelArguments arguments{};
  const auto launch = [&](const Launch& shape) { device.launch(*module, shape, arguments, nullptr); };
  EXPECT_NO_THROW(launch({.block_threads = 32}));
  EXPECT_THROW(launch({.grid_blocks = 0, .block_threads = 32}), DeviceError);
  EXPECT_THROW(launch({.block_threads = 1025}), DeviceError);
  EXPECT_THROW(launch({.block_threads = 32, .shared_bytes = 1 << 20}), DeviceError);
  EXPECT_THROW(launch({.kernel = 1, .block_threads = 32}), DeviceError);
}

TEST(HostDevice, FillsEveryByteAndNoOther) {
  HostDevice device;
  std::vector<std::byte> bytes(100, std::byte{1});
  auto* const memory = static_cast<std::byte*>(device.allocate(bytes.size()));
  device.upload(memory, bytes.data(), bytes.size());
  device.fill(memory + 1, std::byte{0xa5}, 98);
  device.download(bytes.data(), memory, bytes.size());
  EXPECT_EQ(std::ranges::count(bytes, std::byte{0xa5}), 98);
  EXPECT_EQ(bytes.front(), std::byte{1});
  EXPECT_EQ(bytes.back(), std::byte{1});
}

TEST(HostDevice, ChecksPointersAgainstItsAllocations) {
  HostDevice device;
  auto* const memory = static_cast<char*>(device.allocate(100));
  char other[4];
  EXPECT_EQ(device.pointer_fault(memory + 10, 90, 2), "");
  EXPECT_THAT(device.pointer_fault(memory + 10, 91, 2),
              HasSubstr("holds 90 bytes from there on, room for 45 items of 2 bytes"));
  EXPECT_THAT(device.pointer_fault(other, 4, 2), HasSubstr("not memory of the host device"));
  EXPECT_THROW(device.upload(memory + 98, other, 4), DeviceError);
  EXPECT_THROW(device.fill(memory + 98, std::byte{1}, 4), DeviceError);
  EXPECT_THROW(device.allocate(~0ull), DeviceError);
}

}  // namespace
}  // namespace scantune::host_compiler_test
