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

/* Maximum bytes of the names of classes. */
#define NAMES ((size_t)4 << 20)

/*
 * The pause between searches for classes that are loaded again: the first, the
 * longest, and at least this multiple of the time that a search takes.
 */
#define AGAIN_NS      UINT64_C(1000000000)
#define AGAIN_MOST_NS (64 * AGAIN_NS)
#define AGAIN_REST    100u

/* Maximum growth of a class file, for the address space of the output. */
#define OUT_FACTOR 16
#define OUT_MORE   ((size_t)1 << 20)
#define OUT_MOST   ((size_t)256 << 20)
#define RANGES     64 /* halves of halves: 2^32 classes */

/* A class with methods to be armed; neighbours in `methods`. */
struct woven_class {
	void *weak;  /* of the list; the session keeps it */
	bool is_own; /* no, it belongs to this entry: a class loaded later */
	struct class_text name; /* "com/acme/Orders"; empty = unknown */
	uint32_t first, count;
	/* Its woven methods, and those of the armed class of its name. */
	uint32_t woven, wanted;
	bool is_seen;
	bool is_stale; /* it was not taken back */
	int code;      /* the jvmtiError of a refusal */
};

static struct {
	/*
	 * Held by a hook while it weaves a class, but not during a
	 * retransformation: other agents would wait for all classes of it.
	 */
	int lock;
	bool is_armed;    /* the hook weaves */
	uintptr_t arming; /* the thread that retransforms; 0 = none */
	uint8_t *request; /* a copy, which has the names */
	struct weave_method *methods; /* PROBE_MAX */
	uint32_t method_count;
	struct woven_class *classes; /* PROBE_MAX */
	uint32_t class_count;        /* not 0: something may be woven */
	uint8_t *names;              /* NAMES */
	size_t names_len;
	uint32_t announced; /* loaded classes with the name of an armed one */
	void **refs;        /* PROBE_MAX local references */
	struct weaver *weaver;
} weaving;

/* The search for classes that are loaded again. */
static struct {
	uint32_t announced; /* at the last search */
	uint32_t found;     /* new classes */
	uint64_t searched_ns, cost_ns, pause_ns;
} again;

/* Classes may have been loaded since the list, before the hook is enabled. */
static void again_begin(void)
{
	again.announced = UINT32_MAX;
	again.found = 0;
	again.searched_ns = system_now();
	again.cost_ns = 0;
}

/* ---- the request ---- */

/* Adds the next method of the request.  Returns false if it is malformed. */
static bool weaving_add_method(const struct probe_classes *all,
			       struct class_reader *r, uint32_t *last)
{
	const struct probe_control *c = helper_control();
	uint32_t number = class_u4(r);
	struct weave_method m = { .id = class_u2(r), .mode = class_u1(r) };
	struct woven_class *class = &weaving.classes[weaving.class_count];

	m.name = class_read_text(r);
	m.descriptor = class_read_text(r);
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
	       weaving_map((void **)&weaving.names, NAMES, code) &&
	       weaving_map((void **)&weaving.refs,
			   PROBE_MAX * sizeof(*weaving.refs), code) &&
	       weaving_map((void **)&weaving.weaver, sizeof(*weaving.weaver),
			   code);
}

static void weaving_free_memory(jvm_table *jni)
{
	for (uint32_t i = 0; i < weaving.class_count; i++)
		if (weaving.classes[i].is_own)
			jni_unref(jni, JNI_DELETE_WEAK_GLOBAL_REF,
				  weaving.classes[i].weak);
	system_unmap(weaving.request, PROBE_REQUEST);
	system_unmap(weaving.methods, PROBE_MAX * sizeof(*weaving.methods));
	system_unmap(weaving.classes, PROBE_MAX * sizeof(*weaving.classes));
	system_unmap(weaving.names, NAMES);
	system_unmap(weaving.refs, PROBE_MAX * sizeof(*weaving.refs));
	system_unmap(weaving.weaver, sizeof(*weaving.weaver));
	weaving.request = weaving.names = NULL;
	weaving.methods = NULL;
	weaving.classes = NULL;
	weaving.refs = NULL;
	weaving.weaver = NULL;
	weaving.method_count = weaving.class_count = 0;
}

/* Keeps the name of a class; without room or memory, it stays unknown. */
static void weaving_keep_name(jvm_table *env, jvm_table *jni,
			      struct woven_class *class)
{
	void *ref = jni_ref(jni, JNI_NEW_LOCAL_REF, class->weak);
	char *signature = NULL;
	struct class_text name;

	if (!ref || jvmti_class_signature(env, ref, &signature))
		signature = NULL;
	name = class_text_of_signature(signature ? signature : "");
	if (name.len <= NAMES - weaving.names_len) {
		memcpy(weaving.names + weaving.names_len, name.bytes, name.len);
		class->name = (struct class_text){
			weaving.names + weaving.names_len, name.len
		};
		weaving.names_len += name.len;
	}
	jvmti_deallocate(env, signature);
	if (ref)
		jni_delete_local(jni, ref);
}

/* ---- the hook ---- */

static bool weaving_may_be(const struct woven_class *class,
			   struct class_text name)
{
	return !class->name.len || !name.len ||
	       class_text_equals(class->name, name);
}

static struct woven_class *weaving_find_class(jvm_table *jni, void *class,
					      struct class_text name)
{
	for (uint32_t i = 0; i < weaving.class_count; i++)
		if (weaving_may_be(&weaving.classes[i], name) &&
		    jni_is_same(jni, weaving.classes[i].weak, class))
			return &weaving.classes[i];
	return NULL;
}

static struct woven_class *weaving_find_name(struct class_text name)
{
	for (uint32_t i = 0; i < weaving.class_count; i++)
		if (name.len && weaving.classes[i].name.len &&
		    class_text_equals(weaving.classes[i].name, name))
			return &weaving.classes[i];
	return NULL;
}

static void weaving_weave(jvm_table *env, struct woven_class *class,
			  const uint8_t *bytes, size_t len, int32_t *new_len,
			  uint8_t **new_bytes)
{
	struct weave_method *methods = &weaving.methods[class->first];
	size_t cap = len * OUT_FACTOR + OUT_MORE, out_len = 0;
	int code = 0;
	uint8_t *out;
	void *copy = NULL;

	if (cap > OUT_MOST)
		cap = OUT_MOST;
	out = system_map(cap, &code);
	if (!out) {
		for (uint32_t i = 0; i < class->count; i++)
			methods[i].refusal = PROBE_MEMORY_SHORT;
		return;
	}
	class->woven = 0;
	if (weave_class(weaving.weaver, bytes, len, methods, class->count, out,
			cap, &out_len) == PROBE_ARMED &&
	    jvmti_allocate(env, (int64_t)out_len, &copy) == 0) {
		memcpy(copy, out, out_len);
		*new_bytes = copy;
		*new_len = (int32_t)out_len;
		for (uint32_t i = 0; i < class->count; i++)
			class->woven += methods[i].refusal == PROBE_ARMED;
	}
	system_unmap(out, cap);
}

void weaving_hook(jvm_table *env, jvm_table *jni, void *redefined, void *loader,
		  const char *name, void *domain, int32_t len,
		  const uint8_t *bytes, int32_t *new_len, uint8_t **new_bytes)
{
	struct probe_control *c = helper_control();
	struct class_text text = class_text_of(name ? name : "");
	struct woven_class *class = NULL;
	bool is_mine;

	(void)loader;
	(void)domain;
	if (len <= 0 || !c ||
	    !__atomic_load_n(&weaving.is_armed, __ATOMIC_ACQUIRE))
		return;
	is_mine = __atomic_load_n(&weaving.arming, __ATOMIC_RELAXED) ==
		  system_thread();
	/* The client was killed, so the change would be taken back at once. */
	if (is_mine && !stream_is_watched())
		return;
	if (!system_wait(&weaving.lock))
		return;
	if (weaving.is_armed && redefined)
		class = weaving_find_class(jni, redefined, text);
	else if (weaving.is_armed && weaving_find_name(text))
		weaving.announced++;
	/* The JVM would refuse the other agent's change as it refused ours. */
	if (class && !(class->code && !is_mine)) {
		class->is_seen |= is_mine;
		weaving_weave(env, class, bytes, (size_t)len, new_len,
			      new_bytes);
		if (!is_mine)
			__atomic_fetch_add(&c->redefinitions, 1,
					   __ATOMIC_RELAXED);
	}
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
	class->woven = 0;
	class->code = code;
}

/*
 * Retransforms all classes from `first` on at once.  The JVM changes all or
 * none, so when it refuses, halves are tried until the refused classes are
 * found; `refused` is called for each.
 */
static uint32_t weaving_retransform(jvm_table *env, jvm_table *jni,
				    uint32_t first,
				    void (*refused)(struct woven_class *, int),
				    int *code)
{
	struct range ranges[RANGES] = { { first, weaving.class_count } };
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
static void weaving_refuse_unseen(jvm_table *jni, uint32_t first)
{
	for (uint32_t i = first; i < weaving.class_count; i++) {
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
		struct woven_class *class = &weaving.classes[i];

		class->wanted = class->woven;
		classes += class->woven != 0;
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

/* Lets the hook weave the classes from `first` on. */
static void weaving_weave_all(jvm_table *env, jvm_table *jni, uint32_t first,
			      int *code)
{
	__atomic_store_n(&weaving.arming, system_thread(), __ATOMIC_RELAXED);
	weaving_retransform(env, jni, first, weaving_refuse_class, code);
	__atomic_store_n(&weaving.arming, 0, __ATOMIC_RELAXED);
	weaving_refuse_unseen(jni, first);
}

static bool weaving_has_traces(void)
{
	for (uint32_t i = 0; i < weaving.method_count; i++)
		if (weaving.methods[i].mode & PROBE_TRACE)
			return true;
	return false;
}

static bool weaving_can_weave(jvm_table *env, bool on, int *code)
{
	*code = jvmti_enable(env, on, JVMTI_CLASS_FILE_LOAD_HOOK);
	return *code == 0;
}

static enum probe_step weaving_begin(jvm_table *env, jvm_table *jni,
				     const struct probe_classes *classes,
				     const uint8_t *request, uint32_t len,
				     int *code)
{
	enum probe_step step = weaving_read_request(classes, request, len);

	if (step != PROBE_AT_NOTHING)
		return step;
	if (weaving_has_traces() && !trace_prepare(jni))
		return PROBE_AT_TRACE;
	weaving.names_len = 0;
	weaving.announced = 0;
	again_begin();
	for (uint32_t i = 0; i < weaving.class_count; i++)
		weaving_keep_name(env, jni, &weaving.classes[i]);
	return weaving_can_weave(env, true, code) ? PROBE_AT_NOTHING
						  : PROBE_AT_HOOK;
}

enum probe_step weaving_arm(jvm_table *env, jvm_table *jni,
			    const struct probe_classes *classes,
			    const uint8_t *request, uint32_t len, int *code)
{
	enum probe_step step = weaving.is_armed || len > PROBE_REQUEST
				       ? PROBE_AT_REQUEST
				       : weaving_disarm(env, jni, code);

	if (step != PROBE_AT_NOTHING)
		return step;
	if (!weaving_get_memory(code))
		return PROBE_AT_MEMORY;
	step = weaving_begin(env, jni, classes, request, len, code);
	if (step != PROBE_AT_NOTHING) {
		weaving.class_count = 0;
		return step;
	}
	__atomic_store_n(&weaving.is_armed, true, __ATOMIC_RELEASE);
	weaving_weave_all(env, jni, 0, code);
	weaving_report();
	return PROBE_AT_NOTHING;
}

/*
 * ---- classes that are loaded again ----
 *
 * The hook announces a class with the name of an armed one.  The class is in
 * the JVM's list later, when its superclass has been loaded, or never, if it is
 * not defined after all.  So the list is searched until it had as many new
 * classes as were announced, less and less often, and once more before the
 * probes are taken back: then classes without probes are counted.
 */

/* Adds an entry for a class with the name of an armed one. */
static bool again_add_class(jvm_table *jni, const struct woven_class *like,
			    void *class)
{
	struct woven_class *new = &weaving.classes[weaving.class_count];

	if (weaving.class_count == PROBE_MAX)
		return false;
	*new = (struct woven_class){
		.weak = jni_ref(jni, JNI_NEW_WEAK_GLOBAL_REF, class),
		.is_own = true,
		.name = like->name,
		.first = like->first,
		.count = like->count,
		.wanted = like->wanted,
	};
	if (!new->weak)
		return false;
	/* The hook of another thread may search now. */
	__atomic_store_n(&weaving.class_count, weaving.class_count + 1,
			 __ATOMIC_RELEASE);
	return true;
}

/*
 * Finds the classes of the JVM's list that have no entry, and adds entries if
 * asked.  Returns the number of those that have none afterwards.
 */
static uint32_t again_search(jvm_table *env, jvm_table *jni, bool adds)
{
	void **classes = NULL;
	int32_t count = 0;
	uint32_t left = 0;

	if (jvmti_loaded_classes(env, &count, &classes))
		count = 0;
	for (int32_t i = 0; i < count; i++) {
		const struct woven_class *like = NULL;
		char *signature = NULL;

		if (jvmti_class_signature(env, classes[i], &signature) == 0)
			like = weaving_find_name(
				class_text_of_signature(signature));
		if (like && !weaving_find_class(jni, classes[i], like->name) &&
		    !(adds && again_add_class(jni, like, classes[i])))
			left++;
		jvmti_deallocate(env, signature);
	}
	for (int32_t i = 0; i < count; i++)
		jni_delete_local(jni, classes[i]);
	jvmti_deallocate(env, classes);
	return left;
}

/*
 * Sets the numbers in the control page.  A class that lacks a probe which the
 * armed class of its name has is not armed: some of its calls are not counted.
 */
static void again_report(uint32_t left)
{
	struct probe_control *c = helper_control();
	uint32_t whole = 0, unarmed = 0, woven = 0;

	for (uint32_t i = 0; i < weaving.class_count; i++) {
		const struct woven_class *class = &weaving.classes[i];

		woven += class->woven != 0;
		whole += class->is_own && class->woven >= class->wanted;
		unarmed += class->is_own && class->woven < class->wanted;
	}
	c->classes = woven;
	c->loaded_again = whole;
	c->loaded_unarmed = unarmed + left;
}

static bool again_is_due(uint32_t announced)
{
	uint64_t passed = system_now() - again.searched_ns;

	if (announced == again.announced && again.found >= announced)
		return false;
	return passed >= again.cost_ns * AGAIN_REST &&
	       passed >= (announced == again.announced ? again.pause_ns
						       : AGAIN_NS);
}

void weaving_arm_again(jvm_table *env, jvm_table *jni)
{
	struct probe_control *c = helper_control();
	uint32_t first = weaving.class_count, left;
	uint32_t announced = __atomic_load_n(&weaving.announced,
					     __ATOMIC_ACQUIRE);
	uint64_t retransform_ns = c->retransform_ns, begin_ns = system_now();
	int code = 0;

	if (!weaving.is_armed || !again_is_due(announced))
		return;
	left = again_search(env, jni, true);
	if (weaving.class_count > first)
		weaving_weave_all(env, jni, first, &code);
	again_report(left);
	c->retransform_ns = retransform_ns;
	/* Without an announcement, the class was loaded before the hook. */
	if (announced)
		again.found += weaving.class_count - first;
	again.pause_ns = announced == again.announced &&
					 again.pause_ns < AGAIN_MOST_NS
				 ? again.pause_ns * 2
				 : AGAIN_NS;
	again.announced = announced;
	again.searched_ns = system_now();
	again.cost_ns = again.searched_ns - begin_ns;
}

/* ---- taking back ---- */

static void weaving_keep_stale(struct woven_class *class, int code)
{
	(void)code;
	class->is_stale = true;
}

/* Forgets the classes that are taken back; returns the number of the others. */
static uint32_t weaving_forget_restored(jvm_table *jni)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < weaving.class_count; i++) {
		struct woven_class class = weaving.classes[i];

		if (!class.is_stale && class.is_own)
			jni_unref(jni, JNI_DELETE_WEAK_GLOBAL_REF, class.weak);
		if (!class.is_stale)
			continue;
		class.is_stale = false;
		weaving.classes[kept++] = class;
	}
	weaving.class_count = kept;
	return kept;
}

enum probe_step weaving_disarm(jvm_table *env, jvm_table *jni, int *code)
{
	struct probe_control *c = helper_control();
	uint32_t failures;
	int unused;

	if (!weaving.class_count)
		return PROBE_AT_NOTHING;
	if (weaving.is_armed && stream_is_watched())
		again_report(again_search(env, jni, false));
	__atomic_store_n(&weaving.is_armed, false, __ATOMIC_RELEASE);
	weaving_can_weave(env, false, &unused);
	/* Another thread may be weaving a class for another agent. */
	if (!system_wait(&weaving.lock))
		return PROBE_AT_MEMORY;
	system_unlock(&weaving.lock);
	weaving_retransform(env, jni, 0, weaving_keep_stale, code);
	failures = weaving_forget_restored(jni);
	if (c) {
		c->armed = 0;
		c->classes = c->stale = failures;
	}
	if (failures)
		return PROBE_AT_RETRANSFORM;
	weaving_forget(jni);
	return PROBE_AT_NOTHING;
}

void weaving_forget(jvm_table *jni)
{
	/* A hook that began before the end sees that it has ended. */
	if (system_wait(&weaving.lock)) {
		weaving_free_memory(jni);
		system_unlock(&weaving.lock);
	}
	weaving.class_count = 0;
}
