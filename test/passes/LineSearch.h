// LineSearch.h - test-line-search: a step of several phases, one of which is
// done as often as its probe says.
#pragma once

namespace boostc {

/// Registers it: descent along the gradient with a step size that is halved
/// until the loss of the same window has decreased enough (Armijo), at most
/// `trials` times. For programs in phase `backward` that train by train.sgd.
/// States saved with the weights say what became of it: "search.total", how
/// often the size was halved in all applied steps, "search.first", in how many
/// it was not, and "search.most", how often in the step with most of them.
void registerLineSearch();

} // namespace boostc
