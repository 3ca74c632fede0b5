/* boost_abi.h - the contract between a compiled program (train.so) and the
 * runtime that executes it.
 *
 * It and what it includes are all that both sides share. It is plain C and
 * needs nothing but <stdint.h>. It has three parts:
 *   boost_env.h         what the runtime gives the functions of a program
 *   boost_descriptor.h  the tables of a program, made of Descriptor.td
 *   this file           how a program is found
 *
 * A program exports exactly one symbol, boost_program_query(). Everything else
 * is reached through the descriptor it returns. A program calls out only
 * through the function table of BoostEnv, which the runtime passes in; it has
 * no undefined symbols of the platform besides memory and math functions of
 * the C library.
 *
 * Units: all sizes and offsets are bytes, all shapes are elements.
 */
#ifndef BOOSTC_ABI_H
#define BOOSTC_ABI_H

#include <stdint.h>

#include "runtime/abi/boost_descriptor.h"
#include "runtime/abi/boost_env.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BOOSTC_ABI_MAGIC 0x54534f4f42303031ull /* the bytes "100BOOST" */
#define BOOSTC_QUERY_SYMBOL "boost_program_query"

/* Alignment of every arena and of every tensor inside one. */
#define BOOSTC_ALIGNMENT 64u

/* Returns the descriptor, or null when the program needs a newer runtime than
 * `max_version`. */
typedef const BoostProgram *(*BoostQuery)(uint32_t max_version);

/*===------------------------------------------------------------------------===
 * The file: an ELF shared object followed by this trailer.
 *
 * dlopen() of a damaged file can crash the process, so the runtime checks the
 * trailer first. ELF loaders ignore what follows the sections.
 *===------------------------------------------------------------------------===*/

#define BOOSTC_TRAILER_MAGIC "BOOSTSO1"

typedef struct BoostTrailer {
  uint8_t sha256[32];     /* of the file without the trailer */
  uint64_t payload_bytes; /* length of the file without the trailer */
  uint32_t abi_version;
  uint32_t abi_layout;
  char magic[8];     /* BOOSTC_TRAILER_MAGIC, no terminator */
} BoostTrailer;

#ifdef __cplusplus
}
#endif
#endif /* BOOSTC_ABI_H */
