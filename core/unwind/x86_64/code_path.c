/* SPDX-License-Identifier: Apache-2.0 */
#include "core/unwind/x86_64/code_path.h"

#include "core/base/alloc.h"
#include "core/base/hash.h"

#include <stdlib.h>

#define SLOTS 4096 /* a place in hot code is asked for again and again */

struct code_paths {
	struct code_cache *code;
	struct slot {
		uint32_t identity; /* of a blob; 0 = none */
		uint32_t at;
		enum code_way way;
		struct x86_path path;
	} slots[SLOTS];
};

struct code_paths *code_paths_open(struct code_cache *code)
{
	struct code_paths *p = xcalloc(1, sizeof(*p));

	p->code = code;
	return p;
}

void code_paths_close(struct code_paths *p) { free(p); }

const struct x86_path *code_path_find(struct code_paths *p,
				      const struct code_blob *b, uint64_t pc,
				      enum code_way way)
{
	static void (*const ways[])(const struct x86_code *, size_t,
				    struct x86_path *) = {
		[WAY_STRAIGHT] = x86_straight,
		[WAY_FOLLOW] = x86_follow,
		[WAY_SEARCH] = x86_search,
	};
	uint32_t at = (uint32_t)(pc - b->begin);
	uint64_t key = (uint64_t)b->identity << 32 | at;
	struct slot *s = &p->slots[hash_mix(key, way) % SLOTS];
	struct x86_code code;

	if (s->identity == b->identity && s->at == at && s->way == way)
		return &s->path;
	code = (struct x86_code){ code_cache_code(p->code, b),
				  b->end - b->begin };
	/* What cannot be read now may be, later. */
	*s = (struct slot){ code.bytes ? b->identity : 0, at, way, { 0 } };
	if (code.bytes)
		ways[way](&code, at, &s->path);
	return &s->path;
}
