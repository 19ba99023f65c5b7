#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

struct Fd {
  int n;
  explicit Fd(int fd) : n(fd) {}
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd() { if (n >= 0) close(n); }
};

// For kernels before 5.6: component by component, refusing every link and every "..".
int open_stepwise(int root, const std::string& path, int flags) {
  int at = dup(root);
  for (size_t from = 0; at >= 0 && from <= path.size();) {
    const size_t cut = std::min(path.find('/', from), path.size());
    const std::string part = path.substr(from, cut - from);
    const bool last = path.find_first_not_of('/', cut) == std::string::npos;
    from = cut + 1;
    if (part == ".." || path[0] == '/') { close(at); errno = EXDEV; return -1; }
    if (part.empty() || part == ".") { if (!last) continue; }
    const char* name = part.empty() ? "." : part.c_str();
    const int next = openat(at, name, (last ? flags : O_PATH | O_DIRECTORY) | O_NOFOLLOW | O_CLOEXEC);
    const int error = errno;
    close(at);
    errno = error;
    at = next;
    if (last) break;
  }
  return at;
}

int open_beneath(int root, const std::string& path, int flags) {
  if (path.find('\0') != std::string::npos) { errno = EINVAL; return -1; }
  open_how how{};
  how.flags = uint64_t(flags | O_CLOEXEC);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  const std::string p = path.empty() ? "." : path;
  long fd;
  do fd = syscall(SYS_openat2, root, p.c_str(), &how, sizeof how);
  while (fd < 0 && errno == EAGAIN);   // a rename raced with the walk
  return fd < 0 && errno == ENOSYS ? open_stepwise(root, p, flags) : int(fd);
}

// Splits "a/b/c" into the folder "a/b" and the name "c"; false when there is no name.
bool split(const std::string& path, std::string& folder, std::string& name) {
  const size_t cut = path.rfind('/');
  folder = cut == std::string::npos ? "." : path.substr(0, cut);
  name = path.substr(cut == std::string::npos ? 0 : cut + 1);
  return !folder.empty() && !name.empty() && name != "." && name != "..";
}

int open_folder(int root, const std::string& folder) {
  int fd = open_beneath(root, folder, O_RDONLY | O_DIRECTORY);
  if (fd >= 0 || errno != ENOENT) return fd;
  std::string parent, name;
  if (!split(folder, parent, name)) { errno = EINVAL; return -1; }
  Fd up(open_folder(root, parent));
  if (up.n < 0 || (mkdirat(up.n, name.c_str(), 0755) != 0 && errno != EEXIST)) return -1;
  return open_beneath(root, folder, O_RDONLY | O_DIRECTORY);
}

int create(int folder, const char* name) {
  const int flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  const int fd = openat(folder, name, flags, 0644);
  struct stat st;
  if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink == 1) {
    if (st.st_size == 0 || ftruncate(fd, 0) == 0) return fd;
    close(fd);
    return -1;
  }
  if (fd >= 0) close(fd);
  else if (errno != ELOOP && errno != ENXIO && errno != EACCES) return -1;
  if (unlinkat(folder, name, 0) != 0) return -1;
  return openat(folder, name, flags | O_EXCL, 0644);
}

// One level of empty_dir. Folders deeper than `depth` are moved up to `root` and left for the next round, so that a
// million nested folders cost neither stack nor descriptors.
int empty_level(int root, int fd, int depth, bool& again) {
  fchmod(fd, 0700);
  const int own = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);   // a duplicate would share `fd`'s position
  DIR* dir = own < 0 ? nullptr : fdopendir(own);
  if (!dir) return errno;
  int error = 0;
  while (error == 0) {
    errno = 0;
    const dirent* e = readdir(dir);
    if (!e) { error = errno; break; }
    if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")) continue;
    if (unlinkat(fd, e->d_name, 0) == 0) continue;
    if (errno != EISDIR && errno != EPERM) { error = errno; break; }
    if (unlinkat(fd, e->d_name, AT_REMOVEDIR) == 0) continue;
    if (errno != ENOTEMPTY && errno != EACCES) { error = errno; break; }
    if (depth == 0) {
      uint64_t random;
      char name[32];
      if (getrandom(&random, sizeof random, 0) != sizeof random) return closedir(dir), EIO;
      snprintf(name, sizeof name, ".deep-%016llx", static_cast<unsigned long long>(random));
      if (renameat(fd, e->d_name, root, name) != 0) error = errno;
      again = true;
      continue;
    }
    if (fchmodat(fd, e->d_name, 0700, 0) != 0) error = errno;
    Fd sub(openat(fd, e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (sub.n < 0) { error = errno; break; }
    error = empty_level(root, sub.n, depth - 1, again);
    if (error == 0 && unlinkat(fd, e->d_name, AT_REMOVEDIR) != 0 && errno != ENOTEMPTY) error = errno;
  }
  closedir(dir);
  return error;
}

}  // namespace

Result failure(int error, std::string_view what) {
  Result r;
  r.ok = false;
  const char* name = strerrorname_np(error);
  r.error = name ? name : "EIO";
  if (!what.empty()) r.error.append(": ").append(what);
  return r;
}

Result read_file(int root, const std::string& path) {
  Fd fd(open_beneath(root, path, O_RDONLY | O_NONBLOCK | O_NOCTTY));
  struct stat st;
  if (fd.n < 0 || fstat(fd.n, &st) != 0) return failure(errno, path);
  if (S_ISDIR(st.st_mode)) return failure(EISDIR, path);
  if (!S_ISREG(st.st_mode)) return failure(EINVAL, path + " is not a regular file");
  Result r;
  const size_t want = std::min(size_t(st.st_size), max_read);
  r.truncated = size_t(st.st_size) > max_read;
  r.data.resize(want);
  size_t got = 0;
  while (got < want) {
    const ssize_t k = read(fd.n, r.data.data() + got, want - got);
    if (k < 0 && errno == EINTR) continue;
    if (k < 0) return failure(errno, path);
    if (k == 0) break;
    got += size_t(k);
  }
  r.data.resize(got);
  return r;
}

Result list_dir(int root, const std::string& path) {
  const int fd = open_beneath(root, path, O_RDONLY | O_DIRECTORY);
  DIR* dir = fd < 0 ? nullptr : fdopendir(fd);
  if (!dir) return failure(errno, path);
  Result r;
  while (const dirent* e = readdir(dir)) {
    if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")) continue;
    if (r.names.size() == max_names) { r.truncated = true; break; }
    r.names.emplace_back(e->d_name);
    r.kinds += e->d_type == DT_REG ? 'f' : e->d_type == DT_DIR ? 'd' : e->d_type == DT_LNK ? 'l' : 'o';
  }
  closedir(dir);
  return r;
}

Result write_file(int root, const File& file) {
  std::string folder, name;
  if (file.path.find('\0') != std::string::npos || !split(file.path, folder, name)) return failure(EINVAL, file.path);
  Fd up(open_folder(root, folder));
  if (up.n < 0) return failure(errno, file.path);
  Fd fd(create(up.n, name.c_str()));
  if (fd.n < 0) return failure(errno, file.path);
  for (size_t put = 0; put < file.content.size();) {
    const ssize_t k = write(fd.n, file.content.data() + put, file.content.size() - put);
    if (k < 0 && errno == EINTR) continue;
    if (k < 0) return failure(errno, file.path);
    put += size_t(k);
  }
  if (file.mode != 0 && fchmod(fd.n, file.mode & 0777) != 0) return failure(errno, file.path);
  return {};
}

Result remove_path(int root, const std::string& path) {
  std::string folder, name;
  if (path.find('\0') != std::string::npos || !split(path, folder, name)) return failure(EINVAL, path);
  Fd up(open_beneath(root, folder, O_RDONLY | O_DIRECTORY));
  if (up.n < 0) return failure(errno, path);
  if (unlinkat(up.n, name.c_str(), 0) == 0) return {};
  if (errno != EISDIR && errno != EPERM) return failure(errno, path);
  Fd dir(openat(up.n, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (dir.n < 0) return failure(errno, path);
  if (const int error = empty_dir(dir.n)) return failure(error, path);
  return unlinkat(up.n, name.c_str(), AT_REMOVEDIR) == 0 ? Result{} : failure(errno, path);
}

int empty_dir(int root) {
  for (;;) {
    bool again = false;
    const int error = empty_level(root, root, 32, again);
    if (error != 0 || !again) return error;
  }
}
