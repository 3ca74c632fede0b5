#include "runtime/data/Draw.h"

namespace boostrt {

BoostRandomBlock randomBits(const DrawKey &key, size_t operation,
                            size_t attempt) {
  static const uint64_t stream = boost_random_stream("data.augment");
  // A list has 64 operations at most.
  return boost_random_block(key.seed, stream + static_cast<uint64_t>(key.epoch),
                            uint64_t{64 * attempt + operation} << 48 |
                                static_cast<uint64_t>(key.sample));
}

} // namespace boostrt
