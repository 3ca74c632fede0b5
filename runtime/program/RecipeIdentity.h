// RecipeIdentity.h - the part of a resolved recipe that decides what training
// computes. boostc hashes it, and where two hashes differ boost-run compares it
// key by key.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace boostrt {

/// Two recipes that are equal here do the same arithmetic to the same
/// parameters, so that one may resume what the other began. Out are
///  - name, epochs, metrics, train.eval_every, train.on_nonfinite,
///    data.eval_transforms, data.workers, data.bad_sample, data.decode_memory,
///    data.cache, train.ema.evaluate, the input's eval_shape: they change no
///    step that is applied,
///  - train.device_num: another number of ranks may resume,
///  - data.source: the same data may lie elsewhere on another machine,
///  - accumulation, and train.micro_batch with it: samples, not steps, say how
///    far an epoch is,
///  - boost switches that are off, with their sections, and what no switch
///    turns on.
/// In are the layers with names and initialisers, batch size, seed, loss,
/// optimizer with its schedules, transforms, the sections of boosts that are
/// on, the precision of matmuls where it is less than float32, mixed precision
/// where there is some, and the loss scale, whose state is in checkpoints.
inline nlohmann::json recipeIdentity(nlohmann::json recipe) {
  using nlohmann::json;
  if (!recipe.is_object())
    return recipe;
  auto eraseFrom = [&](const char *object, const char *key) {
    if (auto found = recipe.find(object);
        found != recipe.end() && found->is_object())
      found->erase(key);
  };
  for (const char *key : {"name", "epochs", "metrics"})
    recipe.erase(key);
  if (auto inputs = recipe.find("input");
      inputs != recipe.end() && inputs->is_object())
    for (json &input : *inputs)
      if (input.is_object())
        input.erase("eval_shape");
  eraseFrom("data", "source");
  eraseFrom("data", "eval_transforms");
  eraseFrom("data", "workers");
  eraseFrom("data", "bad_sample");
  eraseFrom("data", "decode_memory");
  eraseFrom("data", "cache");
  eraseFrom("train", "eval_every");
  eraseFrom("train", "on_nonfinite");
  eraseFrom("train", "device_num");
  eraseFrom("train", "micro_batch");
  // Recipes from before there was a choice average no weights.
  if (auto train = recipe.find("train");
      train != recipe.end() && train->is_object() && train->contains("ema")) {
    if ((*train)["ema"].is_object())
      (*train)["ema"].erase("evaluate");
    else
      train->erase("ema");
  }
  // They use all samples, once an epoch.
  if (auto data = recipe.find("data");
      data != recipe.end() && data->is_object()) {
    if (data->value("drop_remainder", json()) == false)
      data->erase("drop_remainder");
    if (data->value("repeat", json()) == 1)
      data->erase("repeat");
  }
  // They mean float32.
  if (auto found = recipe.find("matmul_precision");
      found != recipe.end() && *found == "float32")
    recipe.erase(found);
  if (auto found = recipe.find("amp");
      found != recipe.end() && found->is_object()) {
    json &amp = *found;
    if (amp.contains("loss_scale") && amp["loss_scale"].is_null())
      amp.erase("loss_scale");
    // In full precision a scale of the loss is left, if anything.
    if (amp.value("level", "O0") == "O0")
      for (const char *key : {"level", "dtype", "keep_batchnorm_fp32"})
        amp.erase(key);
    if (amp.empty())
      recipe.erase(found);
  }
  json on = json::object();
  if (auto boost = recipe.find("boost");
      boost != recipe.end() && boost->is_object()) {
    json switches = boost->value("boost", json::object());
    for (const auto &[name, value] : switches.items())
      if (value == true && name != "grad_accumulation")
        on[name] = boost->value(name, json::object());
  }
  recipe["boost"] = on;
  return recipe;
}

} // namespace boostrt
