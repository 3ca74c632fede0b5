// boostc - compiles a model and its training recipe into one shared library.

#include "compiler/pipeline/CommandLine.h"

int main(int argc, char **argv) { return boostc::runBoostc(argc, argv); }
