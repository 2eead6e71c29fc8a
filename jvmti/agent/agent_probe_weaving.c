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
#define AGAIN_MOST_NS (8 * AGAIN_NS)
#define AGAIN_REST    100u

/* Maximum growth of a class file, for the address space of the output. */
#define OUT_FACTOR 16
#define OUT_MORE   ((size_t)1 << 20)
#define OUT_MOST   ((size_t)256 << 20)
#define RANGES     64 /* halves of halves: 2^32 classes */

/* A class with methods to be armed; neighbors in `methods`. */
struct woven_class {
	void *weak;
	struct class_text name; /* "com/acme/Orders"; empty = unknown */
	uint32_t first, count;
	/* Its woven methods, and those of the armed class of its name. */
	uint32_t woven, wanted;
	bool is_again; /* loaded again: its methods are those of another entry
			*/
	bool is_seen;
	bool is_refused; /* by the JVM or sjkc: it is never changed */
	bool is_changed; /* the JVM may run woven code of it */
	bool is_stale;   /* it was not taken back */
	int code;        /* the jvmtiError of a refusal */
};

static struct {
	/*
	 * Held by a hook while it weaves a class, but not during a
	 * retransformation: other agents would wait for all classes of it.
	 */
	int lock;
	bool is_armed;    /* the hook weaves */
	uintptr_t arming; /* the thread that retransforms; 0 = none */
	uint8_t *request; /* a copy, which has the names: PROBE_REQUEST */
	uint32_t request_len;
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

/* A request that is being read behind the classes of the earlier ones. */
struct reading {
	jvm_table *jni;
	const struct probe_classes *all;
	struct class_reader r;
	uint32_t classes, methods; /* used entries */
	uint32_t last;             /* number of the last class */
};

/* Adds the next method of the request.  Returns false if it is malformed. */
static bool reading_add_method(struct reading *g, bool is_first)
{
	const struct probe_control *c = helper_control();
	uint32_t number = class_u4(&g->r);
	struct weave_method m = { .id = class_u2(&g->r),
				  .mode = class_u1(&g->r) };

	m.name = class_read_text(&g->r);
	m.descriptor = class_read_text(&g->r);
	if (g->r.is_bad || number >= g->all->count || m.id < c->first_id ||
	    m.id >= c->first_id + c->ids || g->classes == PROBE_MAX)
		return false;
	if (is_first || number != g->last)
		weaving.classes[g->classes++] = (struct woven_class){
			.weak = jni_ref(g->jni, JNI_NEW_WEAK_GLOBAL_REF,
					g->all->weak[number]),
			.first = g->methods,
		};
	g->last = number;
	weaving.classes[g->classes - 1].count++;
	weaving.methods[g->methods++] = m;
	return true;
}

static enum probe_step reading_run(struct reading *g, const uint8_t *request,
				   uint32_t len)
{
	uint8_t *copy = weaving.request + weaving.request_len;
	uint32_t count;

	if (len > PROBE_REQUEST - weaving.request_len)
		return PROBE_AT_REQUEST;
	/* A copy, because the client can change the shared one. */
	memcpy(copy, request, len);
	g->r = (struct class_reader){ copy, len, 0, false };
	count = class_u4(&g->r);
	if (g->r.is_bad || count > PROBE_MAX - g->methods)
		return PROBE_AT_REQUEST;
	for (uint32_t i = 0; i < count; i++)
		if (!reading_add_method(g, i == 0))
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
	weaving.method_count = weaving.class_count = weaving.request_len = 0;
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
	if (name.len && name.len <= NAMES - weaving.names_len) {
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

/* Finds a class of a name that was not refused. */
static struct woven_class *weaving_find_name(struct class_text name)
{
	for (uint32_t i = 0; i < weaving.class_count; i++)
		if (name.len && weaving.classes[i].name.len &&
		    !weaving.classes[i].is_refused &&
		    class_text_equals(weaving.classes[i].name, name))
			return &weaving.classes[i];
	return NULL;
}

bool weaving_has_name(struct class_text name)
{
	return weaving_find_name(name);
}

bool weaving_is_armed(void) { return weaving.is_armed; }

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
	class->woven = 0;
	out = system_map(cap, &code);
	if (out &&
	    weave_class(weaving.weaver, bytes, len, methods, class->count, out,
			cap, &out_len) != PROBE_ARMED) {
		system_unmap(out, cap);
		return;
	}
	if (!out || jvmti_allocate(env, (int64_t)out_len, &copy)) {
		for (uint32_t i = 0; i < class->count; i++)
			methods[i].refusal = PROBE_MEMORY_SHORT;
	} else {
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
	else if (weaving.is_armed &&
		 (weaving_find_name(text) || probes_may_want(text)))
		weaving.announced++;
	/* The JVM would refuse the other agent's change as it refused ours. */
	if (class && !class->is_refused) {
		class->is_seen |= is_mine;
		weaving_weave(env, class, bytes, (size_t)len, new_len,
			      new_bytes);
		if (!is_mine && class->woven)
			class->is_changed = true;
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

/* Returns true for a class that is to be woven, or to be taken back. */
static bool weaving_is_due(const struct woven_class *class)
{
	return weaving.is_armed ? !class->is_refused : class->is_changed;
}

/* Makes references to the classes that still exist; returns their number. */
static uint32_t weaving_make_refs(jvm_table *jni, struct range r)
{
	uint32_t count = 0;

	for (uint32_t i = r.from; i < r.to; i++) {
		struct woven_class *class = &weaving.classes[i];
		void *ref = weaving_is_due(class)
				    ? jni_ref(jni, JNI_NEW_LOCAL_REF,
					      class->weak)
				    : NULL;

		class->is_seen = false;
		if (ref)
			weaving.refs[count++] = ref;
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
	if (c && count && !code)
		helper_note_change();
	jni_clear(jni);
	for (uint32_t i = 0; i < count; i++)
		jni_delete_local(jni, weaving.refs[i]);
	for (uint32_t i = r.from; !code && weaving.is_armed && i < r.to; i++)
		if (weaving.classes[i].woven)
			weaving.classes[i].is_changed = true;
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
	class->is_refused = true;
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

		if (class->is_seen || class->is_refused)
			continue;
		for (uint32_t k = 0; k < class->count; k++) {
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

/* Reports the methods of the classes from `first` on. */
static void weaving_report(uint32_t first)
{
	struct probe_control *c = helper_control();

	for (uint32_t i = first; i < weaving.class_count; i++) {
		struct woven_class *class = &weaving.classes[i];

		class->wanted = class->woven;
		c->classes += class->woven != 0;
		for (uint32_t k = 0; k < class->count; k++) {
			const struct weave_method
				*m = &weaving.methods[class->first + k];

			weaving_report_method(class, m);
			c->armed += m->refusal == PROBE_ARMED;
		}
	}
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

static bool weaving_can_weave(jvm_table *env, bool on, int *code)
{
	*code = jvmti_enable(env, on, JVMTI_CLASS_FILE_LOAD_HOOK);
	return *code == 0;
}

/* ---- arming ---- */

/* The loader of the last class, and PROBE_ARMED if it finds the helpers. */
struct last_loader {
	void *loader; /* local reference */
	bool is_known, has_traces;
	enum probe_refusal refusal;
};

static bool weaving_has_traces(const struct woven_class *class)
{
	for (uint32_t i = 0; i < class->count; i++)
		if (weaving.methods[class->first + i].mode & PROBE_TRACE)
			return true;
	return false;
}

/* The JVM lists the classes of a loader one after the other. */
static enum probe_refusal loader_refusal(struct last_loader *l, jvm_table *env,
					 jvm_table *jni,
					 const struct woven_class *class)
{
	void *ref = jni_ref(jni, JNI_NEW_LOCAL_REF, class->weak);
	void *loader = NULL;
	bool has_traces = weaving_has_traces(class);

	if (ref && jvmti_class_loader(env, ref, &loader))
		loader = NULL;
	if (ref)
		jni_delete_local(jni, ref);
	if (l->is_known && l->has_traces == has_traces &&
	    jni_is_same(jni, l->loader, loader)) {
		if (loader)
			jni_delete_local(jni, loader);
	} else {
		if (l->loader)
			jni_delete_local(jni, l->loader);
		*l = (struct last_loader){
			.loader = loader,
			.is_known = true,
			.has_traces = has_traces,
			.refusal = probes_ask_loader(jni, loader, has_traces),
		};
	}
	return l->refusal;
}

/*
 * Refuses a class whose loader does not find the helper classes: woven code
 * would throw NoClassDefFoundError into the application.
 */
static void weaving_check_loader(struct last_loader *l, jvm_table *env,
				 jvm_table *jni, struct woven_class *class)
{
	enum probe_refusal refusal = loader_refusal(l, env, jni, class);

	if (refusal == PROBE_ARMED)
		return;
	for (uint32_t i = 0; i < class->count; i++)
		weaving.methods[class->first + i].refusal = (uint8_t)refusal;
	class->is_refused = true;
}

/* Adds the classes and methods of a request; the hook finds them from then on.
 */
static enum probe_step weaving_read_request(jvm_table *env, jvm_table *jni,
					    const struct probe_classes *all,
					    const uint8_t *request,
					    uint32_t len)
{
	struct reading g = { .jni = jni,
			     .all = all,
			     .classes = weaving.class_count,
			     .methods = weaving.method_count };
	enum probe_step step = reading_run(&g, request, len);
	struct last_loader last = { 0 };

	for (uint32_t i = weaving.method_count; i < g.methods; i++)
		if (weaving.methods[i].mode & PROBE_TRACE &&
		    step == PROBE_AT_NOTHING && !trace_prepare(jni))
			step = PROBE_AT_TRACE;
	for (uint32_t i = weaving.class_count; i < g.classes; i++) {
		struct woven_class *class = &weaving.classes[i];

		if (step == PROBE_AT_NOTHING) {
			weaving_keep_name(env, jni, class);
			weaving_check_loader(&last, env, jni, class);
		} else {
			jni_unref(jni, JNI_DELETE_WEAK_GLOBAL_REF, class->weak);
		}
	}
	if (last.loader)
		jni_delete_local(jni, last.loader);
	if (step != PROBE_AT_NOTHING)
		return step;
	weaving.request_len += len;
	weaving.method_count = g.methods;
	__atomic_store_n(&weaving.class_count, g.classes, __ATOMIC_RELEASE);
	return PROBE_AT_NOTHING;
}

/* Prepares the first request: no class is woven, and no hook is enabled. */
static enum probe_step weaving_begin(jvm_table *env, jvm_table *jni,
				     const struct probe_classes *all, int *code)
{
	enum probe_step step = weaving_disarm(env, jni, code);
	struct probe_control *c = helper_control();

	if (step != PROBE_AT_NOTHING)
		return step;
	if (!weaving_get_memory(code))
		return PROBE_AT_MEMORY;
	weaving.names_len = 0;
	weaving.announced = c->follows ? all->unready : 0;
	weaving.weaver->code_limit = c->code_limit;
	c->armed = c->classes = 0;
	again_begin();
	return PROBE_AT_NOTHING;
}

enum probe_step weaving_arm(jvm_table *env, jvm_table *jni,
			    const struct probe_classes *classes,
			    const uint8_t *request, uint32_t len, int *code)
{
	enum probe_step step = PROBE_AT_NOTHING;
	bool is_first = !weaving.is_armed;
	uint32_t first;

	if (is_first)
		step = weaving_begin(env, jni, classes, code);
	first = weaving.class_count;
	if (step == PROBE_AT_NOTHING)
		step = weaving_read_request(env, jni, classes, request, len);
	if (is_first && step == PROBE_AT_NOTHING &&
	    !weaving_can_weave(env, true, code))
		step = PROBE_AT_HOOK;
	if (step != PROBE_AT_NOTHING) {
		if (is_first)
			weaving_forget(jni);
		return step;
	}
	__atomic_store_n(&weaving.is_armed, true, __ATOMIC_RELEASE);
	weaving_weave_all(env, jni, first, code);
	weaving_report(first);
	return PROBE_AT_NOTHING;
}

/*
 * ---- classes that are loaded later ----
 *
 * The hook announces a class with the name of an armed one, or one that the
 * client's patterns may select.  The class is in the JVM's list later, when its
 * superclass has been loaded, or never, if it is not defined after all.  So the
 * list is searched until it had as many new classes as were announced, less and
 * less often, and once more before the probes are taken back: then classes
 * without probes are counted.
 *
 * A class that another loader loads again gets the probes of the armed class of
 * its name.  Other new classes are listed, and the client arms them.
 */

/* Adds an entry for a class with the name of an armed one. */
static bool again_add_class(jvm_table *env, jvm_table *jni,
			    const struct woven_class *like, void *class)
{
	struct woven_class *new = &weaving.classes[weaving.class_count];
	struct last_loader last = { 0 };

	if (weaving.class_count == PROBE_MAX)
		return false;
	*new = (struct woven_class){
		.weak = jni_ref(jni, JNI_NEW_WEAK_GLOBAL_REF, class),
		.is_again = true,
		.name = like->name,
		.first = like->first,
		.count = like->count,
		.wanted = like->wanted,
	};
	if (!new->weak)
		return false;
	new->is_refused = loader_refusal(&last, env, jni, new) != PROBE_ARMED;
	if (last.loader)
		jni_delete_local(jni, last.loader);
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
		    !(adds && again_add_class(env, jni, like, classes[i])))
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
		whole += class->is_again && class->woven >= class->wanted;
		unarmed += class->is_again && class->woven < class->wanted;
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
	uint32_t listed;
	int code = 0;

	if (!weaving.is_armed || !again_is_due(announced))
		return;
	left = again_search(env, jni, true);
	if (weaving.class_count > first)
		weaving_weave_all(env, jni, first, &code);
	again_report(left);
	c->retransform_ns = retransform_ns;
	listed = probes_list_new(jni);
	/* Without an announcement, the class was loaded before the hook. */
	if (announced)
		again.found += weaving.class_count - first + listed;
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

		if (!class.is_stale)
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
	if (!system_wait(&weaving.lock)) {
		*code = SYSTEM_EBUSY;
		return PROBE_AT_LOCK;
	}
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
	/*
	 * A hook that began before the end sees that it has ended.  If one does
	 * not return, the next session takes the memory over.
	 */
	if (!system_wait(&weaving.lock))
		return;
	weaving_free_memory(jni);
	system_unlock(&weaving.lock);
}
