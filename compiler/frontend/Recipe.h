// Recipe.h - the resolved model as text for the runtime.
#pragma once

#include "compiler/frontend/Document.h"

namespace boostc::frontend {

/// Canonical JSON: keys sorted, no whitespace, shortest numbers that read back
/// equal.
std::string recipeText(const Node &model);

/// sha256, in hex, of the canonical JSON of what a checkpoint depends on: two
/// recipes of equal hash do the same arithmetic to the same parameters, so one
/// may resume what the other began. Out are
///  - name, epochs, metrics, train.eval_every: they change no weight,
///  - data.source: the same data may lie elsewhere on another machine,
///  - accumulation and what it takes ranks to see (design §8: another number of
///  ranks
///    may resume): boost switches that are off, and their sections.
/// In are the layers with names and initialisers, batch size, seed, loss,
/// optimizer with its schedules, transforms, the sections of boosts that are
/// on, and the precision of products where it is less than float32.
std::string recipeHash(const Node &model);

} // namespace boostc::frontend
