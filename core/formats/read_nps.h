/* SPDX-License-Identifier: Apache-2.0 */
/* read_nps: reading snapshots that are parts of an archive. */
#ifndef CORE_FORMATS_READ_NPS_H
#define CORE_FORMATS_READ_NPS_H

#include "core/base/error.h"
#include "core/profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Does the same as read() of nps_reader, with a maximum of bytes that come out
 * of the snapshot's compressed data: *room, from which they are taken. Fails
 * with ERROR_INPUT if there would be more; then *room becomes 0.
 */
int nps_read_within(const uint8_t *bytes, size_t len, size_t *room,
		    struct profile *p, struct error *err);

/*
 * ---- nps_tree.c ----
 *
 * The call tree of one thread in a snapshot.
 *
 * Nodes are packed: method id (16 bits), invocations (32), total and self time
 * in microseconds (40 each) once or twice, number of callees (16), offsets of
 * the callees. An offset has 3 bytes, or 4 in a tree of 16 MiB or more.
 */

#define NPS_NODE_ONE 18 /* bytes of a node with one time and no callees */
#define NPS_NODE_TWO 28 /* bytes of a node with two times and no callees */

/* The frames of the snapshot's methods. */
struct nps_methods {
	uint32_t *frames; /* index: method id; [0] stands for the thread: 0 */
	size_t count;
};

/*
 * The cells of each stack trace in the last thread that had it, by time; 1 +
 * index, or 0. Index: id of the stack trace.
 */
struct nps_cells {
	uint32_t (*of)[2];
	size_t count, cap;
};

struct nps_tree {
	const uint8_t *bytes; /* borrowed */
	size_t len;           /* bytes that are available */
	size_t full_len; /* size according to the snapshot, which decides on the
			    width of offsets */
	bool two_times;
};

/* Returns the frame of a method id that is not in the table, and notes it. */
uint32_t nps_unknown_frame(struct profile *p, unsigned method);

/*
 * Adds the time that each node itself took: its total less its callees' totals,
 * so that the totals of the profile and of the tree agree to the microsecond.
 * (The stored self time is rounded separately and would not add up.) Sample s
 * provides the thread and the time; events are those of the first and the
 * second time. The cells are NULL unless the thread is new in the profile.
 */
void nps_tree_read(struct profile *p, const struct nps_tree *tree,
		   const struct nps_methods *methods, const struct sample *s,
		   const uint32_t events[2], struct nps_cells *cells);

#endif
