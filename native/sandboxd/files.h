// File operations below one folder. A path is resolved by the kernel with that folder as its ceiling (openat2
// RESOLVE_BENEATH), so that neither `..` nor a symbolic link leads out of it; nothing blocks on a FIFO; sizes are bounded.
#pragma once
#include "wire.h"

constexpr size_t max_read = 16u << 20;   // bytes of one file; more is cut and flagged
constexpr size_t max_names = 10'000;     // entries of one listing; more is cut and flagged

Result failure(int error, std::string_view what);

Result read_file(int root, const std::string& path);
Result list_dir(int root, const std::string& path);
// Creates missing folders. A link, a FIFO or a file with a second name in the way is replaced, never written through.
Result write_file(int root, const File& file);
// A file, a link, or a folder with all in it.
Result remove_path(int root, const std::string& path);
// Removes everything below `root`, however deep and whatever its permissions. 0 or an errno.
int empty_dir(int root);
