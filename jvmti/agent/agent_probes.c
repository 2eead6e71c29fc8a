/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A session of probes: its thread, the client's requests, the list of classes.
 */
#include "jvmti/agent/agent_probes.h"

#include "jvmti/agent/agent_class_file.h"
#include "jvmti/agent/agent_stream.h"
#include "jvmti/agent/agent_system.h"
#include "jvmti/agent/agent_weave.h"

enum {
	TICK_MS = 100,       /* between checks of the client */
	LEASE_MS = 30000,    /* without another one of the client */
	PATTERNS = 1024,     /* maximum of a request */
	BASES = 256,         /* classes whose subtypes are listed */
	LOADERS = 1024,      /* loaders with a number of their own */
	RECORD = 256 << 10,  /* bytes of a record of a class */
	RECORD_LEFT = 32768, /* room for one more method, cut by RECORD_NAME */
	SENDS = 5000,        /* tries to send a record, one each ms */
	PRIORITY = 5,        /* of the thread: the normal one */
	RESTORES = 20,       /* tries to take the probes back at the end */
	RESTORE_MS = 500,    /* between them */
	ASK_MS = 2000,       /* for a class loader */
	ASKINGS = 8,         /* class loaders that do not respond */
};

struct pattern {
	struct class_text class_name, method;
	bool has_subtypes;
};

static struct {
	jvm_table *vm, *env;
	bool is_over;         /* requested by Agent_OnAttach */
	uint32_t beat;        /* as it was seen last */
	uint32_t silent_ms;   /* since it changed */
	uint64_t token_parts; /* thousandths of tokens */
	uint64_t ticked_ns;
	struct probe_classes classes;   /* PROBE_CLASSES entries */
	struct listing_memory *listing; /* kept for the patterns */
} probes;

jvm_table *probes_env(void) { return probes.env; }

static void probes_sleep_ms(uint32_t ms)
{
	const int64_t nap[2] = { ms / 1000, (int64_t)(ms % 1000) * 1000000 };

	system_call(SYSTEM_NANOSLEEP, (long)nap, 0, 0, 0, 0, 0);
}

void probes_send(const struct record *r)
{
	if (r->is_full) {
		stream_lose();
		return;
	}
	/* A full ring or an application thread that writes: both pass. */
	for (int i = 0; i < SENDS && stream_is_watched(); i++) {
		if (stream_add(r->begin, (size_t)(r->at - r->begin),
			       STREAM_PROBES, 0, true))
			return;
		probes_sleep_ms(1);
	}
}

/* ---- the list ---- */

/* Matches a text with a pattern with '*' and '?', in bounded time. */
static bool pattern_matches(struct class_text pattern, struct class_text text)
{
	size_t p = 0, t = 0, star = SIZE_MAX, again = 0;

	while (t < text.len) {
		if (p < pattern.len && pattern.bytes[p] == '*') {
			star = p++;
			again = t;
		} else if (p < pattern.len &&
			   (pattern.bytes[p] == '?' ||
			    pattern.bytes[p] == text.bytes[t])) {
			p++;
			t++;
		} else if (star != SIZE_MAX) {
			p = star + 1;
			t = ++again;
		} else {
			return false;
		}
	}
	while (p < pattern.len && pattern.bytes[p] == '*')
		p++;
	return p == pattern.len;
}

/* A listing in progress. */
struct listing {
	jvm_table *jni;
	struct pattern *patterns; /* PATTERNS */
	uint32_t pattern_count;
	void **bases;           /* BASES local references */
	uint16_t *base_pattern; /* of each base */
	uint32_t base_count;
	void **loaders; /* LOADERS local references */
	uint32_t loader_count;
	uint8_t *bytes; /* 3 * RECORD */
	uint8_t *hits;  /* PATTERNS: patterns that match the class */
	bool is_later;  /* of classes that were loaded since the list */
};

static bool listing_read_patterns(struct listing *l, const uint8_t *bytes,
				  uint32_t len)
{
	struct class_reader r = { bytes, len, 0, false };

	l->pattern_count = class_u2(&r);
	if (l->pattern_count > PATTERNS || len > PROBE_REQUEST)
		return false;
	for (uint32_t i = 0; i < l->pattern_count; i++) {
		l->patterns[i].has_subtypes = class_u1(&r) & PROBE_SUBTYPES;
		l->patterns[i].class_name = class_read_text(&r);
		l->patterns[i].method = class_read_text(&r);
	}
	return !r.is_bad;
}

/* Sets the patterns that match the class; returns false if there are none. */
static bool listing_find_hits(struct listing *l, void *class,
			      struct class_text name)
{
	bool is_hit = false;

	for (uint32_t i = 0; i < l->pattern_count; i++) {
		l->hits[i] = name.len &&
			     pattern_matches(l->patterns[i].class_name, name);
		is_hit |= l->hits[i];
	}
	for (uint32_t i = 0; i < l->base_count && name.len; i++) {
		if (!l->hits[l->base_pattern[i]] &&
		    jni_is_assignable(l->jni, class, l->bases[i])) {
			l->hits[l->base_pattern[i]] = true;
			is_hit = true;
		}
	}
	return is_hit;
}

/* Finds the classes whose subtypes are listed. */
static void listing_find_bases(struct listing *l, void *const *classes,
			       int32_t count)
{
	bool is_needed = false;

	for (uint32_t i = 0; i < l->pattern_count; i++)
		is_needed |= l->patterns[i].has_subtypes;
	for (int32_t k = 0; k < count && is_needed; k++) {
		char *signature = NULL;
		struct class_text name;

		if (jvmti_class_signature(probes.env, classes[k], &signature))
			continue;
		name = class_text_of_signature(signature);
		for (uint32_t i = 0; i < l->pattern_count && name.len; i++) {
			if (!l->patterns[i].has_subtypes ||
			    l->base_count == BASES ||
			    !pattern_matches(l->patterns[i].class_name, name))
				continue;
			l->bases[l->base_count] = classes[k];
			l->base_pattern[l->base_count++] = (uint16_t)i;
		}
		jvmti_deallocate(probes.env, signature);
	}
}

/* Returns the number of a loader; takes over the reference. */
static uint32_t listing_number_loader(struct listing *l, void *loader)
{
	if (!loader)
		return 0;
	for (uint32_t i = 0; i < l->loader_count; i++) {
		if (jni_is_same(l->jni, l->loaders[i], loader)) {
			jni_delete_local(l->jni, loader);
			return i + 1;
		}
	}
	if (l->loader_count == LOADERS) {
		jni_delete_local(l->jni, loader);
		return LOADERS + 1;
	}
	l->loaders[l->loader_count++] = loader;
	return l->loader_count;
}

static void record_put_loader(struct listing *l, struct record *r, void *class)
{
	char *signature = NULL;
	void *loader = NULL, *type = NULL;

	if (jvmti_class_loader(probes.env, class, &loader))
		loader = NULL;
	type = loader ? jni_class_of(l->jni, loader) : NULL;
	if (!type || jvmti_class_signature(probes.env, type, &signature))
		signature = NULL;
	record_put(r, listing_number_loader(l, loader));
	record_put_text(r, signature);
	jvmti_deallocate(probes.env, signature);
	if (type)
		jni_delete_local(l->jni, type);
}

/* A class that is being listed. */
struct listed {
	void *class;
	char *signature;
	int32_t access;
	bool is_fixed;
	void **methods;
	int32_t method_count;
	uint32_t number;
	bool is_kept; /* it has the number */
	bool is_unready;
};

static uint8_t listing_refusal(const struct listed *c, const char *name,
			       int32_t access)
{
	if (c->is_fixed)
		return PROBE_IS_FIXED;
	if (access & CLASS_NATIVE)
		return PROBE_IS_NATIVE;
	if (access & CLASS_ABSTRACT)
		return PROBE_IS_ABSTRACT;
	if (class_text_is(class_text_of(name), "<clinit>"))
		return PROBE_IS_INITIALIZER;
	if (weave_is_used(class_text_of_signature(c->signature),
			  class_text_of(name)))
		return PROBE_IS_USED;
	return PROBE_ARMED;
}

/* Adds a method if its name matches; returns whether it does. */
static bool record_put_method(struct listing *l, struct record *r,
			      const struct listed *c, void *method)
{
	char *name = NULL, *descriptor = NULL;
	int32_t access = 0;
	bool is_hit = false;

	if (jvmti_method_name(probes.env, method, &name, &descriptor))
		return false;
	for (uint32_t i = 0; i < l->pattern_count && !is_hit; i++)
		is_hit = l->hits[i] && pattern_matches(l->patterns[i].method,
						       class_text_of(name));
	if (is_hit) {
		jvmti_method_modifiers(probes.env, method, &access);
		record_put(r, (uint64_t)access & 0xffff);
		record_put_byte(r, listing_refusal(c, name, access));
		record_put_text(r, name);
		record_put_text(r, descriptor);
	}
	jvmti_deallocate(probes.env, name);
	jvmti_deallocate(probes.env, descriptor);
	return is_hit;
}

/* The error of GetClassMethods for a class that is not linked. */
#define NOT_PREPARED 22

/* Gives the class a number, if it has none yet. */
static bool listing_keep(struct listing *l, struct listed *c)
{
	struct probe_classes *all = &probes.classes;
	void *weak;

	if (c->is_kept)
		return true;
	if (all->count == PROBE_CLASSES)
		return false;
	weak = jni_ref(l->jni, JNI_NEW_WEAK_GLOBAL_REF, c->class);
	if (!weak)
		return false;
	c->number = all->count;
	c->is_kept = true;
	/* A class that is not linked yet is listed again when it is. */
	all->hash[all->count] = c->is_unready ? 0
					      : class_text_hash(
							class_text_of_signature(
								c->signature));
	all->unready += c->is_unready;
	all->weak[all->count++] = weak;
	return true;
}

/*
 * Sends a record of the class with the next methods that match, if any. Their
 * number precedes them, so a second buffer has them.
 */
static void listing_send(struct listing *l, struct listed *c, uint8_t flags,
			 int32_t *next)
{
	struct record methods = record_over(l->bytes, RECORD);
	struct record r = record_over(l->bytes + RECORD, 2 * RECORD);
	uint8_t *begin = record_begin(&r, PROBE_RECORD_CLASS);
	uint32_t count = 0;

	while (*next < c->method_count &&
	       methods.end - methods.at > RECORD_LEFT)
		count += record_put_method(l, &methods, c,
					   c->methods[(*next)++]);
	if (!count && !flags)
		return;
	if (!listing_keep(l, c)) {
		stream_lose();
		return;
	}
	record_put(&r, c->number);
	record_put_text(&r, c->signature);
	record_put_loader(l, &r, c->class);
	record_put(&r, (uint64_t)c->access & 0xffff);
	record_put_byte(&r, flags);
	record_put(&r, count);
	record_put_bytes(&r, methods.begin,
			 (size_t)(methods.at - methods.begin));
	record_end(&r, begin);
	probes_send(&r);
}

static void listing_add_class(struct listing *l, struct listed *c)
{
	uint8_t is_modifiable = 0;
	uint8_t flags = 0;
	int32_t next = 0;

	jvmti_class_modifiers(probes.env, c->class, &c->access);
	if (jvmti_is_modifiable(probes.env, c->class, &is_modifiable) ||
	    !is_modifiable)
		flags |= PROBE_CLASS_FIXED;
	c->is_fixed = flags;
	if (jvmti_class_methods(probes.env, c->class, &c->method_count,
				&c->methods) == NOT_PREPARED)
		flags |= PROBE_CLASS_UNREADY;
	c->is_unready = flags & PROBE_CLASS_UNREADY;
	do
		listing_send(l, c, flags, &next);
	while (next < c->method_count);
	jvmti_deallocate(probes.env, c->methods);
}

static bool listing_has(const struct listing *l, void *class, uint32_t hash)
{
	const struct probe_classes *all = &probes.classes;

	for (uint32_t i = 0; i < all->count; i++)
		if (all->hash[i] == hash &&
		    jni_is_same(l->jni, all->weak[i], class))
			return true;
	return false;
}

/*
 * Of classes that were loaded since the list, adds those that are linked and
 * can be changed.  A class with the name of an armed one gets the probes of
 * that class.
 */
static bool listing_omits(const struct listing *l, const struct listed *c)
{
	struct class_text name = class_text_of_signature(c->signature);
	int32_t count;
	void **methods = NULL;
	uint8_t is_modifiable = 0;
	int code;

	if (!l->is_later)
		return false;
	if (jvmti_is_modifiable(probes.env, c->class, &is_modifiable) ||
	    !is_modifiable || weaving_has_name(name) ||
	    listing_has(l, c->class, class_text_hash(name)))
		return true;
	code = jvmti_class_methods(probes.env, c->class, &count, &methods);
	jvmti_deallocate(probes.env, methods);
	return code == NOT_PREPARED;
}

static void listing_visit(struct listing *l, void *const *classes,
			  int32_t count)
{
	listing_find_bases(l, classes, count);
	for (int32_t i = 0; i < count && stream_is_watched(); i++) {
		struct listed c = { .class = classes[i] };

		if (jvmti_class_signature(probes.env, c.class, &c.signature))
			continue;
		if (listing_find_hits(l, c.class,
				      class_text_of_signature(c.signature)) &&
		    !listing_omits(l, &c))
			listing_add_class(l, &c);
		jvmti_deallocate(probes.env, c.signature);
	}
	for (uint32_t i = 0; i < l->loader_count; i++)
		jni_delete_local(l->jni, l->loaders[i]);
}

/* One block of memory for listings. */
struct listing_memory {
	struct pattern patterns[PATTERNS];
	uint32_t pattern_count;
	void *bases[BASES], *loaders[LOADERS];
	uint16_t base_pattern[BASES];
	uint8_t hits[PATTERNS];
	uint8_t request[PROBE_REQUEST];
	uint8_t bytes[3 * RECORD];
};

static void probes_forget_classes(jvm_table *jni)
{
	struct probe_classes *all = &probes.classes;

	for (uint32_t i = 0; i < all->count; i++)
		jni_unref(jni, JNI_DELETE_WEAK_GLOBAL_REF, all->weak[i]);
	system_unmap(all->weak, PROBE_CLASSES * sizeof(*all->weak));
	system_unmap(all->hash, PROBE_CLASSES * sizeof(*all->hash));
	system_unmap(probes.listing, sizeof(*probes.listing));
	*all = (struct probe_classes){ 0 };
	probes.listing = NULL;
}

static struct listing listing_over(jvm_table *jni, struct listing_memory *m)
{
	return (struct listing){
		.jni = jni,
		.patterns = m->patterns,
		.pattern_count = m->pattern_count,
		.bases = m->bases,
		.base_pattern = m->base_pattern,
		.loaders = m->loaders,
		.bytes = m->bytes,
		.hits = m->hits,
	};
}

static enum probe_step listing_run(struct listing *l, int *code)
{
	void **classes = NULL;
	int32_t count = 0;

	*code = jvmti_loaded_classes(probes.env, &count, &classes);
	if (*code)
		return PROBE_AT_CLASSES;
	listing_visit(l, classes, count);
	for (int32_t i = 0; i < count; i++)
		jni_delete_local(l->jni, classes[i]);
	jvmti_deallocate(probes.env, classes);
	return PROBE_AT_NOTHING;
}

static enum probe_step probes_list(jvm_table *jni, uint32_t len, int *code)
{
	struct probe_classes *all = &probes.classes;
	struct listing_memory *m;
	struct listing l;

	probes_forget_classes(jni);
	all->weak = system_map(PROBE_CLASSES * sizeof(*all->weak), code);
	all->hash = system_map(PROBE_CLASSES * sizeof(*all->hash), code);
	m = probes.listing = system_map(sizeof(*m), code);
	if (!m || !all->weak || !all->hash || len > PROBE_REQUEST)
		return PROBE_AT_MEMORY;
	memcpy(m->request, helper_request(), len);
	l = listing_over(jni, m);
	if (!listing_read_patterns(&l, m->request, len))
		return PROBE_AT_REQUEST;
	m->pattern_count = l.pattern_count;
	return listing_run(&l, code);
}

bool probes_may_want(struct class_text name)
{
	const struct listing_memory *m = probes.listing;

	for (uint32_t i = 0;
	     m && helper_control()->follows && i < m->pattern_count; i++)
		if (m->patterns[i].has_subtypes ||
		    pattern_matches(m->patterns[i].class_name, name))
			return true;
	return false;
}

uint32_t probes_list_new(jvm_table *jni)
{
	uint32_t before = probes.classes.count;
	struct listing l;
	int code;

	if (!probes.listing || !helper_control()->follows)
		return 0;
	l = listing_over(jni, probes.listing);
	l.is_later = true;
	listing_run(&l, &code);
	/* Writes the records to the stream. */
	stream_report(AGENT_RUNS, AGENT_AT_NOTHING, 0, 0, NULL);
	return probes.classes.count - before;
}

/* ---- the thread ---- */

/* Tracers see all calls that are counted. */
static enum probe_step probes_disarm(jvm_table *jni, int *code)
{
	enum probe_step step = weaving_disarm(probes.env, jni, code);

	trace_end();
	return step;
}

static enum probe_step probes_execute(jvm_table *jni, uint32_t kind,
				      uint32_t len, int *code)
{
	switch (kind) {
	case PROBE_LIST:
		if (weaving_is_armed())
			return PROBE_AT_REQUEST;
		return probes_list(jni, len, code);
	case PROBE_ARM:
		return weaving_arm(probes.env, jni, &probes.classes,
				   helper_request(), len, code);
	case PROBE_DISARM:
		return probes_disarm(jni, code);
	case PROBE_PUBLISH:
		return trace_publish(helper_request(), len, code);
	default:
		return PROBE_AT_REQUEST;
	}
}

static void probes_wake(uint32_t *word)
{
	system_call(SYSTEM_FUTEX, (long)word, SYSTEM_FUTEX_WAKE, INT32_MAX, 0,
		    0, 0);
}

/* Executes the client's newest request, if it is not executed yet. */
static void probes_serve(jvm_table *jni, struct probe_control *c)
{
	uint32_t request = __atomic_load_n(&c->request, __ATOMIC_ACQUIRE);
	uint32_t kind = c->kind, len = c->len;
	int code = 0;

	if (request == c->answered)
		return;
	c->state = PROBE_BUSY;
	c->step = probes_execute(jni, kind, len, &code);
	c->code = code;
	c->state = PROBE_IDLE;
	/* Records of the request precede its end. */
	stream_report(AGENT_RUNS, AGENT_AT_NOTHING, 0, 0, NULL);
	__atomic_store_n(&c->answered, request, __ATOMIC_RELEASE);
	probes_wake(&c->answered);
}

/* Returns why the session must end; PROBE_END_NONE = it goes on. */
static enum probe_end probes_check_client(struct probe_control *c,
					  uint32_t passed_ms)
{
	uint32_t beat = __atomic_load_n(&c->beat, __ATOMIC_RELAXED);
	uint32_t lease = c->lease_ms ? c->lease_ms : LEASE_MS;

	if (__atomic_load_n(&probes.is_over, __ATOMIC_ACQUIRE) ||
	    __atomic_load_n(&c->is_over, __ATOMIC_ACQUIRE))
		return PROBE_END_STOPPED;
	if (!stream_is_watched())
		return PROBE_END_GONE;
	if (beat != probes.beat) {
		probes.beat = beat;
		probes.silent_ms = 0;
	} else {
		/*
		 * The time of one tick at most: a stopped machine or JVM is no
		 * silence of the client.
		 */
		probes.silent_ms += passed_ms < 2 * TICK_MS ? passed_ms
							    : 2 * TICK_MS;
	}
	return probes.silent_ms > lease ? PROBE_END_LEASE : PROBE_END_NONE;
}

/* Refills the tokens for records of calls, up to those of one second. */
static void probes_refill(struct probe_control *c, uint32_t passed_ms)
{
	int64_t now = __atomic_load_n(&c->tokens, __ATOMIC_RELAXED);
	int64_t rate = c->calls_per_s, more, left;

	if (passed_ms > 1000)
		passed_ms = 1000;
	probes.token_parts += (uint64_t)rate * passed_ms;
	more = (int64_t)(probes.token_parts / 1000);
	probes.token_parts %= 1000;
	/* Threads that found no token left have made it negative. */
	left = now < 0 ? 0 : now;
	left = left + more < rate ? left + more : rate;
	if (left != now)
		__atomic_fetch_add(&c->tokens, left - now, __ATOMIC_RELAXED);
}

static uint32_t probes_passed_ms(void)
{
	uint64_t now = system_now(), passed = now - probes.ticked_ns;

	probes.ticked_ns = now;
	return (uint32_t)(passed / 1000000);
}

/* Waits for a request, or for the next tick. */
static void probes_wait(struct probe_control *c)
{
	static const int64_t tick[2] = { 0, TICK_MS * 1000000L };

	system_call(SYSTEM_FUTEX, (long)&c->request, SYSTEM_FUTEX_WAIT,
		    c->answered, (long)tick, 0, 0);
}

/* The JVM may refuse a class as long as another agent changes it wrongly. */
static void probes_take_back(jvm_table *jni, struct probe_control *c)
{
	int code = 0;

	for (int i = 0; i < RESTORES; i++) {
		if (i)
			probes_sleep_ms(RESTORE_MS);
		c->step = probes_disarm(jni, &code);
		if (c->step == PROBE_AT_NOTHING)
			break;
	}
	weaving_forget(jni);
	c->code = code;
}

static void probes_run(jvm_table *env, jvm_table *jni, void *self)
{
	struct probe_control *c = helper_control();
	enum probe_end end = PROBE_END_NONE;

	(void)env;
	(void)self;
	probes.ticked_ns = system_now();
	while (end == PROBE_END_NONE) {
		uint32_t passed = probes_passed_ms();

		probes_refill(c, passed);
		end = probes_check_client(c, passed);
		if (end == PROBE_END_NONE) {
			probes_serve(jni, c);
			weaving_arm_again(probes.env, jni);
			probes_wait(c);
		}
	}
	probes_take_back(jni, c);
	calls_end(jni);
	probes_forget_classes(jni);
	c->end = end;
	__atomic_store_n(&c->state, PROBE_ENDED, __ATOMIC_RELEASE);
	c->answered = __atomic_load_n(&c->request, __ATOMIC_RELAXED);
	probes_wake(&c->answered);
	helper_end(jni);
	agent_end_probes();
}

/* ---- the session ---- */

static int probes_get_environment(void)
{
	const struct jvmti_capabilities lines = {
		{ 1u << JVMTI_CAN_GET_LINE_NUMBERS }
	};
	struct jvmti_capabilities wanted = { { 0 } };
	struct jvmti_callbacks callbacks = { { 0 } };
	int code;

	if (probes.env)
		return 0;
	code = jvm_get_env(probes.vm, &probes.env, JVMTI_VERSION);
	if (code)
		return code;
	wanted.bits[JVMTI_CAN_RETRANSFORM_CLASSES /
		    32] |= 1u << JVMTI_CAN_RETRANSFORM_CLASSES % 32;
	wanted.bits[JVMTI_CAN_RETRANSFORM_ANY_CLASS /
		    32] |= 1u << JVMTI_CAN_RETRANSFORM_ANY_CLASS % 32;
	code = jvmti_add_capabilities(probes.env, &wanted);
	/* Without it, frames have no lines. */
	jvmti_add_capabilities(probes.env, &lines);
	callbacks.of[JVMTI_CLASS_FILE_LOAD_HOOK - JVMTI_FIRST_EVENT] = (void *)
		weaving_hook;
	if (!code)
		code = jvmti_set_callbacks(probes.env, &callbacks);
	/* The environment stays, and its next use repeats nothing. */
	if (code)
		probes.env = NULL;
	return code;
}

/* Starts the thread; its name is in thread dumps of the JVM. */
static int probes_start_thread(jvm_table *jni, const char *title,
			       void (*run)(jvm_table *env, jvm_table *jni,
					   void *self),
			       void *self)
{
	void *class = jni_find_class(jni, "java/lang/Thread");
	void *init = NULL, *name = NULL, *thread = NULL;
	union jni_value args[1];
	int code = -1;

	if (class)
		init = jni_member(jni, JNI_GET_METHOD_ID, class, "<init>",
				  "(Ljava/lang/String;)V");
	if (init)
		name = JNI_CALL(jni, JNI_NEW_STRING_UTF, void *,
				const char *)(jni, title);
	if (name) {
		args[0].l = name;
		thread = JNI_CALL(jni, JNI_NEW_OBJECT_A, void *, void *, void *,
				  const union jni_value *)(jni, class, init,
							   args);
	}
	if (!jni_clear(jni) && thread)
		code = jvmti_run_thread(probes.env, thread, run, self,
					PRIORITY);
	if (thread)
		jni_delete_local(jni, thread);
	if (name)
		jni_delete_local(jni, name);
	if (class)
		jni_delete_local(jni, class);
	return code;
}

/* ---- class loaders ---- */

enum asking_state { ASKING_NOTHING, ASKING, ASKED };

/* Questions for class loaders, each with a thread; state is the thread's. */
static struct asking {
	void *loader; /* weak */
	bool has_traces, is_found;
	enum asking_state state;
} askings[ASKINGS];

static bool loader_finds(jvm_table *jni, void *loader, bool has_traces)
{
	return helper_is_found(jni, loader) &&
	       (!has_traces || trace_is_found(jni, loader));
}

static void asking_run(jvm_table *env, jvm_table *jni, void *self)
{
	struct asking *a = self;
	void *loader = jni_ref(jni, JNI_NEW_LOCAL_REF, a->loader);

	(void)env;
	a->is_found = loader && loader_finds(jni, loader, a->has_traces);
	__atomic_store_n(&a->state, ASKED, __ATOMIC_RELEASE);
}

/* Returns a free one, or NULL: the loader, or too many, have not replied. */
static struct asking *asking_find(jvm_table *jni, void *loader)
{
	struct asking *found = NULL;

	for (int i = 0; i < ASKINGS; i++) {
		struct asking *a = &askings[i];

		if (__atomic_load_n(&a->state, __ATOMIC_ACQUIRE) != ASKING)
			found = a;
		else if (jni_is_same(jni, a->loader, loader))
			return NULL;
	}
	if (found && found->loader)
		jni_unref(jni, JNI_DELETE_WEAK_GLOBAL_REF, found->loader);
	if (found)
		found->loader = NULL;
	return found;
}

/*
 * A loader is code of the application, which may wait for ever, and the probes
 * must be taken back in time.  So another thread calls it.
 */
enum probe_refusal probes_ask_loader(jvm_table *jni, void *loader,
				     bool has_traces)
{
	struct asking *a;

	if (!loader)
		return loader_finds(jni, loader, has_traces) ? PROBE_ARMED
							     : PROBE_IS_HIDDEN;
	a = asking_find(jni, loader);
	if (!a)
		return PROBE_IS_SILENT;
	*a = (struct asking){ .loader = jni_ref(jni, JNI_NEW_WEAK_GLOBAL_REF,
						loader),
			      .has_traces = has_traces,
			      .state = ASKING };
	if (!a->loader ||
	    probes_start_thread(jni, "sjkc class loader", asking_run, a)) {
		a->state = ASKING_NOTHING;
		return PROBE_MEMORY_SHORT;
	}
	for (int i = 0; i < ASK_MS; i++) {
		if (__atomic_load_n(&a->state, __ATOMIC_ACQUIRE) == ASKED)
			return a->is_found ? PROBE_ARMED : PROBE_IS_HIDDEN;
		probes_sleep_ms(1);
	}
	return PROBE_IS_SILENT;
}

enum agent_step probes_begin(jvm_table *vm, jvm_table *jni,
			     const struct agent_orders *o, int *code,
			     bool *is_busy)
{
	uint32_t ids = o->probes < PROBE_MAX ? (uint32_t)o->probes : PROBE_MAX;
	enum agent_step step;

	probes.vm = vm;
	probes.is_over = false;
	probes.beat = probes.silent_ms = 0;
	*is_busy = false;
	*code = probes_get_environment();
	if (*code)
		return AGENT_AT_CAPABILITIES;
	step = helper_begin(jni, ids, code, is_busy);
	if (step != AGENT_AT_NOTHING)
		return step;
	*code = calls_begin(jni);
	if (*code) {
		helper_end(jni);
		return AGENT_AT_MEMORY;
	}
	stream_report_probes(helper_fd());
	*code = probes_start_thread(jni, "sjkc probes", probes_run, NULL);
	if (*code) {
		calls_end(jni);
		helper_end(jni);
		return AGENT_AT_THREAD;
	}
	return AGENT_AT_NOTHING;
}

void probes_stop(void)
{
	struct probe_control *c = helper_control();

	__atomic_store_n(&probes.is_over, true, __ATOMIC_RELEASE);
	if (c)
		probes_wake(&c->request);
}
