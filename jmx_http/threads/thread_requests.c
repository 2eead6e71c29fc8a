/* SPDX-License-Identifier: Apache-2.0 */
/* Reads thread counters, contention and blocked threads by JMX requests. */
#include "jmx_http/threads/thread_requests.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/map64.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define THREADING "java.lang:type=Threading"

/*
 * Since JDK 21, 17.0.11 and 11.0.23 (JDK-8304074).  Not read from JDK 8, see
 * jvm_counts_all_allocation().
 */
#define TOTAL_ALLOCATED "TotalThreadAllocatedBytes"

/* Bounds hostile lists; no JVM has this number of threads. */
#define THREADS_MAX ((size_t)200000)

typedef void reply_fn(struct jmx_source *s, const struct value *v);

static reply_fn reply_read_runtime, reply_read_cpu, reply_read_user,
	reply_read_alloc, reply_read_system, reply_read_threads,
	reply_read_infos, reply_read_memory, reply_read_collector;

#define NAMES_MAX 5

/* clang-format off */
static const struct {
	enum jmx_verb verb;
	const char *object;
	const char *names[NAMES_MAX];
	bool beside_proc;    /* sent even if /proc provides the rest */
	bool is_needed;      /* no sample without this request */
	const char *second;  /* of operations: type of the second argument */
	reply_fn *take;
} table[THREAD_REQUESTS] = {
	[REQUEST_RUNTIME] = { JMX_GET, "java.lang:type=Runtime",
			  { "Uptime", "StartTime" }, .take = reply_read_runtime },
	[REQUEST_CPU] = { JMX_INVOKE, THREADING, { "getThreadCpuTime" },
		      .take = reply_read_cpu },
	[REQUEST_SYSTEM] = { JMX_GET, "java.lang:type=OperatingSystem",
			 { "ProcessCpuTime", "AvailableProcessors" },
			 .take = reply_read_system },
	[REQUEST_USER] = { JMX_INVOKE, THREADING, { "getThreadUserTime" },
		       .take = reply_read_user },
	[REQUEST_ALLOC] = { JMX_INVOKE, THREADING, { "getThreadAllocatedBytes" },
			.beside_proc = true, .take = reply_read_alloc },
	[REQUEST_THREADS] = { JMX_GET, THREADING,
			  { "AllThreadIds", "ThreadCount",
			    "TotalStartedThreadCount",
			    "ThreadContentionMonitoringEnabled",
			    TOTAL_ALLOCATED },
			  .beside_proc = true, .is_needed = true,
			  .take = reply_read_threads },
	[REQUEST_INFO] = { JMX_INVOKE, THREADING, { "getThreadInfo" },
		       .beside_proc = true, .is_needed = true, .second = "int",
		       .take = reply_read_infos },
	[REQUEST_MEMORY] = { JMX_GET, "java.lang:type=Memory",
			 { "HeapMemoryUsage" }, .take = reply_read_memory },
	[REQUEST_COLLECTOR] = { JMX_GET, NULL,
			    { "Name", "CollectionCount", "CollectionTime",
			      "LastGcInfo" },
			    .take = reply_read_collector },
};
/* clang-format on */

static int64_t reply_counter(const struct value *v, const char *name)
{
	int64_t counter = value_integer_of(value_member(v, name), -1);

	return counter < 0 ? COUNTER_ABSENT : counter;
}

static int64_t reply_scale(int64_t counter, int64_t by)
{
	int64_t product;

	if (counter == COUNTER_ABSENT ||
	    __builtin_mul_overflow(counter, by, &product))
		return COUNTER_ABSENT;
	return product;
}

static void reply_read_runtime(struct jmx_source *s, const struct value *v)
{
	int64_t start = value_integer_of(value_member(v, "StartTime"), 0);

	s->uptime_ms = value_integer_of(value_member(v, "Uptime"), -1);
	s->is_restarted = s->start_ms && start && start != s->start_ms;
	s->new_start_ms = start;
	if (!s->start_ms)
		s->start_ms = start;
}

/* One number for each id, in order; -1: the thread has ended. */
static void reply_read_counters(struct jmx_source *s, const struct value *v,
				enum thread_counter counter)
{
	if (v->kind != VALUE_ARRAY)
		return;
	for (size_t i = 0; i < v->list.count && i < s->count; i++) {
		int64_t n = value_integer_of(v->list.at[i], -1);

		if (n >= 0)
			s->rows[s->from + i].counters[counter] = n;
	}
}

static void reply_read_cpu(struct jmx_source *s, const struct value *v)
{
	reply_read_counters(s, v, THREAD_CPU);
}

static void reply_read_user(struct jmx_source *s, const struct value *v)
{
	reply_read_counters(s, v, THREAD_USER);
}

static void reply_read_alloc(struct jmx_source *s, const struct value *v)
{
	reply_read_counters(s, v, THREAD_ALLOC);
}

static void reply_read_system(struct jmx_source *s, const struct value *v)
{
	s->process.cpu_ns = reply_counter(v, "ProcessCpuTime");
	s->process.cpus = reply_counter(v, "AvailableProcessors");
}

/*
 * JDK 8 has the attribute since 8u412, but it is far below the sum over the
 * threads (8u504: 23 MB instead of 4 GB).
 */
static bool jvm_counts_all_allocation(const struct jmx_source *s)
{
	return strncmp(s->jmx->version, "1.8.", 4) != 0;
}

static void reply_read_threads(struct jmx_source *s, const struct value *v)
{
	const struct value *ids = value_member(v, "AllThreadIds");
	size_t count = ids && ids->kind == VALUE_ARRAY ? ids->list.count : 0;

	if (count > THREADS_MAX)
		count = THREADS_MAX;
	array_reserve(s->listed, s->listed_cap, count);
	s->listed_count = 0;
	for (size_t i = 0; i < count; i++) {
		int64_t id = value_integer_of(ids->list.at[i], 0);

		if (id > 0)
			s->listed[s->listed_count++] = id;
	}
	s->process.threads = reply_counter(v, "ThreadCount");
	s->process.threads_started = reply_counter(v,
						   "TotalStartedThreadCount");
	s->process.alloc_bytes = jvm_counts_all_allocation(s)
					 ? reply_counter(v, TOTAL_ALLOCATED)
					 : COUNTER_ABSENT;
	s->is_measured = value_integer_of(
		value_member(v, "ThreadContentionMonitoringEnabled"), 0);
}

/* The state of a ThreadInfo. */
static enum thread_run_state info_state(const struct value *info)
{
	const char *name = value_text_of(value_member(info, "threadState"));

	for (int i = RUN_NEW; name && i <= RUN_TERMINATED; i++) {
		enum thread_run_state state = (enum thread_run_state)i;

		if (!strcmp(name, thread_run_state_name(state)))
			return state;
	}
	return RUN_UNKNOWN;
}

static void reply_read_info(struct jmx_source *s, const struct value *v,
			    struct thread_sample *t)
{
	const char *name = value_text_of(value_member(v, "threadName"));

	if (value_integer_of(value_member(v, "threadId"), 0) != t->java_id)
		return;
	if (name)
		t->name = arena_copy(&s->names, name, strlen(name));
	t->state = info_state(v);
	if (t->state == RUN_RUNNABLE &&
	    value_integer_of(value_member(v, "inNative"), 0))
		t->state = RUN_IN_NATIVE;
	t->counters[THREAD_WAITS] = reply_counter(v, "waitedCount");
	t->counters[THREAD_BLOCKS] = reply_counter(v, "blockedCount");
	t->counters[THREAD_WAIT_TIME] = reply_scale(
		reply_counter(v, "waitedTime"), CLOCK_NS_PER_MS);
	t->counters[THREAD_BLOCK_TIME] = reply_scale(
		reply_counter(v, "blockedTime"), CLOCK_NS_PER_MS);
}

static void reply_read_infos(struct jmx_source *s, const struct value *v)
{
	if (v->kind != VALUE_ARRAY)
		return;
	for (size_t i = 0; i < v->list.count && i < s->count; i++)
		reply_read_info(s, v->list.at[i], &s->rows[s->from + i]);
}

static void reply_read_memory(struct jmx_source *s, const struct value *v)
{
	const struct value *heap = value_member(v, "HeapMemoryUsage");

	s->process.heap_used = reply_counter(heap, "used");
	s->process.heap_committed = reply_counter(heap, "committed");
	s->process.heap_max = reply_counter(heap, "max");
}

/*
 * CMS and the ZGC of JDK 11 have one MBean: its CollectionTime is that of
 * pauses, but CollectionCount counts cycles, and LastGcInfo is a whole cycle.
 */
static bool collector_counts_cycles(const char *name)
{
	return strcmp(name, "ConcurrentMarkSweep") == 0 ||
	       strcmp(name, "ZGC") == 0;
}

/*
 * "ZGC Cycles" and "Shenandoah Cycles" are concurrent; the pauses of these
 * collectors have MBeans of their own ("ZGC Pauses").
 */
static void reply_read_collector(struct jmx_source *s, const struct value *v)
{
	const char *name = value_text_of(value_member(v, "Name"));
	struct gc_sample *gc = &s->process.gc[s->process.gc_count];
	size_t len = name ? strlen(name) : 0;

	if (!name || strstr(name, "Cycles") ||
	    s->process.gc_count == GC_COLLECTORS_MAX)
		return;
	if (len >= sizeof(gc->name))
		len = sizeof(gc->name) - 1;
	*gc = (struct gc_sample){ .is_cycles = collector_counts_cycles(name) };
	memcpy(gc->name, name, len);
	gc->count = reply_counter(v, "CollectionCount");
	gc->time_ns = reply_scale(reply_counter(v, "CollectionTime"),
				  CLOCK_NS_PER_MS);
	gc->last_ns = reply_scale(
		reply_counter(value_member(v, "LastGcInfo"), "duration"),
		CLOCK_NS_PER_MS);
	s->process.gc_count++;
}

bool thread_request_is_due(const struct jmx_source *s,
			   enum thread_request request)
{
	if (s->requests[request].is_off)
		return false;
	if (!s->beside_proc)
		return true;
	return table[request].beside_proc &&
	       (request != REQUEST_INFO || s->contention);
}

void thread_requests_reset(struct jmx_source *s)
{
	memset(s->requests, 0, sizeof(s->requests));
}

void thread_requests_release(struct jmx_source *s)
{
	arena_release(&s->collectors);
	free(s->sent);
}

int thread_requests_find_collectors(struct jmx_source *s, struct error *err)
{
	arena_release(&s->collectors);
	s->collector_names = NULL;
	s->collector_count = 0;
	return jmx_query(s->jmx, "java.lang:type=GarbageCollector,*",
			 &s->collectors, &s->collector_names,
			 &s->collector_count, err);
}

static const struct value *request_make_ids(struct arena *a, const int64_t *ids,
					    size_t count)
{
	struct value *v = value_new(a, VALUE_ARRAY, "[J");
	struct value *each = arena_alloc(a, count * sizeof(*each));
	const struct value **at = arena_alloc(a, count * sizeof(*at));

	for (size_t i = 0; i < count; i++) {
		each[i] = (struct value){ .kind = VALUE_INTEGER,
					  .type = "long",
					  .integer = ids[i] };
		at[i] = &each[i];
	}
	v->list.at = at;
	v->list.count = count;
	return v;
}

static size_t request_name_count(enum thread_request request)
{
	size_t count = 0;

	while (count < NAMES_MAX && table[request].names[count])
		count++;
	return count;
}

/* The arguments that all operations on threads share. */
struct arguments {
	const struct value *values[2]; /* ids, number of frames */
	const char *signature[2];
};

static void request_add(struct jmx_source *s, struct jmx_request *q,
			enum thread_request request, const char *object,
			const struct arguments *arguments)
{
	*q = (struct jmx_request){
		.verb = table[request].verb,
		.object = object,
		.names = table[request].names,
		.name_count = request_name_count(request),
	};
	if (q->verb == JMX_INVOKE) {
		q->arguments = arguments->values;
		q->signature = arguments->signature;
		q->argument_count = table[request].second ? 2 : 1;
	}
	array_add(s->sent, s->sent_count, s->sent_cap, request);
}

static void request_note_failure(struct jmx_source *s,
				 enum thread_request request, const char *why)
{
	size_t len = strlen(why);

	if (len >= sizeof(s->requests[request].why))
		len = sizeof(s->requests[request].why) - 1;
	memcpy(s->requests[request].why, why, len);
	s->requests[request].why[len] = '\0';
}

/*
 * Handles a failed request.  A request that the JVM does not support is not
 * sent again.
 */
static int request_take_failure(struct jmx_source *s,
				enum thread_request request,
				const struct jmx_reply *reply,
				struct error *err)
{
	/* The ids belong to the old JVM; jmx_source.c discards them. */
	if (s->is_restarted)
		return 0;
	if (table[request].is_needed && reply->kind == ERROR_PERMISSION)
		return fail(err, ERROR_PERMISSION,
			    "reading threads requires permission to invoke "
			    "operations (RMI: readwrite; Jolokia: exec): "
			    "%s",
			    reply->failure);
	if (table[request].is_needed)
		return fail(err,
			    reply->kind == ERROR_NO_TARGET ? ERROR_REFUSED
							   : reply->kind,
			    "%s: %s", table[request].names[0], reply->failure);
	s->requests[request].is_off = reply->kind == ERROR_NO_TARGET ||
				      strstr(reply->failure,
					     "UnsupportedOperation");
	request_note_failure(s, request, reply->failure);
	return 0;
}

static int request_take_reply(void *self, size_t index,
			      const struct jmx_reply *reply, struct error *err)
{
	struct jmx_source *s = self;
	enum thread_request request = s->sent[index];

	if (reply->failure)
		return request_take_failure(s, request, reply, err);
	s->requests[request].why[0] = '\0';
	table[request].take(s, reply->value ? reply->value : &value_null);
	return 0;
}

int thread_requests_run(struct jmx_source *s, size_t from, bool all,
			struct error *err)
{
	struct arena a = { 0 };
	struct jmx_request *requests = arena_alloc(
		&a, (THREAD_REQUESTS + s->collector_count) * sizeof(*requests));
	struct arguments arguments = {
		.values = { request_make_ids(&a,
					     s->id_count ? s->ids + from : NULL,
					     s->id_count - from),
			    value_integer(&a, "int", 0) },
		.signature = { "[J", "int" },
	};
	int status;

	s->from = from;
	s->count = s->id_count - from;
	s->sent_count = 0;
	for (size_t i = 0; i < REQUEST_COLLECTOR; i++) {
		enum thread_request request = (enum thread_request)i;
		bool needs_ids = table[request].verb == JMX_INVOKE;

		if (thread_request_is_due(s, request) &&
		    (needs_ids ? s->count > 0 : all))
			request_add(s, &requests[s->sent_count], request,
				    table[request].object, &arguments);
	}
	for (size_t i = 0; all && i < s->collector_count; i++)
		request_add(s, &requests[s->sent_count], REQUEST_COLLECTOR,
			    s->collector_names[i], &arguments);
	status = jmx_run(s->jmx, requests, s->sent_count, request_take_reply, s,
			 err);
	arena_release(&a);
	return status;
}

static bool sample_has_counter(const struct jmx_source *s,
			       enum thread_counter counter)
{
	for (size_t i = 0; i < s->id_count; i++)
		if (s->rows[i].counters[counter] != COUNTER_ABSENT)
			return true;
	return false;
}

static void note_add_counter(const struct jmx_source *s, struct top_sample *out,
			     enum thread_request request,
			     enum thread_counter counter, const char *figure,
			     const char *here)
{
	if (sample_has_counter(s, counter))
		source_note_add(out, figure, false, "%s", here);
	else
		source_note_add(out, figure, true, "- (%s)",
				*s->requests[request].why
					? s->requests[request].why
					: "the JVM does not count it");
}

static void note_add_contention(const struct jmx_source *s,
				struct top_sample *out)
{
	if (s->contention_problem.kind != ERROR_NONE)
		source_note_add(out, "contention", false,
				"counts; times: - (%s)",
				s->contention_problem.text);
	else if (!s->is_measured)
		source_note_add(out, "contention", false,
				"counts; times: - (off; C or -c switches "
				"their measuring on)");
	else
		source_note_add(out, "contention", false, "%s",
				s->has_switched ? "measured until ttop ends"
						: "the JVM measures it");
}

void thread_requests_add_notes(const struct jmx_source *s,
			       struct top_sample *out)
{
	note_add_counter(
		s, out, REQUEST_ALLOC, THREAD_ALLOC, "allocation",
		s->process.alloc_bytes != COUNTER_ABSENT
			? "exact, over JMX"
			: "exact, over JMX; total: living threads only");
	if (thread_request_is_due(s, REQUEST_INFO))
		note_add_contention(s, out);
	else
		source_note_add(out, "contention", true,
				"- (off; C or -c switches it on)");
	if (s->beside_proc)
		return;
	source_note_add(out, "names", false, "over JMX");
	note_add_counter(s, out, REQUEST_CPU, THREAD_CPU, "cpu", "over JMX");
	source_note_add(out, "runq", true,
			"- (requires sjkc on the JVM's machine)");
	source_note_add(out, "safepoints", true,
			"- (requires sjkc on the JVM's machine)");
	if (!s->process.gc_count)
		source_note_add(out, "gc", true, "- (no collector reports it)");
	if (s->process.heap_used == COUNTER_ABSENT)
		source_note_add(out, "heap", true, "- (%s)",
				*s->requests[REQUEST_MEMORY].why
					? s->requests[REQUEST_MEMORY].why
					: "the JVM does not report it");
}

int thread_requests_read_contention(struct jmx_source *s, struct error *err)
{
	struct arena a = { 0 };
	const struct value *v = jmx_get(s->jmx, THREADING,
					"ThreadContentionMonitoringEnabled", &a,
					err);
	int64_t is_on = value_integer_of(v, -1);

	arena_release(&a);
	if (!v)
		return -1;
	if (is_on < 0)
		return fail(err, ERROR_REFUSED,
			    "the JVM did not return "
			    "ThreadContentionMonitoringEnabled");
	return is_on != 0;
}

static int request_take_done(void *self, size_t index,
			     const struct jmx_reply *reply, struct error *err)
{
	(void)self;
	(void)index;
	if (reply->failure)
		return fail(err, reply->kind, "%s", reply->failure);
	return 0;
}

int thread_requests_set_contention(struct jmx_source *s, bool on,
				   struct error *err)
{
	static const char *const names[] = {
		"ThreadContentionMonitoringEnabled"
	};
	static const char *const signature[] = { "boolean" };
	struct value state = { .kind = VALUE_BOOLEAN,
			       .type = "boolean",
			       .integer = on };
	const struct value *const arguments[] = { &state };
	const struct jmx_request q = {
		.verb = JMX_SET,
		.object = THREADING,
		.names = names,
		.name_count = 1,
		.arguments = arguments,
		.signature = signature,
		.argument_count = 1,
	};

	return jmx_run(s->jmx, &q, 1, request_take_done, NULL, err);
}

static const struct value *
request_invoke_infos(struct jmx *j, const struct value *const *arguments,
		     const char *const *signature, size_t count,
		     struct arena *a, struct error *err)
{
	static const char *const names[] = { "getThreadInfo" };
	const struct jmx_request q = {
		.verb = JMX_INVOKE,
		.object = THREADING,
		.names = names,
		.name_count = 1,
		.arguments = arguments,
		.signature = signature,
		.argument_count = count,
	};
	const struct value *v = jmx_invoke(j, &q, a, err);

	if (v && v->kind != VALUE_ARRAY) {
		fail(err, ERROR_REFUSED, "the JVM returned no ThreadInfo");
		return NULL;
	}
	return v;
}

const struct value *thread_requests_read_infos(struct jmx *j,
					       const int64_t *ids, size_t count,
					       struct arena *a,
					       struct error *err)
{
	static const char *const signature[] = { "[J", "boolean", "boolean" };
	static const struct value yes = { .kind = VALUE_BOOLEAN,
					  .type = "boolean",
					  .integer = 1 };
	const struct value *const arguments[] = {
		request_make_ids(a, ids, count), &yes, &yes
	};

	return request_invoke_infos(j, arguments, signature, 3, a, err);
}

/* Reads stack traces of at most `frames` frames, without locked monitors. */
static const struct value *
thread_requests_read_traces(struct jmx *j, const int64_t *ids, size_t count,
			    int frames, struct arena *a, struct error *err)
{
	static const char *const signature[] = { "[J", "int" };
	const struct value *const arguments[] = {
		request_make_ids(a, ids, count), value_integer(a, "int", frames)
	};

	return request_invoke_infos(j, arguments, signature, 2, a, err);
}

int thread_requests_read_deadlocked(struct jmx *j,
				    int64_t ids[JMX_DEADLOCK_MAX],
				    struct arena *a, struct error *err)
{
	static const char *const names[] = { "findDeadlockedThreads" };
	const struct jmx_request q = {
		.verb = JMX_INVOKE,
		.object = THREADING,
		.names = names,
		.name_count = 1,
	};
	const struct value *v = jmx_invoke(j, &q, a, err);
	int count = 0;

	if (!v)
		return -1;
	if (v->kind != VALUE_ARRAY)
		return 0;
	for (size_t i = 0; i < v->list.count && count < JMX_DEADLOCK_MAX; i++) {
		int64_t id = value_integer_of(v->list.at[i], 0);

		if (id > 0)
			ids[count++] = id;
	}
	return count;
}

/* Blocked threads */

/*
 * ThreadInfos without stack traces cost the JVM no safepoint, with stack traces
 * they do.  So stack traces are requested only for the threads shown.
 */
enum { FRAMES = 16, TRACES_MAX = 500 };

static const char *blocked_text_of(const struct value *v, const char *name)
{
	const char *text = value_text_of(value_member(v, name));

	return text ? text : "";
}

/* "a.B@1f2e": the class, and the hash that identifies the lock. */
static void blocked_set_lock(struct blocked *b, struct blocked_thread *t,
			     const char *name)
{
	const char *at = strrchr(name, '@');
	size_t len = at ? (size_t)(at - name) : strlen(name);

	t->lock_class = blocked_string(b, name, len);
	t->lock_id = at ? blocked_string(b, at, strlen(at)) : "";
}

static enum blocked_kind blocked_kind_of(const struct value *info,
					 enum thread_run_state state)
{
	const char *lock = blocked_text_of(info, "lockName");

	if (!*lock)
		return BLOCKED_NOT;
	if (state == RUN_BLOCKED)
		return BLOCKED_MONITOR;
	if (value_integer_of(value_member(info, "lockOwnerId"), -1) > 0 ||
	    blocked_is_lock(lock))
		return BLOCKED_SYNCHRONIZER;
	return BLOCKED_NOT;
}

static void blocked_add_thread(struct blocked *b, const struct value *info,
			       enum blocked_kind kind)
{
	struct blocked_thread *t = blocked_add(b);
	const char *name = blocked_text_of(info, "threadName");
	int64_t owner = value_integer_of(value_member(info, "lockOwnerId"), 0);

	if (!t)
		return;
	t->id = value_integer_of(value_member(info, "threadId"), 0);
	t->name = blocked_string(b, name, strlen(name));
	t->state = info_state(info);
	t->kind = kind;
	t->blocks = value_integer_of(value_member(info, "blockedCount"),
				     COUNTER_ABSENT);
	if (kind == BLOCKED_NOT)
		return;
	t->owner_id = owner > 0 ? owner : 0;
	blocked_set_lock(b, t, blocked_text_of(info, "lockName"));
	/* The JVM counts parking as waiting, not as blocking. */
	if (kind == BLOCKED_SYNCHRONIZER)
		t->blocks = value_integer_of(value_member(info, "waitedCount"),
					     COUNTER_ABSENT);
}

static void blocked_add_threads(struct blocked *b, const struct value *infos)
{
	struct map64 owners = { 0 };

	for (size_t i = 0; i < infos->list.count; i++) {
		const struct value *info = infos->list.at[i];
		enum blocked_kind kind = blocked_kind_of(info,
							 info_state(info));

		if (info->kind != VALUE_COMPOSITE || kind == BLOCKED_NOT)
			continue;
		blocked_add_thread(b, info, kind);
		map64_add(&owners,
			  (uint64_t)value_integer_of(
				  value_member(info, "lockOwnerId"), 0),
			  0);
	}
	for (size_t i = 0; i < infos->list.count; i++) {
		const struct value *info = infos->list.at[i];
		int64_t id = value_integer_of(value_member(info, "threadId"),
					      0);

		if (info->kind == VALUE_COMPOSITE && id > 0 &&
		    blocked_kind_of(info, info_state(info)) == BLOCKED_NOT &&
		    map64_get(&owners, (uint64_t)id) != MAP64_NONE)
			blocked_add_thread(b, info, BLOCKED_NOT);
	}
	map64_release(&owners);
}

/* "a.B.run(B.java:7)" */
static const char *blocked_frame_of(struct blocked *b,
				    const struct value *frame)
{
	struct text text = { 0 };
	const char *file = blocked_text_of(frame, "fileName"), *copy;
	int64_t line = value_integer_of(value_member(frame, "lineNumber"), -1);

	text_printf(&text, "%s.%s(", blocked_text_of(frame, "className"),
		    blocked_text_of(frame, "methodName"));
	if (value_integer_of(value_member(frame, "nativeMethod"), 0) == 1)
		text_puts(&text, "Native Method");
	else
		text_puts(&text, *file ? file : "Unknown Source");
	if (*file && line >= 0)
		text_printf(&text, ":%" PRId64, line);
	text_putc(&text, ')');
	copy = blocked_string(b, text.bytes, text.len);
	text_release(&text);
	return copy;
}

static void blocked_add_frames(struct blocked *b, struct blocked_thread *t,
			       const struct value *info)
{
	const struct value *frames = value_member(info, "stackTrace");
	size_t count = frames && frames->kind == VALUE_ARRAY
			       ? frames->list.count
			       : 0;

	for (size_t i = 0; i < count && i < FRAMES; i++) {
		t->frame = blocked_frame_of(b, frames->list.at[i]);
		if (i == 0)
			t->leaf = t->frame;
		if (!blocked_is_plumbing(t->frame))
			return;
	}
	t->frame = t->leaf;
}

static int blocked_add_traces(struct jmx_source *s, struct blocked *b,
			      struct error *err)
{
	size_t count = b->count < TRACES_MAX ? b->count : TRACES_MAX;
	int64_t *ids = xcalloc(count + 1, sizeof(*ids));
	struct arena a = { 0 };
	const struct value *infos;

	for (size_t i = 0; i < count; i++)
		ids[i] = b->threads[i].id;
	infos = thread_requests_read_traces(s->jmx, ids, count, FRAMES, &a,
					    err);
	for (size_t i = 0; infos && i < count && i < infos->list.count; i++) {
		const struct value *info = infos->list.at[i];

		if (value_integer_of(value_member(info, "threadId"), 0) ==
		    b->threads[i].id)
			blocked_add_frames(b, &b->threads[i], info);
	}
	free(ids);
	arena_release(&a);
	return infos ? 0 : -1;
}

int thread_requests_read_blocked(struct jmx_source *s, struct blocked *out,
				 struct error *err)
{
	struct arena a = { 0 };
	const struct value *infos = thread_requests_read_traces(
		s->jmx, s->listed_count ? s->listed : s->ids,
		s->listed_count ? s->listed_count : s->id_count, 0, &a, err);
	int status = -1;

	if (infos) {
		blocked_begin(out, "JMX", clock_monotonic_ns());
		out->knows_synchronizers = out->knows_blocks = true;
		blocked_add_threads(out, infos);
		status = out->count ? blocked_add_traces(s, out, err) : 0;
		blocked_link(out);
	}
	arena_release(&a);
	return status;
}
