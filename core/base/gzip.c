/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/gzip.h"

#include "core/base/alloc.h"

#include <stdlib.h>
#include <zlib.h>

#define BUFFER_SIZE ((size_t)64 << 10)
#define STEP        ((size_t)1 << 30) /* zlib counts in unsigned int */
#define LEVEL       1
#define GZIP_WINDOW (15 + 16) /* as deflateInit2() takes the format */

void gzip_open(struct gzip *g, struct output *out)
{
	*g = (struct gzip){ .out = out };
	g->buffer = xmalloc(BUFFER_SIZE);
	g->stream = xcalloc(1, sizeof(*g->stream));
	if (deflateInit2(g->stream, LEVEL, Z_DEFLATED, GZIP_WINDOW, 8,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		alloc_give_up(BUFFER_SIZE);
}

/* Hands on what came out, until nothing more does. */
static void deflate_on(struct gzip *g, int flush)
{
	z_stream *z = g->stream;

	do {
		z->next_out = g->buffer;
		z->avail_out = BUFFER_SIZE;
		deflate(z, flush);
		output_write(g->out, g->buffer, BUFFER_SIZE - z->avail_out);
	} while (z->avail_out == 0);
}

void gzip_write(struct gzip *g, const void *bytes, size_t len)
{
	const Bytef *in = bytes;

	while (len) {
		size_t piece = len < STEP ? len : STEP;

		g->stream->next_in = (Bytef *)(uintptr_t)in;
		g->stream->avail_in = (uInt)piece;
		deflate_on(g, Z_NO_FLUSH);
		in += piece;
		len -= piece;
	}
}

void gzip_close(struct gzip *g)
{
	deflate_on(g, Z_FINISH);
	deflateEnd(g->stream);
	free(g->stream);
	free(g->buffer);
	*g = (struct gzip){ 0 };
}
