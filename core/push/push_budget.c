/* SPDX-License-Identifier: Apache-2.0 */
#include "core/push/push.h"

#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/jvm/procfs.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* ---- usage ---- */

/* Children of sjkc, their children and so on; more count for nothing. */
enum { PROCESSES_MAX = 256, LIST_BYTES = 1 << 14, ROLLUP_BYTES = 1 << 12 };

/* Appends the children that a process's first thread has started. */
static size_t usage_add_children(pid_t pids[PROCESSES_MAX], size_t count,
				 pid_t parent, pid_t omitted)
{
	struct text list = { 0 };
	char name[48], *end;

	snprintf(name, sizeof(name), "task/%d/children", (int)parent);
	if (procfs_read(parent, name, LIST_BYTES, &list, error_unused()) == 0 &&
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

/* Returns the CPU time of a process, or 0. */
static int64_t usage_cpu_ns(pid_t pid)
{
	struct timespec time;
	clockid_t clock;

	/* procfs has only ticks of 10 ms, as much as 1 % of a second. */
	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &time))
		return 0;
	return time.tv_sec * CLOCK_NS_PER_S + time.tv_nsec;
}

/* Returns the CPU time of sjkc's children that have ended. */
static int64_t usage_own_ended_cpu_ns(void)
{
	struct rusage r;

	getrusage(RUSAGE_CHILDREN, &r);
	return (r.ru_utime.tv_sec + r.ru_stime.tv_sec) * CLOCK_NS_PER_S +
	       (r.ru_utime.tv_usec + r.ru_stime.tv_usec) * 1000;
}

/* The same of another process, in ticks. */
static int64_t usage_ended_cpu_ns(pid_t pid)
{
	int64_t tick_ns = CLOCK_NS_PER_S / sysconf(_SC_CLK_TCK);
	unsigned long times[2] = { 0 };
	struct text stat = { 0 };
	const char *behind = NULL;

	/* "4711 (a name) S …": cutime is the 14th field after the name. */
	if (procfs_read(pid, "stat", LIST_BYTES, &stat, error_unused()) == 0 &&
	    stat.len)
		behind = strrchr(stat.bytes, ')');
	for (int i = 0; behind && i < 14; i++) {
		behind = strchr(behind, ' ');
		behind += behind != NULL;
	}
	for (int i = 0; behind && i < 2; i++) {
		char *end;

		times[i] = strtoul(behind, &end, 10);
		behind = end;
	}
	text_release(&stat);
	return (int64_t)(times[0] + times[1]) * tick_ns;
}

static uint64_t usage_memory_bytes(pid_t pid)
{
	static const char key[] = "\nPss:";
	struct text rollup = { 0 };
	uint64_t bytes = 0;

	if (procfs_read(pid, "smaps_rollup", ROLLUP_BYTES, &rollup,
			error_unused()) == 0 &&
	    rollup.len) {
		const char *at = strstr(rollup.bytes, key);

		if (at)
			bytes = strtoull(at + strlen(key), NULL, 10) << 10;
	}
	text_release(&rollup);
	return bytes;
}

struct push_usage push_usage_read(pid_t omitted)
{
	pid_t pids[PROCESSES_MAX] = { getpid() };
	struct push_usage usage = { 0 };
	size_t count = 1;

	for (size_t i = 0; i < count; i++) {
		count = usage_add_children(pids, count, pids[i], omitted);
		/* The omitted process may have ended as a child of sjkc. */
		usage.cpu_ns += usage_cpu_ns(pids[i]);
		if (i)
			usage.cpu_ns += usage_ended_cpu_ns(pids[i]);
		else if (!omitted)
			usage.cpu_ns += usage_own_ended_cpu_ns();
		usage.memory_bytes += usage_memory_bytes(pids[i]);
	}
	return usage;
}

uint64_t push_usage_own_bytes(void)
{
	struct text pages = { 0 };
	uint64_t resident = 0, shared = 0;
	char *end;

	/* "size resident shared …", proc(5) */
	if (procfs_read(getpid(), "statm", LIST_BYTES, &pages,
			error_unused()) == 0 &&
	    pages.len) {
		strtoull(pages.bytes, &end, 10);
		resident = strtoull(end, &end, 10);
		shared = strtoull(end, NULL, 10);
	}
	text_release(&pages);
	return (resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE);
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

static uint64_t budget_higher(const struct push_budget *b)
{
	for (size_t i = STEPS; i-- > 0;)
		if (steps[i] > b->hz && steps[i] < b->wanted_hz)
			return steps[i];
	return b->wanted_hz;
}

uint64_t push_budget_next(struct push_budget *b, int64_t cpu_ns,
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
	if (b->percent > b->limit_percent) {
		b->within = 0;
		b->quiet = 0;
		b->is_at_least = budget_lower(b->hz) == b->hz;
		b->hz = budget_lower(b->hz);
		return b->hz;
	}
	if (++b->within >= PUSH_BUDGET_QUIET)
		b->is_at_least = false;
	higher = budget_higher(b);
	if (b->percent * (double)higher / (double)b->hz > b->limit_percent)
		b->quiet = 0;
	else if (higher > b->hz && ++b->quiet >= PUSH_BUDGET_QUIET) {
		b->quiet = 0;
		b->hz = higher;
	}
	return b->hz;
}

void push_budget_skip(struct push_budget *b, int64_t cpu_ns, int64_t time_ns)
{
	b->cpu_ns = cpu_ns;
	b->time_ns = time_ns;
}

int push_budget_parse(const char *option, const char *word, double *percent,
		      struct error *err)
{
	char *end;

	*percent = strtod(word, &end);
	if (end == word || !isfinite(*percent) || *percent <= 0 ||
	    *percent > 100000 || (*end && strcmp(end, "%") != 0))
		return fail(err, ERROR_MISUSE,
			    "invalid %s '%s' (examples: 1%%, 0.5%%)", option,
			    word);
	return 0;
}

/* ---- minutes ---- */

bool push_budget_hits(const char *node, int64_t minute, double percent)
{
	/* FNV-1a: the hash of tables differs in each process. */
	uint64_t hash = 0xcbf29ce484222325u;
	char text[32];

	snprintf(text, sizeof(text), ":%" PRId64, minute);
	for (const char *at = node; *at; at++)
		hash = (hash ^ (uint8_t)*at) * 0x100000001b3u;
	for (const char *at = text; *at; at++)
		hash = (hash ^ (uint8_t)*at) * 0x100000001b3u;
	/* The last digits reach all bits. */
	hash = (hash ^ hash >> 32) * 0x9e3779b97f4a7c15u;
	hash = (hash ^ hash >> 29) * 0xd6e8feb86659fd93u;
	hash ^= hash >> 32;
	return (double)(hash >> 11) < percent / 100 * 0x1p53;
}
