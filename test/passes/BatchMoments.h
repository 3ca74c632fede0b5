// BatchMoments.h - a pass of the tests alone: what a batch normalisation
// computes on the way.
#pragma once

namespace boostc {

/// Registers test-batch-moments: accumulators "<number>.mean" and
/// "<number>.variance" of each nn.batch_norm of @micro in phase `backward`. They
/// are sums; over one micro-batch they are the numbers themselves.
void registerBatchMoments();

} // namespace boostc
