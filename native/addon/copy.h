#pragma once

#include <cstddef>
#include <cstdint>

namespace actors::addon {

/// Copies on several threads from 8 MiB on. What is far larger than a cache is written past it: to write through it
/// is to read the target first, which is a third of the traffic.
void copyOnThreads(std::uint8_t* to, const std::uint8_t* from, std::size_t bytes);

}  // namespace actors::addon
