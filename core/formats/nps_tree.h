/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nps_tree: the call tree of one thread in a VisualVM snapshot.
 *
 * Nodes are packed: method id (16 bits), invocations (32), total and self time
 * in microseconds (40 each) once or twice, number of callees (16), offsets of
 * the callees.  An offset has 3 bytes, or 4 in a tree of 16 MiB and more.
 */
#ifndef CORE_FORMATS_NPS_TREE_H
#define CORE_FORMATS_NPS_TREE_H

#include "core/profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NPS_NODE_ONE 18 /* bytes of a node with one time, without callees */
#define NPS_NODE_TWO 28 /* and with two */

/* The frames of the snapshot's methods. */
struct nps_methods {
	uint32_t *frames; /* by method id; [0] stands for the thread: 0 */
	size_t count;
};

struct nps_tree {
	const uint8_t *bytes; /* borrowed */
	size_t len;           /* that are there */
	size_t full_len;      /* as the snapshot has it; tells offsets' width */
	bool two_times;
};

/*
 * Adds what every node took itself: its total time without its callees' total
 * times, so that the totals of the profile are those of the tree to the
 * microsecond.  (The self time that nodes also have is rounded on its own and
 * would not add up.)  Sample s gives all but stack trace, event and figures;
 * events are those of the first and the second time.
 */
void nps_tree_read(struct profile *p, const struct nps_tree *tree,
		   const struct nps_methods *methods, const struct sample *s,
		   const uint32_t events[2]);

#endif
