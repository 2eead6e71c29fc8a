/* SPDX-License-Identifier: Apache-2.0 */
#include "core/attach/attach.h"

#include "core/attach/attach_conditions.h"
#include "core/attach/attach_openj9.h"
#include "core/attach/attach_socket.h"
#include "core/attach/helper_process.h"
#include "core/base/alloc.h"
#include "core/base/ascii.h"
#include "core/base/clock.h"
#include "core/base/saturate.h"
#include "core/jvm/cgroup.h"
#include "core/jvm/opener.h"
#include "core/jvm/procfs.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define READ_SIZE ((size_t)64 << 10)
/* Maximum size of a reply in memory. */
#define CALL_LIMIT ((uint64_t)512 << 20) /* of dumps and lists */
#define FACT_LIMIT ((uint64_t)16 << 20)  /* of other replies */
/* Maximum time to open a session, even if calls have a longer timeout. */
#define OPEN_LIMIT_NS (30 * CLOCK_NS_PER_S)
#define WORDS_LIMIT   300 /* bytes of a refusal that an error message quotes */

#define REQUEST_ARGS                                                           \
	(sizeof(((struct attach_request *)0)->args) / sizeof(char *))

/* AttachOperation::arg_length_max and arg_count_max, JDK 6 to 23. */
#define V1_ARGS   3
#define V1_LENGTH 1024
/* Requests of protocol 2 may be longer: up to 256 KiB in JDK 24. */
#define V2_LENGTH ((size_t)128 << 10)

struct attach {
	const struct jvm *jvm;
	int64_t timeout_ns;
	int stop_fd; /* as in attach_stop_by(); -1 = none */
	struct hotspot_protocol protocol;
	char description[64];
};

/* A request and the state of its reply. */
struct call {
	struct attach *a;
	const struct attach_request *request;
	int64_t deadline_ns;
	struct hotspot_status status;
	uint64_t came;      /* bytes after the status */
	uint64_t limit;     /* of these bytes */
	struct text words;  /* the first bytes of a refusal */
	bool wants_refusal; /* the sink also receives the text of a refusal */
	attach_sink_fn *sink;
	void *self;
};

static int64_t attach_deadline(int64_t timeout_ns)
{
	int64_t deadline;

	if (__builtin_add_overflow(clock_monotonic_ns(), timeout_ns, &deadline))
		return INT64_MAX;
	return deadline;
}

/* If the JVM is ending, reports that as the reason of any failure. */
static int session_fail(const struct jvm *jvm, struct error *err)
{
	if (err->kind != ERROR_PARTIAL && err->kind != ERROR_OUTPUT &&
	    jvm_is_ending(jvm))
		jvm_fail_ended(jvm, err);
	return -1;
}

/* Runs in the opener: finds out whether there is a socket to trust. */
static int hold_job(const struct jvm *jvm, void *unused, struct error *err)
{
	int dir = attach_socket_dir(jvm, err), held;

	(void)unused;
	if (dir < 0)
		return -1;
	held = attach_socket_hold(jvm, dir, err);
	close(dir);
	return held;
}

/* A connection to an existing socket, made by a child. */
struct connecting {
	const struct jvm *jvm;
	int64_t deadline_ns;
};

static int connect_job(void *self, int channel, struct error *err)
{
	const struct connecting *c = self;
	int dir = attach_socket_dir(c->jvm, err);
	int held, fd = -1;

	if (dir < 0)
		return -1;
	held = attach_socket_hold(c->jvm, dir, err);
	(void)channel;
	if (held >= 0 && helper_process_become(c->jvm, err) == 0)
		fd = attach_socket_connect(c->jvm, held, c->deadline_ns, err);
	if (held >= 0)
		close(held);
	close(dir);
	return fd;
}

static int connect_socket(const struct jvm *jvm, int64_t deadline_ns,
			  struct error *err)
{
	struct connecting c = { .jvm = jvm, .deadline_ns = deadline_ns };
	struct opening o = {
		.jvm = jvm,
		.job = hold_job,
		.place = OPENER_TMP,
	};
	struct child child;
	enum child_news news;
	int held = opener_run(&o, err), fd = -1;
	bool is_direct = !helper_process_is_needed(jvm) && !o.is_copy;

	if (held < 0)
		return -1;
	if (is_direct)
		fd = attach_socket_connect(jvm, held, deadline_ns, err);
	close(held);
	if (is_direct)
		return fd;
	if (helper_process_start(&child, jvm, connect_job, &c, err))
		return -1;
	/* The child reports the reason, even shortly after the deadline. */
	news = helper_process_wait(&child, deadline_ns + CLOCK_NS_PER_S / 4,
				   &fd, err);
	helper_process_end(&child);
	return news == CHILD_DONE ? fd : -1;
}

/*
 * A connection to a JVM with a deadline. When the deadline passes, waits fail
 * with ERROR_REFUSED and name the state of the JVM; they fail with
 * ERROR_NO_TARGET when the JVM has ended.
 */
struct wire {
	const struct jvm *jvm;
	int fd;
	int64_t deadline_ns; /* for the whole exchange; clock_monotonic_ns() */
	int64_t timeout_ns;  /* the timeout behind the deadline, for messages */
	int stop_fd;         /* as in attach_stop_by() */
};

/* Waits until the socket is ready; fails as soon as the JVM ends. */
static int wire_wait(struct wire *w, short events, struct error *err)
{
	struct pollfd fds[] = {
		{ .fd = w->fd, .events = events },
		{ .fd = w->jvm->pidfd, .events = POLLIN },
		{ .fd = w->stop_fd, .events = POLLIN },
	};
	int ready;

	for (;;) {
		int left_ms = clock_left_ms(w->deadline_ns);

		if (left_ms == 0)
			return attach_timed_out(w->jvm, w->timeout_ns, err);
		ready = poll(fds, 3, left_ms);
		if (ready < 0 && errno != EINTR)
			return fail_sys(err, ERROR_FAILED, "cannot wait");
		/* Read the data that the JVM sent before it ended. */
		if (ready > 0 && fds[0].revents)
			return 0;
		if (ready > 0 && fds[1].revents)
			return jvm_fail_ended(w->jvm, err);
		if (ready > 0 && fds[2].revents)
			return fail(err, ERROR_REFUSED,
				    "%d: stopped by a signal before the JVM "
				    "replied",
				    (int)w->jvm->pid);
	}
}

static int wire_send(struct wire *w, const void *bytes, size_t len,
		     struct error *err)
{
	const char *at = bytes;

	while (len) {
		ssize_t put;

		if (wire_wait(w, POLLOUT, err))
			return -1;
		put = send(w->fd, at, len, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (put > 0) {
			at += put;
			len -= (size_t)put;
		} else if (errno != EAGAIN && errno != EINTR) {
			if (jvm_is_ending(w->jvm))
				return jvm_fail_ended(w->jvm, err);
			return fail_sys(
				err, ERROR_REFUSED,
				"%d: cannot send the request to the JVM",
				(int)w->jvm->pid);
		}
	}
	return 0;
}

/* Returns the number of bytes read, at most len; 0 at the end; -1 and *err. */
static ssize_t wire_read(struct wire *w, void *bytes, size_t len,
			 struct error *err)
{
	for (;;) {
		ssize_t got;

		/* Data is usually available already, so try without poll(2). */
		got = recv(w->fd, bytes, len, MSG_DONTWAIT);
		if (got >= 0 && clock_left_ms(w->deadline_ns) > 0)
			return got;
		if (got >= 0)
			return attach_timed_out(w->jvm, w->timeout_ns, err);
		if (errno == ECONNRESET)
			return 0;
		if (errno != EAGAIN && errno != EINTR)
			return fail_sys(err, ERROR_REFUSED,
					"%d: cannot read the JVM's reply",
					(int)w->jvm->pid);
		if (wire_wait(w, POLLIN, err))
			return -1;
	}
}

/* Parses the status, then passes the rest of the reply to the sink. */
static int call_receive(struct call *c, const char *bytes, size_t len,
			struct error *err)
{
	size_t used = hotspot_status_feed(&c->status, bytes, len);
	size_t room = WORDS_LIMIT - c->words.len;

	if (c->status.is_wrong)
		return fail(
			err, ERROR_REFUSED,
			"%d: the reply does not come from an attach listener",
			(int)c->a->jvm->pid);
	bytes += used;
	len -= used;
	if (len == 0)
		return 0;
	c->came = saturate_add(c->came, len);
	if (c->came > c->limit)
		return fail(err, ERROR_REFUSED,
			    "%d: the reply is larger than %llu MB",
			    (int)c->a->jvm->pid,
			    (unsigned long long)c->limit >> 20);
	if (c->status.value != 0)
		text_add(&c->words, bytes, len < room ? len : room);
	if (c->status.value != 0 && !c->wants_refusal)
		return 0;
	return c->sink(c->self, bytes, len, err);
}

/* Explains the end of the connection: the JVM closed it, or has ended. */
static int call_check_end(const struct call *c, struct error *err)
{
	int pid = (int)c->a->jvm->pid;
	bool ending = jvm_is_ending(c->a->jvm);

	if (ending && c->came)
		return fail(err, ERROR_PARTIAL,
			    "%d: the JVM ended while replying; %llu bytes "
			    "were received",
			    pid, (unsigned long long)c->came);
	if (ending)
		return jvm_fail_ended(c->a->jvm, err);
	if (!c->status.is_known)
		return fail(err, ERROR_REFUSED,
			    "%d: the JVM closed the connection without a reply",
			    pid);
	return 0;
}

static int call_fail_refused(const struct call *c, struct error *err)
{
	const char *words = c->words.len ? c->words.bytes : "no reason given";
	size_t len = strlen(words);

	while (len && (words[len - 1] == '\n' || words[len - 1] == ' '))
		len--;
	return fail(err, ERROR_REFUSED, "%d: the JVM refused: %.*s",
		    (int)c->a->jvm->pid, (int)len, words);
}

static int call_read_reply(struct call *c, struct wire *w, struct error *err)
{
	char *part = xmalloc(READ_SIZE);
	ssize_t got = 0;
	int ret = 0;

	while (ret == 0) {
		got = wire_read(w, part, READ_SIZE, err);
		if (got <= 0)
			break;
		ret = call_receive(c, part, (size_t)got, err);
	}
	free(part);
	if (ret)
		return ret;
	if (got < 0 && err->kind != ERROR_NO_TARGET)
		return -1;
	return call_check_end(c, err);
}

/* Sends one request over a connection, reads the reply and closes fd. */
static int call_exchange(struct call *c, int fd, struct error *err)
{
	struct wire w = {
		.jvm = c->a->jvm,
		.fd = fd,
		.deadline_ns = c->deadline_ns,
		.timeout_ns = c->a->timeout_ns,
		.stop_fd = c->a->stop_fd,
	};
	struct text bytes = { 0 };
	int ret = hotspot_encode(&bytes, c->a->protocol, c->request, err);

	if (ret == 0)
		ret = wire_send(&w, bytes.bytes, bytes.len, err);
	text_release(&bytes);
	if (ret == 0)
		ret = call_read_reply(c, &w, err);
	close(fd);
	return ret;
}

static int call_to_text(void *self, const void *bytes, size_t len,
			struct error *err)
{
	struct text *t = self;

	if (t->len + len > CALL_LIMIT)
		return fail(err, ERROR_REFUSED,
			    "the reply is larger than %llu MB",
			    (unsigned long long)CALL_LIMIT >> 20);
	text_add(t, bytes, len);
	return 0;
}

/* Reads a reply of OpenJ9, which ends with NUL; the connection stays open. */
static int call_read_to_nul(struct wire *w, struct text *reply,
			    struct error *err)
{
	char *part = xmalloc(READ_SIZE);
	ssize_t got;
	int ret = -1;

	for (;;) {
		got = wire_read(w, part, READ_SIZE, err);
		if (got < 0)
			break;
		if (got == 0) {
			fail(err, ERROR_REFUSED,
			     "%d: OpenJ9 closed the connection without a reply",
			     (int)w->jvm->pid);
			break;
		}
		if (call_to_text(reply, part, (size_t)got, err))
			break;
		if (memchr(part, '\0', (size_t)got)) {
			ret = 0;
			break;
		}
	}
	free(part);
	return ret;
}

static int call_exchange_openj9(struct call *c, int fd, struct error *err)
{
	static const char detach[] = "ATTACH_DETACHED";
	struct wire w = {
		.jvm = c->a->jvm,
		.fd = fd,
		.deadline_ns = c->deadline_ns,
		.timeout_ns = c->a->timeout_ns,
		.stop_fd = c->a->stop_fd,
	};
	struct text bytes = { 0 }, reply = { 0 }, said = { 0 };
	struct error unused, refusal;
	int ret = openj9_encode(&bytes, c->request->operation, c->request->args,
				err);

	if (ret == 0)
		ret = wire_send(&w, bytes.bytes, bytes.len, err);
	if (ret == 0)
		ret = call_read_to_nul(&w, &reply, err);
	if (ret == 0)
		wire_send(&w, detach, sizeof(detach), &unused);
	if (ret == 0 &&
	    openj9_decode(reply.bytes, strlen(reply.bytes), &said, &refusal)) {
		c->status.value = -1;
		text_puts(&c->words, refusal.text);
	}
	if (ret == 0 && said.len)
		ret = c->sink(c->self, said.bytes, said.len, err);
	text_release(&bytes);
	text_release(&reply);
	text_release(&said);
	close(fd);
	return ret;
}

static void (*slow_report)(const struct jvm *jvm, int64_t took_ns);

void attach_report_slow(void (*report)(const struct jvm *jvm, int64_t took_ns))
{
	slow_report = report;
}

static void attach_check_time(const struct jvm *jvm, int64_t began_ns)
{
	int64_t took_ns = clock_monotonic_ns() - began_ns;

	if (slow_report && took_ns > CLOCK_NS_PER_S)
		slow_report(jvm, took_ns);
}

/* A JVM replies to these at once unless it cannot stop its threads. */
static bool call_is_short(const struct attach_request *r)
{
	const char *arg = r->args[0];

	return strcmp(r->operation, "threaddump") == 0 ||
	       (strcmp(r->operation, "jcmd") == 0 && arg &&
		(strncmp(arg, "Thread.print", 12) == 0 ||
		 strncmp(arg, "VM.", 3) == 0));
}

/* Runs a call on a new connection while this process holds the JVM's lock. */
static int call_run(struct call *c, struct error *err)
{
	const struct jvm *jvm = c->a->jvm;
	int64_t began_ns = clock_monotonic_ns();
	int lock, fd, ret = -1;

	if (!jvm_runs(jvm))
		return jvm_fail_ended(jvm, err);
	if (attach_lock(jvm, c->deadline_ns, &lock, err))
		return -1;
	fd = jvm->kind == JVM_OPENJ9 ? openj9_connect(jvm, c->deadline_ns, err)
				     : connect_socket(jvm, c->deadline_ns, err);
	if (fd >= 0)
		ret = jvm->kind == JVM_OPENJ9 ? call_exchange_openj9(c, fd, err)
					      : call_exchange(c, fd, err);
	else if (err->kind == ERROR_UNAVAILABLE)
		err->kind = ERROR_REFUSED;
	if (lock >= 0)
		close(lock);
	if (ret == 0 && call_is_short(c->request))
		attach_check_time(jvm, began_ns);
	return ret ? session_fail(jvm, err) : 0;
}

/*
 * Replies are kept in memory, and a hostile JVM sends any number of bytes. Only
 * dumps, and lists of all classes or methods, may be long.
 */
static uint64_t call_limit(const struct attach_request *r)
{
	static const char *const commands[] = {
		"Thread.",      "GC.class_",      "Compiler.",
		"VM.class",     "VM.stringtable", "VM.symboltable",
		"VM.metaspace", "JFR.view",       "System.",
	};

	if (strcmp(r->operation, "threaddump") == 0 ||
	    strcmp(r->operation, "inspectheap") == 0)
		return CALL_LIMIT;
	if (strcmp(r->operation, "jcmd") != 0 || !r->args[0])
		return FACT_LIMIT;
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		if (strncmp(r->args[0], commands[i], strlen(commands[i])) == 0)
			return CALL_LIMIT;
	}
	return FACT_LIMIT;
}

static struct call call_new(struct attach *a, const struct attach_request *r,
			    attach_sink_fn *sink, void *self)
{
	return (struct call){
		.a = a,
		.request = r,
		.deadline_ns = attach_deadline(a->timeout_ns),
		.limit = r->streaming ? UINT64_MAX : call_limit(r),
		.sink = sink,
		.self = self,
	};
}

int attach_call(struct attach *a, const struct attach_request *request,
		struct text *reply, struct error *err)
{
	struct call c = call_new(a, request, call_to_text, reply);
	int ret;

	c.wants_refusal = true;
	ret = call_run(&c, err);

	if (ret == 0 && c.status.value != 0)
		ret = call_fail_refused(&c, err);
	text_release(&c.words);
	return ret;
}

static int call_stream(struct attach *a, const struct attach_request *request,
		       attach_sink_fn *sink, void *self, struct error *err)
{
	struct call c = call_new(a, request, sink, self);
	int ret = call_run(&c, err);

	if (ret == 0 && c.status.value != 0)
		ret = call_fail_refused(&c, err);
	text_release(&c.words);
	return ret;
}

/*
 * Without streaming, JDK 24 and later may stop all threads until the reply has
 * been read. So the whole reply is read before the sink, which may be slow,
 * gets it.
 */
int attach_stream(struct attach *a, const struct attach_request *request,
		  attach_sink_fn *sink, void *self, struct error *err)
{
	struct text reply = { 0 };
	int ret;

	if (request->streaming)
		return call_stream(a, request, sink, self, err);
	ret = call_stream(a, request, call_to_text, &reply, err);
	/* An incomplete reply is passed on, too. */
	if (reply.len &&
	    sink(self, reply.bytes, reply.len, ret ? error_unused() : err))
		ret = -1;
	text_release(&reply);
	return ret;
}

/* A stopped JVM accepts the connection but never replies. */
static bool session_jvm_is_stopped(const struct jvm *jvm)
{
	struct proc_status status;

	return (procfs_status(jvm->pid, &status, error_unused()) == 0 &&
		status.state == 'T') ||
	       cgroup_is_frozen(jvm);
}

/* Connects to a JVM, and wakes its attach listener if necessary. */
static int session_connect(const struct attach *a, int64_t deadline_ns,
			   int64_t timeout_ns, struct error *err)
{
	struct error why = { 0 };
	bool is_silent;
	int fd;

	if (!session_jvm_is_stopped(a->jvm)) {
		fd = connect_socket(a->jvm, deadline_ns, &why);
		if (fd >= 0)
			return fd;
	}
	/* ECONNREFUSED: an ended JVM with the same PID left its file. */
	if (why.kind == ERROR_REFUSED && why.sys != ECONNREFUSED) {
		*err = why;
		return -1;
	}
	if (attach_conditions_met(a->jvm, deadline_ns, err))
		return -1;
	fd = attach_wake(a->jvm, deadline_ns, &is_silent, err);
	return is_silent ? attach_timed_out(a->jvm, timeout_ns, err) : fd;
}

/* Uses protocol 1, which all JVMs support, to find out about protocol 2. */
static int session_read_protocol(struct attach *a, int fd, int64_t deadline_ns,
				 struct error *err)
{
	static const struct attach_request request = {
		.operation = "getversion",
		.args = { "options" },
	};
	struct text reply = { 0 };
	struct call c = call_new(a, &request, call_to_text, &reply);
	int ret;

	/* A JVM with protocol 1 only refuses this operation. */
	a->protocol = (struct hotspot_protocol){ .version = 1 };
	c.deadline_ns = deadline_ns;
	ret = call_exchange(&c, fd, err);
	if (ret == 0)
		a->protocol = hotspot_protocol_of(c.status.value, reply.bytes,
						  reply.len);
	text_release(&c.words);
	text_release(&reply);
	return ret;
}

static int session_begin(struct attach *a, struct error *err)
{
	int64_t timeout_ns = a->timeout_ns < OPEN_LIMIT_NS ? a->timeout_ns
							   : OPEN_LIMIT_NS;
	int64_t deadline_ns = attach_deadline(timeout_ns);
	int64_t began_ns = clock_monotonic_ns();
	int lock, fd, ret = -1;

	if (attach_lock(a->jvm, deadline_ns, &lock, err))
		return -1;
	fd = session_connect(a, deadline_ns, timeout_ns, err);
	if (fd >= 0)
		ret = session_read_protocol(a, fd, deadline_ns, err);
	if (lock >= 0)
		close(lock);
	if (ret)
		return session_fail(a->jvm, err);
	attach_check_time(a->jvm, began_ns);
	return 0;
}

void attach_stop_by(struct attach *a, int fd) { a->stop_fd = fd; }

void attach_set_timeout(struct attach *a, int64_t timeout_ns)
{
	a->timeout_ns = timeout_ns;
}

struct attach *attach_open(const struct jvm *jvm, int64_t timeout_ns,
			   struct error *err)
{
	struct attach *a = xcalloc(1, sizeof(*a));

	a->jvm = jvm;
	a->timeout_ns = timeout_ns;
	a->stop_fd = -1;
	if (jvm->kind == JVM_OPENJ9) {
		snprintf(a->description, sizeof(a->description), "OpenJ9");
		if (attach_conditions_met(jvm, attach_deadline(timeout_ns),
					  err))
			goto failed;
		return a;
	}
	if (session_begin(a, err))
		goto failed;
	snprintf(a->description, sizeof(a->description),
		 "HotSpot, protocol %d%s", a->protocol.version,
		 a->protocol.has_streaming ? ", streaming" : "");
	return a;
failed:
	attach_close(a);
	return NULL;
}

void attach_close(struct attach *a) { free(a); }

const char *attach_protocol(const struct attach *a) { return a->description; }

void attach_abandon_all(void) { attach_wake_abandon(); }

/* ---- HotSpot's encoding ---- */

static size_t request_count_args(const struct attach_request *r)
{
	size_t count = 0;

	while (count < REQUEST_ARGS && r->args[count])
		count++;
	return count;
}

static void request_add_string(struct text *out, const char *string)
{
	text_add(out, string, strlen(string) + 1);
}

static int request_check_lengths(const struct attach_request *r, size_t limit,
				 struct error *err)
{
	for (size_t i = 0; i < request_count_args(r); i++) {
		if (strlen(r->args[i]) > limit)
			return fail(err, ERROR_MISUSE,
				    "the argument has %zu bytes; this JVM "
				    "accepts at most %zu",
				    strlen(r->args[i]), limit);
	}
	return 0;
}

static int request_encode_v1(struct text *out, const struct attach_request *r,
			     struct error *err)
{
	if (request_count_args(r) > V1_ARGS)
		return fail(err, ERROR_MISUSE,
			    "this JVM accepts at most %d arguments", V1_ARGS);
	if (request_check_lengths(r, V1_LENGTH, err))
		return -1;
	request_add_string(out, "1");
	request_add_string(out, r->operation);
	for (size_t i = 0; i < V1_ARGS; i++)
		request_add_string(out,
				   i < request_count_args(r) ? r->args[i] : "");
	return 0;
}

static int request_encode_v2(struct text *out, bool has_streaming,
			     const struct attach_request *r, struct error *err)
{
	struct text body = { 0 };

	if (request_check_lengths(r, V2_LENGTH, err))
		return -1;
	text_puts(&body, r->operation);
	if (has_streaming)
		text_puts(&body,
			  r->streaming ? " streaming=1" : " streaming=0");
	text_putc(&body, '\0');
	for (size_t i = 0; i < request_count_args(r); i++)
		request_add_string(&body, r->args[i]);
	request_add_string(out, "2");
	text_printf(out, "%zu", body.len);
	text_putc(out, '\0');
	text_add(out, body.bytes, body.len);
	text_release(&body);
	return 0;
}

int hotspot_encode(struct text *out, struct hotspot_protocol protocol,
		   const struct attach_request *request, struct error *err)
{
	if (protocol.version >= 2)
		return request_encode_v2(out, protocol.has_streaming, request,
					 err);
	return request_encode_v1(out, request, err);
}

static bool protocol_has_word(const char *text, size_t len, const char *word)
{
	size_t wanted = strlen(word);

	for (size_t at = 0; at < len;) {
		size_t end = at;

		while (end < len && text[end] != ' ' && text[end] != '\n')
			end++;
		if (end - at == wanted && memcmp(text + at, word, wanted) == 0)
			return true;
		at = end + 1;
	}
	return false;
}

/* "2 streaming". The format of versions after 2 is unknown. */
struct hotspot_protocol hotspot_protocol_of(int status, const char *text,
					    size_t len)
{
	struct hotspot_protocol p = { .version = 1 };

	if (status != 0 || len == 0 || !is_digit(text[0]) || text[0] < '2')
		return p;
	p.version = 2;
	p.has_streaming = protocol_has_word(text, len, "streaming");
	return p;
}

/* Parses the digits before the LF. */
static void status_parse(struct hotspot_status *s)
{
	size_t i = s->len && s->digits[0] == '-';
	long value = 0;

	if (i == s->len)
		s->is_wrong = true;
	for (; i < s->len; i++) {
		if (!is_digit(s->digits[i])) {
			s->is_wrong = true;
			return;
		}
		value = value * 10 + (s->digits[i] - '0');
	}
	if (value > INT_MAX) {
		s->is_wrong = true;
		return;
	}
	s->value = (int)(s->digits[0] == '-' ? -value : value);
	s->is_known = !s->is_wrong;
}

size_t hotspot_status_feed(struct hotspot_status *s, const char *bytes,
			   size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (s->is_known || s->is_wrong)
			return i;
		if (bytes[i] == '\n')
			status_parse(s);
		else if (s->len == sizeof(s->digits) - 1)
			s->is_wrong = true;
		else
			s->digits[s->len++] = bytes[i];
	}
	return len;
}
