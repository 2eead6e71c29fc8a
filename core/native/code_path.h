/* SPDX-License-Identifier: Apache-2.0 */
/*
 * code_path: the ways out of generated code, as its instructions have them
 * (x86_path.h), each found once.
 */
#ifndef CORE_NATIVE_CODE_PATH_H
#define CORE_NATIVE_CODE_PATH_H

#include "core/native/code_cache.h"
#include "core/native/x86_path.h"

struct code_paths;

/* The cache is borrowed. */
struct code_paths *code_paths_open(struct code_cache *code);
void code_paths_close(struct code_paths *p); /* NULL is fine */

/* Straight on from an address in a blob; valid until the next is asked for. */
const struct x86_path *code_path_straight(struct code_paths *p,
					  const struct code_blob *b,
					  uint64_t pc);

/* To the nearest return. */
const struct x86_path *code_path_search(struct code_paths *p,
					const struct code_blob *b, uint64_t pc);

#endif
