/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/prof/prof_budget.h"

#include "cmd/command.h"
#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/jvm/procfs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- usage ---- */

/* Children of sjkc, their children and so on; more count for nothing. */
enum { PROCESSES_MAX = 256, LIST_BYTES = 1 << 14, ROLLUP_BYTES = 1 << 12 };

/* Appends the children that a process's first thread has started. */
static size_t usage_add_children(pid_t pids[PROCESSES_MAX], size_t count,
				 pid_t parent, pid_t omitted)
{
	struct text list = { 0 };
	struct error unused;
	char name[48], *end;

	snprintf(name, sizeof(name), "task/%d/children", (int)parent);
	if (procfs_read(parent, name, LIST_BYTES, &list, &unused) == 0 &&
	    list.len)
		for (const char *at = list.bytes; count < PROCESSES_MAX;
		     at = end) {
			long pid = strtol(at, &end, 10);

			if (pid <= 0)
				break;
			if (pid != omitted)
				pids[count++] = (pid_t)pid;
		}
	text_release(&list);
	return count;
}

/* Returns the CPU time of a process and, perhaps, of children that ended. */
static int64_t usage_cpu_ns(pid_t pid, bool with_ended)
{
	int64_t tick_ns = CLOCK_NS_PER_S / sysconf(_SC_CLK_TCK);
	unsigned long times[4] = { 0 };
	struct text stat = { 0 };
	struct error unused;
	const char *behind = NULL;

	/* "4711 (a name) S PARENT …": utime is the 12th field after the name.
	 */
	if (procfs_read(pid, "stat", LIST_BYTES, &stat, &unused) == 0 &&
	    stat.len)
		behind = strrchr(stat.bytes, ')');
	for (int i = 0; behind && i < 12; i++) {
		behind = strchr(behind, ' ');
		behind += behind != NULL;
	}
	for (int i = 0; behind && i < (with_ended ? 4 : 2); i++) {
		char *end;

		times[i] = strtoul(behind, &end, 10);
		behind = end;
	}
	text_release(&stat);
	return (int64_t)(times[0] + times[1] + times[2] + times[3]) * tick_ns;
}

static uint64_t usage_memory_bytes(pid_t pid)
{
	static const char key[] = "\nPss:";
	struct text rollup = { 0 };
	struct error unused;
	uint64_t bytes = 0;

	if (procfs_read(pid, "smaps_rollup", ROLLUP_BYTES, &rollup, &unused) ==
		    0 &&
	    rollup.len) {
		const char *at = strstr(rollup.bytes, key);

		if (at)
			bytes = strtoull(at + strlen(key), NULL, 10) << 10;
	}
	text_release(&rollup);
	return bytes;
}

struct prof_usage prof_usage_read(pid_t omitted)
{
	pid_t pids[PROCESSES_MAX] = { getpid() };
	struct prof_usage usage = { 0 };
	size_t count = 1;

	for (size_t i = 0; i < count; i++) {
		count = usage_add_children(pids, count, pids[i], omitted);
		/* The omitted process may have ended as a child of sjkc. */
		usage.cpu_ns += usage_cpu_ns(pids[i], i || !omitted);
		usage.memory_bytes += usage_memory_bytes(pids[i]);
	}
	return usage;
}

/* ---- the limit of CPU time ---- */

/* Primes, like the default, since programs work at round rates. */
static const uint64_t steps[] = { 19, 11, 7, 5 };
enum { STEPS = sizeof(steps) / sizeof(*steps) };

/* Returns the next lower frequency, or the same. */
static uint64_t budget_lower(uint64_t hz)
{
	for (size_t i = 0; i < STEPS; i++)
		if (steps[i] < hz)
			return steps[i];
	return hz;
}

static uint64_t budget_higher(const struct prof_budget *b)
{
	for (size_t i = STEPS; i-- > 0;)
		if (steps[i] > b->hz && steps[i] < b->wanted_hz)
			return steps[i];
	return b->wanted_hz;
}

uint64_t prof_budget_next(struct prof_budget *b, int64_t cpu_ns,
			  int64_t time_ns)
{
	int64_t used_ns = cpu_ns - b->cpu_ns, passed_ns = time_ns - b->time_ns;
	bool had_begun = b->has_begun;
	uint64_t higher;

	b->cpu_ns = cpu_ns;
	b->time_ns = time_ns;
	b->has_begun = true;
	if (!b->hz)
		b->hz = b->wanted_hz;
	if (!had_begun || passed_ns <= 0 || b->limit_percent <= 0)
		return b->hz;
	b->percent = 100 * (double)used_ns / (double)passed_ns;
	b->is_at_least = false;
	if (b->percent > b->limit_percent) {
		b->quiet = 0;
		b->is_at_least = budget_lower(b->hz) == b->hz;
		b->hz = budget_lower(b->hz);
		return b->hz;
	}
	higher = budget_higher(b);
	if (b->percent * (double)higher / (double)b->hz > b->limit_percent)
		b->quiet = 0;
	else if (higher > b->hz && ++b->quiet >= PROF_BUDGET_QUIET) {
		b->quiet = 0;
		b->hz = higher;
	}
	return b->hz;
}

int prof_budget_parse(const char *word, double *percent, struct error *err)
{
	char *end;

	*percent = strtod(word, &end);
	if (end == word || !isfinite(*percent) || *percent <= 0 ||
	    *percent > 100000 || (*end && strcmp(end, "%") != 0))
		return misuse(err,
			      "invalid --cpu-limit '%s' (examples: 1%%, 0.5%%)",
			      word);
	return 0;
}
