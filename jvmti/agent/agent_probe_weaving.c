/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes classes by RetransformClasses, and takes the changes back.
 *
 * ClassFileLoadHook receives the bytes of a class, with the changes of agents
 * that do not retransform, and returns woven bytes.  The hook stays enabled
 * while methods are armed: if another agent retransforms or redefines a woven
 * class, the JVM starts from the original bytes, and the hook weaves them
 * again.
 */
#include "jvmti/agent/agent_class_file.h"
#include "jvmti/agent/agent_probes.h"
#include "jvmti/agent/agent_stream.h"
#include "jvmti/agent/agent_system.h"
#include "jvmti/agent/agent_weave.h"

/* Maximum growth of a class file, for the address space of the output. */
#define OUT_FACTOR 16
#define OUT_MORE   ((size_t)1 << 20)
#define OUT_MOST   ((size_t)256 << 20)
#define RANGES     64 /* halves of halves: 2^32 classes */

/* A class with methods to be armed; neighbours in `methods`. */
struct woven_class {
	void *weak; /* of the list; the session keeps it */
	uint32_t first, count;
	bool is_woven, is_seen;
	int code; /* the jvmtiError of a refusal */
};

static struct {
	int lock;         /* of all fields below, while the hook may run */
	bool is_armed;    /* the hook weaves */
	uintptr_t arming; /* the thread that retransforms; 0 = none */
	uint8_t *request; /* a copy, which has the names */
	struct weave_method *methods; /* PROBE_MAX */
	uint32_t method_count;
	struct woven_class *classes; /* PROBE_MAX */
	uint32_t class_count;
	void **refs; /* PROBE_MAX local references */
	struct weaver *weaver;
} weaving;

/* ---- the request ---- */

static struct class_text request_text(struct class_reader *r)
{
	size_t len = class_u2(r);
	const uint8_t *bytes = class_read(r, len);

	return (struct class_text){ bytes, bytes ? len : 0 };
}

/* Adds the next method of the request.  Returns false if it is malformed. */
static bool weaving_add_method(const struct probe_classes *all,
			       struct class_reader *r, uint32_t *last)
{
	const struct probe_control *c = helper_control();
	uint32_t number = class_u4(r);
	struct weave_method m = { .id = class_u2(r), .mode = class_u1(r) };
	struct woven_class *class = &weaving.classes[weaving.class_count];

	m.name = request_text(r);
	m.descriptor = request_text(r);
	if (r->is_bad || number >= all->count || m.id < c->first_id ||
	    m.id >= c->first_id + c->ids)
		return false;
	if (weaving.class_count == 0 || number != *last) {
		*class = (struct woven_class){
			.weak = all->weak[number],
			.first = weaving.method_count,
		};
		weaving.class_count++;
		*last = number;
	} else {
		class --;
	}
	class->count++;
	weaving.methods[weaving.method_count++] = m;
	return true;
}

static enum probe_step weaving_read_request(const struct probe_classes *all,
					    const uint8_t *request,
					    uint32_t len)
{
	struct class_reader r = { weaving.request, len, 0, false };
	uint32_t count, last = 0;

	/* A copy, because the client can change the shared one. */
	memcpy(weaving.request, request, len);
	count = class_u4(&r);
	weaving.method_count = weaving.class_count = 0;
	if (r.is_bad || count > PROBE_MAX)
		return PROBE_AT_REQUEST;
	while (count--)
		if (!weaving_add_method(all, &r, &last))
			return PROBE_AT_REQUEST;
	return PROBE_AT_NOTHING;
}

static void *weaving_map(void **memory, size_t size, int *code)
{
	if (!*memory)
		*memory = system_map(size, code);
	return *memory;
}

/* All memory is reserved; only the used part takes any. */
static bool weaving_get_memory(int *code)
{
	return weaving_map((void **)&weaving.request, PROBE_REQUEST, code) &&
	       weaving_map((void **)&weaving.methods,
			   PROBE_MAX * sizeof(*weaving.methods), code) &&
	       weaving_map((void **)&weaving.classes,
			   PROBE_MAX * sizeof(*weaving.classes), code) &&
	       weaving_map((void **)&weaving.refs,
			   PROBE_MAX * sizeof(*weaving.refs), code) &&
	       weaving_map((void **)&weaving.weaver, sizeof(*weaving.weaver),
			   code);
}

static void weaving_free_memory(void)
{
	system_unmap(weaving.request, PROBE_REQUEST);
	system_unmap(weaving.methods, PROBE_MAX * sizeof(*weaving.methods));
	system_unmap(weaving.classes, PROBE_MAX * sizeof(*weaving.classes));
	system_unmap(weaving.refs, PROBE_MAX * sizeof(*weaving.refs));
	system_unmap(weaving.weaver, sizeof(*weaving.weaver));
	weaving.request = NULL;
	weaving.methods = NULL;
	weaving.classes = NULL;
	weaving.refs = NULL;
	weaving.weaver = NULL;
	weaving.method_count = weaving.class_count = 0;
}

/* ---- the hook ---- */

static struct woven_class *weaving_find_class(jvm_table *jni, void *class)
{
	for (uint32_t i = 0; i < weaving.class_count; i++)
		if (jni_is_same(jni, weaving.classes[i].weak, class))
			return &weaving.classes[i];
	return NULL;
}

static void weaving_weave(jvm_table *env, struct woven_class *class,
			  const uint8_t *bytes, size_t len, int32_t *new_len,
			  uint8_t **new_bytes)
{
	size_t cap = len * OUT_FACTOR + OUT_MORE, out_len = 0;
	int code = 0;
	uint8_t *out;
	void *copy = NULL;

	if (cap > OUT_MOST)
		cap = OUT_MOST;
	out = system_map(cap, &code);
	if (!out) {
		for (uint32_t i = 0; i < class->count; i++)
			weaving.methods[class->first + i]
				.refusal = PROBE_MEMORY_SHORT;
		return;
	}
	class->is_woven = weave_class(weaving.weaver, bytes, len,
				      weaving.methods + class->first,
				      class->count, out, cap,
				      &out_len) == PROBE_ARMED &&
			  jvmti_allocate(env, (int64_t)out_len, &copy) == 0;
	if (class->is_woven) {
		memcpy(copy, out, out_len);
		*new_bytes = copy;
		*new_len = (int32_t)out_len;
	}
	system_unmap(out, cap);
}

void weaving_hook(jvm_table *env, jvm_table *jni, void *redefined, void *loader,
		  const char *name, void *domain, int32_t len,
		  const uint8_t *bytes, int32_t *new_len, uint8_t **new_bytes)
{
	struct probe_control *c = helper_control();
	struct woven_class *class;
	bool is_mine;

	(void)loader;
	(void)name;
	(void)domain;
	if (!redefined || len <= 0 || !c ||
	    !__atomic_load_n(&weaving.is_armed, __ATOMIC_ACQUIRE))
		return;
	is_mine = __atomic_load_n(&weaving.arming, __ATOMIC_RELAXED) ==
		  system_thread();
	/* The client was killed, so the change would be taken back at once. */
	if (is_mine && !stream_is_watched())
		return;
	if (!is_mine && !system_wait(&weaving.lock))
		return;
	class = weaving.is_armed ? weaving_find_class(jni, redefined) : NULL;
	/* The JVM would refuse the other agent's change as it refused ours. */
	if (class && !(class->code && !is_mine)) {
		class->is_seen = true;
		weaving_weave(env, class, bytes, (size_t)len, new_len,
			      new_bytes);
		if (!is_mine)
			__atomic_fetch_add(&c->redefinitions, 1,
					   __ATOMIC_RELAXED);
	}
	if (!is_mine)
		system_unlock(&weaving.lock);
}

/* ---- retransformation ---- */

struct range {
	uint32_t from, to;
};

/* Makes references to the classes that still exist; returns their number. */
static uint32_t weaving_make_refs(jvm_table *jni, struct range r)
{
	uint32_t count = 0;

	for (uint32_t i = r.from; i < r.to; i++) {
		void *class = jni_ref(jni, JNI_NEW_LOCAL_REF,
				      weaving.classes[i].weak);

		weaving.classes[i].is_seen = false;
		if (class)
			weaving.refs[count++] = class;
	}
	return count;
}

static int weaving_retransform_range(jvm_table *env, jvm_table *jni,
				     struct range r)
{
	uint32_t count = weaving_make_refs(jni, r);
	uint64_t begin = system_now();
	struct probe_control *c = helper_control();
	int code = count ? jvmti_retransform(env, (int)count, weaving.refs) : 0;

	if (c)
		c->retransform_ns += system_now() - begin;
	jni_clear(jni);
	for (uint32_t i = 0; i < count; i++)
		jni_delete_local(jni, weaving.refs[i]);
	return code;
}

static void weaving_refuse_class(struct woven_class *class, int code)
{
	for (uint32_t i = 0; i < class->count; i++) {
		struct weave_method *m = &weaving.methods[class->first + i];

		if (m->refusal == PROBE_ARMED)
			m->refusal = PROBE_JVM_REFUSED;
	}
	class->is_woven = false;
	class->code = code;
}

/*
 * Retransforms all classes at once.  The JVM changes all or none, so when it
 * refuses, halves are tried until the refused classes are found; `refused` is
 * called for each.
 */
static uint32_t weaving_retransform(jvm_table *env, jvm_table *jni,
				    void (*refused)(struct woven_class *, int),
				    int *code)
{
	struct range ranges[RANGES] = { { 0, weaving.class_count } };
	uint32_t count = 1, failures = 0;
	struct probe_control *c = helper_control();

	if (c)
		c->retransform_ns = 0;
	while (count) {
		struct range r = ranges[--count];
		uint32_t middle = r.from + (r.to - r.from) / 2;
		int error = weaving_retransform_range(env, jni, r);

		if (!error)
			continue;
		*code = error;
		if (r.to - r.from == 1 || count + 2 > RANGES) {
			for (uint32_t i = r.from; i < r.to; i++)
				refused(&weaving.classes[i], error);
			failures += r.to - r.from;
		} else {
			ranges[count++] = (struct range){ middle, r.to };
			ranges[count++] = (struct range){ r.from, middle };
		}
	}
	return failures;
}

/* Methods whose class the JVM did not pass to the hook. */
static void weaving_refuse_unseen(jvm_table *jni)
{
	for (uint32_t i = 0; i < weaving.class_count; i++) {
		struct woven_class *class = &weaving.classes[i];
		bool is_gone = jni_is_same(jni, class->weak, NULL);

		for (uint32_t k = 0; !class->is_seen && k < class->count; k++) {
			struct weave_method
				*m = &weaving.methods[class->first + k];

			m->refusal = is_gone ? PROBE_IS_UNLOADED
					     : PROBE_JVM_REFUSED;
		}
	}
}

static void weaving_report_method(const struct woven_class *class,
				  const struct weave_method *m)
{
	uint8_t bytes[64];
	struct record r = record_over(bytes, sizeof(bytes));
	uint8_t *begin = record_begin(&r, PROBE_RECORD_METHOD);

	record_put(&r, m->id);
	record_put(&r, m->refusal);
	record_put(&r, (uint64_t) class->code);
	record_end(&r, begin);
	probes_send(&r);
}

static void weaving_report(void)
{
	struct probe_control *c = helper_control();
	uint32_t armed = 0, classes = 0;

	for (uint32_t i = 0; i < weaving.class_count; i++) {
		const struct woven_class *class = &weaving.classes[i];

		classes += class->is_woven;
		for (uint32_t k = 0; k < class->count; k++) {
			const struct weave_method
				*m = &weaving.methods[class->first + k];

			weaving_report_method(class, m);
			armed += m->refusal == PROBE_ARMED;
		}
	}
	c->armed = armed;
	c->classes = classes;
}

static bool weaving_can_weave(jvm_table *env, bool on, int *code)
{
	*code = jvmti_enable(env, on, JVMTI_CLASS_FILE_LOAD_HOOK);
	return *code == 0;
}

enum probe_step weaving_arm(jvm_table *env, jvm_table *jni,
			    const struct probe_classes *classes,
			    const uint8_t *request, uint32_t len, int *code)
{
	enum probe_step step;

	if (weaving.is_armed || len > PROBE_REQUEST)
		return PROBE_AT_REQUEST;
	if (!weaving_get_memory(code))
		return PROBE_AT_MEMORY;
	step = weaving_read_request(classes, request, len);
	if (step != PROBE_AT_NOTHING)
		return step;
	if (!system_wait(&weaving.lock))
		return PROBE_AT_MEMORY;
	if (!weaving_can_weave(env, true, code)) {
		system_unlock(&weaving.lock);
		return PROBE_AT_HOOK;
	}
	weaving.arming = system_thread();
	__atomic_store_n(&weaving.is_armed, true, __ATOMIC_RELEASE);
	weaving_retransform(env, jni, weaving_refuse_class, code);
	weaving.arming = 0;
	weaving_refuse_unseen(jni);
	weaving_report();
	system_unlock(&weaving.lock);
	return PROBE_AT_NOTHING;
}

static void weaving_count_stale(struct woven_class *class, int code)
{
	struct probe_control *c = helper_control();

	(void)class;
	(void)code;
	if (c)
		c->stale++;
}

enum probe_step weaving_disarm(jvm_table *env, jvm_table *jni, int *code)
{
	struct probe_control *c = helper_control();
	uint32_t failures;
	int unused;

	if (!weaving.is_armed)
		return PROBE_AT_NOTHING;
	__atomic_store_n(&weaving.is_armed, false, __ATOMIC_RELEASE);
	weaving_can_weave(env, false, &unused);
	/* Another thread may be weaving a class for another agent. */
	if (!system_wait(&weaving.lock)) {
		__atomic_store_n(&weaving.is_armed, true, __ATOMIC_RELEASE);
		return PROBE_AT_MEMORY;
	}
	failures = weaving_retransform(env, jni, weaving_count_stale, code);
	if (c) {
		c->armed = 0;
		c->classes = failures;
	}
	weaving_free_memory();
	system_unlock(&weaving.lock);
	return failures ? PROBE_AT_RETRANSFORM : PROBE_AT_NOTHING;
}
