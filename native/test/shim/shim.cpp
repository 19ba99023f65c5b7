#include "shim.h"

#include <algorithm>
#include <exception>
#include <map>
#include <memory>
#include <numeric>

#include "fiber.h"

namespace shim {

namespace {

constexpr int warpSize = 32;
constexpr std::size_t mostThreads = 1024, mostShared = 48 << 10;

enum class Wait { None, Barrier, Warp, Ended };

struct Thread {
  Fiber fiber;
  dim3 index;
  Wait wait = Wait::None;
  int site = -1;
};

struct Warp {
  int arrived = 0;
  int turn = 0;  ///< two sets of slots, as a lane may be one exchange ahead of those that have not read yet
  std::uint64_t slots[2][warpSize];
  std::uint32_t left[2][warpSize][4], right[2][warpSize][2];
};

struct SharedArray {
  std::unique_ptr<char[]> memory;
  std::size_t bytes = 0;
};

/// The block that runs.
struct Block {
  const char* kernel = "";
  const std::function<void()>* body = nullptr;
  std::vector<std::unique_ptr<Thread>> threads;  ///< kept for the next block; the first `count` take part
  std::vector<Warp> warps;
  std::map<int, SharedArray> arrays;
  int count = 0, current = 0, atBarrier = 0, ended = 0;
  std::exception_ptr fault;
};

Block block;
std::vector<bool> reached, skipped;  ///< of each site
std::uint64_t randomState = 0;

std::vector<Site>& allSites() {
  static std::vector<Site> list;
  return list;
}

std::string where(int site) {
  const Site& s = allSites()[static_cast<std::size_t>(site)];
  return s.file.substr(s.file.rfind('/') + 1) + ":" + std::to_string(s.line);
}

Thread& thread(int index) { return *block.threads[static_cast<std::size_t>(index)]; }

std::uint64_t draw() {
  randomState ^= randomState << 13;
  randomState ^= randomState >> 7;
  return randomState ^= randomState << 17;
}

/// Waits until somebody sets the thread's wait to None.
void pause(Wait wait, int site) {
  Thread& self = thread(block.current);
  self.wait = wait;
  self.site = site;
  Fiber::pause();
}

void entry(void*) {
  try {
    (*block.body)();
  } catch (...) {
    block.fault = std::current_exception();  // may not leave the fiber's stack
  }
  thread(block.current).wait = Wait::Ended;
  block.ended++;
}

[[noreturn]] void reportDeadlock() {
  std::map<std::string, int> groups;
  for (int i = 0; i < block.count; i++) {
    const Thread& t = thread(i);
    groups[t.wait == Wait::Ended     ? "have ended"
           : t.wait == Wait::Barrier ? "wait at the barrier of " + where(t.site)
                                     : "wait for their warp at " + where(t.site)]++;
  }
  std::string message = std::string(block.kernel) + " deadlocks in block (" + std::to_string(place.block.x) + ", " +
                        std::to_string(place.block.y) + "):";
  for (const auto& [what, count] : groups) message += " " + std::to_string(count) + " threads " + what + ";";
  message.back() = '.';
  throw Deadlock(message);
}

void runThread(int index, bool first) {
  Thread& t = thread(index);
  block.current = index;
  place.thread = t.index;
  t.wait = Wait::None;
  if (first) t.fiber.start(entry, nullptr);
  else t.fiber.resume();
  if (block.fault) std::rethrow_exception(block.fault);
}

/// 0 to n - 1 as runSeed orders them.
const std::vector<int>& ordered(std::vector<int>& order, int n) {
  order.resize(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  if (runSeed == 1) std::reverse(order.begin(), order.end());
  if (runSeed > 1)
    for (std::size_t i = order.size(); i-- > 1;) std::swap(order[i], order[draw() % (i + 1)]);
  return order;
}

/// Runs a warp as far as it gets alone.
bool runWarp(int warp, bool first) {
  static std::vector<int> lanes;
  bool ran = false;
  for (bool more = true; more; ran |= more, first = false) {
    more = false;
    for (const int lane : ordered(lanes, warpSize)) {
      const int index = warp * warpSize + lane;
      if (!first && thread(index).wait != Wait::None) continue;
      more = true;
      runThread(index, first);
    }
  }
  return ran;
}

/// A barrier that some threads have passed by is a fault even where hardware would let it pass.
bool openBarrier() {
  if (block.atBarrier != block.count) return false;
  for (int i = 1; i < block.count; i++)
    if (thread(i).site != thread(0).site) return false;
  for (int i = 0; i < block.count; i++) thread(i).wait = Wait::None;
  block.atBarrier = 0;
  return true;
}

void runBlock() {
  static std::vector<int> warps;
  block.warps.assign(static_cast<std::size_t>(block.count / warpSize), {});
  block.atBarrier = block.ended = 0;
  block.arrays.clear();
  block.fault = nullptr;
  for (bool first = true; block.ended < block.count; first = false) {
    bool ran = false;
    for (const int warp : ordered(warps, block.count / warpSize)) ran |= runWarp(warp, first);
    if (!openBarrier() && !ran) reportDeadlock();
  }
}

/// Every lane of the warp comes here before any goes on.
Warp& meetWarp(int site, std::uint64_t bits) {
  Warp& warp = block.warps[static_cast<std::size_t>(block.current / warpSize)];
  const int first = block.current / warpSize * warpSize;
  warp.slots[warp.turn][block.current - first] = bits;
  if (++warp.arrived < warpSize) {
    pause(Wait::Warp, site);
    return warp;
  }
  for (int i = first; i < first + warpSize; i++) {
    Thread& t = thread(i);
    if (i == block.current) continue;
    if (t.wait != Wait::Warp || t.site != site) pause(Wait::Warp, site);  // never woken: reported as a deadlock
    t.wait = Wait::None;
  }
  warp.arrived = 0;
  warp.turn ^= 1;
  return warp;
}

}  // namespace

Place place;
std::uint64_t runSeed = 0;

int addSite(const char* file, int line) {
  allSites().push_back({file, line});
  reached.push_back(false);
  skipped.push_back(false);
  return static_cast<int>(allSites().size()) - 1;
}

std::vector<Site> barriersReached() {
  std::vector<Site> list;
  for (std::size_t i = 0; i < reached.size(); i++) {
    const Site& site = allSites()[i];
    if (reached[i] && std::find(list.begin(), list.end(), site) == list.end()) list.push_back(site);
  }
  return list;
}

void skipBarrier(const Site& site) {
  for (std::size_t i = 0; i < skipped.size(); i++)
    if (allSites()[i] == site) skipped[i] = true;
}

void skipNoBarrier() { skipped.assign(skipped.size(), false); }

void launch(const char* kernel, dim3 grid, dim3 size, const std::function<void()>& body) {
  const std::size_t count = std::size_t{size.x} * size.y * size.z;
  if (count == 0 || count > mostThreads || count % warpSize != 0 || size.z > 64)
    throw std::invalid_argument(std::string(kernel) + ": a block of " + std::to_string(count) + " threads");
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.x > 0x7fffffffu || grid.y > 65535 || grid.z > 65535)
    throw std::invalid_argument(std::string(kernel) + ": a grid of " + std::to_string(grid.x) + " x " +
                                std::to_string(grid.y) + " x " + std::to_string(grid.z) + " blocks");
  while (block.threads.size() < count) block.threads.push_back(std::make_unique<Thread>());
  block.kernel = kernel;
  block.body = &body;
  block.count = static_cast<int>(count);
  unsigned i = 0;
  for (unsigned z = 0; z < size.z; z++)
    for (unsigned y = 0; y < size.y; y++)
      for (unsigned x = 0; x < size.x; x++) block.threads[i++]->index = dim3(x, y, z);
  place.blockSize = size;
  place.gridSize = grid;
  randomState = runSeed * 0x9e3779b97f4a7c15u + 1;
  for (unsigned z = 0; z < grid.z; z++) {
    for (unsigned y = 0; y < grid.y; y++) {
      for (unsigned x = 0; x < grid.x; x++) {
        place.block = dim3(x, y, z);
        runBlock();
      }
    }
  }
}

void barrier(int site) {
  reached[static_cast<std::size_t>(site)] = true;
  if (skipped[static_cast<std::size_t>(site)]) return;
  block.atBarrier++;
  pause(Wait::Barrier, site);
}

void warpBarrier(int site) { meetWarp(site, 0); }

std::uint64_t exchange(int site, std::uint64_t bits, int source) {
  if (source < 0 || source >= warpSize) throw std::invalid_argument("a shuffle from lane " + std::to_string(source));
  // The turn before the meeting is the set of slots that this exchange writes and reads.
  const int turn = block.warps[static_cast<std::size_t>(block.current / warpSize)].turn;
  return meetWarp(site, bits).slots[turn][source];
}

void multiplyFragments(int site, float (&c)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
  Warp& warp = block.warps[static_cast<std::size_t>(block.current / warpSize)];
  const int turn = warp.turn, mine = lane();
  std::memcpy(warp.left[turn][mine], a, sizeof a);
  std::memcpy(warp.right[turn][mine], b, sizeof b);
  meetWarp(site, 0);
  const auto half = [](std::uint32_t pair, int k) {
    const std::uint32_t bits = k % 2 == 0 ? pair << 16 : pair & 0xffff0000u;
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  };
  for (int i = 0; i < 4; i++) {
    const int row = mine / 4 + (i >= 2 ? 8 : 0), column = mine % 4 * 2 + i % 2;
    for (int k = 0; k < 16; k++) {
      const std::uint32_t left = warp.left[turn][row % 8 * 4 + k % 8 / 2][row / 8 + k / 8 * 2];
      const std::uint32_t right = warp.right[turn][column * 4 + k % 8 / 2][k / 8];
      c[i] += half(left, k) * half(right, k);
    }
  }
}

int lane() { return block.current % warpSize; }

void* shared(int site, std::size_t bytes) {
  SharedArray& array = block.arrays[site];
  if (array.memory == nullptr) {
    std::size_t total = bytes;
    for (const auto& [other, existing] : block.arrays) total += existing.bytes;
    if (total > mostShared)
      throw std::length_error(std::string(block.kernel) + ": " + std::to_string(total) + " bytes of shared memory");
    array = {std::make_unique<char[]>(bytes), bytes};
    std::memset(array.memory.get(), 0xff, bytes);  // NaN
  }
  return array.memory.get();
}

}  // namespace shim
