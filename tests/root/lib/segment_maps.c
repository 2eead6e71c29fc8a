/* SPDX-License-Identifier: Apache-2.0 */
/*
 *	segment_maps PID
 *
 * Prints the segment maps of a JVM's code heaps, one "ADDRESS BYTES" in hex per
 * line.  A lookup of an address in compiled code must read them.
 */
#include "core/hotspot/code_cache.h"
#include "core/hotspot/process_view.h"
#include "core/jvm/jvm.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int show(const struct process_view *v, struct error *err)
{
	struct code_heaps heaps;

	if (!v->structs)
		return fail(err, ERROR_UNAVAILABLE, "it is no JVM");
	if (code_heaps_read(&heaps, v->structs, v->memory, err))
		return -1;
	for (size_t i = 0; i < heaps.count; i++) {
		const struct code_heap *h = &heaps.all[i];

		printf("%" PRIx64 " %" PRIx64 "\n", h->segment_map,
		       (h->high - h->low) >> h->segment_shift);
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct process_view *view = NULL;
	struct jvm jvm = { .pidfd = -1 };
	struct error err;
	int ret = -1;

	if (argc != 2)
		return 2;
	if (jvm_open(&jvm, (pid_t)strtol(argv[1], NULL, 10), &err) == 0)
		view = process_view_open(&jvm, NULL, &err);
	if (view)
		ret = show(view, &err);
	if (ret)
		fprintf(stderr, "segment_maps: %s\n", err.text);
	process_view_close(view);
	jvm_close(&jvm);
	return ret ? 1 : 0;
}
