// MeanActivations.h - a pass of the tests alone: what a boost outside this tree
// would add to a step.
#pragma once

namespace boostc {

/// Registers test-mean-activations: for each nn.relu of a program in phase
/// `backward` an accumulator of its outputs, one sum for each channel, and a
/// state, saved with the weights, that is their mean in the last applied step.
void registerMeanActivations();

} // namespace boostc
