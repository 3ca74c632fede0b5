#include "runtime/comm/adasum/LevelState.h"

#include <algorithm>

namespace boostrt::adasum {
namespace {

/// The exchanges of agree(), between the memories of the vectors, which all
/// that a step exchanges goes between. A channel's message has as many numbers
/// for each of its vectors that are open.
class Agreement {
public:
  Agreement(Group &group, Workspace &workspace, LevelState &state,
            uint64_t &sentBytes)
      : group_(group), workspace_(workspace), state_(state),
        level_(state.level), sentBytes_(sentBytes) {}

  Status run() {
    for (uint32_t held = 0; held < level_.held.size(); ++held)
      state_.isOpen[held] = level_.held[held].isShared;
    BOOSTRT_RETURN_IF_ERROR(sumAtOwners(pairCount(level_.radix), [&](auto h) {
      return state_.combinations[h].gram.data();
    }));
    forEachOpen([&](uint32_t held) {
      if (level_.held[held].isOwned)
        state_.combinations[held].begin();
    });
    for (;;) {
      forEachOpen([&](uint32_t held) {
        if (level_.held[held].isOwned)
          state_.next[held] = state_.combinations[held].advance(level_.merges);
      });
      BOOSTRT_RETURN_IF_ERROR(tellHolders());
      bool isOpen = false;
      forEachOpen([&](uint32_t held) {
        isOpen |= state_.isOpen[held] = state_.next[held] >= 0;
      });
      if (!isOpen)
        return Status();
      BOOSTRT_RETURN_IF_ERROR(makeVectors());
    }
  }

private:
  template <typename Do> void forEachOpen(Do &&act) {
    for (uint32_t held = 0; held < level_.held.size(); ++held)
      if (state_.isOpen[held])
        act(held);
  }

  /// The owners' numbers become the sums of all holders': their own, and then
  /// the others' in the order of members.
  template <typename NumbersOf>
  Status sumAtOwners(size_t perVector, NumbersOf &&numbersOf) {
    begin();
    for (const Channel &channel : level_.owners)
      send(channel, [&](uint32_t held, double *to) {
        return std::copy_n(numbersOf(held), perVector, to);
      });
    for (const Channel &channel : level_.holders)
      receive(channel, perVector);
    BOOSTRT_RETURN_IF_ERROR(exchange());
    takeFrom(level_.holders, [&](uint32_t held, const double *numbers) {
      double *sum = numbersOf(held);
      for (size_t i = 0; i < perVector; ++i)
        sum[i] += numbers[i];
      return numbers + perVector;
    });
    return Status();
  }

  /// What the owners found: which vector to make, and coefficients.
  Status tellHolders() {
    begin();
    for (const Channel &channel : level_.holders)
      send(channel, [&](uint32_t held, double *to) {
        *to++ = state_.next[held];
        return std::copy_n(state_.combinations[held].slots.data(), level_.radix,
                           to);
      });
    for (const Channel &channel : level_.owners)
      receive(channel, level_.radix + 1);
    BOOSTRT_RETURN_IF_ERROR(exchange());
    takeFrom(level_.owners, [&](uint32_t held, const double *numbers) {
      state_.next[held] = static_cast<int>(*numbers++);
      std::copy_n(numbers, level_.radix,
                  state_.combinations[held].slots.data());
      return numbers + level_.radix;
    });
    return Status();
  }

  Status makeVectors() {
    auto merge = [&](uint32_t held) -> const Merge & {
      return level_.merges[state_.next[held]];
    };
    Status made;
    forEachOpen([&](uint32_t held) {
      if (made.ok())
        made = state_.makeVector(held, merge(held));
    });
    BOOSTRT_RETURN_IF_ERROR(made);
    BOOSTRT_RETURN_IF_ERROR(sumAtOwners(level_.radix, [&](uint32_t held) {
      return &state_.newProducts[size_t(held) * level_.radix];
    }));
    forEachOpen([&](uint32_t held) {
      if (level_.held[held].isOwned)
        state_.combinations[held].replace(merge(held),
                                          state_.newProductsOf(held));
    });
    return Status();
  }

  void begin() {
    workspace_.sends.clear();
    workspace_.receives.clear();
    sent_ = state_.sent.data();
    received_ = 0;
  }

  /// write(held, to) returns after what it wrote for that vector.
  template <typename Write> void send(const Channel &channel, Write &&write) {
    double *message = sent_;
    for (uint32_t held : channel.held)
      if (state_.isOpen[held])
        sent_ = write(held, sent_);
    if (sent_ == message)
      return;
    size_t bytes = (sent_ - message) * sizeof(double);
    workspace_.sends.push_back(
        {group_.rankOf(channel.member),
         state_.memory->message(state_.sentAt + (message - state_.sent.data()),
                                bytes, /*isWritten=*/false)});
    sentBytes_ += bytes;
  }

  void receive(const Channel &channel, size_t perVector) {
    size_t count = 0;
    for (uint32_t held : channel.held)
      if (state_.isOpen[held])
        count += perVector;
    if (!count)
      return;
    workspace_.receives.push_back(
        {group_.rankOf(channel.member),
         state_.memory->message(state_.receivedAt + received_,
                                count * sizeof(double), /*isWritten=*/true)});
    received_ += count;
  }

  /// Nothing is sent or received where nothing is shared: then no rank waits.
  Status exchange() {
    if (workspace_.sends.empty() && workspace_.receives.empty())
      return Status();
    VectorMemory &memory = *state_.memory;
    size_t bytes = (sent_ - state_.sent.data()) * sizeof(double);
    if (bytes)
      BOOSTRT_RETURN_IF_ERROR(
          memory.put(state_.sentAt, state_.sent.data(), bytes));
    BOOSTRT_RETURN_IF_ERROR(
        group_.transport().exchange(workspace_.sends, workspace_.receives));
    if (!received_)
      return Status();
    return memory.get(state_.received.data(), state_.receivedAt,
                      received_ * sizeof(double));
  }

  /// read(held, numbers) returns after what it read of that vector.
  template <typename Read>
  void takeFrom(const std::vector<Channel> &channels, Read &&read) {
    const double *numbers = state_.received.data();
    for (const Channel &channel : channels)
      for (uint32_t held : channel.held)
        if (state_.isOpen[held])
          numbers = read(held, numbers);
  }

  Group &group_;
  Workspace &workspace_;
  LevelState &state_;
  const Level &level_;
  uint64_t &sentBytes_;
  double *sent_ = nullptr;
  size_t received_ = 0; ///< how many numbers
};

} // namespace

Status agree(Group &group, Workspace &workspace, LevelState &state,
             uint64_t &sentBytes) {
  return Agreement(group, workspace, state, sentBytes).run();
}

} // namespace boostrt::adasum
