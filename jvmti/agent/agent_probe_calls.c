/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The natives of the helper class.  They run on application threads: they never
 * wait, run no Java code, and give up when all of their few buffers are in use.
 */
#include "jvmti/agent/agent_probes.h"
#include "jvmti/agent/agent_stream.h"
#include "jvmti/agent/agent_system.h"

enum {
	CALLS = 16, /* calls that are recorded at a time */
	/* Classes of exceptions of a session; number 0 is unused. */
	KINDS = 64,
	ARGUMENTS = 4096,
	RECORD = 48 << 10,
	SIGNATURE = 512, /* maximum bytes of a name in a record */
	STALE_NS = 1000000000,
};

/*
 * A call whose arguments are being recorded, or the call itself.  Its thread
 * may get an exception between two natives, so another thread takes an old
 * buffer over, but not from a native that is using it.
 *
 *	0 ------------> thread | CALL_USED <----> thread
 *	  first native                     end, next native
 */
struct call {
	uintptr_t thread; /* 0 = free */
	uint64_t since;
	unsigned count; /* arguments */
	struct record arguments;
	uint8_t argument_bytes[ARGUMENTS];
	struct jvmti_frame frames[PROBE_FRAMES];
	uint8_t bytes[RECORD];
};

/* Threads are at even addresses. */
#define CALL_USED ((uintptr_t)1)

static struct {
	bool is_on;
	bool is_tried;
	int kinds_lock;
	struct call *calls; /* CALLS entries; kept for calls that are running */
	int kinds;
	void *kind[KINDS]; /* weak references */
	void *string;      /* global reference of java.lang.String */
	void *tid;         /* field of java.lang.Thread; NULL = unknown */
	uint32_t recorded;
} calls;

static struct probe_control *calls_control(void)
{
	return __atomic_load_n(&calls.is_on, __ATOMIC_ACQUIRE)
		       ? helper_control()
		       : NULL;
}

static void calls_lose(void)
{
	struct probe_control *c = calls_control();

	if (c)
		__atomic_fetch_add(&c->calls_lost, 1, __ATOMIC_RELAXED);
}

static bool calls_take(struct call *c, uintptr_t from)
{
	return __atomic_compare_exchange_n(&c->thread, &from,
					   system_thread() | CALL_USED, false,
					   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/* Frees a buffer, or keeps it for the thread's next native. */
static void calls_leave(struct call *c, bool keeps)
{
	__atomic_store_n(&c->thread, keeps ? system_thread() : 0,
			 __ATOMIC_RELEASE);
}

static void call_begin(struct call *c)
{
	c->since = system_now();
	c->count = 0;
	c->arguments = record_over(c->argument_bytes, ARGUMENTS);
}

/* Takes this thread's buffer; NULL = none. */
static struct call *calls_find(void)
{
	for (int i = 0; i < CALLS; i++)
		if (calls_take(&calls.calls[i], system_thread()))
			return &calls.calls[i];
	return NULL;
}

/* Takes a free buffer, or one that its thread has not used for a second. */
static struct call *calls_find_free(void)
{
	uint64_t now = 0;

	for (int i = 0; i < CALLS; i++) {
		struct call *c = &calls.calls[i];
		uintptr_t other = __atomic_load_n(&c->thread, __ATOMIC_ACQUIRE);

		if (other & CALL_USED)
			continue;
		if (other && !now)
			now = system_now();
		/* It may have begun after `now`. */
		if (other && (int64_t)(now - c->since) < (int64_t)STALE_NS)
			continue;
		if (calls_take(c, other)) {
			call_begin(c);
			return c;
		}
	}
	return NULL;
}

/*
 * Returns the buffer for an argument; the first one begins a call.  What does
 * not fit is omitted.
 */
static struct call *calls_begin_argument(int what)
{
	struct call *c;

	if (!calls_control())
		return NULL;
	c = calls_find();
	if (what & 0xff)
		return c;
	if (!c)
		return calls_find_free();
	call_begin(c);
	return c;
}

static void calls_end_argument(struct call *c, uint8_t *begin)
{
	if (c->arguments.is_full) {
		c->arguments.at = begin;
		c->arguments.is_full = false;
		record_put_byte(&c->arguments, PROBE_NULL);
	}
	c->count++;
	calls_leave(c, true);
}

static void calls_value(jvm_table *jni, int what, int64_t value)
{
	int kind = what >> 8;
	struct call *c = what < 0 ? NULL : calls_begin_argument(what);
	uint8_t *begin;

	(void)jni;
	if (!c)
		return;
	begin = c->arguments.at;
	record_put_byte(&c->arguments, (uint8_t)kind);
	if (kind == PROBE_LONG)
		record_put_signed(&c->arguments, value);
	else
		record_put(&c->arguments, (uint64_t)value);
	calls_end_argument(c, begin);
}

static void record_put_string(struct record *r, jvm_table *jni, void *string)
{
	/* At most 3 bytes for each character in modified UTF-8. */
	char text[PROBE_TEXT * 3 + 1] = { 0 };
	int len = JNI_CALL(jni, JNI_GET_STRING_LENGTH, int, void *)(jni,
								    string);

	JNI_CALL(jni, JNI_GET_STRING_UTF_REGION, void, void *, int, int, char *)
	(jni, string, 0, len < PROBE_TEXT ? len : PROBE_TEXT, text);
	jni_clear(jni);
	record_put_byte(r, PROBE_STRING);
	record_put(r, (uint64_t)len);
	record_put_text(r, text);
}

/* Adds a name, cut to a length that cannot fill a record. */
static void record_put_name(struct record *r, const char *name)
{
	size_t len = system_length(name);

	if (len > SIGNATURE)
		len = SIGNATURE;
	record_put(r, len);
	record_put_bytes(r, name, len);
}

static void record_put_class(struct record *r, void *class)
{
	char *signature = NULL;

	if (!class || jvmti_class_signature(probes_env(), class, &signature))
		signature = NULL;
	record_put_name(r, signature);
	jvmti_deallocate(probes_env(), signature);
}

static void calls_object(jvm_table *jni, int what, void *value)
{
	struct call *c = what < 0 ? NULL : calls_begin_argument(what);
	void *class = c && value ? jni_class_of(jni, value) : NULL;
	uint8_t *begin;

	if (!c)
		return;
	begin = c->arguments.at;
	if (!value) {
		record_put_byte(&c->arguments, PROBE_NULL);
	} else if (jni_is_same(jni, class, calls.string)) {
		record_put_string(&c->arguments, jni, value);
	} else {
		record_put_byte(&c->arguments, PROBE_OBJECT);
		record_put_class(&c->arguments, class);
	}
	if (class)
		jni_delete_local(jni, class);
	calls_end_argument(c, begin);
}

/* ---- classes of exceptions ---- */

static int kinds_find(jvm_table *jni, void *class)
{
	int count = __atomic_load_n(&calls.kinds, __ATOMIC_ACQUIRE);

	for (int i = 1; i < count; i++)
		if (jni_is_same(jni, calls.kind[i], class))
			return i;
	return 0;
}

static bool kinds_report(int kind, void *class)
{
	uint8_t bytes[SIGNATURE + 32];
	struct record r = record_over(bytes, sizeof(bytes));
	uint8_t *begin = record_begin(&r, PROBE_RECORD_KIND);

	record_put(&r, (uint64_t)kind);
	record_put_class(&r, class);
	record_end(&r, begin);
	return !r.is_full && stream_add(r.begin, (size_t)(r.at - r.begin),
					STREAM_PROBES, 0, false);
}

/* Adds a class; the lock must be held. */
static int kinds_add(jvm_table *jni, void *class)
{
	int kind = calls.kinds;

	if (kind == KINDS)
		return 0;
	/*
	 * An earlier session has left a reference.  It is not deleted, because
	 * a thread may be comparing it.
	 */
	if (!calls.kind[kind] || !jni_is_same(jni, calls.kind[kind], class))
		calls.kind[kind] = jni_ref(jni, JNI_NEW_WEAK_GLOBAL_REF, class);
	/* The next exception tries again. */
	if (!calls.kind[kind] || !kinds_report(kind, class))
		return 0;
	helper_set_kind(jni, kind, class);
	__atomic_store_n(&calls.kinds, kind + 1, __ATOMIC_RELEASE);
	return kind;
}

/* Returns the number of a class of exceptions; 0 = it is not counted apart. */
static int calls_kind(jvm_table *jni, void *class)
{
	struct probe_control *c = calls_control();
	int kind;

	if (!c || !class)
		return 0;
	kind = kinds_find(jni, class);
	if (kind)
		return kind;
	if (system_try(&calls.kinds_lock)) {
		kind = kinds_find(jni, class);
		if (!kind && calls_control())
			kind = kinds_add(jni, class);
		system_unlock(&calls.kinds_lock);
	}
	if (!kind)
		__atomic_fetch_add(&c->kinds_lost, 1, __ATOMIC_RELAXED);
	return kind;
}

/* ---- calls ---- */

static void record_put_thread(struct record *r, jvm_table *jni)
{
	struct jvmti_thread info = { 0 };
	void *thread = NULL;
	int64_t id = 0;

	if (jvmti_current_thread(probes_env(), &thread) || !thread)
		thread = NULL;
	if (thread && jvmti_thread_info(probes_env(), thread, &info))
		info = (struct jvmti_thread){ 0 };
	if (thread && calls.tid)
		id = JNI_CALL(jni, JNI_GET_LONG_FIELD, int64_t, void *,
			      void *)(jni, thread, calls.tid);
	record_put(r, (uint64_t)system_call(SYSTEM_GETTID, 0, 0, 0, 0, 0, 0));
	record_put_name(r, info.name);
	record_put(r, (uint64_t)id);
	jvmti_deallocate(probes_env(), info.name);
	if (info.group)
		jni_delete_local(jni, info.group);
	if (info.loader)
		jni_delete_local(jni, info.loader);
	if (thread)
		jni_delete_local(jni, thread);
}

/*
 * Returns the line of a frame; 0 = unknown, -1 = native method.  The tables of
 * woven methods have the lines of the original at the new bytecode indexes.
 */
static int32_t frame_line(const struct jvmti_frame *f)
{
	struct jvmti_line *lines = NULL;
	int32_t count = 0, line = 0;
	int64_t best = -1;

	if (f->location < 0)
		return -1;
	if (jvmti_lines(probes_env(), f->method, &count, &lines))
		count = 0;
	for (int32_t i = 0; i < count; i++) {
		if (lines[i].start > f->location || lines[i].start <= best)
			continue;
		best = lines[i].start;
		line = lines[i].line;
	}
	jvmti_deallocate(probes_env(), lines);
	return line;
}

static void record_put_frame(struct record *r, jvm_table *jni,
			     const struct jvmti_frame *f, int32_t line)
{
	char *name = NULL;
	void *class = NULL;

	if (jvmti_declaring_class(probes_env(), f->method, &class))
		class = NULL;
	if (jvmti_method_name(probes_env(), f->method, &name, NULL))
		name = NULL;
	record_put_class(r, class);
	record_put_name(r, name);
	record_put_signed(r, line);
	jvmti_deallocate(probes_env(), name);
	if (class)
		jni_delete_local(jni, class);
}

/* The method itself has no line if it threw: it is in the added handler. */
static void record_put_stack(struct record *r, jvm_table *jni, struct call *c,
			     int skipped, bool is_thrown)
{
	struct probe_control *control = calls_control();
	uint32_t every = control ? control->stack_every : 0;
	uint32_t number = __atomic_fetch_add(&calls.recorded, 1,
					     __ATOMIC_RELAXED);
	int32_t count = 0;

	if (!every || number % every ||
	    jvmti_stack(probes_env(), skipped, PROBE_FRAMES, c->frames, &count))
		count = 0;
	record_put(r, (uint64_t)count);
	for (int32_t i = 0; i < count; i++)
		record_put_frame(
			r, jni, &c->frames[i],
			i == 0 && is_thrown ? 0 : frame_line(&c->frames[i]));
}

/*
 * For uprobes: a call above its threshold.  It begins with a nop, as the
 * functions in agent.c.
 */
__attribute__((noinline, visibility("default"))) void
sjkc_probe_call(uint64_t id, uint64_t ns, uint64_t is_thrown);

__attribute__((noinline, visibility("default"))) void
sjkc_probe_call(uint64_t id, uint64_t ns, uint64_t is_thrown)
{
	__asm__ volatile("nop" : : "D"(id), "S"(ns), "d"(is_thrown));
}

static int calls_thrown_kind(jvm_table *jni, void *thrown)
{
	void *class = jni_class_of(jni, thrown);
	int kind = class ? kinds_find(jni, class) : 0;

	if (class)
		jni_delete_local(jni, class);
	return kind ? kind : KINDS;
}

static bool calls_record(jvm_table *jni, struct call *c, int id, int64_t ns,
			 void *thrown, int skipped)
{
	struct record r = record_over(c->bytes, RECORD);
	uint8_t *begin = record_begin(&r, PROBE_RECORD_CALL);

	record_put(&r, (uint64_t)id);
	record_put(&r, system_now() - (uint64_t)ns);
	record_put(&r, (uint64_t)ns);
	record_put_thread(&r, jni);
	record_put(&r, thrown ? (uint64_t)calls_thrown_kind(jni, thrown) : 0);
	record_put(&r, c->count);
	record_put_bytes(&r, c->argument_bytes,
			 (size_t)(c->arguments.at - c->arguments.begin));
	record_put_stack(&r, jni, c, skipped, thrown != NULL);
	record_end(&r, begin);
	return !r.is_full && stream_add(r.begin, (size_t)(r.at - r.begin),
					STREAM_PROBES, 0, false);
}

static void calls_call(jvm_table *jni, int id, int64_t ns, void *thrown,
		       int skipped)
{
	struct probe_control *control = calls_control();
	struct call *c;

	if (id == PROBE_TRIAL) {
		calls.is_tried = true;
		return;
	}
	if (!control)
		return;
	sjkc_probe_call((uint64_t)id, (uint64_t)ns, thrown != NULL);
	c = calls_find();
	if (!c)
		c = calls_find_free();
	if (!c || !calls_record(jni, c, id, ns, thrown, skipped))
		calls_lose();
	if (c)
		calls_leave(c, false);
}

const struct probe_functions calls_functions = {
	.call = calls_call,
	.value = calls_value,
	.object = calls_object,
	.kind = calls_kind,
};

bool calls_were_tried(void)
{
	bool is = calls.is_tried;

	calls.is_tried = false;
	return is;
}

static bool calls_find_classes(jvm_table *jni)
{
	void *string = jni_find_class(jni, "java/lang/String");
	void *thread = jni_find_class(jni, "java/lang/Thread");

	if (jni_clear(jni) || !string || !thread)
		return false;
	calls.string = jni_ref(jni, JNI_NEW_GLOBAL_REF, string);
	calls.tid = jni_member(jni, JNI_GET_FIELD_ID, thread, "tid", "J");
	if (jni_clear(jni))
		calls.tid = NULL;
	jni_delete_local(jni, string);
	jni_delete_local(jni, thread);
	return calls.string != NULL;
}

/* The helper's array would keep the classes loaded. */
static void kinds_clear(jvm_table *jni)
{
	for (int i = 1; i < KINDS; i++)
		helper_set_kind(jni, i, NULL);
}

int calls_begin(jvm_table *jni)
{
	int code = 0;

	if (!calls.string && !calls_find_classes(jni))
		return SYSTEM_EBUSY;
	if (!calls.calls)
		calls.calls = system_map(CALLS * sizeof(*calls.calls), &code);
	if (code)
		return code;
	/* The numbers are the session's. */
	kinds_clear(jni);
	__atomic_store_n(&calls.kinds, 1, __ATOMIC_RELEASE);
	__atomic_store_n(&calls.is_on, true, __ATOMIC_RELEASE);
	return 0;
}

void calls_end(jvm_table *jni)
{
	__atomic_store_n(&calls.is_on, false, __ATOMIC_RELEASE);
	if (!system_wait(&calls.kinds_lock))
		return;
	kinds_clear(jni);
	system_unlock(&calls.kinds_lock);
}

/* ---- the natives, by the names for which HotSpot searches ---- */

#define NATIVE(type, name)                                                     \
	__attribute__((visibility("default")))                                 \
	type Java_java_lang_SjkcProbe_##name

NATIVE(void, call0)
(jvm_table *jni, void *class, const struct probe_functions *table, int32_t id,
 int64_t ns, void *thrown, int32_t skipped);
NATIVE(void, value0)
(jvm_table *jni, void *class, const struct probe_functions *table, int32_t what,
 int64_t value);
NATIVE(void, object0)
(jvm_table *jni, void *class, const struct probe_functions *table, int32_t what,
 void *value);
NATIVE(int32_t, kind0)
(jvm_table *jni, void *class, const struct probe_functions *table, void *kind);

NATIVE(void, call0)
(jvm_table *jni, void *class, const struct probe_functions *table, int32_t id,
 int64_t ns, void *thrown, int32_t skipped)
{
	(void)class;
	table->call(jni, id, ns, thrown, skipped);
}

NATIVE(void, value0)
(jvm_table *jni, void *class, const struct probe_functions *table, int32_t what,
 int64_t value)
{
	(void)class;
	table->value(jni, what, value);
}

NATIVE(void, object0)
(jvm_table *jni, void *class, const struct probe_functions *table, int32_t what,
 void *value)
{
	(void)class;
	table->object(jni, what, value);
}

NATIVE(int32_t, kind0)
(jvm_table *jni, void *class, const struct probe_functions *table, void *kind)
{
	(void)class;
	return table->kind(jni, kind);
}
