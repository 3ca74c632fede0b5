// SelectByCounter.h - test-select-by-counter: a selector that reads a state
// which the variants change in different ways, so that a step of the wrong
// variant has an effect on the variants of all later ones.
#pragma once

namespace boostc {

void registerSelectByCounter();

} // namespace boostc
