#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>

namespace actors {

/// Sleeping on a word of shared memory, and the few other things each system does its own way.

/// Sleeps until someone wakes the word, at most `limit`; returns at once when it no longer holds `seen`.
void sleepWhile(const std::atomic<std::uint32_t>& word, std::uint32_t seen, std::chrono::milliseconds limit) noexcept;
void wakeAll(std::atomic<std::uint32_t>& word) noexcept;

/// A hint to the processor that this is a spin loop.
void pauseProcessor() noexcept;

/// Makes the file this long with its blocks allocated, so that writing through a mapping cannot fail. Sets errno.
bool reserveFile(int descriptor, std::size_t bytes) noexcept;

/// Marks one byte of an open file as held by this open file; the kernel releases it when the process dies, however it
/// dies. False when another holds it.
bool lockByte(int descriptor, std::ptrdiff_t byte) noexcept;
/// Whether another open file holds the byte. `process` is the holder's id, for systems without such locks.
bool byteLocked(int descriptor, std::ptrdiff_t byte, pid_t process) noexcept;

}  // namespace actors
