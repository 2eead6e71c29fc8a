/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample_windows EVENTS WINDOW_MS MIN_BLOCKED_MS PID
 *
 * Samples a process until it ends, and starts a new window every WINDOW_MS; 0
 * means one window.  EVENTS are the bits SAMPLING_….  Prints BEGUN, and for
 * each cell of each window:
 *
 *	cell WINDOW EVENT TID SAMPLES WEIGHT FRAME;FRAME;…
 *
 * and for each window "remark WINDOW COUNT WHAT" and, in ns of the wall clock,
 * "window WINDOW BEGIN END".
 */
#include "bpf/sampling/sampling.h"
#include "core/base/clock.h"
#include "core/unwind/unwinder.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct error err;

static void on_notice(void *self, enum sampling_notice level, const char *text)
{
	(void)self, (void)level;
	fprintf(stderr, "%s\n", text);
}

static void add_name(const struct jvm *jvm, struct text *out)
{
	text_printf(out, "(%d)", (int)jvm->pid);
}

static void print_stack(const struct profile *p, uint32_t stack)
{
	const struct frame *f = &p->frames[p->stacks[stack].frame];

	if (p->stacks[stack].caller)
		print_stack(p, p->stacks[stack].caller);
	printf("%s;", profile_text(p, f->method));
}

static void print_profile(const struct profile *p, unsigned window)
{
	for (size_t i = 0; i < p->cell_count; i++) {
		const struct cell *c = &p->cells[i];
		const struct thread *t = &p->threads[c->thread];

		printf("cell %u %s %" PRId64 " %" PRIu64 " %" PRIu64 " ",
		       window, profile_text(p, p->events[c->event].name),
		       t->os_id, c->count, c->weight);
		if (c->stack)
			print_stack(p, c->stack);
		putchar('\n');
	}
	for (size_t i = 0; i < p->remark_count; i++)
		printf("remark %u %" PRIu64 " %s\n", window,
		       p->remarks[i].count, p->remarks[i].what);
}

/* Ends a window of the only process. */
static void print_window(struct sampling *s, unsigned window)
{
	struct profile_part *parts;
	struct profile *remarks;
	size_t count;

	remarks = sampling_next_parts(s, &parts, &count);
	for (size_t i = 0; i < count; i++) {
		print_profile(parts[i].profile, window);
		printf("window %u %" PRId64 " %" PRId64 "\n", window,
		       parts[i].profile->earliest_ns,
		       parts[i].profile->latest_ns);
		profile_part_release(&parts[i]);
	}
	free(parts);
	print_profile(remarks, window);
	profile_free(remarks);
}

static int64_t number(const char *word) { return strtol(word, NULL, 10); }

int main(int argc, char **argv)
{
	struct sampling_options o = {
		.hz = 999,
		.stack_bytes = 65536,
		.max_stack = UNWIND_FRAMES,
		.notice = on_notice,
		.add_name = add_name,
		.separate = true,
	};
	struct sampling *s;
	unsigned window = 0;
	int64_t every_ns, next_ns;
	struct jvm jvm;
	bool goes_on;

	if (argc != 5)
		return ERROR_MISUSE;
	o.events = (unsigned)number(argv[1]);
	every_ns = number(argv[2]) * CLOCK_NS_PER_MS;
	o.min_blocked_ns = number(argv[3]) * CLOCK_NS_PER_MS;
	s = sampling_open(&o, &err);
	if (!s || jvm_open(&jvm, (pid_t)number(argv[4]), &err) ||
	    sampling_add(s, &jvm, &err) || sampling_find(s, &err) ||
	    sampling_start(s, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return (int)err.kind;
	}
	puts("BEGUN");
	fflush(stdout);
	next_ns = clock_monotonic_ns() + every_ns;
	do {
		goes_on = sampling_step(s, NULL, 0);
		if (goes_on && (!every_ns || clock_monotonic_ns() < next_ns))
			continue;
		if (goes_on) {
			print_window(s, window++);
			next_ns += every_ns;
		} else {
			sampling_stop(s);
			print_window(s, window);
		}
	} while (goes_on);
	sampling_close(s);
	return 0;
}
