#include "compare.h"

#include <algorithm>
#include <cmath>

#include "../check.h"

namespace actors::test {

Comparison::Comparison(Backend& backend, double tolerance)
    : backend_(backend), cpu_(makeCpuBackend(1)), tolerance_(tolerance) {}

void Comparison::note(const std::string& what, double distance) {
  if (std::isfinite(distance)) worst_ = std::max(worst_, distance);
  if (distance <= tolerance_) return;
  differences_.push_back(what + " differs by " + std::to_string(distance * 1e6) + "e-6");
}

void Comparison::value(const std::string& what, double got, double wanted) {
  note(what, std::abs(got - wanted) / std::max(1.0, std::abs(wanted)));
}

void Comparison::operator()(const std::string& what, const Arrays& arrays, const Body& body) {
  const auto run = [&](Backend& backend) {
    std::vector<Buffer> buffers;
    std::vector<float*> pointers;
    for (const std::vector<float>& values : arrays) {
      buffers.emplace_back(static_cast<Index>(values.size()), backend.memory());
      pointers.push_back(buffers.back().data());
      backend.upload(values.data(), static_cast<Index>(values.size()), pointers.back());
    }
    body(backend, pointers);
    Arrays results = arrays;
    for (std::size_t i = 0; i < results.size(); i++)
      backend.download(pointers[i], static_cast<Index>(results[i].size()), results[i].data());
    return results;
  };
  const Arrays wanted = run(*cpu_), got = run(backend_);
  for (std::size_t i = 0; i < wanted.size(); i++)
    note(what + ", array " + std::to_string(i),
         distance(got[i].data(), std::vector<double>(wanted[i].begin(), wanted[i].end())));
}

}  // namespace actors::test
