// Fibers by a few lines of assembler on x86-64 and arm64, by ucontext elsewhere (many times slower, as it saves the
// signal mask with a system call). AddressSanitizer is told of every switch.

#include "fiber.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <new>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

#if (defined(__x86_64__) || defined(__aarch64__)) && defined(__ELF__) && !defined(SHIM_UCONTEXT)
#define SHIM_ASSEMBLER 1
#else
#include <ucontext.h>
#endif

namespace shim {

namespace {

constexpr std::size_t stackBytes = 64 << 10;

}  // namespace

#if defined(SHIM_ASSEMBLER)

// shimSwitch(save, load): pushes what a call must keep, stores the stack pointer to *save and continues at `load`.
#if defined(__x86_64__)
constexpr std::size_t savedWords = 6;  ///< below the return address
asm(R"(
.text
.globl shimSwitch
.hidden shimSwitch
.type shimSwitch, @function
shimSwitch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size shimSwitch, .-shimSwitch
)");
#else
constexpr std::size_t savedWords = 20;  ///< x19 to x30, d8 to d15
asm(R"(
.text
.globl shimSwitch
.hidden shimSwitch
.type shimSwitch, %function
shimSwitch:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
.size shimSwitch, .-shimSwitch
)");
#endif

extern "C" void shimSwitch(void** save, void* load);

struct Context {
  void* pointer = nullptr;

  void prepare(char* stack, void (*entry)()) {
    // As a switch leaves a stack: saved registers, and the entry as the place to return to.
    auto* top = reinterpret_cast<std::uintptr_t*>(stack + stackBytes);
#if defined(__x86_64__)
    top -= 2;  // at its first instruction a function finds the stack 8 bytes off a multiple of 16
    *top = reinterpret_cast<std::uintptr_t>(entry);
    top -= savedWords;
    std::memset(top, 0, savedWords * sizeof *top);
#else
    top -= savedWords;
    std::memset(top, 0, savedWords * sizeof *top);
    top[11] = reinterpret_cast<std::uintptr_t>(entry);  // x30
#endif
    pointer = top;
  }
  static void change(Context& from, Context& to) { shimSwitch(&from.pointer, to.pointer); }
};

#else

struct Context {
  ucontext_t state;

  void prepare(char* stack, void (*entry)()) {
    getcontext(&state);
    state.uc_stack.ss_sp = stack;
    state.uc_stack.ss_size = stackBytes;
    state.uc_link = nullptr;
    makecontext(&state, entry, 0);
  }
  static void change(Context& from, Context& to) { swapcontext(&from.state, &to.state); }
};

#endif

struct Fiber::State {
  char* stack = nullptr;
  Context context;
  void (*entry)(void*) = nullptr;
  void* argument = nullptr;
  bool ended = false;
  void* fakeStack = nullptr;  ///< of AddressSanitizer

  static State* running;
  static Context outside;
  static const void* outsideStack;
  static std::size_t outsideBytes;

  static void main() {
    State* self = running;
    arrived(nullptr, &outsideStack, &outsideBytes);
    self->entry(self->argument);
    self->ended = true;
    leave(true);
  }

  void enter() {
    running = this;
    void* fake = nullptr;
    leaving(&fake, stack, stackBytes);
    Context::change(outside, context);
    arrived(fake, nullptr, nullptr);
    running = nullptr;
  }
  static void leave(bool forEver) {
    State* self = running;
    leaving(forEver ? nullptr : &self->fakeStack, outsideStack, outsideBytes);
    Context::change(self->context, outside);
    arrived(self->fakeStack, &outsideStack, &outsideBytes);
  }

#if defined(__SANITIZE_ADDRESS__)
  static void leaving(void** fake, const void* to, std::size_t bytes) {
    __sanitizer_start_switch_fiber(fake, to, bytes);
  }
  static void arrived(void* fake, const void** from, std::size_t* bytes) {
    __sanitizer_finish_switch_fiber(fake, from, bytes);
  }
#else
  static void leaving(void**, const void*, std::size_t) {}
  static void arrived(void*, const void**, std::size_t*) {}
#endif
};

Fiber::State* Fiber::State::running = nullptr;
Context Fiber::State::outside;
const void* Fiber::State::outsideStack = nullptr;
std::size_t Fiber::State::outsideBytes = 0;

Fiber::Fiber() : state_(std::make_unique<State>()) {
  void* memory = mmap(nullptr, stackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  state_->stack = static_cast<char*>(memory);
}

Fiber::~Fiber() { munmap(state_->stack, stackBytes); }

void Fiber::start(void (*entry)(void*), void* argument) {
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(state_->stack, stackBytes);  // a kernel that deadlocked left it in the middle
#endif
  state_->entry = entry;
  state_->argument = argument;
  state_->ended = false;
  state_->fakeStack = nullptr;
  state_->context.prepare(state_->stack, State::main);
  state_->enter();
}

void Fiber::resume() { state_->enter(); }
void Fiber::pause() { State::leave(false); }

}  // namespace shim
