#pragma once

#include <unistd.h>

namespace actors::addon {

/// Closes a descriptor at the end of its scope, unless it was released; a mapping outlives it.
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
  int release() {
    const int kept = number;
    number = -1;
    return kept;
  }
};

}  // namespace actors::addon
