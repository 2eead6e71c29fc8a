/* SPDX-License-Identifier: Apache-2.0 */
/* Adds up waits by the application's frame and the call below it. */
#include "render/profile/sums.h"

#include "core/base/alloc.h"
#include "core/base/saturate.h"
#include "render/tree/sort.h"

#include <stdlib.h>
#include <string.h>

/* Where a stack trace waits. */
struct place {
	uint32_t label, callee; /* as in struct wait_sum */
	bool is_java;           /* the callee is a Java method */
};

/* True for a function of the JVM that waits for a monitor's owner. */
static bool frame_enters_monitor(const struct profile *p, const struct frame *f)
{
	const char *name = profile_text(p, f->method);

	return f->kind == FRAME_CPP &&
	       (strncmp(name, "ObjectMonitor::enter", 20) == 0 ||
		strncmp(name, "ObjectSynchronizer::enter", 25) == 0);
}

/* Returns the place of a stack trace whose caller's place is `above`. */
static struct place place_below(const struct profile *p, struct place above,
				const struct frame *f, uint32_t label)
{
	if (above.label == NO_LABEL || f->kind == FRAME_CLASS)
		return above;
	if (above.callee == WAIT_NONE) {
		above.is_java = frame_is_java_call(f);
		/* Java code enters the kernel by interrupts only. */
		above.callee = f->kind == FRAME_KERNEL ? WAIT_CPU : label;
	} else if (!above.is_java && frame_enters_monitor(p, f)) {
		above.callee = WAIT_MONITOR;
	}
	return above;
}

static struct place *places_of(const struct profile *p,
			       const struct frame_table *table,
			       const bool *is_application)
{
	struct place *places = xmalloc(p->stack_count * sizeof(*places));

	places[0] = (struct place){ NO_LABEL, WAIT_NONE, false };
	/* A callee's id is greater than its caller's. */
	for (size_t id = 1; id < p->stack_count; id++) {
		uint32_t frame = p->stacks[id].frame;
		uint32_t label = table->label_of[frame];

		places[id] = label != NO_LABEL && is_application[label]
				     ? (struct place){ label, WAIT_NONE, false }
				     : place_below(p,
						   places[p->stacks[id].caller],
						   &p->frames[frame], label);
	}
	return places;
}

static int wait_compare(const void *left, const void *right)
{
	const struct wait_sum *a = left, *b = right;

	if (a->total != b->total)
		return a->total < b->total ? 1 : -1;
	if (a->label != b->label)
		return a->label < b->label ? -1 : 1;
	return a->callee < b->callee ? -1 : a->callee > b->callee;
}

struct wait_sum *wait_sums(const struct profile *p,
			   const struct event_view *view, bool weights,
			   const struct frame_table *table,
			   const bool *is_application, const bool *left_out,
			   bool calls, size_t *count)
{
	struct row *rows = xmalloc(p->cell_count * sizeof(*rows));
	struct place *places = places_of(p, table, is_application);
	bool weighs = view_weighs(view, weights);
	bool *in_view = view_events(p, view);
	struct wait_sum *sums = NULL;
	size_t n = 0, cap = 0;

	*count = 0;
	for (size_t i = 0; i < p->cell_count; i++) {
		struct place *at = &places[p->cells[i].stack];

		if (!calls)
			at->callee = WAIT_NONE;
		if (in_view[p->cells[i].event] && !(left_out && left_out[i]) &&
		    (calls || at->label != NO_LABEL))
			rows[n++] = (struct row){ at->callee, at->label,
						  (uint32_t)i };
	}
	row_sort(rows, n);
	for (size_t i = 0; i < n; i++) {
		const struct place *at = &places[p->cells[rows[i].item].stack];
		uint64_t *total;

		if (!*count || sums[*count - 1].label != at->label ||
		    sums[*count - 1].callee != at->callee) {
			array_add(
				sums, *count, cap,
				(struct wait_sum){ at->label, at->callee, 0 });
		}
		total = &sums[*count - 1].total;
		*total = saturate_add(
			*total, cell_measure(&p->cells[rows[i].item], weighs));
	}
	if (*count)
		qsort(sums, *count, sizeof(*sums), wait_compare);
	free(in_view);
	free(places);
	free(rows);
	return sums;
}
