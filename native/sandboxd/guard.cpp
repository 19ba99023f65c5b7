#include "guard.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

bool limit(__rlimit_resource what, uint64_t value) {
  rlimit r;
  if (getrlimit(what, &r) != 0) return false;
  if (r.rlim_max == RLIM_INFINITY || value < r.rlim_max) r.rlim_max = value;
  r.rlim_cur = r.rlim_max;
  return setrlimit(what, &r) == 0;
}

void put(const char* path, const std::string& text) {
  const int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  [[maybe_unused]] const ssize_t n = write(fd, text.data(), text.size());
  close(fd);
}

#if defined(__x86_64__)
constexpr uint32_t native_arch = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t native_arch = AUDIT_ARCH_AARCH64;
#else
constexpr uint32_t native_arch = 0;
#endif

constexpr uint32_t refused[] = {
    SYS_bpf, SYS_perf_event_open, SYS_userfaultfd, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev,
    SYS_keyctl, SYS_add_key, SYS_request_key, SYS_kexec_load, SYS_init_module, SYS_finit_module, SYS_delete_module,
    SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_unshare, SYS_setns, SYS_open_by_handle_at,
    SYS_swapon, SYS_swapoff, SYS_reboot, SYS_acct, SYS_quotactl, SYS_syslog, SYS_personality,
#ifdef SYS_open_tree
    SYS_open_tree, SYS_move_mount, SYS_fsopen, SYS_fsmount,
#endif
#ifdef SYS_mount_setattr
    SYS_mount_setattr,
#endif
};
// "No such call" lets a C library fall back; "not permitted" would not.
constexpr uint32_t absent[] = {SYS_clone3, 425 /* io_uring_setup */, 426, 427};

}  // namespace

bool isolate(uint32_t uid, std::vector<std::string>& done) {
  const uid_t self = getuid();
  if (self == 0) {
    if (unshare(CLONE_NEWNET) == 0) done.push_back("network");
    if (unshare(CLONE_NEWIPC) == 0) done.push_back("ipc");
    if (uid == 0) return true;
    if (setgroups(0, nullptr) != 0 || setresgid(uid, uid, uid) != 0 || setresuid(uid, uid, uid) != 0) return false;
    done.push_back("user");
    return true;
  }
  const gid_t group = getgid();
  if (unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWIPC) == 0) {
    put("/proc/self/setgroups", "deny");
    put("/proc/self/uid_map", std::to_string(self) + " " + std::to_string(self) + " 1");
    put("/proc/self/gid_map", std::to_string(group) + " " + std::to_string(group) + " 1");
    done.insert(done.end(), {"network", "ipc"});
  }
  return true;
}

bool apply_limits(const Limits& l) {
  const uint64_t mb = 1u << 20;
  // DATA bounds private memory; AS is looser because runtimes reserve address space, and bounds shared mappings.
  const uint64_t space = l.memory_mb * mb * 4 > (4096ULL << 20) ? l.memory_mb * mb * 4 : 4096ULL << 20;
  bool ok = limit(RLIMIT_NPROC, l.processes) & limit(RLIMIT_DATA, l.memory_mb * mb) & limit(RLIMIT_AS, space) &
            limit(RLIMIT_FSIZE, l.file_mb * mb) & limit(RLIMIT_CORE, 0) & limit(RLIMIT_NOFILE, 1024) &
            limit(RLIMIT_MEMLOCK, 64 << 10) & limit(RLIMIT_MSGQUEUE, 0);
  ok &= prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
  ok &= prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0;
  ok &= prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0;
  return ok;
}

bool install_seccomp() {
  if (native_arch == 0) return false;
  std::vector<sock_filter> f;
  const auto add = [&](uint16_t code, uint32_t k, uint8_t jt = 0, uint8_t jf = 0) { f.push_back({code, jt, jf, k}); };
  const uint32_t not_permitted = SECCOMP_RET_ERRNO | EPERM, no_call = SECCOMP_RET_ERRNO | ENOSYS;
  const auto answer = [&](uint32_t call, uint32_t with) {
    add(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1);
    add(BPF_RET | BPF_K, with);
  };
  add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch));
  add(BPF_JMP | BPF_JEQ | BPF_K, native_arch, 1, 0);
  add(BPF_RET | BPF_K, no_call);   // 32-bit calls have other numbers
  add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr));
#if defined(__x86_64__)
  add(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1);   // the x32 table
  add(BPF_RET | BPF_K, no_call);
#endif
  for (uint32_t call : refused) answer(call, not_permitted);
  for (uint32_t call : absent) answer(call, no_call);
  // clone with a namespace flag in its first argument. Little-endian: the low word comes first.
  add(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3);
  add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[0]));
  add(BPF_JMP | BPF_JSET | BPF_K, CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP, 0, 1);
  add(BPF_RET | BPF_K, not_permitted);
  add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  sock_fprog program{uint16_t(f.size()), f.data()};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

void remove_sysv_ipc() {
  const char* tables[] = {"/proc/sysvipc/shm", "/proc/sysvipc/msg", "/proc/sysvipc/sem"};
  for (int kind = 0; kind < 3; kind++) {
    FILE* table = fopen(tables[kind], "re");
    if (!table) continue;
    char line[512];
    int key, id;
    while (fgets(line, sizeof line, table)) {
      if (sscanf(line, "%d %d", &key, &id) != 2) continue;
      if (kind == 0) shmctl(id, IPC_RMID, nullptr);
      if (kind == 1) msgctl(id, IPC_RMID, nullptr);
      if (kind == 2) semctl(id, 0, IPC_RMID);
    }
    fclose(table);
  }
}
