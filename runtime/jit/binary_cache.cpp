#include "jit/binary_cache.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string_view>
#include <system_error>

#include "support/file_descriptor.h"
#include "support/log.h"
#include "support/ownership.h"
#include "support/sha256.h"

namespace scantune {
namespace {

constexpr std::string_view kMagic = "SCANTUNE binary 1\n";
constexpr off_t kLargestFile = off_t{1} << 30;  // a hostile size must not become an allocation

// A write past RLIMIT_FSIZE raises a signal that would end the process; blocked, it only fails with EFBIG.
class FileSizeSignalBlock {
 public:
  FileSizeSignalBlock() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  }
  FileSizeSignalBlock(const FileSizeSignalBlock&) = delete;
  FileSizeSignalBlock& operator=(const FileSizeSignalBlock&) = delete;
  ~FileSizeSignalBlock() {
    constexpr timespec kNow{};
    sigtimedwait(&signals_, nullptr, &kNow);  // takes the pending one, if any
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t signals_{};
  sigset_t before_{};
};

[[noreturn]] void throw_errno(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

void append_number(std::string& text, std::uint64_t number) {
  text.append(reinterpret_cast<const char*>(&number), sizeof number);
}

std::string content_of(const std::string& key, const Binary& binary) {
  std::string content = key;
  append_number(content, binary.compiler.size());
  append_number(content, binary.log.size());
  append_number(content, binary.image.size());
  return content.append(binary.compiler).append(binary.log).append(binary.image.data(), binary.image.size());
}

// Takes bytes from the front of a text; once it has run out, ok() is false and everything else is empty.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::string_view take(std::uint64_t bytes) {
    if (!ok_ || bytes > text_.size()) {
      ok_ = false;
      return {};
    }
    const std::string_view taken = text_.substr(0, bytes);
    text_.remove_prefix(bytes);
    return taken;
  }
  std::uint64_t take_number() {
    std::uint64_t number = 0;
    if (const std::string_view bytes = take(sizeof number); ok_) std::memcpy(&number, bytes.data(), sizeof number);
    return number;
  }
  std::string_view rest() const { return text_; }
  bool ok() const { return ok_; }

 private:
  std::string_view text_;
  bool ok_ = true;
};

std::optional<Binary> parse(std::string_view file, const std::string& key) {
  Reader reader(file);
  if (reader.take(kMagic.size()) != kMagic) return std::nullopt;
  const std::string_view checksum = reader.take(Sha256::kHexDigits);
  if (checksum != Sha256().add(reader.rest()).hex()) return std::nullopt;
  if (reader.take(key.size()) != key) return std::nullopt;
  const std::uint64_t compiler_bytes = reader.take_number(), log_bytes = reader.take_number(),
                      image_bytes = reader.take_number();
  Binary binary;
  binary.compiler = reader.take(compiler_bytes);
  binary.log = reader.take(log_bytes);
  const std::string_view image = reader.take(image_bytes);
  if (!reader.ok() || !reader.rest().empty()) return std::nullopt;
  binary.image.assign(image.begin(), image.end());
  return binary;
}

bool trusted(const struct stat& status) {
  return S_ISREG(status.st_mode) && changeable_because(status, ::geteuid()).empty();
}

// Empty if the file cannot be read or is not to be trusted.
std::string read_file(const std::filesystem::path& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0 || !trusted(status)) return {};
  if (status.st_size > kLargestFile) return {};
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t bytes = ::read(file.get(), text.data() + done, text.size() - done);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) return {};
    done += static_cast<std::size_t>(bytes);
  }
  return text;
}

// A use is noted once a day, so that warm starts write next to nothing. A file that may not be written is used all the
// same.
void note_use(const std::filesystem::path& path) {
  constexpr time_t kDay = 24 * 3600;
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || ::time(nullptr) - status.st_mtime < kDay) return;
  const timespec times[] = {{.tv_sec = 0, .tv_nsec = UTIME_OMIT}, {.tv_sec = 0, .tv_nsec = UTIME_NOW}};
  [[maybe_unused]] const int ignored = ::utimensat(AT_FDCWD, path.c_str(), times, 0);
}

void write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t bytes = ::write(file, text.data(), text.size());
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes < 0) throw_errno("writing");
    text.remove_prefix(static_cast<std::size_t>(bytes));
  }
}

void make_private_directory(const std::filesystem::path& directory) {
  if (std::filesystem::is_directory(directory)) return;
  if (directory.has_parent_path()) std::filesystem::create_directories(directory.parent_path());
  if (::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) throw_errno("creating the directory");
}

// A file under a temporary name, gone again unless it is renamed.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::filesystem::path& target)
      : path_(target.string() + "." + std::string(kTemporaryDigits, 'X')),
        file_(::mkostemp(path_.data(), O_CLOEXEC)) {  // mode 0600
    if (file_.get() < 0) throw_errno("creating a file");
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  int get() const { return file_.get(); }
  void rename_to(const std::filesystem::path& target) {
    if (::rename(path_.c_str(), target.c_str()) != 0) throw_errno("renaming");
    path_.clear();
  }

 private:
  std::string path_;
  FileDescriptor file_;
};

void write_file(const std::filesystem::path& path, std::string_view text) {
  const FileSizeSignalBlock block;
  TemporaryFile temporary(path);
  write_all(temporary.get(), text);
  // The file is synced before it gets its name: after a crash the name must not stand for an empty file.
  if (::fsync(temporary.get()) != 0) throw_errno("syncing");
  temporary.rename_to(path);
}

}  // namespace

bool BinaryCache::is_usable() const {
  if (!directory_) return false;
  struct stat status {};
  if (::stat(directory_->c_str(), &status) != 0) return true;
  // Whoever may write to it may put any file of this user, or an old entry, in the place of an entry.
  const std::string reason = changeable_because(status, ::geteuid());
  if (!reason.empty())
    log_once("the kernel cache " + directory_->string() + " is not used, because " + reason +
             ", and its code would run in this process: every process recompiles its kernels. Make it writable for "
             "yourself only (chmod go-w), or name another directory with SCANTUNE_CACHE.");
  return reason.empty();
}

std::optional<Binary> BinaryCache::load(const std::string& key) const {
  if (!is_usable()) return std::nullopt;
  std::optional<Binary> found = parse(read_file(file(key)), key);
  if (found) note_use(file(key));
  return found;
}

void BinaryCache::store(const std::string& key, const Binary& binary) const {
  if (!is_usable()) return;
  try {
    make_private_directory(*directory_);
    const std::string content = content_of(key, binary);
    write_file(file(key), std::string(kMagic) + Sha256().add(content).hex() + content);
  } catch (const std::exception& error) {
    log_once("the kernel cache " + directory_->string() + " cannot be written (" + error.what() +
             "); every process recompiles its kernels. SCANTUNE_CACHE names another directory.");
  }
}

}  // namespace scantune
