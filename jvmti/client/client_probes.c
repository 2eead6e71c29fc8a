/* SPDX-License-Identifier: Apache-2.0 */
#include "jvmti/client/client_probes.h"

#include "core/base/alloc.h"
#include "core/base/arena.h"
#include "core/base/clock.h"
#include "core/base/cursor.h"
#include "core/base/saturate.h"
#include "core/jvm/opener.h"
#include "core/jvm/procfs.h"
#include "jvmti/client/client_fences.h"
#include "jvmti/client/client_library.h"
#include "jvmti/client/client_session.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/magic.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#define RECORD_MOST   ((size_t)4 << 20)   /* bytes of a record */
#define PENDING_MOST  ((size_t)16 << 20)  /* bytes of calls not yet passed on */
#define NAMES_MOST    ((size_t)256 << 20) /* bytes of the names of a list */
#define METHODS_MOST  ((size_t)1 << 20)
#define KINDS         64 /* classes of exceptions */
#define LEASE_NS      (30 * CLOCK_NS_PER_S)
#define ARM_NS        (120 * CLOCK_NS_PER_S) /* 1,000 classes take 14 s */
#define END_NS        (20 * CLOCK_NS_PER_S)
#define STOPPED_NS    (2 * CLOCK_NS_PER_S) /* waits for a stopped JVM */
#define AFTER_STOP_NS (CLOCK_NS_PER_S / 2)
#define WAIT_NS       (50 * CLOCK_NS_PER_MS)
#define CALLS_PER_S   100
/* HotSpot's HugeMethodLimit, a constant of product builds. */
#define HUGE_METHOD 8000

struct probes {
	struct client_session session;
	struct probe_control *control; /* shared; its head is the agent's */
	uint8_t *memory;
	size_t size;
	uint32_t first_id, ids, used_ids;
	size_t slots_at;
	int64_t timeout_ns;
	int stop_fd;        /* -1 = none */
	int64_t stopped_at; /* when stop_fd became readable; 0 = not yet */
	uint32_t limit;
	/* The list. */
	struct arena names;
	struct probe_class *classes;
	struct probe_method *methods;
	size_t class_count, class_cap, method_count, method_cap;
	uint32_t last_number; /* of the class of the last record + 1 */
	bool is_cut;
	/* Armed methods by id - first_id: index + 1. */
	uint32_t *by_id;
	struct arena kind_names;
	const char *kinds[KINDS];
	struct text pending; /* records of calls */
	uint64_t dropped;
	bool is_armed;
	int64_t stopped_ns; /* since when the JVM is stopped; 0 = it runs */
	struct agent_directory published; /* zeroes = none */
};

/* ---- records ---- */

static void list_clear(struct probes *p)
{
	p->class_count = p->method_count = 0;
	p->last_number = 0;
	p->is_cut = false;
	arena_release(&p->names);
}

static void list_take_method(struct probes *p, struct cursor *r)
{
	struct probe_method m = {
		.class = (uint32_t)p->class_count - 1,
		.id = -1,
	};

	m.access = (uint16_t)cursor_varint(r);
	m.refusal = cursor_u8(r);
	m.name = probe_record_text(r, &p->names);
	m.descriptor = probe_record_text(r, &p->names);
	if (!cursor_ok(r) || m.refusal >= PROBE_REFUSALS)
		return;
	array_add(p->methods, p->method_count, p->method_cap, m);
	p->classes[p->class_count - 1].methods++;
}

static void list_add_class(struct probes *p, const struct probe_class *c)
{
	array_reserve(p->classes, p->class_cap, p->class_count + 1);
	p->classes[p->class_count] = *c;
	p->classes[p->class_count].first = (uint32_t)p->method_count;
	p->class_count++;
}

/* A class, or more methods of the class of the record before. */
static void list_take_class(struct probes *p, struct cursor *r)
{
	uint64_t number = cursor_varint(r);
	struct probe_class c = { 0 };
	size_t methods;

	c.signature = probe_record_text(r, &p->names);
	c.loader_id = (uint32_t)cursor_varint(r);
	c.loader = probe_record_name(&p->names,
				     probe_record_text(r, &p->names));
	c.access = (uint16_t)cursor_varint(r);
	c.flags = cursor_u8(r);
	methods = cursor_count(r, 4);
	if (!cursor_ok(r) || p->names.total > NAMES_MOST ||
	    p->method_count + methods > METHODS_MOST) {
		p->is_cut = true;
		return;
	}
	/* The numbers of the agent are those of this list. */
	if (!p->class_count || number + 1 != p->last_number) {
		if (number != p->class_count) {
			p->is_cut = true;
			return;
		}
		c.name = probe_record_name(&p->names, c.signature);
		list_add_class(p, &c);
		p->last_number = (uint32_t)number + 1;
	}
	while (methods--)
		list_take_method(p, r);
}

static struct probe_method *probes_find_id(const struct probes *p, uint64_t id)
{
	uint32_t index;

	if (id < p->first_id || id - p->first_id >= p->ids)
		return NULL;
	index = p->by_id[id - p->first_id];
	return index && index <= p->method_count ? &p->methods[index - 1]
						 : NULL;
}

static void probes_take_result(struct probes *p, struct cursor *r)
{
	struct probe_method *m = probes_find_id(p, cursor_varint(r));
	uint64_t refusal = cursor_varint(r), code = cursor_varint(r);

	if (!m || !cursor_ok(r) || refusal >= PROBE_REFUSALS)
		return;
	m->refusal = (enum probe_refusal)refusal;
	m->code = (int32_t)code;
	if (refusal)
		m->id = -1;
}

static void probes_take_kind(struct probes *p, struct cursor *r)
{
	uint64_t kind = cursor_varint(r);

	if (cursor_ok(r) && kind < KINDS && !p->kinds[kind])
		p->kinds[kind] = probe_record_name(
			&p->kind_names, probe_record_text(r, &p->kind_names));
}

static void probes_take_record(struct probes *p, const uint8_t *bytes,
			       size_t len)
{
	struct cursor r = cursor_over(bytes, len);

	switch (cursor_u8(&r)) {
	case PROBE_RECORD_CLASS:
		list_take_class(p, &r);
		break;
	case PROBE_RECORD_METHOD:
		probes_take_result(p, &r);
		break;
	case PROBE_RECORD_KIND:
		probes_take_kind(p, &r);
		break;
	case PROBE_RECORD_CALL:
		if (p->pending.len + len > PENDING_MOST) {
			p->dropped++;
			break;
		}
		text_varint(&p->pending, len);
		text_add(&p->pending, bytes, len);
		break;
	default:
		break;
	}
}

static bool probes_take(void *self, const void *bytes, size_t len,
			size_t *taken)
{
	struct cursor all = cursor_over(bytes, len);

	*taken = 0;
	while (cursor_left(&all) >= 4) {
		uint32_t size = cursor_u32(&all);
		const uint8_t *record;

		if (size == 0 || size > RECORD_MOST)
			return false;
		if (size > cursor_left(&all))
			break;
		record = cursor_bytes(&all, size);
		probes_take_record(self, record, size);
		*taken = cursor_offset(&all);
	}
	return true;
}

static int probes_read_records(struct probes *p, struct error *err)
{
	const struct client_sink sink = { probes_take, p };

	if (client_stream_read_into(&p->session.stream, &sink, err))
		return fail_in(err, "%d", (int)p->session.jvm->pid);
	return 0;
}

/* ---- the session ---- */

static long probes_futex(uint32_t *word, int operation, uint32_t value,
			 int64_t wait_ns)
{
	struct timespec wait = { .tv_sec = wait_ns / CLOCK_NS_PER_S,
				 .tv_nsec = wait_ns % CLOCK_NS_PER_S };

	return syscall(SYS_futex, word, operation, value, &wait, NULL, 0);
}

static uint32_t probes_load(const uint32_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/*
 * Maps the memory.  Its size is sealed, so an access never fails, whatever the
 * JVM's user does.
 */
static int probes_map_memory(struct probes *p, int fd, struct error *err)
{
	const int seals = F_SEAL_SHRINK | F_SEAL_GROW;
	struct stat st;
	void *memory;

	if (fstat(fd, &st) < 0 || (fcntl(fd, F_GET_SEALS) & seals) != seals ||
	    st.st_size < PROBE_BASE ||
	    st.st_size > PROBE_BASE + (off_t)PROBE_MAX * PROBE_SLOT)
		return fail(err, ERROR_REFUSED,
			    "the sjkc agent's memory is not as expected");
	memory = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE,
		      MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		return fail_sys(err, ERROR_REFUSED,
				"cannot map the sjkc agent's memory");
	p->memory = memory;
	p->size = (size_t)st.st_size;
	p->control = memory;
	return 0;
}

/* Copies what must not change later, within the bounds of the memory. */
static int probes_read_control(struct probes *p, struct error *err)
{
	const struct probe_control *c = p->control;

	p->first_id = c->first_id;
	p->ids = c->ids;
	p->slots_at = c->slots_at;
	if (c->magic != PROBE_MAGIC || c->version != PROBE_VERSION ||
	    p->first_id > PROBE_MAX || p->ids > PROBE_MAX - p->first_id ||
	    p->slots_at != PROBE_BASE ||
	    p->size < PROBE_BASE + (size_t)p->ids * PROBE_SLOT)
		return fail(err, ERROR_REFUSED,
			    "the sjkc agent's memory is not as expected");
	p->by_id = xcalloc(p->ids, sizeof(*p->by_id));
	return 0;
}

/*
 * Opens the memory by the descriptor of the JVM. Opening another file could
 * have effects or block, and the JVM can replace the descriptor at any time, so
 * the file is held first. A file of any name can be in the root of a container,
 * so only an unlinked file in memory is opened. Runs in the opener.
 */
static int probes_open_job(const struct jvm *jvm, void *number,
			   struct error *err)
{
	char path[64], link[64] = "";
	struct statfs fs;
	struct stat st;
	int fd = -1, held;

	snprintf(path, sizeof(path), "fd/%u", *(uint32_t *)number);
	held = procfs_open(jvm->pid, path, O_PATH, err);
	if (held < 0)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", held);
	if (readlink(path, link, sizeof(link) - 1) > 0 &&
	    strncmp(link, "/memfd:sjkc-probes", 18) == 0 &&
	    fstatfs(held, &fs) == 0 && fs.f_type == TMPFS_MAGIC &&
	    fstat(held, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink == 0)
		fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	close(held);
	return fd >= 0 ? fd
		       : fail(err, ERROR_REFUSED,
			      "%d: cannot open the sjkc agent's memory",
			      (int)jvm->pid);
}

static int probes_open_memory(struct probes *p, struct error *err)
{
	const struct jvm *jvm = p->session.jvm;
	uint32_t number = p->session.stream.report.probes_fd - 1;
	struct opening o = {
		.jvm = jvm,
		.job = probes_open_job,
		.argument = &number,
		.size = sizeof(number),
		.place = OPENER_ROOT,
	};
	int fd = opener_run(&o, err), ret;

	if (fd < 0)
		return -1;
	ret = probes_map_memory(p, fd, err);
	close(fd);
	if (ret == 0)
		ret = probes_read_control(p, err);
	return ret ? fail_in(err, "%d", (int)jvm->pid) : 0;
}

static int probes_check_build(const struct jvm *jvm, struct error *err)
{
	struct jvm_info about;
	struct text why = { 0 };
	int ret = 0;

	if (jvm_info(jvm, &about, error_unused()))
		return 0;
	if (!agent_probes_are_safe(&about, &why))
		ret = fail(err, ERROR_UNAVAILABLE,
			   "%d: no probes in this JVM: %s", (int)jvm->pid,
			   why.bytes);
	text_release(&why);
	jvm_info_release(&about);
	return ret;
}

struct probes *probes_open(const struct jvm *jvm,
			   const struct probes_options *o, struct error *err)
{
	struct probes *p = xcalloc(1, sizeof(*p));
	const struct client_loading loading = {
		.timeout_ns = o->timeout_ns,
		.before_load = o->before_load,
		.self = o->self,
		.prepare = true,
	};
	int64_t lease_ns = o->lease_ns ? o->lease_ns : LEASE_NS;
	const struct probes_limits limits = { .calls_per_s = CALLS_PER_S };

	p->timeout_ns = o->timeout_ns;
	p->stop_fd = -1;
	p->limit = o->limit < PROBE_MAX ? o->limit : PROBE_MAX;
	client_stream_init(&p->session.stream, AGENT_PROBES, UINT64_MAX);
	p->session.stream.orders.probes = p->limit;
	if ((!o->ignore_bugs && probes_check_build(jvm, err)) ||
	    client_session_open(&p->session, jvm, &loading, err) ||
	    probes_open_memory(p, err)) {
		probes_close(p);
		return NULL;
	}
	p->control->lease_ms = (uint32_t)(lease_ns / CLOCK_NS_PER_MS);
	p->control->code_limit = client_code_limit(jvm, o->timeout_ns);
	p->control->follows = o->follows;
	probes_set_limits(p, &limits);
	return p;
}

/*
 * Returns true for a JVM that a signal or a debugger has stopped for a while:
 * its agent responds only when it continues.
 */
static bool probes_is_stopped(struct probes *p)
{
	int64_t now = clock_monotonic_ns();
	struct proc_stat stat;

	if (procfs_stat(p->session.jvm->pid, &stat, error_unused()) ||
	    (stat.state != 'T' && stat.state != 't'))
		p->stopped_ns = 0;
	else if (!p->stopped_ns)
		p->stopped_ns = now;
	return p->stopped_ns && now - p->stopped_ns > STOPPED_NS;
}

void probes_stop_by(struct probes *p, int fd) { p->stop_fd = fd; }

/* Returns true when the time to wait after a stop has passed. */
static bool probes_has_waited(struct probes *p)
{
	struct pollfd stop = { .fd = p->stop_fd, .events = POLLIN };

	if (!p->stopped_at && poll(&stop, 1, 0) > 0)
		p->stopped_at = clock_monotonic_ns();
	return p->stopped_at &&
	       clock_monotonic_ns() - p->stopped_at > AFTER_STOP_NS;
}

/* Waits until the agent sleeps; it takes probes back even without waiting. */
static void probes_end(struct probes *p)
{
	int64_t until = clock_monotonic_ns() + END_NS;
	struct probe_control *c = p->control;

	if (!c)
		return;
	__atomic_store_n(&c->is_over, 1, __ATOMIC_RELEASE);
	probes_futex(&c->request, FUTEX_WAKE, INT_MAX, 0);
	while (probes_load(&c->state) != PROBE_ENDED &&
	       jvm_runs(p->session.jvm) && !probes_is_stopped(p) &&
	       !probes_has_waited(p) && clock_monotonic_ns() < until)
		clock_sleep_until(clock_monotonic_ns() + CLOCK_NS_PER_MS);
	/* No need to stop the agent by an attach operation. */
	p->session.stream.report.state = AGENT_STOPPED;
}

void probes_close(struct probes *p)
{
	if (!p)
		return;
	probes_end(p);
	agent_directory_remove(&p->published);
	client_session_close(&p->session);
	if (p->memory)
		munmap(p->memory, p->size);
	list_clear(p);
	free(p->classes);
	free(p->methods);
	free(p->by_id);
	arena_release(&p->kind_names);
	text_release(&p->pending);
	free(p);
}

/* ---- requests ---- */

static int probes_check_state(struct probes *p, struct error *err)
{
	static const char *const reasons[] = {
		[PROBE_END_NONE] = "of an unknown reason",
		[PROBE_END_STOPPED] = "another sjkc stopped it",
		[PROBE_END_GONE] = "the lock on its file has gone",
		[PROBE_END_LEASE] = "sjkc was stopped for too long",
		[PROBE_END_FAILED] = "it failed",
	};
	uint32_t end = p->control->end;

	if (!jvm_runs(p->session.jvm))
		return fail(err, ERROR_NO_TARGET, "%d: the JVM has exited",
			    (int)p->session.jvm->pid);
	if (probes_load(&p->control->state) != PROBE_ENDED)
		return 0;
	return fail(err, ERROR_REFUSED,
		    "%d: the sjkc agent removed the instrumentation: %s",
		    (int)p->session.jvm->pid,
		    reasons[end <= PROBE_END_FAILED ? end : 0]);
}

static int probes_explain(const struct probes *p, struct error *err)
{
	static const char *const steps[] = {
		[PROBE_AT_NOTHING] = "?",
		[PROBE_AT_REQUEST] = "its request",
		[PROBE_AT_CLASSES] = "GetLoadedClasses",
		[PROBE_AT_MEMORY] = "mmap",
		[PROBE_AT_HOOK] = "SetEventNotificationMode",
		[PROBE_AT_RETRANSFORM] = "RetransformClasses",
		[PROBE_AT_TRACE] = "DefineClass",
		[PROBE_AT_LIBRARY] = "mapping the library of probes",
		[PROBE_AT_LOCK] = "waiting for a thread that loads a class",
	};
	uint32_t step = p->control->step;

	if (step == PROBE_AT_NOTHING)
		return 0;
	if (step == PROBE_AT_TRACE)
		return fail(err, ERROR_REFUSED,
			    "%d: cannot publish methods: the JVM refused the "
			    "class SjkcTrace, or has one of another version of "
			    "sjkc",
			    (int)p->session.jvm->pid);
	return fail(err, ERROR_REFUSED, "%d: the sjkc agent failed: %s: %d",
		    (int)p->session.jvm->pid,
		    steps[step <= PROBE_AT_LOCK ? step : 0],
		    (int)p->control->code);
}

/* Sends a request and waits until it is executed; reads records meanwhile. */
static int probes_request(struct probes *p, enum probe_request kind,
			  const struct text *contents, int64_t timeout_ns,
			  struct error *err)
{
	int64_t until = clock_after(clock_monotonic_ns(), timeout_ns);
	struct probe_control *c = p->control;
	uint32_t number = c->request + 1;
	bool has_waited;

	if (contents && contents->len > PROBE_REQUEST)
		return fail(err, ERROR_MISUSE,
			    "the request is too long: use fewer patterns or "
			    "methods");
	if (contents && contents->len)
		memcpy(p->memory + PROBE_CONTROL, contents->bytes,
		       contents->len);
	c->kind = kind;
	c->len = contents ? (uint32_t)contents->len : 0;
	__atomic_store_n(&c->request, number, __ATOMIC_RELEASE);
	probes_futex(&c->request, FUTEX_WAKE, INT_MAX, 0);
	for (;;) {
		uint32_t answered = probes_load(&c->answered);

		__atomic_fetch_add(&c->beat, 1, __ATOMIC_RELAXED);
		if (probes_read_records(p, err))
			return -1;
		if (answered == number)
			return probes_explain(p, err);
		if (probes_check_state(p, err))
			return -1;
		has_waited = probes_has_waited(p);
		if (probes_is_stopped(p) || (has_waited && p->stopped_ns))
			return fail(err, ERROR_REFUSED,
				    "%d: the JVM is stopped; continue it by "
				    "SIGCONT",
				    (int)p->session.jvm->pid);
		if (has_waited)
			return fail(
				err, ERROR_REFUSED,
				"%d: the JVM did not let the sjkc agent work "
				"before sjkc was stopped",
				(int)p->session.jvm->pid);
		if (clock_monotonic_ns() > until)
			return fail(err, ERROR_REFUSED,
				    "%d: the sjkc agent does not respond",
				    (int)p->session.jvm->pid);
		probes_futex(&c->answered, FUTEX_WAIT, answered, WAIT_NS);
	}
}

static void request_u2(struct text *t, unsigned value)
{
	text_putc(t, (char)(value >> 8));
	text_putc(t, (char)value);
}

static void request_u4(struct text *t, uint32_t value)
{
	request_u2(t, value >> 16);
	request_u2(t, value & 0xffff);
}

/* Adds a string; the agent's names have slashes. */
static void request_text(struct text *t, const char *string, bool is_class)
{
	size_t len = strlen(string);

	if (len > UINT16_MAX)
		len = UINT16_MAX;
	request_u2(t, (unsigned)len);
	for (size_t i = 0; i < len; i++)
		text_putc(t, is_class && string[i] == '.' ? '/' : string[i]);
}

int probes_list(struct probes *p, const struct probe_pattern *patterns,
		size_t count, struct error *err)
{
	uint64_t lost = p->session.stream.report.lost;
	struct text request = { 0 };
	int ret;

	if (p->is_armed)
		return fail(err, ERROR_MISUSE, "methods are instrumented");
	list_clear(p);
	memset(p->by_id, 0, p->ids * sizeof(*p->by_id));
	request_u2(&request, (unsigned)count);
	for (size_t i = 0; i < count; i++) {
		text_putc(&request,
			  patterns[i].with_subtypes ? PROBE_SUBTYPES : 0);
		request_text(&request, patterns[i].class_name, true);
		request_text(&request, patterns[i].method, false);
	}
	ret = probes_request(p, PROBE_LIST, &request, p->timeout_ns, err);
	text_release(&request);
	if (ret == 0 && (p->is_cut || p->session.stream.report.lost != lost))
		return fail(err, ERROR_PARTIAL,
			    "%d: the list of methods is incomplete",
			    (int)p->session.jvm->pid);
	return ret;
}

size_t probes_classes(const struct probes *p) { return p->class_count; }

size_t probes_methods(const struct probes *p) { return p->method_count; }

const struct probe_class *probes_class(const struct probes *p, size_t index)
{
	return &p->classes[index];
}

const struct probe_method *probes_method(const struct probes *p, size_t index)
{
	return &p->methods[index];
}

/* ---- arming ---- */

static int64_t *probes_threshold(struct probes *p, int32_t id)
{
	return (int64_t *)(p->memory + PROBE_BASE) - 1 - id;
}

void probes_set_limits(struct probes *p, const struct probes_limits *limits)
{
	p->control->calls_per_s = limits->calls_per_s;
	/* The agent adds tokens per tick; the first calls end before a tick. */
	__atomic_store_n(&p->control->tokens, limits->calls_per_s,
			 __ATOMIC_RELAXED);
	p->control->stack_every = limits->stack_every;
}

/* Gives a method an id and adds it to the request. */
static void probes_add_wish(struct probes *p, const struct probe_wish *wish,
			    struct text *request)
{
	struct probe_method *m = &p->methods[wish->method];
	uint32_t slot = p->used_ids++;

	m->id = (int32_t)(p->first_id + slot);
	m->mode = wish->mode;
	p->by_id[slot] = wish->method + 1;
	__atomic_store_n(probes_threshold(p, m->id), wish->threshold_ns,
			 __ATOMIC_RELAXED);
	request_u4(request, m->class);
	request_u2(request, (unsigned)m->id);
	text_putc(request, (char)m->mode);
	request_text(request, m->name, false);
	request_text(request, m->descriptor, false);
}

static int wish_compare(const void *a, const void *b)
{
	const struct probe_wish *x = a, *y = b;

	return x->method < y->method ? -1 : x->method > y->method;
}

/*
 * Sorts the wishes, which sorts them by class, and drops repeated methods and
 * those that cannot be armed.
 */
static size_t probes_sort_wishes(const struct probes *p,
				 struct probe_wish *wishes, size_t count,
				 uint32_t *refused)
{
	size_t kept = 0;

	qsort(wishes, count, sizeof(*wishes), wish_compare);
	for (size_t i = 0; i < count; i++) {
		uint32_t method = wishes[i].method;

		if (method >= p->method_count ||
		    (kept && wishes[kept - 1].method == method))
			continue;
		if (p->methods[method].refusal != PROBE_ARMED) {
			++*refused;
			continue;
		}
		wishes[kept++] = wishes[i];
	}
	return kept;
}

static void probes_count_armed(const struct probes *p,
			       const struct probe_wish *wishes, size_t count,
			       struct probes_armed *armed)
{
	uint32_t last = UINT32_MAX;

	for (size_t i = 0; i < count; i++) {
		const struct probe_method *m = &p->methods[wishes[i].method];

		if (m->refusal != PROBE_ARMED) {
			armed->refused++;
			continue;
		}
		armed->methods++;
		armed->classes += m->class != last;
		last = m->class;
	}
	armed->retransform_ns = (int64_t)p->control->retransform_ns;
}

static int probes_arm_sorted(struct probes *p, const struct probe_wish *wishes,
			     size_t count, struct probes_armed *armed,
			     struct error *err)
{
	struct text request = { 0 };
	int ret;

	request_u4(&request, (uint32_t)count);
	for (size_t i = 0; i < count; i++)
		probes_add_wish(p, &wishes[i], &request);
	p->is_armed = true;
	ret = probes_request(p, PROBE_ARM, &request, ARM_NS, err);
	text_release(&request);
	if (ret == 0)
		probes_count_armed(p, wishes, count, armed);
	return ret;
}

int probes_arm(struct probes *p, const struct probe_wish *wishes, size_t count,
	       struct probes_armed *armed, struct error *err)
{
	struct probe_wish *sorted = xmalloc(count * sizeof(*sorted));
	size_t kept;
	int ret;

	*armed = (struct probes_armed){ 0 };
	if (count)
		memcpy(sorted, wishes, count * sizeof(*sorted));
	kept = probes_sort_wishes(p, sorted, count, &armed->refused);
	if (kept > p->ids - p->used_ids)
		ret = fail(err, ERROR_MISUSE,
			   "%zu methods exceed the limit of %u", kept,
			   (unsigned)p->limit);
	else if (!kept)
		ret = fail(err, ERROR_REFUSED, "no method can be instrumented");
	else
		ret = probes_arm_sorted(p, sorted, kept, armed, err);
	free(sorted);
	if (ret == 0 && !armed->methods)
		return fail(err, ERROR_REFUSED,
			    "no method can be instrumented");
	return ret;
}

int probes_disarm(struct probes *p, int64_t *retransform_ns, struct error *err)
{
	int ret = 0;

	*retransform_ns = 0;
	if (p->is_armed)
		ret = probes_request(p, PROBE_DISARM, NULL, ARM_NS, err);
	if (ret == 0 && p->is_armed)
		*retransform_ns = (int64_t)p->control->retransform_ns;
	p->is_armed = false;
	return ret;
}

/* ---- published probes ---- */

/* Returns "com.acme.Orders.submit", the caller's. */
static char *probes_title(const struct probes *p, const struct probe_method *m)
{
	struct text title = { 0 };

	text_printf(&title, "%s.%s", p->classes[m->class].name, m->name);
	return title.bytes;
}

static int probes_write_library(const struct probes *p,
				const struct probe_name *names, size_t count,
				struct text *out, struct usdt_layout *layout,
				struct error *err)
{
	struct usdt_probe *all = xcalloc(count + 1, sizeof(*all));
	char provider[32];
	size_t used = 0;
	bool fits;

	snprintf(provider, sizeof(provider), "java%d",
		 (int)p->session.jvm->pid);
	for (size_t i = 0; i < count; i++) {
		const struct probe_method *m = &p->methods[names[i].method];

		if (m->id >= 0)
			all[used++] = (struct usdt_probe){ names[i].name,
							   probes_title(p, m),
							   (uint32_t)m->id };
	}
	fits = usdt_write(out, provider, p->first_id, all, used, layout);
	while (used)
		free((char *)all[--used].title);
	free(all);
	return fits ? 0
		    : fail(err, ERROR_FAILED,
			   "%zu methods are too many to publish; use a "
			   "narrower pattern",
			   count);
}

int probes_publish(struct probes *p, const struct probe_name *names,
		   size_t count, struct error *err)
{
	struct text library = { 0 }, request = { 0 };
	struct usdt_layout layout;
	char name[AGENT_NAMES];
	int ret;

	snprintf(name, sizeof(name), "java%d.so", (int)p->session.jvm->pid);
	ret = probes_write_library(p, names, count, &library, &layout, err);
	if (ret == 0)
		ret = agent_directory_publish(&p->published, p->session.jvm,
					      name, library.bytes, library.len,
					      err);
	if (ret == 0) {
		request_u4(&request, layout.stubs_at);
		request_u4(&request, layout.stubs_end);
		request_u4(&request, layout.semaphores_at);
		text_puts(&request, p->published.library);
		ret = probes_request(p, PROBE_PUBLISH, &request, p->timeout_ns,
				     err);
	}
	text_release(&library);
	text_release(&request);
	return ret;
}

/* ---- counts ---- */

static uint64_t slot_load(const uint64_t *slot, size_t stripe, size_t at)
{
	return __atomic_load_n(slot + stripe * PROBE_STRIPE_LONGS + at,
			       __ATOMIC_RELAXED);
}

/* Adds the classes of exceptions; what none of them has is of others. */
static void counts_add_exceptions(const struct probes *p, const uint64_t *slot,
				  struct probe_counts *out)
{
	const uint64_t *pair = slot + PROBE_STRIPES * PROBE_STRIPE_LONGS;
	uint64_t others = out->thrown;

	for (int i = 0; i < PROBE_KINDS; i++, pair += 2) {
		uint64_t kind = __atomic_load_n(pair, __ATOMIC_RELAXED);
		uint64_t count = __atomic_load_n(pair + 1, __ATOMIC_RELAXED);

		if (!kind || kind >= KINDS || !count || !p->kinds[kind])
			continue;
		others -= count < others ? count : others;
		out->exceptions
			[out->exception_count++] = (struct probe_exception){
			p->kinds[kind], count
		};
	}
	if (others)
		out->exceptions
			[out->exception_count++] = (struct probe_exception){
			NULL, others
		};
}

void probes_counts(const struct probes *p, uint32_t method,
		   struct probe_counts *out)
{
	const uint64_t *slot;
	int32_t id = method < p->method_count ? p->methods[method].id : -1;

	*out = (struct probe_counts){ 0 };
	if (id < 0)
		return;
	slot = (const uint64_t *)(p->memory + p->slots_at +
				  ((uint32_t)id - p->first_id) *
					  (size_t)PROBE_SLOT);
	for (size_t s = 0; s < PROBE_STRIPES; s++) {
		uint64_t max = slot_load(slot, s, PROBE_AT_MAX);

		for (size_t b = 0; b < PROBE_BUCKETS; b++) {
			uint64_t count = slot_load(slot, s, b);

			out->buckets[b] += count;
			out->calls += count;
		}
		out->sum_ns += slot_load(slot, s, PROBE_AT_SUM);
		out->thrown += slot_load(slot, s, PROBE_AT_THROWN);
		out->entered += slot_load(slot, s, PROBE_AT_ENTERED);
		out->skipped += slot_load(slot, s, PROBE_AT_SKIPPED);
		out->max_ns = max > out->max_ns ? max : out->max_ns;
	}
	counts_add_exceptions(p, slot, out);
}

/* ---- single calls ---- */

static bool probes_read_call(const struct probes *p, struct cursor *r,
			     struct arena *a, struct probe_call *call)
{
	const struct probe_method *m;
	uint64_t kind, id;

	if (!probe_record_call(r, a, &id, &kind, call))
		return false;
	m = probes_find_id(p, id);
	if (!m)
		return false;
	call->method = (uint32_t)(m - p->methods);
	if (kind)
		call->exception = kind < KINDS && p->kinds[kind]
					  ? p->kinds[kind]
					  : "java.lang.Throwable";
	return true;
}

/* Passes the waiting calls on. */
static void probes_pass_calls(struct probes *p, probe_call_fn *on_call,
			      void *self)
{
	struct cursor all = cursor_over(p->pending.bytes, p->pending.len);
	struct probe_call *call = xmalloc(sizeof(*call));

	while (cursor_left(&all) && cursor_ok(&all)) {
		struct cursor r = cursor_slice(&all, cursor_varint(&all));
		struct arena a = { 0 };

		if (on_call && probes_read_call(p, &r, &a, call))
			on_call(self, call);
		arena_release(&a);
	}
	text_clear(&p->pending);
	free(call);
}

int probes_read(struct probes *p, probe_call_fn *on_call, void *self,
		struct error *err)
{
	int ret;

	__atomic_fetch_add(&p->control->beat, 1, __ATOMIC_RELAXED);
	ret = probes_read_records(p, err);
	probes_pass_calls(p, on_call, self);
	if (ret)
		return -1;
	return probes_check_state(p, err);
}

bool probes_changed_before(const struct probes *p)
{
	return p->control->changed_before != 0;
}

void probes_losses(const struct probes *p, struct probes_losses *out)
{
	struct probe_counts counts;

	*out = (struct probes_losses){
		.calls = saturate_add(p->control->calls_lost, p->dropped),
		.kinds = p->control->kinds_lost,
		.redefinitions = p->control->redefinitions,
		.stale = p->control->stale,
		.loaded_again = p->control->loaded_again,
		.loaded_unarmed = p->control->loaded_unarmed,
		.is_list_cut = p->is_cut,
	};
	for (uint32_t i = 0; i < p->method_count; i++) {
		if (p->methods[i].id < 0)
			continue;
		probes_counts(p, i, &counts);
		out->skipped += counts.skipped;
	}
}
