/* SPDX-License-Identifier: Apache-2.0 */
#include "core/process/remote_memory.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/jvm/procfs.h"
#include "core/process/memory_helper.h"
#include "core/process/stall_budget.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WAIT_MS       1000
#define SUSPECT_MS    250 /* of a read that may be the one that stalled */
#define AVOIDED_S     30
#define MAX_FAILURES  8 /* helpers begun one after the other, in vain */
#define MAX_STUCK     16
#define MAX_UNTRUSTED 64

/*
 * What was asked for when a helper gave no answer.  If there was more than one
 * range, each is asked for alone the next time; one that stalls alone is left
 * alone for a while.
 */
struct untrusted {
	uint64_t start, end;
	int64_t avoided_until; /* 0: only suspected */
};

/* A part of one of the caller's ranges. */
struct piece {
	struct memory_range *range;
	size_t offset;
};

struct remote_memory {
	struct memory memory;
	const struct jvm *jvm;
	struct memory_helper helper;
	struct piece pieces[HELPER_RANGES];
	size_t bytes; /* of the pieces that are in the area */
	struct untrusted untrusted[MAX_UNTRUSTED];
	size_t untrusted_count;
	pid_t stuck[MAX_STUCK]; /* killed, and not ended yet */
	size_t stuck_count;
	unsigned failures;
	bool is_over; /* the target has ended, or we cannot go on */
	struct stall_budget patience;
	uint64_t stalls, reads, missed;
};

/* Those that were stuck may have ended by now. */
static void reap(struct remote_memory *m)
{
	size_t kept = 0;

	for (size_t i = 0; i < m->stuck_count; i++)
		if (!child_reap(m->stuck[i], NULL, 0))
			m->stuck[kept++] = m->stuck[i];
	m->stuck_count = kept;
}

static void end_helper(struct remote_memory *m)
{
	pid_t pid = m->helper.child.pid;

	if (!memory_helper_end(&m->helper) && m->stuck_count < MAX_STUCK)
		m->stuck[m->stuck_count++] = pid;
}

static bool has_helper(struct remote_memory *m)
{
	struct error err;

	if (m->helper.child.pid)
		return true;
	reap(m);
	if (m->is_over || m->stuck_count == MAX_STUCK ||
	    ++m->failures > MAX_FAILURES ||
	    memory_helper_start(&m->helper, m->jvm->pid, m->jvm->pidfd, &err))
		m->is_over = true;
	return !m->is_over;
}

static struct untrusted *find_untrusted(struct remote_memory *m, uint64_t start,
					uint64_t end)
{
	for (size_t i = 0; i < m->untrusted_count; i++)
		if (m->untrusted[i].start < end && start < m->untrusted[i].end)
			return &m->untrusted[i];
	return NULL;
}

static void trust(struct remote_memory *m, struct untrusted *u)
{
	*u = m->untrusted[--m->untrusted_count];
}

static void distrust(struct remote_memory *m, uint64_t start, uint64_t len,
		     int64_t avoided_until)
{
	struct untrusted *u = find_untrusted(m, start, start + len);

	if (!u) {
		if (m->untrusted_count == MAX_UNTRUSTED)
			trust(m, m->untrusted);
		u = &m->untrusted[m->untrusted_count++];
	}
	*u = (struct untrusted){ start, start + len, avoided_until };
}

/* Ready to run, it had no CPU: the target's memory is not to blame. */
static bool is_starved(const struct remote_memory *m)
{
	struct proc_stat stat;
	struct error err;

	return procfs_stat(m->helper.child.pid, &stat, &err) == 0 &&
	       stat.state == 'R';
}

static void stalled(struct remote_memory *m, int64_t asked_ns)
{
	struct helper_area *a = m->helper.area;
	int64_t now = clock_monotonic_ns();
	int64_t until = a->count == 1 ? now + AVOIDED_S * CLOCK_NS_PER_S : 0;

	m->stalls++;
	/* To have asked it in vain says nothing about the next helper. */
	m->failures = 0;
	if (!stall_budget_lose(&m->patience, asked_ns, now, is_starved(m)))
		return;
	for (uint32_t i = 0; i < a->count; i++)
		distrust(m, a->ranges[i].address, a->ranges[i].len, until);
}

static void hand_over(struct remote_memory *m)
{
	struct helper_area *a = m->helper.area;
	const uint8_t *bytes = a->bytes;

	for (uint32_t i = 0; i < a->count; i++) {
		struct piece *p = &m->pieces[i];

		if (a->ranges[i].is_read)
			memcpy((uint8_t *)p->range->bytes + p->offset, bytes,
			       a->ranges[i].len);
		else
			p->range->is_read = false;
		bytes += a->ranges[i].len;
	}
}

/* Has the pieces in the area read, and empties it. */
static void flush(struct remote_memory *m, int ms)
{
	struct helper_area *a = m->helper.area;
	int64_t asked_ns = clock_monotonic_ns();
	enum helper_answer answer;

	if (!m->helper.child.pid || !a->count)
		return;
	m->reads++;
	answer = memory_helper_ask(&m->helper, ms);
	if (answer == HELPER_READ) {
		m->failures = 0;
		stall_budget_regain(&m->patience);
		/* What a newcomer with its pid has is not the target's. */
		if (!a->target_runs || (m->jvm->pidfd < 0 && !jvm_runs(m->jvm)))
			m->is_over = true;
	}
	if (answer == HELPER_READ && !m->is_over)
		hand_over(m);
	else
		for (uint32_t i = 0; i < a->count; i++)
			m->pieces[i].range->is_read = false;
	if (answer == HELPER_STALLED) {
		m->missed += a->count;
		stalled(m, asked_ns);
	}
	a->count = 0;
	m->bytes = 0;
	if (answer != HELPER_READ)
		end_helper(m);
}

static bool add_piece(struct remote_memory *m, struct memory_range *range,
		      size_t offset, size_t len)
{
	struct helper_area *a;

	if (m->helper.child.pid && (m->helper.area->count == HELPER_RANGES ||
				    m->bytes + len > HELPER_BYTES))
		flush(m, WAIT_MS);
	if (!has_helper(m))
		return false;
	a = m->helper.area;
	m->pieces[a->count] = (struct piece){ range, offset };
	a->ranges[a->count].address = range->address + offset;
	a->ranges[a->count].len = (uint32_t)len;
	a->count++;
	m->bytes += len;
	return true;
}

/* Alone, so that it is known which one it is that stalls. */
static bool add_suspect(struct remote_memory *m, struct memory_range *range,
			size_t offset, size_t len)
{
	uint64_t start = range->address + offset;
	struct untrusted *u = find_untrusted(m, start, start + len);

	if (u->avoided_until > clock_monotonic_ns()) {
		m->missed++;
		return false;
	}
	flush(m, WAIT_MS);
	if (!add_piece(m, range, offset, len))
		return false;
	flush(m, SUSPECT_MS);
	u = find_untrusted(m, start, start + len);
	/* A helper that has not answered is no more. */
	if (u && m->helper.child.pid &&
	    u->avoided_until <= clock_monotonic_ns())
		trust(m, u);
	return true;
}

static void add_range(struct remote_memory *m, struct memory_range *r)
{
	for (size_t at = 0; r->is_read && at < r->len;) {
		size_t len = r->len - at < HELPER_BYTES ? r->len - at
							: HELPER_BYTES;
		uint64_t start = r->address + at;

		if (m->untrusted_count && find_untrusted(m, start, start + len)
			    ? !add_suspect(m, r, at, len)
			    : !add_piece(m, r, at, len))
			r->is_read = false;
		at += len;
	}
}

static void read_all(struct memory *self, struct memory_range *ranges,
		     size_t count)
{
	struct remote_memory *m = (struct remote_memory *)self;

	for (size_t i = 0; i < count; i++) {
		struct memory_range *r = &ranges[i];
		uint64_t end;

		r->is_read = !m->is_over &&
			     !__builtin_add_overflow(r->address, r->len, &end);
		if (r->is_read && m->patience.waited_ns &&
		    !stall_budget_is_left(&m->patience, clock_monotonic_ns())) {
			m->missed++;
			r->is_read = false;
		}
		add_range(m, r);
	}
	flush(m, WAIT_MS);
}

/* Asks for what no process has, to see whether it may ask at all. */
static int probe(struct remote_memory *m, struct error *err)
{
	struct helper_area *a;
	enum helper_answer answer;
	int error = 0;

	if (!has_helper(m))
		return fail(err, ERROR_FAILED, "no process can be begun");
	a = m->helper.area;
	a->count = 1;
	a->ranges[0].address = 0;
	a->ranges[0].len = 1;
	answer = memory_helper_ask(&m->helper, WAIT_MS);
	if (answer == HELPER_READ)
		error = a->error;
	a->count = 0;
	/* An answer that is yet to come would be taken for the next one's. */
	if (answer != HELPER_READ)
		end_helper(m);
	if (error == ESRCH)
		return fail(err, ERROR_NO_TARGET, "%d: the process has ended",
			    (int)m->jvm->pid);
	if (error == EPERM)
		return fail(err, ERROR_PERMISSION,
			    "%d: its memory may not be read: that takes its "
			    "own user and kernel.yama.ptrace_scope 0, or the "
			    "capability CAP_SYS_PTRACE",
			    (int)m->jvm->pid);
	if (error == ENOSYS)
		return fail(err, ERROR_UNAVAILABLE,
			    "this kernel has no process_vm_readv(2)");
	return 0;
}

struct remote_memory *remote_memory_open(const struct jvm *jvm,
					 struct error *err)
{
	struct remote_memory *m = xcalloc(1, sizeof(*m));

	m->memory.read_all = read_all;
	m->jvm = jvm;
	m->helper.child.channel = -1;
	if (probe(m, err)) {
		remote_memory_close(m);
		return NULL;
	}
	return m;
}

void remote_memory_close(struct remote_memory *m)
{
	if (!m)
		return;
	if (m->helper.child.pid)
		end_helper(m);
	reap(m);
	free(m);
}

struct memory *remote_memory_of(struct remote_memory *m) { return &m->memory; }

uint64_t remote_memory_stalls(const struct remote_memory *m)
{
	return m->stalls;
}

uint64_t remote_memory_missed(const struct remote_memory *m)
{
	return m->missed;
}

uint64_t remote_memory_reads(const struct remote_memory *m) { return m->reads; }
