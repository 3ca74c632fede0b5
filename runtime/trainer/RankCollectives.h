// RankCollectives.h - carries out the collectives of a program's update.
#pragma once

#include "runtime/device/Device.h"
#include "runtime/trainer/Program.h"
#include "runtime/trainer/Ranks.h"

namespace boostrt {

class RankCollectives final : public CollectiveRunner {
public:
  /// All memory is taken here. Fails with ExitCode::Input when the program
  /// cannot be trained by several ranks. Both outlive the object.
  static Result<std::unique_ptr<RankCollectives>>
  create(Ranks &ranks, const Program &program);

  ~RankCollectives() override;

  /// What the collectives from now on belong to, from 1.
  void setStep(int64_t globalStep) { step_ = globalStep; }

  /// A sum over all ranks of the last collective that has integers also
  /// carries whether a signal has come, so that agreeing costs no message.
  Status run(uint32_t index, void *const *operands) override;

private:
  /// A collective with its lists, ready for the addresses of a call.
  struct Prepared {
    std::string name; ///< "bucket 2 (fc1.weight, fc1.bias)"
    std::vector<std::span<float>> floats;
    std::vector<int64_t> integers; ///< one more for the carrier's signal
    bool carriesStop = false;
  };

  RankCollectives(Ranks &ranks, const Program &program)
      : ranks_(ranks), program_(program) {}
  Status allReduce(const BoostCollective &collective, Prepared &prepared,
                   void *const *operands);
  Group &groupOf(const BoostCollective &collective);

  Ranks &ranks_;
  const Program &program_;
  std::vector<Prepared> prepared_;
  std::optional<Group> all_;
  int64_t step_ = 0;
};

} // namespace boostrt
