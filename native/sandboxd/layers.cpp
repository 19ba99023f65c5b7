#include "layers.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#ifndef OPEN_TREE_CLONE
#define OPEN_TREE_CLONE 1
#endif
#ifndef MOVE_MOUNT_F_EMPTY_PATH
#define MOVE_MOUNT_F_EMPTY_PATH 0x00000004
#endif

namespace {

constexpr char base[] = "/tmp";
constexpr char target[] = "/workspace";

bool put(const char* path, const std::string& text) {
  const int fd = open(path, O_WRONLY | O_CLOEXEC);
  const bool ok = fd >= 0 && write(fd, text.data(), text.size()) == ssize_t(text.size());
  if (fd >= 0) close(fd);
  return ok;
}

const char* own_namespaces() {
  const std::string uid = std::to_string(getuid()), gid = std::to_string(getgid());
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return "namespaces";
  put("/proc/self/setgroups", "deny");
  if (!put("/proc/self/uid_map", "0 " + uid + " 1") || !put("/proc/self/gid_map", "0 " + gid + " 1")) return "user map";
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return "private mounts";
  if (mount("layers", base, "tmpfs", MS_NOSUID | MS_NODEV, "size=1m,mode=0755") != 0) return "tmpfs";
  return chdir(base) == 0 ? nullptr : base;
}

bool make_layer(const std::string& name, const std::string& mb) {
  const std::string options = "mode=0755,size=" + mb + "m";
  return mkdir(name.c_str(), 0755) == 0 && mount("layer", name.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, options.c_str()) == 0 &&
         mkdir((name + "/up").c_str(), 0755) == 0 && mkdir((name + "/work").c_str(), 0755) == 0 &&
         mkdir((name + "/all").c_str(), 0755) == 0;
}

// The layers as one mount that is attached nowhere yet, or -1.
int stack(const std::vector<std::string>& layers) {
  const std::string own = layers[0], up = own + "/up", all = own + "/all";
  if (layers.size() == 1) return int(syscall(SYS_open_tree, AT_FDCWD, up.c_str(), OPEN_TREE_CLONE | O_CLOEXEC));
  std::string options = "userxattr,upperdir=" + up + ",workdir=" + own + "/work,lowerdir=";
  for (size_t i = 1; i < layers.size(); i++) options += (i > 1 ? ":" : "") + layers[i] + "/up";
  if (mount("workspace", all.c_str(), "overlay", MS_NOSUID | MS_NODEV, options.c_str()) != 0) return -1;
  const int fd = int(syscall(SYS_open_tree, AT_FDCWD, all.c_str(), OPEN_TREE_CLONE | O_CLOEXEC));
  umount2(all.c_str(), MNT_DETACH);
  return fd;
}

// A file system that cannot mark a folder as replacing the one below (tmpfs before Linux 6.6) is of no use.
bool self_test() {
  bool ok = make_layer("b", "1") && mkdir("b/up/d", 0755) == 0 && make_layer("a", "1") &&
            mount("test", "a/all", "overlay", 0, "userxattr,upperdir=a/up,workdir=a/work,lowerdir=b/up") == 0 &&
            rmdir("a/all/d") == 0 && mkdir("a/all/d", 0755) == 0;
  const int error = errno;
  umount2("a/all", MNT_DETACH);
  for (const char* name : {"a", "b"})
    if (umount2(name, MNT_DETACH) != 0 || rmdir(name) != 0) ok = false;
  errno = error;
  return ok;
}

// In a process of its own: entering a mount namespace has no way back. 0 or an errno.
int attach(const std::string& pid, int tree) {
  const pid_t child = fork();
  if (child < 0) return errno;
  if (child == 0) {
    const int space = open(("/proc/" + pid + "/ns/mnt").c_str(), O_RDONLY | O_CLOEXEC);
    if (space < 0 || setns(space, CLONE_NEWNS) != 0) _exit(errno);
    if (umount2(target, MNT_DETACH) != 0) _exit(errno);
    if (syscall(SYS_move_mount, tree, "", AT_FDCWD, target, MOVE_MOUNT_F_EMPTY_PATH) != 0) _exit(errno);
    _exit(0);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  return WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
}

int perform(const std::vector<std::string>& words) {
  const auto is = [&](const char* what, size_t least) { return words[0] == what && words.size() >= least; };
  if (is("layer", 3)) return make_layer(words[1], words[2]) ? 0 : errno;
  if (is("mount", 3)) {
    const int tree = stack({words.begin() + 2, words.end()});
    if (tree < 0) return errno;
    const int error = attach(words[1], tree);
    close(tree);
    return error;
  }
  if (is("drop", 2)) {
    if (umount2(words[1].c_str(), MNT_DETACH) != 0) return errno;
    return rmdir(words[1].c_str()) == 0 ? 0 : errno;
  }
  return EINVAL;
}

int serve() {
  char* line = nullptr;
  size_t room = 0;
  puts(self_test() ? "ok" : strerror(errno));
  fflush(stdout);
  while (getline(&line, &room, stdin) > 0) {
    std::vector<std::string> words;
    for (char* word = strtok(line, " \n"); word; word = strtok(nullptr, " \n")) words.emplace_back(word);
    const int error = words.empty() ? EINVAL : perform(words);
    if (error == 0) puts("ok");
    else printf("%s\n", strerror(error));
    if (fflush(stdout) != 0) break;
  }
  return 0;
}

}  // namespace

int hold() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (const char* what = own_namespaces()) return printf("%s: %s\n", what, strerror(errno)), 70;
  return serve();
}

int enter(int argc, char** argv) {
  if (argc < 4) return 64;
  const std::string space = "/proc/" + std::string(argv[2]) + "/ns/";
  const char* names[] = {"user", "mnt"};
  int fds[2];
  for (int i = 0; i < 2; i++) fds[i] = open((space + names[i]).c_str(), O_RDONLY | O_CLOEXEC);
  for (int fd : fds)
    if (fd < 0 || setns(fd, 0) != 0) return fprintf(stderr, "sandboxd: the holder's namespaces: %s\n", strerror(errno)), 70;
  if (chdir("/") != 0) return 70;
  execvp(argv[3], argv + 3);
  return fprintf(stderr, "sandboxd: %s: %s\n", argv[3], strerror(errno)), 70;
}
