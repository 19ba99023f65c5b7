#include "request.h"

#include <algorithm>
#include <cmath>

namespace actors {

void checkRequest(const GenerationRequest& r, const ModelConfig& config) {
  require(!r.tokens.empty(), "submit: the prompt needs at least one token");
  require(static_cast<Index>(r.tokens.size()) < config.maxSeqLen,
          "submit: the prompt has " + std::to_string(r.tokens.size()) +
              " tokens and leaves no room to generate within maxSeqLen " + std::to_string(config.maxSeqLen));
  for (const std::int32_t token : r.tokens) {
    require(token >= 0 && token < config.vocabSize, "submit: token " + std::to_string(token) +
                                                        " is outside the vocabulary of " +
                                                        std::to_string(config.vocabSize));
  }
  require(r.maxTokens >= 1, "submit: maxTokens must be at least 1");
  require(r.minTokens >= 0 && r.minTokens <= r.maxTokens, "submit: minTokens must lie between 0 and maxTokens");
  require(std::isfinite(r.temperature) && r.temperature >= 0,
          "submit: temperature must be a finite number, not negative");
  require(r.topK >= 0, "submit: topK must not be negative");
  require(r.topP > 0 && r.topP <= 1, "submit: topP must lie in (0, 1]");
  require(r.minP >= 0 && r.minP <= 1, "submit: minP must lie in [0, 1]");
  require(std::isfinite(r.repetitionPenalty) && r.repetitionPenalty > 0,
          "submit: repetitionPenalty must be a finite number above 0");
  require(std::isfinite(r.presencePenalty) && std::isfinite(r.frequencyPenalty),
          "submit: presencePenalty and frequencyPenalty must be finite numbers");
  require(r.logprobs >= 0 && r.logprobs <= config.vocabSize,
          "submit: logprobs must lie between 0 and the size of the vocabulary");
  for (const std::string& text : r.stopStrings) require(!text.empty(), "submit: a stop string must not be empty");
}

namespace {

/// The stop string that the last token completed, or null.
const std::string* completed(Sequence& sequence) {
  const std::string& added = (*sequence.vocabulary)[static_cast<std::size_t>(sequence.output.tokens.back())];
  sequence.text += added;
  for (const std::string& stop : sequence.request.stopStrings) {
    const std::size_t window = added.size() + stop.size() - 1;
    const std::size_t from = sequence.text.size() > window ? sequence.text.size() - window : 0;
    if (sequence.text.find(stop, from) != std::string::npos) return &stop;
  }
  return nullptr;
}

}  // namespace

bool ended(Sequence& sequence, Index maxSeqLen) {
  const GenerationRequest& request = sequence.request;
  Generation& output = sequence.output;
  const std::string* stop = request.stopStrings.empty() ? nullptr : completed(sequence);
  const auto count = static_cast<Index>(output.tokens.size());
  if (count >= request.minTokens) {
    if (stop != nullptr) output.stopString = *stop;
    const auto& ids = request.stop;
    if (stop != nullptr || std::find(ids.begin(), ids.end(), output.tokens.back()) != ids.end()) {
      output.finish = Finish::Stop;
      return true;
    }
  }
  output.finish = Finish::Length;
  return count >= request.maxTokens || sequence.context.length() >= maxSeqLen;
}

}  // namespace actors
