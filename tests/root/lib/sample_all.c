/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample_all MOST
 *
 * Samples at most MOST of all JVMs until standard input ends.  Prints "sampled
 * NUMBER refused NUMBER" whenever one of the numbers has changed, and notices
 * to standard error.
 */
#include "bpf/sampling/sampling.h"
#include "core/unwind/unwinder.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void on_notice(void *self, enum sampling_notice level, const char *text)
{
	(void)self, (void)level;
	fprintf(stderr, "%s\n", text);
}

static void add_name(const struct jvm *jvm, struct text *out)
{
	text_printf(out, "(%d)", (int)jvm->pid);
}

static void print_changes(const struct sampling *s,
			  struct sampling_status *before)
{
	struct sampling_status now = sampling_status(s);

	if (now.sampled != before->sampled || now.refused != before->refused)
		printf("sampled %zu refused %zu\n", now.sampled, now.refused);
	fflush(stdout);
	*before = now;
}

int main(int argc, char **argv)
{
	struct sampling_options o = {
		.events = SAMPLING_CPU,
		.stack_bytes = 65536,
		.max_stack = UNWIND_FRAMES,
		.all = true,
		.no_agent = true,
		.notice = on_notice,
		.add_name = add_name,
	};
	struct pollfd input = { .fd = 0, .events = POLLIN };
	struct sampling_status before = { 0 };
	struct sampling *s;
	struct error err;

	if (argc != 2)
		return ERROR_MISUSE;
	o.targets = (unsigned)strtoul(argv[1], NULL, 10);
	s = sampling_open(&o, &err);
	if (!s || sampling_find(s, &err) || sampling_start(s, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return (int)err.kind;
	}
	do {
		print_changes(s, &before);
	} while (sampling_step(s, &input, 1) && !input.revents);
	sampling_stop(s);
	sampling_close(s);
	return 0;
}
