#include "runtime/trainer/Session.h"

#include "runtime/launch/CpuShare.h"
#include "runtime/trainer/LoaderChoice.h"
#include "runtime/trainer/MachineMemory.h"
#include "runtime/trainer/SelectDevice.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace boostrt {
Status Session::loadProgram(const Options &options) {
  Result<std::unique_ptr<Program>> program = Program::load(options.program);
  if (!program.ok())
    return program.status();
  program_ = std::move(program).value();
  Result<Recipe> recipe =
      parseRecipe(program_->descriptor().recipe_json, options.program);
  if (!recipe.ok())
    return recipe.status();
  recipe_ = std::move(recipe).value();
  return Status();
}

Status Session::selectDevice(const Options &options, Console &console) {
  Result<SelectedDevice> selected = boostrt::selectDevice(options, *program_);
  if (!selected.ok())
    return selected.status();
  device_ = std::move(selected->device);
  target_ = selected->target;
  for (const std::string &note : selected->notes)
    console.note(note);
  return Status();
}

Result<std::unique_ptr<Session>> Session::open(const Options &options,
                                               Console &console) {
  std::unique_ptr<Session> session(new Session);
  BOOSTRT_RETURN_IF_ERROR(session->loadProgram(options));
  Result<RunData> data =
      openRunData(session->program(), session->recipe_, options.data,
                  options.evaluate ? HeldOut::Required : HeldOut::Optional);
  if (!data.ok())
    return data.status();
  session->data_ = std::move(data).value();
  session->data_.loading.skipsBadSamples =
      options.skipBadSamples.value_or(session->data_.loading.skipsBadSamples);
  BOOSTRT_RETURN_IF_ERROR(session->selectDevice(options, console));
  ThreadTeam *team = session->device_->team();
  // Ranks that share a machine have their part of it.
  auto cpus =
      std::min<int64_t>(std::ssize(usableCpus()), options.threadsAtMost);
  session->idleCpus_ = team ? cpus - team->size() : 0;
  if (!session->data_.note.empty())
    console.note(session->data_.note);
  console.note(session->data_.source.description);
  return session;
}

Result<std::unique_ptr<Session>>
Session::openWithoutData(const Options &options, Console &console) {
  std::unique_ptr<Session> session(new Session);
  BOOSTRT_RETURN_IF_ERROR(session->loadProgram(options));
  BOOSTRT_RETURN_IF_ERROR(session->selectDevice(options, console));
  return session;
}

Status Session::measureMemory(Ranks &ranks) {
  if (!ranks.isThread()) {
    peak_.begin();
    return Status();
  }
  BOOSTRT_RETURN_IF_ERROR(ranks.barrier());
  if (ranks.isFirst())
    peak_.begin();
  return ranks.barrier();
}

MemoryJob Session::jobOfData() const {
  MemoryJob job;
  bool decodes =
      data_.source.train && data_.source.train->shape().isOfAnySize();
  job.decoding = decodes ? data_.loading.decodingBytes : 0;
  job.workers = static_cast<uint32_t>(data_.loading.workers);
  for (const auto *cache : {&data_.trainingCache, &data_.evaluationCache})
    if (*cache)
      job.cache += (*cache)->bytes();
  // A device with memory of its own has nothing of it.
  job.isOnHost = !device_->memory();
  return job;
}

/// Samples of training, where they are worth their memory; null elsewhere.
static std::unique_ptr<SampleCache> cacheTraining(const RunData &data) {
  const TransformPipeline &transforms = *data.trainingTransforms;
  auto cache = std::make_unique<SampleCache>(
      SampleSubset{data.source.train->size()}, transforms.outputBytes());
  if (transforms.isRandom() || transforms.copies() ||
      cache->bytes() > kTrainingCacheBytes)
    return nullptr;
  return cache;
}

void Session::chooseData(const Ranks &ranks, const Revisited &again) {
  if (again.training && recipe_.cache != CacheRule::None)
    data_.trainingCache = cacheTraining(data_);
  const Dataset &test = *data_.source.test;
  if (again.evaluation && recipe_.cache == CacheRule::Evaluation &&
      test.shape().isOfAnySize() && test.size() > 0)
    data_.evaluationCache = std::make_unique<SampleCache>(
        SampleSubset{test.size(), data_.layout.batchSize,
                     ranks.share(/*microBatches=*/1)},
        data_.transforms->outputBytes());
  chooseLoader(data_, recipe_.workers, device_->team(), idleCpus_);
}

MemoryPlan Session::planEvaluation() const {
  return boostrt::planEvaluation(program_->descriptor(), *target_, jobOfData());
}

MemoryPlan Session::planTraining(const Ranks &ranks,
                                 bool keepsCheckpoints) const {
  MemoryJob job = jobOfData();
  job.keepsCheckpoints = keepsCheckpoints;
  if (!device_->memory()) {
    job.ranks = ranks.size();
    job.servers = ranks.servers().back() + 1;
    job.rank = ranks.rank();
  }
  return boostrt::planTraining(program_->descriptor(), *target_, job);
}

Status Session::reserve(const MemoryPlan &plan, Ranks &ranks) {
  uint64_t ofAll = 0;
  planned_ = plan.total();
  // A device has memory of its own, and says itself when that is too little.
  MemoryJob data = jobOfData();
  BOOSTRT_RETURN_IF_ERROR(checkMemory(
      device_->memory() ? data.decoding * data.workers + data.cache : planned_,
      ranks, MachineMemory::read(), &ofAll));
  if (ranks.isThread() && !device_->memory())
    planned_ = ofAll;
  Result<std::unique_ptr<Arenas>> arenas =
      Arenas::reserve(plan, device_->memory());
  if (!arenas.ok())
    return arenas.status();
  arenas_ = std::move(arenas).value();
  for (auto *cache : {&data_.trainingCache, &data_.evaluationCache})
    if (*cache)
      (*cache)->reserve();
  execution_.emplace(*program_, *device_, *arenas_);
  return Status();
}

Status Session::agreeWith(Ranks &ranks, std::vector<Fact> more) const {
  std::vector<Fact> facts = {
      {"program", program_->sha256().substr(0, 16)},
      {"servers of the ranks", ranks.layout()},
      {"bad samples", data_.loading.skipsBadSamples ? "skip" : "error"},
      {"training data",
       fmt::format("{:016x}", data_.source.train->fingerprint())},
      {"held-out data",
       fmt::format("{:016x}", data_.source.test->fingerprint())}};
  facts.insert(facts.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
  return ranks.agree(facts);
}

std::string Session::describeAdasum() const {
  if (collectives_)
    return collectives_->describeAdasum();
  return program_->usesAdasum()
             ? "Adasum has nothing to combine: there is one rank"
             : "";
}

Status Session::trainWith(Ranks &ranks, CommKind comm, int64_t logAdasumEvery) {
  if (ranks.isAlone())
    return Status();
  Result<std::unique_ptr<DeviceLink>> link = linkDevices(*device_, ranks, comm);
  if (!link.ok())
    return link.status();
  link_ = std::move(link).value();
  Result<std::unique_ptr<RankCollectives>> collectives =
      RankCollectives::create(ranks, *program_, *link_);
  if (!collectives.ok())
    return collectives.status();
  collectives_ = std::move(collectives).value();
  if (device_->memory())
    planned_ +=
        ranks.workspace().capacity() + collectives_->deviceScratchBytes();
  execution_->setCollectives(*collectives_, logAdasumEvery);
  return Status();
}

} // namespace boostrt
