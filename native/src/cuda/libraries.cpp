#include "libraries.h"

#include <dlfcn.h>
#include <glob.h>
#include <sys/stat.h>

#include <cstdlib>
#include <sstream>

#include "actors/error.h"

namespace actors::cuda {

namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::vector<std::string> matches(const std::string& pattern) {
  glob_t found{};
  std::vector<std::string> paths;
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0) paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  return paths;
}

/// Folders in the order of search.
std::vector<std::string> folders(const std::vector<std::string>& pip) {
  std::vector<std::string> list;
  std::stringstream own(environment("ACTORS_CUDA_LIBS"));
  for (std::string folder; std::getline(own, folder, ':');)
    if (!folder.empty()) list.push_back(folder);
  std::vector<std::string> pythons;
  for (const char* root : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (const std::string prefix = environment(root); !prefix.empty()) pythons.push_back(prefix + "/lib/python3*");
  if (const std::string home = environment("HOME"); !home.empty()) pythons.push_back(home + "/.local/lib/python3*");
  for (const char* system : {"/usr/local/lib/python3*", "/usr/lib/python3*"}) pythons.push_back(system);
  for (const std::string& python : pythons)
    for (const char* packages : {"/site-packages/nvidia/", "/dist-packages/nvidia/"})
      for (const std::string& part : pip)
        for (const std::string& folder : matches(python + packages + part)) list.push_back(folder);
  if (const std::string conda = environment("CONDA_PREFIX"); !conda.empty()) list.push_back(conda + "/lib");
  list.push_back("/usr/local/cuda/lib64");
  return list;
}

}  // namespace

Library::Library(const std::vector<std::string>& names, const std::vector<std::string>& pip, const std::string& mend) {
  std::string refused;
  const auto open = [&](const std::string& path) {
    handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ != nullptr) path_ = path;
    else if (const char* why = dlerror(); why != nullptr) refused = why;
    return handle_ != nullptr;
  };
  for (const std::string& folder : folders(pip)) {
    for (const std::string& name : names) {
      struct stat status;
      if (stat((folder + "/" + name).c_str(), &status) == 0 && open(folder + "/" + name)) return;
    }
  }
  for (const std::string& name : names)
    if (open(name)) return;
  throw Error(ErrorCode::Unsupported, names.front() + " could not be opened: " + mend + " (" + refused + ")");
}

void* Library::symbol(const char* name) const {
  void* found = dlsym(handle_, name);
  if (found == nullptr) throw Error(ErrorCode::Unsupported, path_ + " is too old: it has no " + name);
  return found;
}

}  // namespace actors::cuda
