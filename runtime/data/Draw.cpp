#include "runtime/data/Draw.h"

namespace boostrt {

BoostRandomBlock randomBits(const DrawKey &key, size_t operation,
                            size_t attempt) {
  static const uint64_t stream = boost_random_stream("data.augment");
  return boost_random_block(key.seed, stream + static_cast<uint64_t>(key.epoch),
                            uint64_t{kMaxOperations * attempt + operation}
                                    << 48 |
                                static_cast<uint64_t>(key.sample));
}

} // namespace boostrt
