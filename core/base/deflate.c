/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/deflate.h"

#include "core/base/alloc.h"

#include <libdeflate.h>
#include <stdint.h>

/*
 * The columns of flame graph pages shrink to a third or a half at any level;
 * 6 takes three times as long as 1 for a page that is a twentieth smaller.
 */
static int level_for(size_t len)
{
	static const struct {
		size_t up_to;
		int level;
	} levels[] = {
		{ (size_t)512 << 10, 6 },
		{ (size_t)4 << 20, 4 },
		{ SIZE_MAX, 1 },
	};
	size_t i = 0;

	while (len > levels[i].up_to)
		i++;
	return levels[i].level;
}

void deflate_raw(struct text *out, const void *bytes, size_t len)
{
	struct libdeflate_compressor *c;
	size_t bound;

	c = libdeflate_alloc_compressor(level_for(len));
	if (!c)
		alloc_give_up(len);
	bound = libdeflate_deflate_compress_bound(c, len);
	array_reserve(out->bytes, out->cap, out->len + bound + 1);
	out->len += libdeflate_deflate_compress(c, bytes, len,
						out->bytes + out->len, bound);
	out->bytes[out->len] = '\0';
	libdeflate_free_compressor(c);
}
