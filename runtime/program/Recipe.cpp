#include "runtime/program/Recipe.h"

#include "runtime/data/WindowShard.h"
#include "runtime/support/DataSchemes.h"
#include "runtime/support/Plural.h"

#include <algorithm>
#include <fmt/format.h>

namespace boostrt {
namespace {

/// Reads a number of ranks from `key` of `section`; false when it is not such a
/// number. Older recipes lack the key.
bool readCount(const nlohmann::json &section, const char *key,
               std::optional<int64_t> &count) {
  if (!section.is_object())
    return false;
  auto found = section.find(key);
  if (found == section.end() || found->is_null())
    return true;
  if (!found->is_number_integer() || *found < 1)
    return false;
  count = *found;
  return true;
}

/// Reads a text that may be null from `key`; false when it is neither. Older
/// recipes lack the key.
bool readText(const nlohmann::json &section, const char *key,
              std::string &text) {
  auto found = section.find(key);
  if (found == section.end() || found->is_null())
    return true;
  if (!found->is_string())
    return false;
  text = found->get<std::string>();
  return true;
}

/// Reads what "dim_reduce" says of the basis; what is wrong with it, or null.
const char *readBasis(const nlohmann::json &keys, Recipe &recipe) {
  constexpr int64_t kMaxShards = 4096; // a basis has no more rows
  if (!keys.is_object())
    return "'boost.dim_reduce' is not an object";
  std::optional<int64_t> seconds, shards;
  if (!readCount(keys, "timeout", seconds))
    return "'boost.dim_reduce.timeout' is not a number of seconds";
  if (!readCount(keys, "shards", shards) || shards.value_or(1) > kMaxShards)
    return "'boost.dim_reduce.shards' is not a number of shards from 1 to "
           "4096";
  if (!readText(keys, "pca_mat_path", recipe.basisFile))
    return "'boost.dim_reduce.pca_mat_path' is not a text";
  if (!readText(keys, "weight_load_dir", recipe.basisCheckpoints))
    return "'boost.dim_reduce.weight_load_dir' is not a text";
  recipe.basisSeconds = seconds.value_or(0);
  recipe.basisShards = shards.value_or(1);
  return nullptr;
}

} // namespace

Result<Recipe> parseRecipe(const char *json, const std::string &path) {
  auto fail = [&](const char *what) {
    return Status(ExitCode::Input,
                  fmt::format("'{}' has a defective recipe: {}; build it again "
                              "with boostc",
                              path, what));
  };
  Recipe recipe;
  recipe.all = nlohmann::json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!recipe.all.is_object())
    return fail("not a JSON object");
  if (auto epochs = recipe.all.find("epochs"); epochs != recipe.all.end()) {
    if (!epochs->is_number_integer() || *epochs < 0)
      return fail("'epochs' is not a number of epochs");
    recipe.epochs = *epochs;
  }
  if (auto train = recipe.all.find("train"); train != recipe.all.end()) {
    if (!train->is_object())
      return fail("'train' is not an object");
    if (auto every = train->find("eval_every"); every != train->end()) {
      if (!every->is_number_integer() || *every < 0)
        return fail("'train.eval_every' is not a number of epochs");
      recipe.evalEvery = *every;
    }
    if (!readCount(*train, "device_num", recipe.ranks))
      return fail("'train.device_num' is not a number of ranks");
  }
  if (auto boost = recipe.all.find("boost"); boost != recipe.all.end()) {
    nlohmann::json common =
        boost->is_object() ? boost->value("common", nlohmann::json::object())
                           : nlohmann::json();
    if (!readCount(common, "device_number", recipe.ranksPerServer))
      return fail("'boost.common.device_number' is not a number of ranks");
    if (auto keys = boost->find("dim_reduce"); keys != boost->end())
      if (const char *what = readBasis(*keys, recipe))
        return fail(what);
  }
  auto data = recipe.all.find("data");
  if (data == recipe.all.end())
    return recipe;
  if (!data->is_object())
    return fail("'data' is not an object");
  if (auto source = data->find("source"); source != data->end()) {
    if (!source->is_string())
      return fail("'data.source' is not a text");
    recipe.dataSource = *source;
  }
  if (auto transforms = data->find("transforms"); transforms != data->end())
    recipe.transforms = *transforms;
  if (auto own = data->find("eval_transforms"); own != data->end())
    recipe.evalTransforms = *own;
  if (auto workers = data->find("workers");
      workers != data->end() && !workers->is_null()) {
    if (!workers->is_number_integer() || *workers < 1 || *workers > 256)
      return fail("'data.workers' is not a number of threads");
    recipe.workers = *workers;
  }
  if (auto repeat = data->find("repeat"); repeat != data->end()) {
    if (!repeat->is_number_integer() || *repeat < 1 || *repeat > kMaxPasses)
      return fail("'data.repeat' is not a number of passes");
    recipe.repeat = *repeat;
  }
  if (auto drop = data->find("drop_remainder"); drop != data->end()) {
    if (!drop->is_boolean())
      return fail("'data.drop_remainder' is neither true nor false");
    recipe.dropsRemainder = *drop;
  }
  if (auto memory = data->find("decode_memory"); memory != data->end()) {
    if (!memory->is_number_integer() || *memory < kMinDecodeMemory ||
        *memory > kMaxDecodeMemory)
      return fail("'data.decode_memory' is not a number of MiB");
    recipe.decodingBytes = memory->get<uint64_t>() << 20;
  }
  if (auto cache = data->find("cache"); cache != data->end()) {
    if (*cache != "auto" && *cache != "none" && *cache != "eval")
      return fail("'data.cache' is none of 'auto', 'none' and 'eval'");
    recipe.cache = *cache == "none"   ? CacheRule::None
                   : *cache == "eval" ? CacheRule::Evaluation
                                      : CacheRule::Auto;
  }
  if (auto rule = data->find("bad_sample"); rule != data->end()) {
    if (*rule != "error" && *rule != "skip")
      return fail("'data.bad_sample' is neither 'error' nor 'skip'");
    recipe.skipsBadSamples = *rule == "skip";
  }
  return recipe;
}

uint32_t plannedWorkers(const Recipe &recipe, uint32_t threads) {
  return recipe.workers ? static_cast<uint32_t>(*recipe.workers)
                        : std::max<uint32_t>(threads, 1);
}

uint64_t plannedDecodingBytes(const Recipe &recipe) {
  return hasImageFiles(recipe.dataSource) ? recipe.decodingBytes : 0;
}

Status checkRankCounts(const Recipe &recipe,
                       const std::vector<uint32_t> &serverOfRank,
                       const std::string &path) {
  auto found = static_cast<int64_t>(serverOfRank.size());
  if (recipe.ranks && *recipe.ranks != found)
    return Status(
        ExitCode::Usage,
        fmt::format("'{}' was compiled to train on {} (train.device_num), but "
                    "{} found; start {}, or compile it with --set "
                    "train.device_num={}",
                    path, countOf(*recipe.ranks, "rank"),
                    countOf(found, "rank") + (found == 1 ? " was" : " were"),
                    *recipe.ranks, found));
  if (!recipe.ranksPerServer)
    return Status();
  for (uint32_t server = 0; server <= serverOfRank.back(); ++server)
    if (int64_t own = std::ranges::count(serverOfRank, server);
        own != *recipe.ranksPerServer)
      return Status(
          ExitCode::Usage,
          fmt::format("'{}' was compiled for {} on each server "
                      "(boost.common.device_number), but server {} has {}; "
                      "start {} there, or compile it with --boost "
                      "common.device_number={}",
                      path, countOf(*recipe.ranksPerServer, "rank"), server,
                      own, *recipe.ranksPerServer, own));
  return Status();
}

} // namespace boostrt
