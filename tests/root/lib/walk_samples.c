/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk_samples PID MS HZ COMM[,COMM…] [fp] [show]
 *
 * Samples a process for MS milliseconds, walks each sample's stack, and counts
 * the ends of the walks, for threads whose names start with COMM.  "fp"
 * compares each walk, frame by frame, with the frame pointers in the copy of
 * the stack. "show" prints the frames of walks that did not reach the root, or
 * that differ.
 */
#include "bpf/sampler.h"
#include "core/base/clock.h"
#include "core/process/mappings.h"
#include "core/process/memory.h"
#include "core/unwind/unwinder.h"
#include "tests/root/lib/compare_walks.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_REASONS 64
#define WARM_UP_NS  (3 * CLOCK_NS_PER_S)
#define BATCH_NS    (50 * CLOCK_NS_PER_MS)
#define STALE_NS    (10 * CLOCK_NS_PER_MS)

static struct {
	struct process_view *view;
	struct unwinder *unwinder;
	const char *comms;
	bool compares;
	int shown;
	int64_t begun_ns, batch_ns, looked_ns;
	size_t samples, ends[4], frames, deepest, with_java;
	size_t warm, warm_frames;
	int64_t warm_ns, begin_ns;
	const struct jvm *jvm;
	struct mappings mappings;
	bool has_mappings; /* of this batch */
	size_t verdicts[VERDICTS];
	struct {
		char text[160];
		size_t count;
	} reasons[MAX_REASONS];
	size_t reason_count;
} is;

static int64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * CLOCK_NS_PER_S + t.tv_nsec;
}

static bool is_wanted(const char *comm)
{
	char wanted[256], *word = wanted;

	snprintf(wanted, sizeof(wanted), "%s", is.comms);
	while (*word) {
		size_t len = strcspn(word, ",");

		if (strncmp(comm, word, len) == 0)
			return true;
		word += len + (word[len] == ',');
	}
	return false;
}

static void count_reason(const char *text)
{
	size_t i = 0;

	while (i < is.reason_count && strcmp(is.reasons[i].text, text) != 0)
		i++;
	if (i == MAX_REASONS)
		return;
	if (i == is.reason_count) {
		snprintf(is.reasons[i].text, sizeof(is.reasons[i].text), "%s",
			 text);
		is.reason_count++;
	}
	is.reasons[i].count++;
}

static const char *name_of(const struct unwound_frame *f)
{
	static char name[256];

	if (f->blob)
		snprintf(name, sizeof(name), "%s+%lx/%d fs%u", f->blob->name,
			 f->pc - f->blob->begin, f->blob->frame_complete,
			 f->blob->frame_bytes);
	else if (f->image)
		snprintf(name, sizeof(name), "%s`%lx", elf_image_name(f->image),
			 f->image_pc);
	else
		snprintf(name, sizeof(name), "?");
	return name;
}

static void show(const struct unwound *u, const char *what)
{
	if (is.shown <= 0)
		return;
	is.shown--;
	printf("# %s\n", what);
	for (size_t i = 0; i < u->count && i < 400; i++)
		printf("#   %d %s %lx %s\n", u->frames[i].kind,
		       u->frames[i].is_exact ? "leaf" : "    ", u->frames[i].pc,
		       name_of(&u->frames[i]));
}

/* Reads the executable mappings on first use. */
static bool has_code(uint64_t address)
{
	const struct mapping *m;
	struct error err;

	if (!is.has_mappings && mappings_read(&is.mappings, is.jvm, &err))
		return true;
	is.has_mappings = true;
	m = mappings_find(&is.mappings, address);
	return m && m->is_executable;
}

static void compare(const struct unwound *u, const uint64_t *user, size_t count)
{
	enum verdict verdict = compare_walks(u, user, count, has_code);

	is.verdicts[verdict]++;
	if (verdict != WALKS_DIFFER)
		return;
	show(u, "different");
	for (size_t i = 0; is.shown > 0 && i < count; i++)
		printf("#   fp %lx\n", user[i]);
}

static void count(const struct unwound *u, const struct unwind_start *from,
		  int64_t ns)
{
	char text[160];

	is.samples++;
	is.ends[u->end]++;
	is.frames += u->count;
	for (size_t i = 0; i < u->count; i++)
		if (u->frames[i].kind == UNWOUND_COMPILED ||
		    u->frames[i].kind == UNWOUND_INTERPRETED) {
			is.with_java++;
			break;
		}
	if (u->count > is.deepest)
		is.deepest = u->count;
	if (clock_monotonic_ns() - is.begun_ns > WARM_UP_NS) {
		is.warm++;
		is.warm_ns += ns;
		is.warm_frames += u->count;
	}
	(void)from;
	if (u->end == UNWIND_ROOT)
		return;
	snprintf(text, sizeof(text), "%s: %s %s",
		 u->end == UNWIND_CUT    ? "cut"
		 : u->end == UNWIND_DEEP ? "deep"
					 : u->why,
		 u->count == 1 + (u->end == UNWIND_LOST) ? "leaf" : "",
		 name_of(&u->frames[u->count - 1 - (u->end == UNWIND_LOST)]));
	/* Ignore the offset in a blob. */
	if (strchr(text, '+'))
		*strchr(text, '+') = '\0';
	count_reason(text);
	show(u, text);
}

/*
 * Like prof, reads changes before a batch, and again when a sample is newer
 * than the last reading.
 */
static void look(void)
{
	int64_t begun = cpu_ns();

	is.looked_ns = clock_monotonic_ns();
	process_view_begin(is.view);
	is.begin_ns += cpu_ns() - begun;
}

static bool walk(void *self, const struct sample_event *e,
		 const uint64_t *kernel, const uint8_t *stack)
{
	struct unwind_start from = {
		.pc = e->regs[SAMPLE_IP],
		.registers[DWARF_SP] = e->regs[SAMPLE_SP],
		.registers[DWARF_BP] = e->regs[SAMPLE_BP],
		.registers[DWARF_BX] = e->regs[SAMPLE_BX],
		.registers[12] = e->regs[SAMPLE_R12],
		.registers[13] = e->regs[SAMPLE_R13],
		.registers[14] = e->regs[SAMPLE_R14],
		.registers[15] = e->regs[SAMPLE_R15],
		.registers[DWARF_AX] = e->regs[SAMPLE_AX],
		.stack = stack,
		.stack_bytes = e->stack_bytes,
		.max_frames = UNWIND_FRAMES,
	};
	uint64_t pcs[FRAME_POINTERS];
	struct unwound u;
	int64_t begun;

	(void)self, (void)kernel;
	if (!is_wanted(e->comm) || e->flags & SAMPLE_NO_USER)
		return true;
	if ((int64_t)e->time_ns > is.looked_ns + STALE_NS)
		look();
	begun = cpu_ns();
	unwinder_walk(is.unwinder, &from, &u);
	count(&u, &from, cpu_ns() - begun);
	if (is.compares)
		compare(&u, pcs, walk_frame_pointers(&from, pcs));
	return clock_monotonic_ns() < is.batch_ns + BATCH_NS;
}

static int by_count(const void *a, const void *b)
{
	const size_t *x = (const size_t *)((const char *)a + 160);
	const size_t *y = (const size_t *)((const char *)b + 160);

	return *x < *y ? 1 : *x > *y ? -1 : 0;
}

static void report_verdicts(void)
{
	size_t compared = 0, others = 0;

	for (size_t i = 0; i < VERDICTS; i++)
		*(i < WALKS_COMPARED ? &compared : &others) += is.verdicts[i];
	printf("compared %zu same %zu one_longer %zu longer %zu different %zu "
	       "incomparable %zu\n",
	       compared, is.verdicts[WALKS_SAME], is.verdicts[WALKS_ONE_LONGER],
	       is.verdicts[WALKS_LONGER], is.verdicts[WALKS_DIFFER], others);
	for (size_t i = WALKS_COMPARED; i < VERDICTS; i++)
		if (is.verdicts[i])
			printf("  %6zu %s\n", is.verdicts[i],
			       incomparable[i - WALKS_COMPARED]);
}

static void report(struct sampler *s)
{
	double n = is.samples ? (double)is.samples : 1;
	double warm = is.warm ? (double)is.warm : 1;
	struct sampler_counts counts;

	sampler_counts(s, &counts);
	printf("samples %zu root %zu (%.2f %%) cut %zu deep %zu lost %zu "
	       "with_java %zu frames %.1f deepest %zu dropped %lu\n",
	       is.samples, is.ends[UNWIND_ROOT],
	       100.0 * (double)is.ends[UNWIND_ROOT] / n, is.ends[UNWIND_CUT],
	       is.ends[UNWIND_DEEP], is.ends[UNWIND_LOST], is.with_java,
	       (double)is.frames / n, is.deepest, (unsigned long)counts.lost);
	printf("warm %zu walk_us %.1f begin_us %.1f frames %.1f "
	       "stalls %lu\n",
	       is.warm, (double)is.warm_ns / 1e3 / warm,
	       (double)is.begin_ns / 1e3 / n, (double)is.warm_frames / warm,
	       (unsigned long)remote_memory_stalls(is.view->remote));
	if (is.compares)
		report_verdicts();
	qsort(is.reasons, is.reason_count, sizeof(*is.reasons), by_count);
	for (size_t i = 0; i < is.reason_count; i++)
		printf("  %6zu %s\n", is.reasons[i].count, is.reasons[i].text);
}

static int run(const struct jvm *jvm, int64_t ms, unsigned hz,
	       struct error *err)
{
	struct sampler_options o = {
		.kinds = 1u << SAMPLE_CPU,
		.hz = hz,
		.stack_bytes = 256 << 10,
		.user = true,
	};
	struct sampler *s = sampler_open(&o, err);
	int64_t end;

	if (!s || sampler_add(s, jvm->pid, err) || sampler_start(s, err))
		return -1;
	is.begun_ns = clock_monotonic_ns();
	end = is.begun_ns + ms * CLOCK_NS_PER_MS;
	while (clock_monotonic_ns() < end && jvm_runs(jvm)) {
		struct pollfd p = { sampler_fd(s), POLLIN, 0 };

		poll(&p, 1, 100);
		clock_sleep_until(clock_monotonic_ns() + 50 * CLOCK_NS_PER_MS);
		mappings_release(&is.mappings);
		is.has_mappings = false;
		is.batch_ns = clock_monotonic_ns();
		look();
		sampler_read(s, walk, NULL);
	}
	report(s);
	sampler_close(s);
	return 0;
}

int main(int argc, char **argv)
{
	struct error err;
	struct jvm jvm;
	int ret = 1;

	if (argc < 5)
		return 2;
	is.comms = argv[4];
	is.jvm = &jvm;
	for (int i = 5; i < argc; i++) {
		is.compares |= strcmp(argv[i], "fp") == 0;
		if (strcmp(argv[i], "show") == 0)
			is.shown = 6;
	}
	if (jvm_open(&jvm, (pid_t)strtol(argv[1], NULL, 10), &err))
		goto out;
	is.view = process_view_open(&jvm, NULL, &err);
	if (!is.view)
		goto out;
	is.unwinder = unwinder_new(&arch_x86_64, is.view);
	if (is.view->limits)
		printf("limits: %s\n", is.view->limits);
	ret = run(&jvm, strtol(argv[2], NULL, 10),
		  (unsigned)strtoul(argv[3], NULL, 10), &err)
		      ? 1
		      : 0;
out:
	if (ret)
		fprintf(stderr, "walk_samples: %s\n", err.text);
	mappings_release(&is.mappings);
	unwinder_free(is.unwinder);
	process_view_close(is.view);
	return ret;
}
