// Preloaded into a process, it counts the calls that change files below a folder, and kills the process at one of them:
// a write when half of it is done, any other call before it. What a kill right after a call leaves is what one before
// the next leaves. Calls on the index of a log are not counted: SQLite makes it anew.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static char folder[PATH_MAX];
static atomic_long left_to_kill;  // calls up to the one that kills; never reached from 0
static int told = -1;             // where each call is told, a line each

// Kills at the `at`-th call from now on; 0 kills at none. `told_to` is a file descriptor, or -1.
void kill_points_arm(const char* below, long at, int told_to) {
  snprintf(folder, sizeof folder, "%s/", below);
  left_to_kill = at;
  told = told_to;
}

static int is_counted(const char* path) {
  const size_t length = strlen(path);
  if (folder[0] == 0 || strncmp(path, folder, strlen(folder)) != 0) return 0;
  return length < 4 || strcmp(path + length - 4, "-shm") != 0;
}

static void path_of(int file, char path[PATH_MAX]) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t length = readlink(link, path, PATH_MAX - 1);
  path[length > 0 ? length : 0] = 0;
}

// Whether the process ends here.
static int is_killed_at(const char* call, const char* path) {
  const int before = errno;
  if (told >= 0) {
    char line[PATH_MAX + 32];
    const int length = snprintf(line, sizeof line, "%s %s\n", call, path + strlen(folder));
    syscall(SYS_write, told, line, (size_t)length);
  }
  errno = before;
  return left_to_kill > 0 && --left_to_kill == 0;
}

static void end_at(const char* call, const char* path) {
  if (is_counted(path) && is_killed_at(call, path)) kill(getpid(), SIGKILL);
}

static void end_at_file(const char* call, int file) {
  char path[PATH_MAX];
  if (folder[0] == 0) return;
  path_of(file, path);
  end_at(call, path);
}

static void end_at_name(const char* call, int directory, const char* name) {
  char place[PATH_MAX], path[2 * PATH_MAX];
  if (folder[0] == 0) return;
  if (name[0] == '/') {
    end_at(call, name);
    return;
  }
  if (directory != AT_FDCWD)
    path_of(directory, place);
  else if (getcwd(place, sizeof place) == NULL)
    return;
  snprintf(path, sizeof path, "%s/%s", place, name);
  end_at(call, path);
}

// Whether the process ends in the middle of a write.
static int is_torn(int file) {
  char path[PATH_MAX];
  if (folder[0] == 0) return 0;
  path_of(file, path);
  return is_counted(path) && is_killed_at("write", path);
}

static ssize_t ended(void) {
  kill(getpid(), SIGKILL);
  return -1;
}

ssize_t write(int file, const void* data, size_t size) {
  if (!is_torn(file)) return syscall(SYS_write, file, data, size);
  syscall(SYS_write, file, data, size / 2);
  return ended();
}

ssize_t pwrite64(int file, const void* data, size_t size, off_t offset) {
  if (!is_torn(file)) return syscall(SYS_pwrite64, file, data, size, offset);
  syscall(SYS_pwrite64, file, data, size / 2, offset);
  return ended();
}

ssize_t pwrite(int file, const void* data, size_t size, off_t offset) { return pwrite64(file, data, size, offset); }

ssize_t writev(int file, const struct iovec* parts, int count) {
  if (is_torn(file)) return ended();
  return syscall(SYS_writev, file, parts, count);
}

ssize_t sendfile64(int to, int from, off_t* offset, size_t size) {
  if (is_torn(to)) {
    syscall(SYS_sendfile, to, from, offset, size / 2);
    return ended();
  }
  return syscall(SYS_sendfile, to, from, offset, size);
}

ssize_t sendfile(int to, int from, off_t* offset, size_t size) { return sendfile64(to, from, offset, size); }

int fsync(int file) {
  end_at_file("fsync", file);
  return (int)syscall(SYS_fsync, file);
}

int fdatasync(int file) {
  end_at_file("fsync", file);
  return (int)syscall(SYS_fdatasync, file);
}

int ftruncate64(int file, off_t size) {
  end_at_file("truncate", file);
  return (int)syscall(SYS_ftruncate, file, size);
}

int ftruncate(int file, off_t size) { return ftruncate64(file, size); }

// An open call is one that changes files only if it makes or empties one.
static int opened(int directory, const char* name, int flags, mode_t mode) {
  const int makes = (flags & O_CREAT) != 0 && faccessat(directory, name, F_OK, 0) != 0;
  if (makes || (flags & O_TRUNC) != 0) end_at_name("open", directory, name);
  return (int)syscall(SYS_openat, directory, name, flags, mode);
}

static mode_t mode_of(int flags, va_list arguments) { return flags & O_CREAT ? va_arg(arguments, mode_t) : 0; }

int open64(const char* name, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return opened(AT_FDCWD, name, flags, mode);
}

int open(const char* name, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return opened(AT_FDCWD, name, flags, mode);
}

int openat64(int directory, const char* name, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return opened(directory, name, flags, mode);
}

int openat(int directory, const char* name, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return opened(directory, name, flags, mode);
}

int renameat(int from_directory, const char* from, int to_directory, const char* to) {
  end_at_name("rename", to_directory, to);
  return (int)syscall(SYS_renameat2, from_directory, from, to_directory, to, 0);
}

int rename(const char* from, const char* to) { return renameat(AT_FDCWD, from, AT_FDCWD, to); }

int unlinkat(int directory, const char* name, int flags) {
  if (faccessat(directory, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0) end_at_name("unlink", directory, name);
  return (int)syscall(SYS_unlinkat, directory, name, flags);
}

int unlink(const char* name) { return unlinkat(AT_FDCWD, name, 0); }

int rmdir(const char* name) { return unlinkat(AT_FDCWD, name, AT_REMOVEDIR); }

int mkdirat(int directory, const char* name, mode_t mode) {
  if (faccessat(directory, name, F_OK, 0) != 0) end_at_name("mkdir", directory, name);
  return (int)syscall(SYS_mkdirat, directory, name, mode);
}

int mkdir(const char* name, mode_t mode) { return mkdirat(AT_FDCWD, name, mode); }
