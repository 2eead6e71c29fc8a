/* SPDX-License-Identifier: Apache-2.0 */
#include "core/process/memory.h"

#include "core/base/alloc.h"
#include "core/base/child.h"
#include "core/base/clock.h"
#include "core/jvm/procfs.h"

#include <errno.h>
#include <linux/capability.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
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

/*
 * ---- the helper ----
 *
 * A child process reads another process's memory.  Requests and bytes are in
 * memory that it shares with its parent; a datagram of one byte each way
 * announces a request or a reply.  The child ends with its parent and has no
 * descriptors or capabilities that it does not need.
 */
enum { HELPER_RANGES = 1024, HELPER_BYTES = 1 << 20 };

/* Shared with the child; zeroed at first. */
struct helper_area {
	uint32_t count;       /* number of ranges */
	int32_t error;        /* errno of the last range that was unreadable */
	uint32_t target_runs; /* the target still ran after the reads */
	struct {
		uint64_t address;
		uint32_t len; /* the bytes are in a row */
		uint32_t is_read;
	} ranges[HELPER_RANGES];
	uint8_t bytes[HELPER_BYTES];
};

struct memory_helper {
	struct child child;
	struct helper_area *area;
};

enum helper_result {
	HELPER_READ,    /* the request is complete */
	HELPER_STALLED, /* no reply in time: kill the helper */
	HELPER_DEAD,    /* another process killed the helper */
};

static bool helper_sees_target(int pidfd)
{
	struct pollfd p = { .fd = pidfd, .events = POLLIN };

	return pidfd < 0 || poll(&p, 1, 0) == 0;
}

/*
 * Marks the ranges that a call starting at range `at` has read completely, and
 * returns the first range that it has not.  Pages of that range before a
 * missing page may have been copied.
 */
static uint32_t helper_mark(struct helper_area *a, uint32_t at, uint32_t end,
			    ssize_t got, size_t *offset)
{
	for (; at < end && got >= (ssize_t)a->ranges[at].len; at++) {
		a->ranges[at].is_read = 1;
		got -= a->ranges[at].len;
		*offset += a->ranges[at].len;
	}
	return at;
}

/* The parent has checked that all ranges fit into bytes. */
static void helper_read_ranges(struct helper_area *a, pid_t target)
{
	static struct iovec remote[HELPER_RANGES];
	uint32_t count = a->count < HELPER_RANGES ? a->count : HELPER_RANGES;
	size_t offset = 0;

	for (uint32_t i = 0; i < count; i++) {
		remote[i].iov_base = (void *)(uintptr_t)a->ranges[i].address;
		remote[i].iov_len = a->ranges[i].len;
		a->ranges[i].is_read = 0;
	}
	a->error = 0;
	for (uint32_t i = 0; i < count;) {
		struct iovec local = { a->bytes + offset,
				       HELPER_BYTES - offset };
		ssize_t got = process_vm_readv(target, &local, 1, remote + i,
					       count - i, 0);

		if (got < 0) {
			a->error = errno;
			if (errno == EPERM || errno == ESRCH)
				return;
			got = 0;
		}
		i = helper_mark(a, i, count, got, &offset);
		if (i < count) {
			a->error = a->error ? a->error : EFAULT;
			offset += a->ranges[i++].len;
		}
	}
}

/* Keeps CAP_SYS_PTRACE, if present, and drops all other capabilities. */
static void helper_drop_capabilities(void)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	struct __user_cap_data_struct caps[2] = { { 0 } };
	uint32_t trace = 1u << CAP_SYS_PTRACE;

	if (syscall(SYS_capget, &head, caps) < 0 ||
	    !(caps[0].effective & trace))
		return;
	for (int i = 0; i < 2; i++) {
		caps[i].effective = caps[i].permitted = i ? 0 : trace;
		caps[i].inheritable = 0;
	}
	syscall(SYS_capset, &head, caps);
}

/* The helper's job. */
struct helper_job {
	struct helper_area *area;
	pid_t target;
	int target_pidfd;
};

static int helper_serve(void *self, int channel, struct error *err)
{
	const struct helper_job *s = self;
	char byte;

	(void)err;
	helper_drop_capabilities();
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	while (recv(channel, &byte, 1, 0) == 1) {
		helper_read_ranges(s->area, s->target);
		s->area->target_runs = helper_sees_target(s->target_pidfd);
		if (send(channel, &byte, 1, MSG_NOSIGNAL) != 1)
			break;
	}
	return CHILD_NOTHING;
}

/*
 * Kills the helper; zeroed storage is fine.  Returns false when the helper is
 * stuck in the kernel and has not ended.
 */
static bool helper_end(struct memory_helper *h)
{
	bool has_ended = child_end(&h->child, 0);

	child_memory_free(h->area, sizeof(*h->area));
	*h = (struct memory_helper){ .child = { .channel = -1 } };
	return has_ended;
}

/*
 * target_pidfd may be -1; then area->target_runs is always 1.  helper_end() is
 * due after success.
 */
static int helper_start(struct memory_helper *h, pid_t target, int target_pidfd,
			struct error *err)
{
	const struct child_options options = {
		.kept = &target_pidfd,
		.kept_count = 1,
		.dies_with_parent = true,
	};
	struct helper_job s = { NULL, target, target_pidfd };

	*h = (struct memory_helper){ .child = { .channel = -1 } };
	/* Each child has its own area: a killed one may still write. */
	h->area = child_memory(sizeof(*h->area));
	s.area = h->area;
	if (child_start(&h->child, &options, helper_serve, &s, err)) {
		helper_end(h);
		return -1;
	}
	return 0;
}

/* Requests the ranges in the area and waits at most ms milliseconds. */
static enum helper_result helper_request(struct memory_helper *h, int ms)
{
	int64_t deadline = clock_monotonic_ns() + (int64_t)ms * CLOCK_NS_PER_MS;
	struct pollfd p = { .fd = h->child.channel, .events = POLLIN };
	char byte = 0;
	int ready;

	if (!h->child.pid ||
	    send(h->child.channel, &byte, 1, MSG_NOSIGNAL) != 1)
		return HELPER_DEAD;
	do
		ready = poll(&p, 1, clock_left_ms(deadline));
	while (ready < 0 && errno == EINTR);
	if (ready <= 0)
		return HELPER_STALLED;
	return recv(h->child.channel, &byte, 1, MSG_DONTWAIT) == 1
		       ? HELPER_READ
		       : HELPER_DEAD;
}

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

struct remote_memory {
	struct memory memory;
	const struct jvm *jvm;
	struct memory_helper helper;
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
	pid_t pid = m->helper.child.pid;

	if (!helper_end(&m->helper) && m->stuck_count < MAX_STUCK)
		m->stuck[m->stuck_count++] = pid;
}

static bool remote_has_helper(struct remote_memory *m)
{
	struct error err;

	if (m->helper.child.pid)
		return true;
	remote_reap(m);
	if (m->is_over || m->stuck_count == MAX_STUCK ||
	    ++m->failures > MAX_FAILURES ||
	    helper_start(&m->helper, m->jvm->pid, m->jvm->pidfd, &err))
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

	return procfs_stat(m->helper.child.pid, &stat, &err) == 0 &&
	       stat.state == 'R';
}

static void remote_note_stall(struct remote_memory *m, int64_t asked_ns)
{
	struct helper_area *a = m->helper.area;
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

/* Requests the pieces in the area, and empties it. */
static void remote_flush(struct remote_memory *m, int ms)
{
	struct helper_area *a = m->helper.area;
	int64_t asked_ns = clock_monotonic_ns();
	enum helper_result result;

	if (!m->helper.child.pid || !a->count)
		return;
	result = helper_request(&m->helper, ms);
	if (result == HELPER_READ) {
		m->failures = 0;
		stall_budget_regain(&m->patience);
		/* Another process with the target's PID may have been read. */
		if (!a->target_runs || (m->jvm->pidfd < 0 && !jvm_runs(m->jvm)))
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

	if (m->helper.child.pid && (m->helper.area->count == HELPER_RANGES ||
				    m->bytes + len > HELPER_BYTES))
		remote_flush(m, WAIT_MS);
	if (!remote_has_helper(m))
		return false;
	a = m->helper.area;
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
	if (u && m->helper.child.pid &&
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

/* Reads address 0, which no process has, to check the permission. */
static int remote_probe(struct remote_memory *m, struct error *err)
{
	struct helper_area *a;
	enum helper_result result;
	int error = 0;

	if (!remote_has_helper(m))
		return fail(err, ERROR_FAILED, "cannot start a child process");
	a = m->helper.area;
	a->count = 1;
	a->ranges[0].address = 0;
	a->ranges[0].len = 1;
	result = helper_request(&m->helper, WAIT_MS);
	if (result == HELPER_READ)
		error = a->error;
	a->count = 0;
	/* A late reply would be mistaken for the reply to the next request. */
	if (result != HELPER_READ)
		remote_end_helper(m);
	if (error == ESRCH)
		return fail(err, ERROR_NO_TARGET, "%d: the process has ended",
			    (int)m->jvm->pid);
	if (error == EPERM)
		return fail(err, ERROR_PERMISSION,
			    "%d: cannot read its memory: run as its user "
			    "with kernel.yama.ptrace_scope 0, or with "
			    "CAP_SYS_PTRACE",
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

	m->memory.read_all = remote_read_all;
	m->jvm = jvm;
	m->helper.child.channel = -1;
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
	if (m->helper.child.pid)
		remote_end_helper(m);
	remote_reap(m);
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
