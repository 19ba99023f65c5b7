#pragma once

#include "sequence.h"

namespace actors {

/// Throws InvalidArgument naming the first setting that makes no sense for the model.
void checkRequest(const GenerationRequest& request, const ModelConfig& config);

/// Whether the token just added ends the sequence; sets output.finish and stopString.
bool ended(Sequence& sequence, Index maxSeqLen);

}  // namespace actors
