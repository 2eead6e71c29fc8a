/* SPDX-License-Identifier: Apache-2.0 */
#include "core/formats/jfr/jfr_pool.h"

#include "core/base/alloc.h"
#include "core/base/text.h"
#include "core/profile/frame_name.h"
#include "core/profile/java_name.h"

#include <stdlib.h>
#include <string.h>

/* Fields are read in this order; the enums below name their indices. */
static const struct {
	const char *type; /* short name */
	const char *fields[JFR_POOL_FIELDS];
} roles[JFR_POOL_ROLES] = {
	[JFR_POOL_STRING] = { "String", { "" } },
	[JFR_POOL_SYMBOL] = { "Symbol", { "string" } },
	[JFR_POOL_CLASS] = { "Class", { "name" } },
	[JFR_POOL_METHOD] = { "Method", { "type", "name", "descriptor" } },
	[JFR_POOL_THREAD] = { "Thread",
			      { "osName", "osThreadId", "javaName",
				"javaThreadId", "virtual" } },
	[JFR_POOL_FRAME_TYPE] = { "FrameType", { "description" } },
	[JFR_POOL_THREAD_STATE] = { "ThreadState", { "name" } },
	[JFR_POOL_STACK_TRACE] = { "StackTrace", { NULL } },
	[JFR_POOL_OLD_OBJECT] = { "OldObject", { "type" } },
};

enum { METHOD_TYPE, METHOD_NAME, METHOD_DESCRIPTOR };
enum {
	THREAD_OS_NAME,
	THREAD_OS_ID,
	THREAD_JAVA_NAME,
	THREAD_JAVA_ID,
	THREAD_VIRTUAL
};

static size_t role_field_count(enum jfr_pool_role role)
{
	size_t count = 0;

	while (count < JFR_POOL_FIELDS && roles[role].fields[count])
		count++;
	return count;
}

static enum jfr_pool_role role_by_name(const struct jfr_type *t)
{
	static const char *const packages[] = { "java.lang.", "jdk.types.",
						"com.oracle.jfr.types." };
	const char *name = jfr_type_short_name(t);
	bool ours = false;

	for (size_t i = 0; i < sizeof(packages) / sizeof(*packages); i++) {
		if (strlen(packages[i]) == (size_t)(name - t->name) &&
		    strncmp(t->name, packages[i], strlen(packages[i])) == 0)
			ours = true;
	}
	for (size_t i = 0; ours && i < JFR_POOL_ROLES; i++) {
		if (strcmp(roles[i].type, name) == 0)
			return (enum jfr_pool_role)i;
	}
	return JFR_POOL_ROLES;
}

/* Records which pools the keys in these fields refer to. */
static void pools_note_references(struct jfr_pools *ps, enum jfr_pool_role role)
{
	struct jfr_pool *pool = &ps->pools[role];

	for (size_t i = 0; i < role_field_count(role); i++) {
		const struct jfr_field *f = jfr_type_field(
			ps->metadata, pool->type, roles[role].fields[i]);
		const struct jfr_type *t = f ? jfr_type_by_id(ps->metadata,
							      f->type_id)
					     : NULL;

		pool->refers[i] = JFR_POOL_ROLES;
		if (f && f->in_pool && t)
			pool->refers[i] = role_by_name(t);
	}
}

/* Finds the pools whose values are one string: GCCause, VMOperationType, … */
static void pools_find_words(struct jfr_pools *ps)
{
	const struct jfr_metadata *m = ps->metadata;

	ps->words = xcalloc(m->type_count, sizeof(*ps->words));
	for (size_t i = 0; i < m->type_count; i++) {
		const struct jfr_type *t = &m->types[i];
		const struct jfr_field *f;
		const struct jfr_type *ft;

		if (ps->roles[i] != JFR_POOL_ROLES || t->field_count != 1 ||
		    t->is_event)
			continue;
		f = &m->fields[t->first_field];
		ft = jfr_type_by_id(m, f->type_id);
		if (f->is_array || f->in_pool || !ft ||
		    ft->wire != JFR_WIRE_STRING ||
		    !jfr_layout_compile(&ps->words[i].layout, m, t, &f->name, 1,
					true))
			jfr_layout_release(&ps->words[i].layout);
	}
}

static void pools_clear(struct jfr_pools *ps);

void jfr_pools_begin(struct jfr_pools *ps, struct profile *p,
		     const struct jfr_metadata *m)
{
	pools_clear(ps);
	ps->profile = p;
	ps->metadata = m;
	ps->type_count = m->type_count;
	ps->skip = xcalloc(m->type_count, sizeof(*ps->skip));
	ps->roles = xcalloc(m->type_count, sizeof(*ps->roles));
	for (size_t i = 0; i < m->type_count; i++) {
		enum jfr_pool_role role = role_by_name(&m->types[i]);
		struct jfr_pool *pool = &ps->pools[role];

		if (p->watch && role == JFR_POOL_STACK_TRACE)
			role = JFR_POOL_ROLES; /* no sample needs it */
		if (role != JFR_POOL_ROLES && pool->type)
			role = JFR_POOL_ROLES; /* for a repeated name, the first
						  type counts */
		ps->roles[i] = (uint8_t)role;
		if (role == JFR_POOL_ROLES)
			continue;
		pool->type = &m->types[i];
		if (role == JFR_POOL_STACK_TRACE)
			ps->frame = jfr_frames_new(m, pool->type);
		else if (!jfr_layout_compile(&pool->layout, m, pool->type,
					     roles[role].fields,
					     role_field_count(role), true))
			pool->type = NULL;
		else
			pools_note_references(ps, role);
	}
	if (p->wants_tables || p->watch)
		pools_find_words(ps);
}

/* Adds one value under its key unless a newer value has the key. */
static void pools_read_value(struct jfr_pools *ps, enum jfr_pool_role role,
			     struct cursor *c)
{
	struct jfr_pool *pool = &ps->pools[role];
	size_t width = role_field_count(role);
	uint64_t key = cursor_varint(c);
	uint64_t numbers[JFR_POOL_FIELDS] = { 0 };
	struct jfr_string strings[JFR_POOL_FIELDS] = { 0 };

	jfr_layout_read(&pool->layout, c, numbers, strings);
	if (!cursor_ok(c) ||
	    !map64_add(&pool->keys, key, (uint32_t)pool->count))
		return;
	array_reserve(pool->values, pool->cap, (pool->count + 1) * width);
	for (size_t i = 0; i < width; i++)
		pool->values[pool->count * width + i] = (struct jfr_value){
			numbers[i], strings[i]
		};
	pool->count++;
}

/*
 * Returns the layout that skips values of the type; compiles it on first use.
 */
static const struct jfr_layout *pools_skip_layout(struct jfr_pools *ps,
						  size_t type)
{
	struct jfr_layout *l = &ps->skip[type];

	if (!l->count &&
	    !jfr_layout_compile(l, ps->metadata, &ps->metadata->types[type],
				NULL, 0, true))
		return NULL;
	return l;
}

static void pools_read_words(struct jfr_words *w, struct cursor *c,
			     size_t count)
{
	for (size_t i = 0; i < count && cursor_ok(c); i++) {
		uint64_t key = cursor_varint(c);
		struct jfr_string word = { 0 };
		uint64_t unused;

		jfr_layout_read(&w->layout, c, &unused, &word);
		if (!cursor_ok(c) ||
		    !map64_add(&w->keys, key, (uint32_t)w->count))
			continue;
		array_add(w->words, w->count, w->cap, word);
	}
}

static void pools_skip_pool(struct jfr_pools *ps, size_t type, struct cursor *c,
			    size_t count)
{
	const struct jfr_layout *l;

	if (ps->words && ps->words[type].layout.count) {
		pools_read_words(&ps->words[type], c, count);
		return;
	}
	l = pools_skip_layout(ps, type);
	if (!l)
		cursor_fail(c);
	for (size_t i = 0; i < count && cursor_ok(c); i++) {
		cursor_skip_varint(c); /* key */
		jfr_layout_read(l, c, NULL, NULL);
	}
}

static void pools_read_pool(struct jfr_pools *ps, struct cursor *c)
{
	uint64_t type_id = cursor_varint(c);
	size_t count = cursor_count(c, 1);
	uint32_t type = map64_get(&ps->metadata->by_id, type_id);
	enum jfr_pool_role role;

	if (type == MAP64_NONE) {
		/* The end of an unknown pool is unknown, unless it is empty. */
		if (count)
			cursor_fail(c);
		return;
	}
	role = ps->roles[type];
	if (role == JFR_POOL_STACK_TRACE) {
		jfr_frames_read(ps, c, count);
		return;
	}
	if (role == JFR_POOL_ROLES || !ps->pools[role].type) {
		pools_skip_pool(ps, type, c, count);
		return;
	}
	for (size_t i = 0; i < count && cursor_ok(c); i++)
		pools_read_value(ps, role, c);
}

bool jfr_pools_read(struct jfr_pools *ps, struct cursor c, int64_t *delta)
{
	size_t pools;

	cursor_skip_varint(&c); /* start time */
	cursor_skip_varint(&c); /* duration */
	*delta = (int64_t)cursor_varint(&c);
	cursor_u8(&c); /* mask: the reason why the JVM wrote the checkpoint */
	pools = cursor_count(&c, 2);
	for (size_t i = 0; i < pools && cursor_ok(&c); i++)
		pools_read_pool(ps, &c);
	return cursor_ok(&c);
}

/* Returns the value of key in the pool of that role, or NULL. */
static const struct jfr_value *pools_find(const struct jfr_pools *ps,
					  enum jfr_pool_role role, uint64_t key)
{
	const struct jfr_pool *pool = &ps->pools[role];
	uint32_t index = map64_get(&pool->keys, key);

	return index == MAP64_NONE
		       ? NULL
		       : &pool->values[index * role_field_count(role)];
}

/*
 * Many constants may refer to one long name, of which each copies the text, so
 * the bytes of long names of a recording are limited.
 */
#define LONG_NAME  1024
#define LONG_NAMES ((uint64_t)256 << 20)

static void pools_add_text(struct jfr_pools *ps, const struct jfr_string *s,
			   struct text *out)
{
	if (s->len > LONG_NAME) {
		if (s->len > LONG_NAMES - ps->long_names) {
			ps->skipped_names++;
			return;
		}
		ps->long_names += s->len;
	}
	jfr_string_text(out, s);
}

/*
 * Appends the text of a field of a value: an inline string, or one of the pools
 * of symbols or strings.
 */
static void pool_field_text(struct jfr_pools *ps, enum jfr_pool_role role,
			    size_t field, const struct jfr_value *value,
			    struct text *out)
{
	enum jfr_pool_role refers = ps->pools[role].refers[field];

	if (!value)
		return;
	value += field;
	if (refers == JFR_POOL_SYMBOL || refers == JFR_POOL_STRING)
		/* NOLINTNEXTLINE: value is not NULL */
		value = pools_find(ps, refers, value->number);
	if (value && value->string.encoding == JFR_POOLED)
		value = pools_find(ps, JFR_POOL_STRING, value->string.key);
	if (value)
		pools_add_text(ps, &value->string, out);
}

void jfr_pools_text(struct jfr_pools *ps, const struct jfr_string *s,
		    struct text *out)
{
	const struct jfr_value *value;

	if (s->encoding == JFR_POOLED) {
		value = pools_find(ps, JFR_POOL_STRING, s->key);
		if (value)
			pools_add_text(ps, &value->string, out);
		return;
	}
	/* Without a key, the text is a part of the event. */
	jfr_string_text(out, s);
}

/*
 * Returns 1 + the profile id for the last key of a pool, or 0 for another key.
 * Events of a thread are adjacent, in the buffer that it filled.
 */
static inline uint32_t pools_last_made(const struct jfr_pools *ps,
				       enum jfr_pool_role role, uint64_t key)
{
	return ps->last[role].slot && ps->last[role].key == key
		       ? *ps->last[role].slot
		       : 0;
}

/*
 * Returns the address of the profile id for a key of a pool; NULL if the pool
 * lacks the key.
 */
static uint32_t *pools_made_slot(struct jfr_pools *ps, enum jfr_pool_role role,
				 uint64_t key)
{
	struct jfr_pool *pool = &ps->pools[role];
	uint32_t index = map64_get(&pool->keys, key);

	if (index == MAP64_NONE)
		return NULL;
	ps->last[role].key = key;
	ps->last[role].slot = &pool->made[index];
	return ps->last[role].slot;
}

/* Implements jfr_pools_class() for another key than the last. */
__attribute__((noinline)) static uint32_t pools_find_class(struct jfr_pools *ps,
							   uint64_t key)
{
	uint32_t *made = pools_made_slot(ps, JFR_POOL_CLASS, key);
	struct text name = { 0 };

	if (!made)
		return 0;
	if (!*made) {
		pool_field_text(ps, JFR_POOL_CLASS, 0,
				pools_find(ps, JFR_POOL_CLASS, key), &name);
		*made = java_class_name(ps->profile, name.bytes, name.len) + 1;
		text_release(&name);
	}
	return *made - 1;
}

uint32_t jfr_pools_class(struct jfr_pools *ps, uint64_t key)
{
	uint32_t last = pools_last_made(ps, JFR_POOL_CLASS, key);

	return last ? last - 1 : pools_find_class(ps, key);
}

uint32_t jfr_pools_object_class(struct jfr_pools *ps, uint64_t key)
{
	const struct jfr_value *object = pools_find(ps, JFR_POOL_OLD_OBJECT,
						    key);

	return object ? jfr_pools_class(ps, object->number) : 0;
}

/*
 * Uses the text, because the JDK and async-profiler use different numbers.
 * Native is a Java native method in the JDK, a C function in async-profiler.
 */
static enum frame_kind pools_frame_kind(struct jfr_pools *ps, uint64_t key)
{
	static const struct {
		const char *text;
		enum frame_kind kind;
	} kinds[] = {
		{ "Interpreted", FRAME_INTERPRETED },
		{ "JIT compiled", FRAME_JIT },
		{ "Inlined", FRAME_INLINED },
		{ "Native", FRAME_NATIVE },
		{ "C++", FRAME_CPP },
		{ "Kernel", FRAME_KERNEL },
		{ "C1 compiled", FRAME_C1 },
	};
	uint32_t *made = pools_made_slot(ps, JFR_POOL_FRAME_TYPE, key);
	struct text text = { 0 };

	if (!made)
		return FRAME_JAVA;
	if (!*made) {
		*made = FRAME_JAVA + 1;
		pool_field_text(ps, JFR_POOL_FRAME_TYPE, 0,
				pools_find(ps, JFR_POOL_FRAME_TYPE, key),
				&text);
		text_putc(&text, '\0');
		for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
			if (strcmp(text.bytes, kinds[i].text) == 0)
				*made = kinds[i].kind + 1;
		}
		text_release(&text);
	}
	return (enum frame_kind)(*made - 1);
}

/* Only async-profiler records frames of the kernel. */
static bool pools_are_async_profiler(struct jfr_pools *ps)
{
	const struct jfr_pool *pool = &ps->pools[JFR_POOL_FRAME_TYPE];
	struct text text = { 0 };
	bool is = false;

	for (size_t i = 0; i < pool->count && !is; i++) {
		text_clear(&text);
		pool_field_text(ps, JFR_POOL_FRAME_TYPE, 0, &pool->values[i],
				&text);
		is = text.len == 6 && memcmp(text.bytes, "Kernel", 6) == 0;
	}
	text_release(&text);
	return is;
}

/*
 * The class of a C function is its library. "Native" is a C function in
 * async-profiler, a Java native method in the JDK.
 */
static bool pools_are_c_function(struct jfr_pools *ps, enum frame_kind kind)
{
	if (kind != FRAME_NATIVE)
		return kind == FRAME_CPP || kind == FRAME_KERNEL;
	if (!ps->native_is_c)
		ps->native_is_c = 1 + pools_are_async_profiler(ps);
	return ps->native_is_c == 2;
}

uint32_t jfr_pools_frame(struct jfr_pools *ps, const struct jfr_site *site)
{
	const struct jfr_value *method = pools_find(ps, JFR_POOL_METHOD,
						    site->method);
	struct text name = { 0 };
	struct frame f = { 0 };

	if (method) {
		pool_field_text(ps, JFR_POOL_METHOD, METHOD_NAME, method,
				&name);
		f.line = site->line;
		f.kind = pools_frame_kind(ps, site->type);
		if (!pools_are_c_function(ps, f.kind))
			f.class_name = jfr_pools_class(
				ps, method[METHOD_TYPE].number);
	} else {
		ps->unknown_frames++;
		f.kind = FRAME_SYNTHETIC;
	}
	if (name.len)
		f.method = profile_string(ps->profile, name.bytes, name.len);
	else
		f.method = profile_string(ps->profile, "[unknown]", 9);
	text_release(&name);
	return profile_frame(ps->profile, &f);
}

uint32_t jfr_pools_stack(struct jfr_pools *ps, uint64_t key)
{
	uint32_t index;

	if (ps->key_count) {
		uint64_t at = key - ps->key_first;

		return at < ps->key_count ? ps->by_key[at] : 0;
	}
	index = map64_get(&ps->pools[JFR_POOL_STACK_TRACE].keys, key);
	return index == MAP64_NONE ? 0 : ps->stack_nodes[index];
}

bool jfr_pools_has_stack(const struct jfr_pools *ps, uint64_t key)
{
	return map64_get(&ps->pools[JFR_POOL_STACK_TRACE].keys, key) !=
	       MAP64_NONE;
}

/* Implements jfr_pools_thread() for another key than the last. */
__attribute__((noinline)) static uint32_t
pools_find_thread(struct jfr_pools *ps, uint64_t key)
{
	uint32_t *made = pools_made_slot(ps, JFR_POOL_THREAD, key);
	const struct jfr_value *v;
	struct text name = { 0 };
	struct thread t = { 0 };

	if (!made)
		return 0;
	if (*made)
		return *made - 1;
	v = pools_find(ps, JFR_POOL_THREAD, key);
	t.java_id = (int64_t)v[THREAD_JAVA_ID].number;
	t.os_id = (int64_t)v[THREAD_OS_ID].number;
	t.is_virtual = v[THREAD_VIRTUAL].number != 0;
	pool_field_text(ps, JFR_POOL_THREAD, THREAD_JAVA_NAME, v, &name);
	if (!name.len)
		pool_field_text(ps, JFR_POOL_THREAD, THREAD_OS_NAME, v, &name);
	if (!name.len && t.is_virtual)
		text_printf(&name, "virtual-%lld", (long long)t.java_id);
	t.name = profile_string(ps->profile, name.bytes, name.len);
	text_release(&name);
	*made = profile_thread(ps->profile, &t) + 1;
	return *made - 1;
}

uint32_t jfr_pools_thread(struct jfr_pools *ps, uint64_t key)
{
	uint32_t last = pools_last_made(ps, JFR_POOL_THREAD, key);

	return last ? last - 1 : pools_find_thread(ps, key);
}

/*
 * The JDK uses JVMTI's names, finer than Thread.State. async-profiler has three
 * states: a thread that is off the CPU is SLEEPING, whatever it waits for.
 */
enum thread_state jfr_pools_state(struct jfr_pools *ps, uint64_t key)
{
	static const struct {
		const char *text;
		enum thread_state state;
	} states[] = {
		{ "STATE_NEW", STATE_NEW },
		{ "STATE_TERMINATED", STATE_TERMINATED },
		{ "STATE_RUNNABLE", STATE_RUNNABLE },
		{ "STATE_DEFAULT", STATE_RUNNABLE },
		{ "STATE_SLEEPING", STATE_TIMED_WAITING },
		{ "STATE_IN_OBJECT_WAIT", STATE_WAITING },
		{ "STATE_IN_OBJECT_WAIT_TIMED", STATE_TIMED_WAITING },
		{ "STATE_PARKED", STATE_WAITING },
		{ "STATE_PARKED_TIMED", STATE_TIMED_WAITING },
		{ "STATE_BLOCKED_ON_MONITOR_ENTER", STATE_BLOCKED },
	};
	uint32_t last = pools_last_made(ps, JFR_POOL_THREAD_STATE, key);
	uint32_t *made;
	struct text text = { 0 };

	if (last)
		return (enum thread_state)(last - 1);
	made = pools_made_slot(ps, JFR_POOL_THREAD_STATE, key);
	if (!made)
		return STATE_NONE;
	if (!*made) {
		*made = STATE_NONE + 1;
		pool_field_text(ps, JFR_POOL_THREAD_STATE, 0,
				pools_find(ps, JFR_POOL_THREAD_STATE, key),
				&text);
		text_putc(&text, '\0');
		for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++) {
			if (strcmp(text.bytes, states[i].text) == 0)
				*made = states[i].state + 1;
		}
		text_release(&text);
	}
	return (enum thread_state)(*made - 1);
}

static enum jfr_pool_role role_by_id(const struct jfr_pools *ps,
				     uint64_t type_id, uint32_t *type)
{
	*type = map64_get(&ps->metadata->by_id, type_id);
	return *type == MAP64_NONE ? JFR_POOL_ROLES
				   : (enum jfr_pool_role)ps->roles[*type];
}

bool jfr_pools_has_words(const struct jfr_pools *ps, uint64_t type_id)
{
	uint32_t type;

	switch (role_by_id(ps, type_id, &type)) {
	case JFR_POOL_STRING:
	case JFR_POOL_SYMBOL:
	case JFR_POOL_CLASS:
	case JFR_POOL_METHOD:
	case JFR_POOL_THREAD:
	case JFR_POOL_THREAD_STATE:
		return true;
	case JFR_POOL_ROLES:
		return type != MAP64_NONE && ps->words &&
		       ps->words[type].layout.count;
	default:
		return false;
	}
}

static void pool_add_word(struct jfr_pools *ps, uint32_t type, uint64_t key,
			  struct text *out)
{
	const struct jfr_words *w;
	uint32_t index;

	if (type == MAP64_NONE || !ps->words)
		return;
	w = &ps->words[type];
	index = map64_get(&w->keys, key);
	if (index != MAP64_NONE)
		jfr_pools_text(ps, &w->words[index], out);
}

/* Distinguishes methods of one name, as `jfr print` does. */
static void pool_add_parameters(struct jfr_pools *ps, uint64_t key,
				struct text *out)
{
	const struct jfr_value *method = pools_find(ps, JFR_POOL_METHOD, key);
	struct text descriptor = { 0 };

	pool_field_text(ps, JFR_POOL_METHOD, METHOD_DESCRIPTOR, method,
			&descriptor);
	if (descriptor.len)
		frame_parameters(out, descriptor.bytes, descriptor.len, false);
	text_release(&descriptor);
}

void jfr_pools_word(struct jfr_pools *ps, uint64_t type_id, uint64_t key,
		    struct text *out)
{
	static const struct style style = { 0 };
	const struct jfr_site site = { .method = key, .type = UINT32_MAX };
	struct profile *p = ps->profile;
	enum jfr_pool_role role;
	uint32_t type;

	role = role_by_id(ps, type_id, &type);
	switch (role) {
	case JFR_POOL_CLASS:
		text_puts(out, profile_text(p, jfr_pools_class(ps, key)));
		break;
	case JFR_POOL_METHOD:
		if (!key)
			break;
		frame_name(out, p, &p->frames[jfr_pools_frame(ps, &site)],
			   &style);
		pool_add_parameters(ps, key, out);
		break;
	case JFR_POOL_THREAD:
		text_puts(
			out,
			profile_text(
				p, p->threads[jfr_pools_thread(ps, key)].name));
		break;
	case JFR_POOL_ROLES:
		pool_add_word(ps, type, key, out);
		break;
	default:
		pool_field_text(ps, role, 0, pools_find(ps, role, key), out);
	}
}

void jfr_pools_end(struct jfr_pools *ps)
{
	for (size_t i = 0; i < JFR_POOL_ROLES; i++) {
		struct jfr_pool *pool = &ps->pools[i];

		array_reserve(pool->made, pool->made_cap, pool->count);
		if (pool->count)
			memset(pool->made, 0,
			       pool->count * sizeof(*pool->made));
	}
	jfr_frames_end(ps);
}

/* Releases the chunk but keeps the memory for the next one. */
static void pools_clear(struct jfr_pools *ps)
{
	jfr_frames_clear(ps);
	for (size_t i = 0; i < JFR_POOL_ROLES; i++) {
		ps->pools[i].type = NULL;
		ps->pools[i].count = 0;
		map64_clear(&ps->pools[i].keys);
		ps->last[i].slot = NULL;
	}
	for (size_t i = 0; i < ps->type_count; i++)
		jfr_layout_release(&ps->skip[i]);
	for (size_t i = 0; ps->words && i < ps->type_count; i++) {
		jfr_layout_release(&ps->words[i].layout);
		map64_release(&ps->words[i].keys);
		free(ps->words[i].words);
	}
	free(ps->words);
	ps->words = NULL;
	free(ps->skip);
	free(ps->roles);
	jfr_frames_free(ps->frame);
	ps->skip = NULL;
	ps->roles = NULL;
	ps->frame = NULL;
	ps->type_count = 0;
	ps->native_is_c = 0;
	ps->unknown_frames = ps->skipped_names = 0;
}

void jfr_pools_release(struct jfr_pools *ps)
{
	pools_clear(ps);
	for (size_t i = 0; i < JFR_POOL_ROLES; i++) {
		jfr_layout_release(&ps->pools[i].layout);
		map64_release(&ps->pools[i].keys);
		free(ps->pools[i].values);
		free(ps->pools[i].made);
	}
	idtable_release(&ps->site_ids);
	free(ps->sites);
	free(ps->direct);
	free(ps->path);
	free(ps->stack_lens);
	free(ps->stack_nodes);
	free(ps->by_key);
	*ps = (struct jfr_pools){ 0 };
}
