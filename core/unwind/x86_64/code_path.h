/* SPDX-License-Identifier: Apache-2.0 */
/*
 * code_path: the ways out of generated code, as its instructions have them
 * (x86_path.h), each found once.
 */
#ifndef CORE_UNWIND_X86_64_CODE_PATH_H
#define CORE_UNWIND_X86_64_CODE_PATH_H

#include "core/hotspot/code_cache.h"
#include "core/unwind/x86_64/x86_path.h"

struct code_paths;

/* The cache is borrowed. */
struct code_paths *code_paths_open(struct code_cache *code);
void code_paths_close(struct code_paths *p); /* NULL is fine */

/* How: x86_straight, x86_follow, x86_search. */
enum code_way { WAY_STRAIGHT, WAY_FOLLOW, WAY_SEARCH };

/* From an address in a blob on; valid until the next is asked for. */
const struct x86_path *code_path_find(struct code_paths *p,
				      const struct code_blob *b, uint64_t pc,
				      enum code_way way);

#endif
