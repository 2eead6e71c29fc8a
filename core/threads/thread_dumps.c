/* SPDX-License-Identifier: Apache-2.0 */
#include "core/threads/thread_dumps.h"

#include "core/attach/attach.h"
#include "core/attach/helper_process.h"
#include "core/base/alloc.h"
#include "core/base/ascii.h"
#include "core/base/clock.h"
#include "core/base/safe_text.h"
#include "core/threads/dump_blocks.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_REPLY ((off_t)512 << 20)
#define LIFETIME_S 120

/*
 * A Thread.print, requested by a child process. Attaching may take seconds (the
 * JVM starts, is busy or stopped), and samples must not wait for it. The child
 * leaves the reply in a file that it shares with the parent. It ends with its
 * parent, and at its deadline.
 */
struct thread_print {
	const struct jvm *jvm; /* borrowed */
	struct child child;
	int64_t timeout_ns; /* for attaching, and for the call */
	bool runs;
};

enum thread_print_state {
	THREAD_PRINT_RUNS,
	THREAD_PRINT_DONE,
	THREAD_PRINT_FAILED,
};

/* Precedes the reply in the shared file. */
struct print_head {
	int64_t took_ns;
};

/* The child leaves the cleanup to its parent. */
static _Noreturn void print_out_of_memory(size_t size)
{
	(void)size;
	attach_abandon_all();
	quick_exit(1);
}

static int print_write(int fd, const void *bytes, size_t len, struct error *err)
{
	const char *at = bytes;

	while (len) {
		ssize_t put = write(fd, at, len);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return fail_sys(err, ERROR_FAILED, "memfd");
		at += put;
		len -= (size_t)put;
	}
	return 0;
}

/* Writes the reply to a file of its own; returns its descriptor or -1. */
static int print_keep(const struct text *reply, int64_t took_ns,
		      struct error *err)
{
	const struct print_head head = { .took_ns = took_ns };
	int fd = memfd_create("sjkc-threads", MFD_CLOEXEC);

	if (fd < 0)
		return fail_sys(err, ERROR_FAILED, "memfd_create");
	if (print_write(fd, &head, sizeof(head), err) ||
	    print_write(fd, reply->bytes, reply->len, err)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Runs in the child. Files in the target are removed by a child of attach. */
static int print_job(void *self, int channel, struct error *err)
{
	static const struct attach_request request = {
		.operation = "threaddump",
		.args = { "-e" },
	};
	const struct thread_print *p = self;
	struct text reply = { 0 };
	struct attach *a;
	int64_t begun;
	int fd = -1;

	(void)channel;
	alloc_on_failure(print_out_of_memory);
	a = attach_open(p->jvm, p->timeout_ns, err);
	if (!a)
		return -1;
	begun = clock_monotonic_ns();
	if (attach_call(a, &request, &reply, err) == 0)
		fd = print_keep(&reply, clock_monotonic_ns() - begun, err);
	attach_close(a);
	return fd;
}

/* Starts a child that requests Thread.print -e (-e: JDK 11 on). */
static int thread_print_start(struct thread_print *p, const struct jvm *jvm,
			      int64_t timeout_ns, struct error *err)
{
	const struct child_options options = {
		.kept = &jvm->pidfd,
		.kept_count = 1,
		.dies_with_parent = true,
		.lifetime_s = LIFETIME_S,
	};

	*p = (struct thread_print){ .jvm = jvm, .timeout_ns = timeout_ns };
	if (child_start(&p->child, &options, print_job, p, err))
		return -1;
	p->runs = true;
	return 0;
}

static int print_take(int fd, struct text *reply, int64_t *took_ns,
		      struct error *err)
{
	struct stat st;
	struct print_head head;
	ssize_t got = 0;
	size_t len, at = 0;

	if (fstat(fd, &st) || st.st_size > MOST_REPLY ||
	    pread(fd, &head, sizeof(head), 0) != sizeof(head))
		return fail(err, ERROR_FAILED,
			    "the reply of the helper process is damaged");
	*took_ns = head.took_ns;
	len = (size_t)st.st_size - sizeof(head);
	text_clear(reply);
	array_reserve(reply->bytes, reply->cap, len + 1);
	while (at < len) {
		got = pread(fd, reply->bytes + at, len - at,
			    (off_t)(sizeof(head) + at));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return fail_sys(err, ERROR_FAILED, "memfd");
		at += (size_t)got;
	}
	reply->bytes[len] = '\0';
	reply->len = len;
	return 0;
}

static bool print_has_news(const struct thread_print *p, int64_t until_ns)
{
	struct pollfd said = { .fd = p->child.channel, .events = POLLIN };
	int ready;

	do
		ready = poll(&said, 1, clock_left_ms(until_ns));
	while (ready < 0 && errno == EINTR);
	return ready > 0;
}

/*
 * Waits for the reply until until_ns (clock_monotonic_ns(); 0 does not wait). A
 * reply replaces *reply, and *took_ns is the time that the JVM took. After a
 * reply or a failure, the child has ended.
 */
static enum thread_print_state
thread_print_wait(struct thread_print *p, int64_t until_ns, struct text *reply,
		  int64_t *took_ns, struct error *err)
{
	enum thread_print_state state = THREAD_PRINT_FAILED;
	int fd = -1;

	if (!print_has_news(p, until_ns))
		return THREAD_PRINT_RUNS;
	if (helper_process_wait(&p->child, until_ns, &fd, err) == CHILD_DONE &&
	    fd >= 0 && print_take(fd, reply, took_ns, err) == 0)
		state = THREAD_PRINT_DONE;
	if (fd >= 0)
		close(fd);
	helper_process_end(&p->child);
	p->runs = false;
	return state;
}

/* Ends the child if it runs. Zeroed storage is allowed. */
static void thread_print_stop(struct thread_print *p)
{
	if (!p->runs)
		return;
	child_end(&p->child, 0);
	p->runs = false;
}

#define OFTEN_NS      (10 * CLOCK_NS_PER_S)
#define SELDOM_NS     (60 * CLOCK_NS_PER_S)
#define LONG_PAUSE_NS (50 * CLOCK_NS_PER_MS)
#define KEEP_NS       CLOCK_NS_PER_S /* maximum age of a text that is used again */
/*
 * Minimum time between compared dumps, since allocation grows in steps of up to
 * 1 MiB.
 */
#define APART_NS (5 * CLOCK_NS_PER_S)

struct thread_dumps {
	const struct jvm *jvm;
	bool asks;
	int64_t timeout_ns;
	struct thread_print print;
	struct thread_names *names; /* NULL until the first dump */
	struct thread_names *before;
	int64_t before_boot_ns; /* when `before` arrived */
	int64_t asked_boot_ns, came_boot_ns;
	/*
	 * Samples borrow the names, so new names replace them with the next
	 * sample.
	 */
	struct thread_names *coming;
	int64_t coming_asked_ns, coming_came_ns;
	bool is_new;           /* not yet reported by thread_dumps_take() */
	struct text text;      /* of the last dump, kept for a while */
	int64_t came_ns;       /* when the text arrived */
	int64_t next_boot_ns;  /* the dump in progress */
	int64_t not_before_ns; /* earliest time of the next dump */
	int64_t safepoint_ns;  /* value at the request; -1 = unknown */
	int64_t took_ns;
	bool has_failed;
	struct error problem;
};

struct thread_dumps *thread_dumps_new(const struct jvm *jvm, bool asks,
				      int64_t timeout_ns)
{
	struct thread_dumps *d = xcalloc(1, sizeof(*d));

	d->jvm = jvm;
	d->asks = asks;
	d->timeout_ns = timeout_ns;
	return d;
}

void thread_dumps_free(struct thread_dumps *d)
{
	if (!d)
		return;
	thread_print_stop(&d->print);
	thread_names_free(d->names);
	thread_names_free(d->before);
	thread_names_free(d->coming);
	text_release(&d->text);
	free(d);
}

bool thread_dumps_awaits(const struct thread_dumps *d) { return d->print.runs; }

/* True unless the first dump has failed. */
static bool dumps_may_ask(const struct thread_dumps *d)
{
	return d->asks && (d->names || !d->has_failed);
}

static int dumps_start(struct thread_dumps *d, int64_t safepoint_ns)
{
	d->next_boot_ns = clock_boot_ns();
	d->not_before_ns = clock_monotonic_ns() + SELDOM_NS;
	d->safepoint_ns = safepoint_ns;
	if (thread_print_start(&d->print, d->jvm, d->timeout_ns, &d->problem) ==
	    0)
		return 0;
	d->has_failed = true;
	return -1;
}

bool thread_dumps_ask(struct thread_dumps *d, int64_t safepoint_ns)
{
	if (!dumps_may_ask(d) || d->print.runs ||
	    clock_monotonic_ns() < d->not_before_ns)
		return false;
	return dumps_start(d, safepoint_ns) == 0;
}

/*
 * Bounds the pause by the safepoint time, because on a busy machine the call
 * takes longer than the pause.
 */
static int64_t dumps_pause(const struct thread_dumps *d, int64_t safepoint_ns)
{
	int64_t still = safepoint_ns - d->safepoint_ns;

	if (d->safepoint_ns < 0 || safepoint_ns < 0 || still > d->took_ns)
		return d->took_ns;
	return still;
}

/*
 * Makes the new names current, and the current names the ones to compare with
 * if these are old enough.
 */
static void dumps_take_names(struct thread_dumps *d)
{
	struct thread_names *old = d->names;

	if (old && d->coming_came_ns - d->came_boot_ns >= APART_NS) {
		old = d->before;
		d->before = d->names;
		d->before_boot_ns = d->came_boot_ns;
	}
	d->names = d->coming;
	d->coming = old;
	d->asked_boot_ns = d->coming_asked_ns;
	d->came_boot_ns = d->coming_came_ns;
}

static void dumps_accept(struct thread_dumps *d)
{
	if (!d->coming)
		d->coming = thread_names_new();
	thread_names_read(d->coming, d->text.bytes, d->text.len);
	d->is_new = true;
	d->has_failed = false;
	d->coming_asked_ns = d->next_boot_ns;
	d->coming_came_ns = clock_boot_ns();
	d->came_ns = clock_monotonic_ns();
}

/* Reads the reply if it arrives by until_ns. */
static void dumps_await(struct thread_dumps *d, int64_t until_ns)
{
	struct text reply = { 0 };

	switch (thread_print_wait(&d->print, until_ns, &reply, &d->took_ns,
				  &d->problem)) {
	case THREAD_PRINT_RUNS:
		break;
	case THREAD_PRINT_DONE:
		text_release(&d->text);
		d->text = reply;
		dumps_accept(d);
		return;
	case THREAD_PRINT_FAILED:
		d->has_failed = true;
		break;
	}
	text_release(&reply);
}

bool thread_dumps_take(struct thread_dumps *d, int64_t until_ns,
		       int64_t safepoint_ns)
{
	bool is_new;

	if (d->print.runs)
		dumps_await(d, until_ns);
	if (d->text.bytes && clock_monotonic_ns() - d->came_ns > KEEP_NS)
		text_release(&d->text);
	is_new = d->is_new;
	if (is_new) {
		dumps_take_names(d);
		d->not_before_ns = d->came_ns +
				   (dumps_pause(d, safepoint_ns) > LONG_PAUSE_NS
					    ? SELDOM_NS
					    : OFTEN_NS);
	}
	d->is_new = false;
	return is_new;
}

const struct thread_names *thread_dumps_names(const struct thread_dumps *d)
{
	return d->names;
}

const struct thread_names *thread_dumps_before(const struct thread_dumps *d,
					       int64_t *came_boot_ns)
{
	*came_boot_ns = d->before_boot_ns;
	return d->before;
}

void thread_dumps_times(const struct thread_dumps *d, int64_t *asked_boot_ns,
			int64_t *came_boot_ns, int64_t *came_ns)
{
	*asked_boot_ns = d->asked_boot_ns;
	*came_boot_ns = d->came_boot_ns;
	*came_ns = d->came_ns;
}

const char *thread_dumps_problem(const struct thread_dumps *d)
{
	return d->has_failed ? d->problem.text : NULL;
}

const struct text *thread_dumps_text(struct thread_dumps *d, int64_t since_ns,
				     struct error *err)
{
	int64_t now = clock_monotonic_ns();

	if (d->text.bytes && now - d->came_ns <= KEEP_NS &&
	    d->came_ns >= since_ns)
		return &d->text;
	if (!d->asks) {
		fail(err, ERROR_UNAVAILABLE, "attaching is disabled");
		return NULL;
	}
	text_release(&d->text);
	if (d->print.runs || (dumps_may_ask(d) && dumps_start(d, -1) == 0))
		dumps_await(d, now + 2 * d->timeout_ns);
	if (d->text.bytes)
		return &d->text;
	if (d->has_failed)
		*err = d->problem;
	else
		fail(err, ERROR_REFUSED, "%d: no reply within %lld s",
		     (int)d->jvm->pid,
		     (long long)(2 * d->timeout_ns / CLOCK_NS_PER_S));
	return NULL;
}

/* ---- parts of the text of a dump: one thread, deadlocks ---- */

/* Finding the owner of a lock requires a walk over the dump. */
#define MOST_OWNERS 8

static const char state_line[] = "   java.lang.Thread.State: ";

static struct line line_after(struct line line, size_t len)
{
	return (struct line){ line.text + len, line.len - len };
}

static void text_add_safe(struct text *out, struct line line)
{
	safe_text(out, line.text, line.len);
}

/* A name reads "name" #12. */
static void text_add_name(struct text *out, const struct dump_header *h)
{
	text_putc(out, '"');
	safe_text(out, h->name, h->name_len);
	text_putc(out, '"');
	if (h->java_id)
		text_printf(out, " #%lld", (long long)h->java_id);
}

/* Returns the "<0x…>" of a line about a lock; empty if there is none. */
static struct line line_address(struct line line)
{
	const char *open = memmem(line.text, line.len, "<0x", 3);
	const char *close;

	if (!open)
		return (struct line){ line.text, 0 };
	line = line_after(line, (size_t)(open - line.text));
	close = memchr(line.text, '>', line.len);
	line.len = close ? (size_t)(close - line.text) + 1 : 0;
	return line;
}

static bool line_is_of(struct line line, const char *start, struct line address)
{
	struct line rest;

	if (!line_starts(line, start))
		return false;
	rest = line_after(line, strlen(start));
	return rest.len >= address.len &&
	       memcmp(rest.text, address.text, address.len) == 0;
}

/*
 * True if a thread holds a lock: it has locked it and is not waiting on it,
 * which would release it; or the lock is in the list that -l adds.
 */
static bool block_holds(const struct dump_block *b, struct line address)
{
	static const char *const waits[] = {
		"\t- waiting on ",
		"\t- waiting to lock ",
		"\t- waiting to re-lock in wait() ",
	};
	struct lines body = b->body;
	struct line line;
	bool has_it = false;

	while (lines_next(&body, &line)) {
		if (line_is_of(line, "\t- locked ", address) ||
		    line_is_of(line, "\t- ", address))
			has_it = true;
		for (size_t i = 0; i < sizeof(waits) / sizeof(*waits); i++) {
			if (line_is_of(line, waits[i], address))
				return false;
		}
	}
	return has_it;
}

static void text_add_owner(struct text *out, struct dump_blocks blocks,
			   struct line address)
{
	struct dump_block b;

	while (dump_blocks_next(&blocks, &b)) {
		if (block_holds(&b, address)) {
			text_puts(out, ", held by ");
			text_add_name(out, &b.header);
			return;
		}
	}
}

static bool line_waits_for_lock(struct line line)
{
	return line_starts(line, "\t- waiting to lock ") ||
	       line_starts(line, "\t- waiting to re-lock in wait() ") ||
	       line_starts(line, "\t- parking to wait for ");
}

static void text_add_state(struct text *out, struct lines body)
{
	struct line line;

	while (lines_next(&body, &line) && line_starts(line, "   ")) {
		if (line_starts(line, state_line)) {
			text_putc(out, ' ');
			text_add_safe(out,
				      line_after(line, sizeof(state_line) - 1));
			return;
		}
	}
}

static void text_add_block(struct text *out, const struct dump_block *b,
			   struct dump_blocks all)
{
	struct lines body = b->body;
	struct line line;
	int owners = 0;

	text_add_name(out, &b->header);
	text_add_state(out, body);
	text_putc(out, '\n');
	while (lines_next(&body, &line)) {
		struct line trimmed = line_trimmed(line);

		if (!trimmed.len || line_starts(line, state_line))
			continue;
		text_puts(out, line.text[0] == '\t' ? "    " : "  ");
		text_add_safe(out, trimmed);
		if (line_waits_for_lock(line) && line_address(line).len &&
		    owners++ < MOST_OWNERS)
			text_add_owner(out, all, line_address(line));
		text_putc(out, '\n');
	}
}

bool thread_text_stack(const char *reply, size_t len, pid_t ns_tid,
		       int64_t java_id, struct text *out)
{
	struct dump_blocks all = dump_blocks_over(reply, len);
	struct dump_blocks blocks = all;
	struct dump_block b;

	while (dump_blocks_next(&blocks, &b)) {
		if (b.header.os_id == ns_tid &&
		    (!java_id || b.header.java_id == java_id)) {
			text_add_block(out, &b, all);
			return true;
		}
	}
	return false;
}

/* Like in stack traces, "waiting to lock monitor 0x… (object 0x…, a c.D),". */
static bool text_add_monitor(struct text *out, struct line line)
{
	static const char start[] = "waiting to lock monitor ";
	static const char object[] = "(object ";
	const char *from, *comma;

	from = line_starts(line, start)
		       ? memmem(line.text, line.len, object, sizeof(object) - 1)
		       : NULL;
	if (!from)
		return false;
	line = line_after(line,
			  (size_t)(from - line.text) + sizeof(object) - 1);
	comma = memchr(line.text, ',', line.len);
	if (!comma)
		return false;
	text_puts(out, "waiting to lock <");
	safe_text(out, line.text, (size_t)(comma - line.text));
	text_puts(out, "> (");
	text_add_safe(out, line_trimmed(line_after(
				   line, (size_t)(comma - line.text) + 1)));
	return true;
}

/* Appends a line of the section; unknown lines are not omitted. */
static void text_add_deadlock_line(struct text *out, struct line line)
{
	struct line body = line_trimmed(line);

	if (!body.len || line_starts(body, "====="))
		return;
	if (line_starts(line, "\"")) {
		text_puts(out, "  ");
	} else if (line_starts(line, "Java stack information")) {
		text_puts(out, "Stack traces:\n");
		return;
	} else {
		text_puts(out, "    ");
	}
	if (line_ends(body, ","))
		body.len--;
	if (!text_add_monitor(out, body))
		text_add_safe(out, body);
	text_putc(out, '\n');
}

/* The section ends with "Found 2 deadlocks." */
static bool line_ends_deadlocks(struct line line)
{
	size_t word = strlen("Found ");

	return line_starts(line, "Found ") && line.len > word &&
	       is_digit(line.text[word]);
}

void thread_text_deadlocks(const char *reply, size_t len, struct text *out)
{
	struct dump_blocks blocks = dump_blocks_over(reply, len);
	struct dump_block unused;
	struct line line;
	unsigned number = 0;

	while (dump_blocks_next(&blocks, &unused))
		;
	while (lines_next(&blocks.rest, &line) && !line_ends_deadlocks(line)) {
		if (line_starts(line, "Found one Java-level deadlock")) {
			text_puts(out, number++ ? "\n" : "");
			text_printf(out, "Deadlock %u:\n", number);
		} else if (number) {
			text_add_deadlock_line(out, line);
		}
	}
}
