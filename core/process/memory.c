/* SPDX-License-Identifier: Apache-2.0 */
#include "core/process/memory.h"

#include "core/base/alloc.h"
#include "core/base/child.h"
#include "core/base/clock.h"
#include "core/base/kernel_call.h"
#include "core/base/map64.h"
#include "core/jvm/procfs.h"
#include "core/process/memory_helper.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* ---- any memory ---- */

uint64_t memory_u64(struct memory *m, uint64_t address)
{
	uint64_t value;

	return memory_read(m, address, &value, sizeof(value)) ? value : 0;
}

uint32_t memory_u32(struct memory *m, uint64_t address)
{
	uint32_t value;

	return memory_read(m, address, &value, sizeof(value)) ? value : 0;
}

bool memory_string(struct memory *m, uint64_t address, char *text, size_t size)
{
	size_t len = 0;

	/*
	 * Read in parts that cross no page boundary: the next page may be
	 * unmapped.
	 */
	while (len < size - 1) {
		size_t part = 64 - (address + len) % 64;
		char *end;

		if (part > size - 1 - len)
			part = size - 1 - len;
		if (!memory_read(m, address + len, text + len, part))
			break;
		end = memchr(text + len, '\0', part);
		if (end)
			return true;
		len += part;
	}
	text[len] = '\0';
	return len > 0;
}

/* ---- the memory of a process ---- */

#define WAIT_MS       1000
#define SUSPECT_MS    250 /* for a range that may have stalled before */
#define AVOIDED_S     30
#define MAX_FAILURES  8 /* helpers started in a row without success */
#define MAX_STUCK     16
#define MAX_UNTRUSTED 64

/*
 * ---- budget of stalls ----
 *
 * Limits the total time spent waiting for stalled reads.  The target can stall
 * them; a helper without CPU time proves nothing about the target, unless that
 * happens each time.
 */
#define AVOIDED_NS (30 * CLOCK_NS_PER_S)
/*
 * At most STALL_BUDGET_NS of stalled reads per AVOIDED_NS; after that, reads
 * fail immediately.
 */
#define STALL_BUDGET_NS (5 * CLOCK_NS_PER_S)
/* Waits in a row that are excused by a lack of CPU time. */
enum { STARVED_MOST = 4 };

bool stall_budget_is_left(const struct stall_budget *p, int64_t now_ns)
{
	return p->waited_ns < STALL_BUDGET_NS || now_ns - p->since > AVOIDED_NS;
}

bool stall_budget_lose(struct stall_budget *p, int64_t asked_ns, int64_t now_ns,
		       bool is_starved)
{
	if (is_starved && ++p->starved <= STARVED_MOST)
		return false;
	if (now_ns - p->since > AVOIDED_NS) {
		p->since = asked_ns;
		p->waited_ns = 0;
	}
	p->waited_ns += now_ns - asked_ns;
	return true;
}

void stall_budget_regain(struct stall_budget *p) { p->starved = 0; }

/* ---- reading through helpers ---- */

/*
 * A range of a request that stalled.  If the request had several ranges, each
 * is requested alone the next time.  A range that stalls alone is not read for
 * a while.
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

/* A range that is read in most batches. */
struct known_range {
	uint64_t address;
	uint32_t len;
	uint32_t at;         /* its bytes in known_ranges.bytes */
	uint32_t used, read; /* the last batches that did */
	bool is_read;
};

/* The ranges of read_again(). */
struct known_ranges {
	struct known_range *all;
	size_t count, cap;
	struct map64 index; /* by address and length */
	uint8_t *bytes;
	size_t len, bytes_cap;
	uint32_t batch;
};

/* Batches that a range is read ahead for without being used. */
enum { KNOWN_FOR = 64 };
/* Limits of a process: one request has room for them. */
enum { KNOWN_MOST = HELPER_RANGES, KNOWN_BYTES = HELPER_BYTES / 2 };

struct memory_readers {
	struct helper_starter *starter;
	struct memory_helper helper; /* reads for all */
};

struct remote_memory {
	struct memory memory;
	const struct jvm *jvm;
	struct memory_readers *readers; /* NULL: none are shared */
	struct memory_helper own;
	struct memory_helper *helper; /* its own, or that of the readers */
	struct piece pieces[HELPER_RANGES];
	size_t bytes; /* of the pieces in the area */
	struct untrusted untrusted[MAX_UNTRUSTED];
	size_t untrusted_count;
	pid_t stuck[MAX_STUCK]; /* killed, but not ended yet */
	size_t stuck_count;
	unsigned failures;
	bool is_over; /* the target has ended, or no helper starts */
	struct stall_budget patience;
	uint64_t stalls, missed;
	struct known_ranges known;
};

/* Reaps helpers that were stuck and have ended. */
static void remote_reap(struct remote_memory *m)
{
	size_t kept = 0;

	for (size_t i = 0; i < m->stuck_count; i++)
		if (!child_reap(m->stuck[i], NULL, 0))
			m->stuck[kept++] = m->stuck[i];
	m->stuck_count = kept;
}

static void remote_end_helper(struct remote_memory *m)
{
	pid_t pid;

	if (!memory_helper_end(m->helper, &pid) && m->stuck_count < MAX_STUCK)
		m->stuck[m->stuck_count++] = pid;
}

static bool remote_has_helper(struct remote_memory *m)
{
	struct error err;

	if (memory_helper_runs(m->helper))
		return true;
	remote_reap(m);
	if (m->is_over || m->stuck_count == MAX_STUCK ||
	    ++m->failures > MAX_FAILURES)
		m->is_over = true;
	/* Without its starter, sjkc starts a helper that only this one uses. */
	if (!m->is_over && m->readers &&
	    memory_helper_start(m->helper, m->readers->starter, &err))
		m->helper = &m->own;
	if (!m->is_over && !memory_helper_runs(m->helper) &&
	    memory_helper_start(m->helper, NULL, &err))
		m->is_over = true;
	return !m->is_over;
}

static struct untrusted *untrusted_find(struct remote_memory *m, uint64_t start,
					uint64_t end)
{
	for (size_t i = 0; i < m->untrusted_count; i++)
		if (m->untrusted[i].start < end && start < m->untrusted[i].end)
			return &m->untrusted[i];
	return NULL;
}

static void untrusted_remove(struct remote_memory *m, struct untrusted *u)
{
	*u = m->untrusted[--m->untrusted_count];
}

static void untrusted_add(struct remote_memory *m, uint64_t start, uint64_t len,
			  int64_t avoided_until)
{
	struct untrusted *u = untrusted_find(m, start, start + len);

	if (!u) {
		if (m->untrusted_count == MAX_UNTRUSTED)
			untrusted_remove(m, m->untrusted);
		u = &m->untrusted[m->untrusted_count++];
	}
	*u = (struct untrusted){ start, start + len, avoided_until };
}

/*
 * Returns true when the helper was ready to run but got no CPU time: the target
 * is not the cause.
 */
static bool remote_is_starved(const struct remote_memory *m)
{
	struct proc_stat stat;
	struct error err;

	return procfs_stat(m->helper->area->helper, &stat, &err) == 0 &&
	       stat.state == 'R';
}

static void remote_note_stall(struct remote_memory *m, int64_t asked_ns)
{
	struct helper_area *a = m->helper->area;
	int64_t now = clock_monotonic_ns();
	int64_t until = a->count == 1 ? now + AVOIDED_S * CLOCK_NS_PER_S : 0;

	m->stalls++;
	/* A stall is no evidence against the next helper. */
	m->failures = 0;
	if (!stall_budget_lose(&m->patience, asked_ns, now,
			       remote_is_starved(m)))
		return;
	for (uint32_t i = 0; i < a->count; i++)
		untrusted_add(m, a->ranges[i].address, a->ranges[i].len, until);
}

static void remote_hand_over(struct remote_memory *m)
{
	struct helper_area *a = m->helper->area;
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

/* Returns true if the target has ended, so that another may have its PID. */
static bool remote_has_ended(const struct remote_memory *m)
{
	bool ended;

	if (m->jvm->pidfd < 0)
		return !jvm_runs(m->jvm);
	jvm_poll_ended(&m->jvm, &ended, 1);
	return ended;
}

/* Requests the pieces in the area, and empties it. */
static void remote_flush(struct remote_memory *m, int ms)
{
	struct helper_area *a = m->helper->area;
	int64_t asked_ns = clock_monotonic_ns();
	enum helper_result result;

	if (!a || !a->count)
		return;
	a->target = procfs_owner(m->jvm->pid);
	result = memory_helper_request(m->helper, ms);
	if (result == HELPER_READ) {
		m->failures = 0;
		stall_budget_regain(&m->patience);
		/* Another process with the target's PID may have been read. */
		if (remote_has_ended(m))
			m->is_over = true;
	}
	if (result == HELPER_READ && !m->is_over)
		remote_hand_over(m);
	else
		for (uint32_t i = 0; i < a->count; i++)
			m->pieces[i].range->is_read = false;
	if (result == HELPER_STALLED) {
		m->missed += a->count;
		remote_note_stall(m, asked_ns);
	}
	a->count = 0;
	m->bytes = 0;
	if (result != HELPER_READ)
		remote_end_helper(m);
}

static bool remote_add_piece(struct remote_memory *m,
			     struct memory_range *range, size_t offset,
			     size_t len)
{
	struct helper_area *a;

	if (memory_helper_runs(m->helper) &&
	    (m->helper->area->count == HELPER_RANGES ||
	     m->bytes + len > HELPER_BYTES))
		remote_flush(m, WAIT_MS);
	if (!remote_has_helper(m))
		return false;
	a = m->helper->area;
	m->pieces[a->count] = (struct piece){ range, offset };
	a->ranges[a->count].address = range->address + offset;
	a->ranges[a->count].len = (uint32_t)len;
	a->count++;
	m->bytes += len;
	return true;
}

/* Requests a suspect alone to find out whether it stalls. */
static bool remote_add_suspect(struct remote_memory *m,
			       struct memory_range *range, size_t offset,
			       size_t len)
{
	uint64_t start = range->address + offset;
	struct untrusted *u = untrusted_find(m, start, start + len);

	if (u->avoided_until > clock_monotonic_ns()) {
		m->missed++;
		return false;
	}
	remote_flush(m, WAIT_MS);
	if (!remote_add_piece(m, range, offset, len))
		return false;
	remote_flush(m, SUSPECT_MS);
	u = untrusted_find(m, start, start + len);
	/* After a stall the helper has ended. */
	if (u && memory_helper_runs(m->helper) &&
	    u->avoided_until <= clock_monotonic_ns())
		untrusted_remove(m, u);
	return true;
}

static void remote_add_range(struct remote_memory *m, struct memory_range *r)
{
	for (size_t at = 0; r->is_read && at < r->len;) {
		size_t len = r->len - at < HELPER_BYTES ? r->len - at
							: HELPER_BYTES;
		uint64_t start = r->address + at;

		if (m->untrusted_count && untrusted_find(m, start, start + len)
			    ? !remote_add_suspect(m, r, at, len)
			    : !remote_add_piece(m, r, at, len))
			r->is_read = false;
		at += len;
	}
}

static void remote_read_all(struct memory *self, struct memory_range *ranges,
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
		remote_add_range(m, r);
	}
	remote_flush(m, WAIT_MS);
}

/* ---- ranges that are read in most batches ---- */

static uint64_t known_key(uint64_t address, size_t len)
{
	/* An address has 47 bits. */
	return address ^ (uint64_t)len << 48;
}

/* Returns the entry of a range, or NULL. */
static struct known_range *known_find(const struct known_ranges *k,
				      const struct memory_range *r)
{
	uint32_t at = map64_get(&k->index, known_key(r->address, r->len));
	struct known_range *one = at == MAP64_NONE ? NULL : &k->all[at];

	return one && one->address == r->address && one->len == r->len ? one
								       : NULL;
}

/* Removes the ranges that were not used for a long time, with their bytes. */
static void known_forget_unused(struct known_ranges *k)
{
	size_t kept = 0;

	for (size_t i = 0; i < k->count; i++)
		kept += k->batch - k->all[i].used <= KNOWN_FOR;
	if (kept == k->count)
		return;
	map64_clear(&k->index);
	kept = 0;
	k->len = 0;
	for (size_t i = 0; i < k->count; i++) {
		struct known_range one = k->all[i];

		if (k->batch - one.used > KNOWN_FOR)
			continue;
		/* All are read again before their bytes are used. */
		one.at = (uint32_t)k->len;
		k->len += one.len;
		map64_add(&k->index, known_key(one.address, one.len),
			  (uint32_t)kept);
		k->all[kept++] = one;
	}
	k->count = kept;
}

void remote_memory_begin(struct remote_memory *m)
{
	struct known_ranges *k = &m->known;
	struct memory_range *ranges;

	k->batch++;
	known_forget_unused(k);
	if (!k->count)
		return;
	ranges = xcalloc(k->count, sizeof(*ranges));
	for (size_t i = 0; i < k->count; i++)
		ranges[i] = (struct memory_range){ k->all[i].address,
						   k->bytes + k->all[i].at,
						   k->all[i].len, false };
	m->memory.read_all(&m->memory, ranges, k->count);
	for (size_t i = 0; i < k->count; i++) {
		k->all[i].is_read = ranges[i].is_read;
		k->all[i].read = k->batch;
	}
	free(ranges);
}

/* Keeps the result of a range that was not known in this batch. */
static void known_keep(struct known_ranges *k, const struct memory_range *r)
{
	struct known_range *one = known_find(k, r);

	if (!one) {
		if (k->count == KNOWN_MOST || r->len > KNOWN_BYTES - k->len ||
		    !map64_add(&k->index, known_key(r->address, r->len),
			       (uint32_t)k->count))
			return;
		array_reserve(k->all, k->cap, k->count + 1);
		one = &k->all[k->count++];
		*one = (struct known_range){ .address = r->address,
					     .len = (uint32_t)r->len,
					     .at = (uint32_t)k->len };
		array_reserve(k->bytes, k->bytes_cap, k->len + r->len);
		k->len += r->len;
	}
	if (r->is_read)
		memcpy(k->bytes + one->at, r->bytes, r->len);
	one->is_read = r->is_read;
	one->read = one->used = k->batch;
}

static void remote_read_again(struct memory *self, struct memory_range *ranges,
			      size_t count)
{
	struct remote_memory *m = (struct remote_memory *)self;
	struct known_ranges *k = &m->known;
	struct memory_range *missing = xcalloc(count + 1, sizeof(*missing));
	size_t *of = xcalloc(count + 1, sizeof(*of)), wanted = 0;

	for (size_t i = 0; i < count; i++) {
		struct known_range *one = known_find(k, &ranges[i]);

		if (!one || one->read != k->batch) {
			of[wanted] = i;
			missing[wanted++] = ranges[i];
			continue;
		}
		one->used = k->batch;
		ranges[i].is_read = one->is_read;
		if (one->is_read)
			memcpy(ranges[i].bytes, k->bytes + one->at, one->len);
	}
	if (wanted)
		self->read_all(self, missing, wanted);
	for (size_t i = 0; i < wanted; i++) {
		ranges[of[i]].is_read = missing[i].is_read;
		known_keep(k, &missing[i]);
	}
	free(missing);
	free(of);
}

static void known_release(struct known_ranges *k)
{
	free(k->all);
	free(k->bytes);
	map64_release(&k->index);
}

/* Explains EPERM and ENOSYS: a process may read its own memory. */
static int memory_fail_denied(const struct jvm *jvm, struct error *err)
{
	static const struct kernel_call reads = { "process_vm_readv(2)", 3, 2 };
	char byte = 0, copy;
	const struct iovec from = { .iov_base = &byte, .iov_len = 1 };
	const struct iovec to = { .iov_base = &copy, .iov_len = 1 };

	if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) < 0)
		return kernel_call_fail(&reads, errno, err);
	return fail(err, ERROR_PERMISSION,
		    "%d: cannot read its memory: run as its user with "
		    "kernel.yama.ptrace_scope 0, or with CAP_SYS_PTRACE",
		    (int)jvm->pid);
}

/* Reads address 0, which no process has, to check the permission. */
static int remote_probe(struct remote_memory *m, struct error *err)
{
	struct helper_area *a;
	enum helper_result result;
	int error = 0;

	if (!remote_has_helper(m))
		return fail(err, ERROR_FAILED, "cannot start a child process");
	a = m->helper->area;
	a->count = 1;
	a->ranges[0].address = 0;
	a->ranges[0].len = 1;
	a->target = procfs_owner(m->jvm->pid);
	result = memory_helper_request(m->helper, WAIT_MS);
	if (result == HELPER_READ)
		error = a->error;
	a->count = 0;
	/* A late reply would be mistaken for the reply to the next request. */
	if (result != HELPER_READ)
		remote_end_helper(m);
	if (error == ESRCH)
		return fail(err, ERROR_NO_TARGET, "%d: the process has exited",
			    (int)m->jvm->pid);
	return error == EPERM || error == ENOSYS
		       ? memory_fail_denied(m->jvm, err)
		       : 0;
}

struct memory_readers *memory_readers_open(struct error *err)
{
	struct memory_readers *r = xcalloc(1, sizeof(*r));

	r->helper.child.channel = -1;
	r->starter = helper_starter_open(err);
	if (r->starter)
		return r;
	free(r);
	return NULL;
}

void memory_readers_close(struct memory_readers *r)
{
	pid_t unused;

	if (!r)
		return;
	memory_helper_end(&r->helper, &unused);
	helper_starter_close(r->starter);
	free(r);
}

struct remote_memory *remote_memory_open(const struct jvm *jvm,
					 struct memory_readers *readers,
					 struct error *err)
{
	struct remote_memory *m = xcalloc(1, sizeof(*m));

	m->memory.read_all = remote_read_all;
	m->memory.read_again = remote_read_again;
	m->jvm = jvm;
	m->readers = readers;
	m->own.child.channel = -1;
	m->helper = readers ? &readers->helper : &m->own;
	if (remote_probe(m, err)) {
		remote_memory_close(m);
		return NULL;
	}
	return m;
}

void remote_memory_close(struct remote_memory *m)
{
	if (!m)
		return;
	m->helper = &m->own;
	remote_end_helper(m);
	remote_reap(m);
	known_release(&m->known);
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
