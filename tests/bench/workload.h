/* SPDX-License-Identifier: Apache-2.0 */
/*
 * workload: stack traces like those of a large Java server, the same in each
 * run.
 *
 * Each new stack trace branches off from an earlier one some frames above its
 * leaf, so stack traces share callers as real ones do.
 */
#ifndef TESTS_BENCH_WORKLOAD_H
#define TESTS_BENCH_WORKLOAD_H

#include "core/base/text.h"

#include <stddef.h>
#include <stdint.h>

#define WORKLOAD_METHODS 20000
#define WORKLOAD_CLASSES 2500
#define WORKLOAD_DEEPEST 120

/* A frame of a stack trace; node 0 precedes the root frames. */
struct workload_node {
	uint32_t caller;
	uint16_t method;
	uint16_t depth; /* 1 for a root frame */
};

struct workload {
	uint64_t random;
	unsigned depth; /* average depth of the stack traces */
	struct workload_node *nodes;
	size_t count, cap;
	uint32_t *leaves; /* leaves of the stack traces */
	size_t leaf_count, leaf_cap;
};

void workload_init(struct workload *w, unsigned depth);
void workload_release(struct workload *w);

/* Adds a stack trace; returns the node of its leaf. */
uint32_t workload_add(struct workload *w);

/* Returns a random number below limit. */
uint32_t workload_random(struct workload *w, uint32_t limit);

/* Sets the methods of a stack trace, root first; returns their number. */
size_t workload_path(const struct workload *w, uint32_t leaf,
		     uint16_t methods[WORKLOAD_DEEPEST]);

/* Append names as in the JVM: com/acme/…/OrderService, findNext. */
void workload_class(struct text *out, uint32_t class_index);
void workload_method(struct text *out, uint32_t method);

static inline uint32_t workload_class_of(uint32_t method)
{
	return method % WORKLOAD_CLASSES;
}

#endif
