// Job.h - a program of collectives alone, and what it costs to run.
#pragma once

#include "runtime/program/StepModel.h"

#include <vector>

namespace boostrt::test {

/// 1000 + 24 weights whose gradients are summed with the loss, or combined by
/// Adasum across servers after their mean.
class TestProgram {
public:
  explicit TestProgram(bool isAdasum, uint32_t microBatches = 1) {
    weights_ = {{1000, 1000, BOOSTC_F32, 0, 0, 0},
                {24, 24, BOOSTC_F32, 1, 1, 0}};
    loss_ = {{1, 1, BOOSTC_F32, UINT32_MAX, 0, 0},
             {1, 1, BOOSTC_I64, UINT32_MAX, 0, 0}};
    all_ = weights_;
    all_.insert(all_.end(), loss_.begin(), loss_.end());
    if (isAdasum)
      collectives_ = {
          row(BOOSTC_COLLECTIVE_ALL_REDUCE, BOOSTC_RANKS_INTRA_GROUP, 0,
              weights_),
          row(BOOSTC_COLLECTIVE_ALL_REDUCE, BOOSTC_RANKS_ALL, 1, loss_),
          row(BOOSTC_COLLECTIVE_ADASUM, BOOSTC_RANKS_INTER_GROUP, 2, weights_)};
    else
      collectives_ = {
          row(BOOSTC_COLLECTIVE_ALL_REDUCE, BOOSTC_RANKS_ALL, 0, all_)};
    program_.name = "test";
    program_.batch_size = 10;
    program_.micro_batches = microBatches;
    program_.adasum_scope = BOOSTC_ADASUM_SCOPE_AUTO;
    target_.functions = &update_;
    target_.function_count = 1;
    program_.targets = &target_;
    program_.target_count = 1;
    program_.variants = &variant_;
    program_.variant_count = 1;
    setCollectives();
  }
  TestProgram(const TestProgram &) = delete;

  /// One collective of that kind exchanges the weights and a count, instead.
  void exchange(uint32_t kind, int32_t peer) {
    all_ = weights_;
    all_.push_back(loss_[1]);
    collectives_ = {row(kind, BOOSTC_RANKS_ALL, 0, all_, peer)};
    setCollectives();
  }

  const BoostProgram &operator*() const { return program_; }

private:
  using Operands = std::vector<BoostCollectiveOperand>;

  void setCollectives() {
    update_.collective_count = static_cast<uint32_t>(collectives_.size());
    program_.collectives = collectives_.data();
    program_.collective_count = update_.collective_count;
  }

  static BoostCollective row(uint32_t kind, uint32_t ranks, uint32_t number,
                             const Operands &operands, int32_t peer = 0) {
    return {kind,
            ranks,
            number,
            static_cast<uint32_t>(operands.size()),
            operands.data(),
            "model.json:1:1",
            peer,
            0};
  }

  Operands weights_, loss_, all_;
  std::vector<BoostCollective> collectives_;
  BoostFunction update_{"update", nullptr, 0, BOOSTC_FUNCTION_UPDATE,
                        0,        0,       0, nullptr};
  BoostVariant variant_{"step", 0, 0, 0, 0, nullptr, nullptr, 0, 0};
  BoostTarget target_{};
  BoostProgram program_{};
};

/// A second a message and nothing else, but for what is given.
inline ServerCosts serverOf(uint32_t cores) {
  ServerCosts server;
  server.cores = cores;
  server.compute = {5, 3, 2};
  server.comm = {1, 0, 0, 0, 0};
  return server;
}

} // namespace boostrt::test
