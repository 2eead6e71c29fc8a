/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make_collapsed bytes BYTES | nodes NODES: prints collapsed stack traces:
 * BYTES bytes of shallow ones, or deep ones with NODES nodes in total.
 */
#include "core/base/text.h"
#include "tests/bench/workload.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct text names[WORKLOAD_METHODS];

static void name_methods(void)
{
	for (uint32_t m = 0; m < WORKLOAD_METHODS; m++) {
		workload_class(&names[m], workload_class_of(m));
		for (size_t i = 0; i < names[m].len; i++) {
			if (names[m].bytes[i] == '/')
				names[m].bytes[i] = '.';
		}
		text_putc(&names[m], '.');
		workload_method(&names[m], m);
	}
}

static size_t print_stack(struct workload *w, uint32_t leaf)
{
	uint16_t methods[WORKLOAD_DEEPEST];
	size_t depth = workload_path(w, leaf, methods);
	uint32_t samples = 1 + workload_random(w, 9);
	size_t bytes = 0;

	for (size_t i = 0; i < depth; i++)
		bytes += (size_t)printf("%s%s", i ? ";" : "",
					names[methods[i]].bytes);
	return bytes + (size_t)printf(" %u\n", samples);
}

int main(int argc, char **argv)
{
	bool by_nodes = argc == 3 && strcmp(argv[1], "nodes") == 0;
	unsigned long most = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
	struct workload w;
	size_t bytes = 0;

	if (!most) {
		fprintf(stderr, "usage: make_collapsed bytes|nodes NUMBER\n");
		return 2;
	}
	name_methods();
	workload_init(&w, by_nodes ? 50 : 14);
	while ((by_nodes ? w.count : bytes) < most)
		bytes += print_stack(&w, workload_add(&w));
	workload_release(&w);
	return fflush(stdout) == 0 ? 0 : 1;
}
