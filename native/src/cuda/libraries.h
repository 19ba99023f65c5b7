#pragma once

#include <string>
#include <vector>

namespace actors::cuda {

/// A library opened at run time; it stays open until the process ends, as GPU libraries do not like to be closed.
class Library {
 public:
  /// Searches for each file name in turn: ACTORS_CUDA_LIBS (folders, colon-separated), the `pip` folders below
  /// site-packages/nvidia of the active environment and of the system's Python, $CONDA_PREFIX/lib,
  /// /usr/local/cuda/lib64, and wherever the loader looks. Throws Unsupported that says what is missing and `mend`.
  Library(const std::vector<std::string>& names, const std::vector<std::string>& pip, const std::string& mend);

  const std::string& path() const { return path_; }

  /// Sets `function` to the symbol; throws Unsupported when this version lacks it.
  template <class Function>
  void load(const char* name, Function*& function) const {
    function = reinterpret_cast<Function*>(symbol(name));
  }

 private:
  void* symbol(const char* name) const;

  void* handle_ = nullptr;
  std::string path_;
};

}  // namespace actors::cuda
