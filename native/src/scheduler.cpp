#include "scheduler.h"

#include <algorithm>

namespace actors {

Step schedule(const std::vector<std::unique_ptr<Sequence>>& running, KvCache& cache, std::int32_t version,
              Index maxRows) {
  Step step;
  Index spare = maxRows - static_cast<Index>(running.size());
  for (const auto& sequence : running) {
    Context& context = sequence->context;
    if (!context.begun() && !cache.begin(*sequence, running, version, step.reused)) continue;
    const Index missing = context.length() - context.cached;
    const Index count = 1 + std::min(missing - 1, spare);
    spare -= count - 1;
    cache.reserve(context, context.cached + count);
    for (Index position = context.cached; position < context.cached + count; position++) {
      step.tokens.push_back(context.tokens[static_cast<std::size_t>(position)]);
      step.positions.push_back(static_cast<std::int32_t>(position));
      step.rows.push_back({context.pages.data(), position + 1});
    }
    step.fed.emplace_back(sequence.get(), count);
    if (count < missing) continue;
    step.logitRows.push_back(static_cast<std::int32_t>(step.rows.size()) - 1);
    step.sampled.push_back(sequence.get());
  }
  return step;
}

}  // namespace actors
