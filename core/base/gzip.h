/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gzip: an output that is compressed as it is written (RFC 1952, one member).
 */
#ifndef CORE_BASE_GZIP_H
#define CORE_BASE_GZIP_H

#include "core/base/output.h"

#include <stddef.h>
#include <stdint.h>

struct gzip {
	struct output *out; /* borrowed */
	struct z_stream_s *stream;
	uint8_t *buffer;
};

/* What follows goes compressed to out; gzip_close() is due. */
void gzip_open(struct gzip *g, struct output *out);

void gzip_write(struct gzip *g, const void *bytes, size_t len);

/* Writes the end of it.  That writing failed, output_commit() says. */
void gzip_close(struct gzip *g);

#endif
