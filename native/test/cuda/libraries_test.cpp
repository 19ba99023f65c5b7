// The libraries that are opened at run time, against stand-ins for them: where they are looked for, what is said when
// they are missing or too new, and that cuBLASLt and NCCL are called with the right operands, sizes and order.

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "../check.h"
#include "cuda/cublas_lt.h"
#include "cuda/libraries.h"
#include "cuda/nccl.h"
#include "host_device.h"

using namespace actors;
using namespace actors::test;
using cuda::CublasLt;
using cuda::NcclGroup;

namespace {

template <class Body>
void checkSays(const std::string& words, Body body) {
  try {
    body();
    check(false, "did not say: " + words);
  } catch (const Error& error) {
    check(std::strstr(error.what(), words.c_str()) != nullptr, words + ": said " + error.what());
  }
}

void testSearch(const std::string& folder) {
  unsetenv("ACTORS_CUDA_LIBS");
  checkSays("libcublasLt.so.13 could not be opened: install it (`pip install nvidia-cublas`)",
            [] { cuda::Library({"libcublasLt.so.13"}, {"nowhere/lib"}, "install it (`pip install nvidia-cublas`)"); });
  setenv("ACTORS_CUDA_LIBS", ("/nonexistent:" + folder).c_str(), 1);
  const cuda::Library named({"libcublasLt.so.99", "libcublasLt.so.13"}, {}, "");
  check(named.path() == folder + "/libcublasLt.so.13", "found " + named.path());
  int* missing = nullptr;
  checkSays("is too old: it has no cublasLtNothing", [&] { named.load("cublasLtNothing", missing); });
  unsetenv("ACTORS_CUDA_LIBS");

  // An environment of pip's: its nvidia folders come before what the loader would find.
  const std::string root = "/tmp/actors-libraries-test-" + std::to_string(getpid());
  const std::string packages = root + "/lib/python3.11/site-packages/nvidia/cu13/lib";
  check(std::system(("mkdir -p " + packages + " && ln -s " + folder + "/libcublasLt.so.13 " + packages).c_str()) == 0,
        "a folder to search");
  setenv("VIRTUAL_ENV", root.c_str(), 1);
  const cuda::Library pip({"libcublasLt.so.13"}, {"cu13/lib"}, "");
  check(pip.path() == packages + "/libcublasLt.so.13", "found " + pip.path());
  unsetenv("VIRTUAL_ENV");
  check(std::system(("rm -r " + root).c_str()) == 0, "the folder removed");
  setenv("ACTORS_CUDA_LIBS", folder.c_str(), 1);
}

void testProducts() {
  checkSays(
      "libcublasLt.so.13 is of CUDA 13.0, but the driver supports 12.4: update the NVIDIA driver, or install "
      "nvidia-cublas-cu12",
      [] { CublasLt(12040); });
  CublasLt blas(13000);
  HostDevice plain;
  const Index sizes[][3] = {{1, 1, 1}, {3, 5, 7}, {16, 8, 4}, {9, 1, 33}, {1, 40, 2}};
  for (const auto& [m, n, k] : sizes) {
    for (int variant = 0; variant < 16; variant++) {
      const bool bf16 = (variant & 4) != 0;
      // One float off, so that alignments differ.
      std::vector<float> a = randomFloats(m * k + 1, 1), b = randomFloats(n * k + 1, 2), c = randomFloats(m * n, 3);
      std::vector<std::uint16_t> halfA(a.size()), halfB(b.size());
      std::transform(a.begin(), a.end(), halfA.begin(), toBf16);
      std::transform(b.begin(), b.end(), halfB.begin(), toBf16);
      std::vector<float> wanted = c;
      cuda::Product product{
          m,       n, k, a.data() + 1, b.data() + 1, (variant & 1) != 0, (variant & 2) != 0, bf16, (variant & 8) != 0,
          c.data()};
      if (bf16) {
        product.a = halfA.data() + 1;
        product.b = halfB.data() + 1;
      }
      blas.multiply(product, nullptr, nullptr);
      product.c = wanted.data();
      plain.multiply(product);
      check(distance(c.data(), std::vector<double>(wanted.begin(), wanted.end())) < 1e-6,
            "product " + std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k) + ", variant " +
                std::to_string(variant));
    }
  }
}

void testCollectives(const std::string& folder) {
  void* library = dlopen((folder + "/libnccl.so.2").c_str(), RTLD_NOW);
  check(library != nullptr, "the stand-in for NCCL");
  if (library == nullptr) return;
  auto* recorded = reinterpret_cast<const char* (*)()>(dlsym(library, "fakeNcclRecorded"));
  auto* begin = reinterpret_cast<void (*)(const void*, int)>(dlsym(library, "fakeNcclBegin"));
  float x[12] = {};
  const auto expect = [&](const std::string& wanted, auto body) {
    begin(x, 0);
    body();
    check(recorded() == wanted, "NCCL was called with\n" + std::string(recorded()) + "instead of\n" + wanted);
  };
  const std::string id = NcclGroup::uniqueId();
  std::unique_ptr<NcclGroup> group;
  expect("init 1 of 3, id 0..127\n", [&] { group = std::make_unique<NcclGroup>(id, 1, 3, nullptr); });
  expect("allReduce 0 0 10 type 7 op 0\n", [&] { group->allReduce(x, 10); });
  expect("reduceScatter 0 4 4 type 7 op 0\n", [&] { group->reduceScatter(x, 12); });
  expect("allGather 4 0 4 type 7\n", [&] { group->allGather(x, 12); });
  expect("(\nreduce 0 0 3 type 7 op 0 root 0\nreduce 3 3 3 type 7 op 0 root 1\nreduce 6 6 4 type 7 op 0 root 2\n)\n",
         [&] { group->reduceScatter(x, 10); });
  expect("(\nbroadcast 0 0 1 type 7 root 2\n)\n", [&] { group->allGather(x, 1); });
  expect("", [&] { group->allReduce(x, 0); });
  begin(x, 5);
  checkSays("ncclAllReduce failed on rank 1 of 3: invalid usage", [&] { group->allReduce(x, 10); });
  expect("abort\n", [&] {
    group->abort();
    group->abort();
    group.reset();
  });
  checkThrows(ErrorCode::InvalidArgument, "a rank out of range", [&] { NcclGroup(id, 3, 3, nullptr); });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return EXIT_FAILURE;
  testSearch(argv[1]);
  testProducts();
  testCollectives(argv[1]);
  return report();
}
