// boostc - compiles a model and its training recipe into one shared library.

#include "compiler/pipeline/CommandLine.h"

/// Read by jemalloc. A compilation soon needs again what it has freed, and ends
/// before anyone else misses it.
extern "C" {
extern const char *malloc_conf;
const char *malloc_conf = "dirty_decay_ms:-1,muzzy_decay_ms:-1";
}

int main(int argc, char **argv) { return boostc::runBoostc(argc, argv); }
