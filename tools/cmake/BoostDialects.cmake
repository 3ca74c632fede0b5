# How a dialect is put together: one op, one folder.
#
#   boost_dialect_begin(nn Nn)     # prefix of the dialect, prefix of its files
#   boost_op(Relu)                 # ops/Relu/Relu.td and ops/Relu/*.cpp
#   boost_dialect_end([ATTRS] [ENUMS] [LINK_LIBS ...])
#
# Every op folder adds its .td to the generated <Prefix>Ops.td and its .cpp files to
# the library Boost<Prefix>; that one boost_op() line is all an op needs.
#
# Where BOOSTC_VARIANT is set, the dialect is made a second time, in targets with that
# suffix and without a reference page: test/docs/adding-an-op.

macro(boost_dialect_begin mnemonic prefix)
  set(BOOSTC_DIALECT ${mnemonic})
  set(BOOSTC_PREFIX ${prefix})
  set(BOOSTC_TARGET Boost${prefix}${BOOSTC_VARIANT})
  set(BOOSTC_OPS_TD "")
  set(BOOSTC_OPS_SRC "")
endmacro()

macro(boost_op name)
  string(APPEND BOOSTC_OPS_TD
         "include \"dialects/${BOOSTC_DIALECT}/ops/${name}/${name}.td\"\n")
  file(GLOB _sources RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS
       ops/${name}/*.cpp)
  list(APPEND BOOSTC_OPS_SRC ${_sources})
endmacro()

function(boost_dialect_end)
  cmake_parse_arguments(ARG "ATTRS;ENUMS" "" "LINK_LIBS;SOURCES" ${ARGN})
  set(base "dialects/${BOOSTC_DIALECT}/${BOOSTC_PREFIX}Base.td")
  file(CONFIGURE OUTPUT ${BOOSTC_PREFIX}Ops.td @ONLY CONTENT
       "include \"${base}\"\n${BOOSTC_OPS_TD}")
  set(LLVM_TARGET_DEFINITIONS ${CMAKE_CURRENT_BINARY_DIR}/${BOOSTC_PREFIX}Ops.td)
  mlir_tablegen(${BOOSTC_PREFIX}Ops.h.inc -gen-op-decls)
  mlir_tablegen(${BOOSTC_PREFIX}Ops.cpp.inc -gen-op-defs)
  mlir_tablegen(${BOOSTC_PREFIX}Dialect.h.inc -gen-dialect-decls -dialect=${BOOSTC_DIALECT})
  mlir_tablegen(${BOOSTC_PREFIX}Dialect.cpp.inc -gen-dialect-defs -dialect=${BOOSTC_DIALECT})
  if(ARG_ATTRS)
    mlir_tablegen(${BOOSTC_PREFIX}Attrs.h.inc -gen-attrdef-decls -attrdefs-dialect=${BOOSTC_DIALECT})
    mlir_tablegen(${BOOSTC_PREFIX}Attrs.cpp.inc -gen-attrdef-defs -attrdefs-dialect=${BOOSTC_DIALECT})
  endif()
  if(ARG_ATTRS OR ARG_ENUMS)
    # Apart: enum generation knows no dialects and would emit included enums again.
    set(LLVM_TARGET_DEFINITIONS ${CMAKE_SOURCE_DIR}/dialects/${BOOSTC_DIALECT}/${BOOSTC_PREFIX}Enums.td)
    mlir_tablegen(${BOOSTC_PREFIX}Enums.h.inc -gen-enum-decls)
    mlir_tablegen(${BOOSTC_PREFIX}Enums.cpp.inc -gen-enum-defs)
  endif()
  add_public_tablegen_target(${BOOSTC_TARGET}IncGen)
  # Verifiers and type inference read each op's interfaces.
  add_dependencies(${BOOSTC_TARGET}IncGen BoostInterfacesIncGen)
  if(NOT BOOSTC_VARIANT)
    add_mlir_doc_boost(${BOOSTC_DIALECT} ${BOOSTC_PREFIX})
  endif()
  if(BOOSTC_VARIANT)
    set(ARG_SOURCES "") # what ops share comes from the dialect proper
  endif()
  boost_compiler_library(${BOOSTC_TARGET}
    ${BOOSTC_PREFIX}Dialect.cpp ${ARG_SOURCES} ${BOOSTC_OPS_SRC}
    DEPENDS ${BOOSTC_TARGET}IncGen ${ARG_DEPENDS}
    LINK_LIBS BoostInterfaces ${ARG_LINK_LIBS})
  # Most of the time goes into reading headers, so several op folders share a
  # translation unit. The dialect's own file instantiates every op and stays apart.
  set_target_properties(${BOOSTC_TARGET} PROPERTIES
    UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  set_source_files_properties(${BOOSTC_PREFIX}Dialect.cpp PROPERTIES
    SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# boost_compiler_library(name sources... DEPENDS targets... LINK_LIBS libraries...)
# A static library of the compiler, with the precompiled header of target BOOSTC_PCH, BoostPch
# without it. MLIR is the shared library everywhere: mixing it
# with the static ones would duplicate TypeIDs.
function(boost_compiler_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK_LIBS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name} SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS} MLIR LLVM)
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  if(NOT BOOSTC_PCH)
    set(BOOSTC_PCH BoostPch)
  endif()
  target_precompile_headers(${name} REUSE_FROM ${BOOSTC_PCH})
endfunction()

# Markdown reference of a dialect into docs/generated (checked in, so that a change of
# the documentation shows in a review).
function(add_mlir_doc_boost mnemonic prefix)
  set(out ${CMAKE_BINARY_DIR}/docs/generated/${mnemonic}.md)
  set(LLVM_TARGET_DEFINITIONS ${CMAKE_CURRENT_BINARY_DIR}/${prefix}Ops.td)
  tablegen(MLIR ${prefix}Dialect.md -gen-dialect-doc -dialect=${mnemonic}
           "-I${CMAKE_SOURCE_DIR}" "-I${CMAKE_BINARY_DIR}")
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_CURRENT_BINARY_DIR}/${prefix}Dialect.md ${out}
    DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/${prefix}Dialect.md)
  add_custom_target(Boost${prefix}Doc DEPENDS ${out})
  if(NOT TARGET boost-docs)
    add_custom_target(boost-docs ALL)
  endif()
  add_dependencies(boost-docs Boost${prefix}Doc)
endfunction()
