/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dump_blocks: iterates over the threads of a Thread.print reply.
 *
 * The reply is the complete text of the JVM. A thread name may contain
 * anything, including newlines and text that looks like the header of another
 * thread.
 */
#ifndef CORE_THREADS_DUMP_BLOCKS_H
#define CORE_THREADS_DUMP_BLOCKS_H

#include "core/base/lines.h"
#include "core/formats/dump/dump_header.h"

#include <stdbool.h>
#include <stddef.h>

struct dump_block {
	struct dump_header header; /* its name is borrowed from the reply */
	struct lines body;         /* the lines after the header */
	bool has_frames;           /* has Java frames */
};

struct dump_blocks {
	struct lines lines; /* the text after `ahead` */
	struct dump_header ahead;
	bool has_ahead;
	struct lines rest; /* at the end: the text after the last thread */
};

/* Starts before the first thread of a reply, which is borrowed. */
struct dump_blocks dump_blocks_over(const char *reply, size_t len);

/* Reads the next thread; false at the end. */
bool dump_blocks_next(struct dump_blocks *b, struct dump_block *block);

#endif
