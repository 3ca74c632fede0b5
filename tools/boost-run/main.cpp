// boost-run: trains what boostc compiled. Everything is in runtime/trainer.
#include "runtime/cli/Commands.h"

int main(int argc, char **argv) { return boostrt::boostRun(argc, argv); }
