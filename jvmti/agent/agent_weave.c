/* SPDX-License-Identifier: Apache-2.0 */
/* The class around the woven methods. */
#include "jvmti/agent/agent_weave.h"

#include "jvmti/agent/agent_system.h"

bool weave_is_used(struct class_text class_name, struct class_text method)
{
	static const struct {
		const char *class_name, *method;
	} used[] = {
		{ WEAVE_HELPER, NULL },
		{ WEAVE_TRACE, NULL },
		{ "jdk/internal/misc/Unsafe", NULL },
		{ "sun/misc/Unsafe", NULL },
		/* They switch threads, when JVMTI functions would wait. */
		{ "java/lang/VirtualThread", NULL },
		{ "jdk/internal/vm/Continuation", NULL },
		{ "jdk/internal/vm/StackChunk", NULL },
		{ "java/lang/Long", "numberOfLeadingZeros" },
		{ "java/lang/Integer", "numberOfLeadingZeros" },
		{ "java/lang/Double", "doubleToRawLongBits" },
		{ "java/lang/System", "nanoTime" },
		{ "java/lang/Thread", "currentThread" },
		{ "java/lang/Object", "getClass" },
	};

	for (size_t i = 0; i < sizeof(used) / sizeof(*used); i++)
		if (class_text_is(class_name, used[i].class_name) &&
		    (!used[i].method || class_text_is(method, used[i].method)))
			return true;
	return false;
}

static void weaver_add_trace(struct weaver *w)
{
	struct class_pool *p = &w->pool;
	unsigned trace = class_pool_add_class(p, class_text_of(WEAVE_TRACE));

	w->trace_entry = class_pool_add_method(p, trace, "entry", "(I)V");
	w->trace_exit = class_pool_add_method(p, trace, "exit", "(JI)J");
	w->trace_fail = class_pool_add_method(p, trace, "fail", "(JI)J");
}

/* Adds what the woven code refers to, for the modes that are used. */
static bool weaver_add_constants(struct weaver *w, unsigned modes, bool counts)
{
	struct class_pool *p = &w->pool;
	unsigned helper = class_pool_add_class(p, class_text_of(WEAVE_HELPER));

	if (counts)
		w->count = class_pool_add_method(p, helper, "count", "(I)V");
	if (modes & PROBE_TIME) {
		w->enter = class_pool_add_method(p, helper, "enter", "()J");
		w->begin = class_pool_add_method(p, helper, "begin", "(I)J");
		w->exit = class_pool_add_method(p, helper, "exit", "(JI)V");
		w->fail = class_pool_add_method(p, helper, "fail",
						"(Ljava/lang/Throwable;JI)V");
		w->throwable = class_pool_add_class(
			p, class_text_of("java/lang/Throwable"));
		w->stack_map_table = class_pool_add_text(
			p, class_text_of("StackMapTable"));
	}
	if (modes & PROBE_ARGS) {
		w->exit_args = class_pool_add_method(p, helper, "exitArgs",
						     "(JI)J");
		w->fail_args = class_pool_add_method(
			p, helper, "failArgs", "(Ljava/lang/Throwable;JI)J");
		w->done = class_pool_add_method(p, helper, "done",
						"(Ljava/lang/Throwable;JI)V");
		w->arg[WEAVE_ARG_LONG] = class_pool_add_method(p, helper, "arg",
							       "(JIJ)V");
		w->arg[WEAVE_ARG_DOUBLE] = class_pool_add_method(
			p, helper, "arg", "(JID)V");
		w->arg[WEAVE_ARG_OBJECT] = class_pool_add_method(
			p, helper, "arg", "(JILjava/lang/Object;)V");
		w->object = class_pool_add_class(
			p, class_text_of("java/lang/Object"));
	}
	if (modes & PROBE_TRACE)
		weaver_add_trace(w);
	return !p->is_full;
}

/* Copies an attribute with its head. */
static void weaver_copy_attribute(struct weaver *w, struct class_reader *r)
{
	size_t begin = r->at;
	const uint8_t *bytes;

	class_read(r, 2);
	class_read(r, class_u4(r));
	bytes = r->is_bad ? NULL : r->bytes + begin;
	if (bytes)
		class_put(&w->out, bytes, r->at - begin);
}

static struct weave_method *weaver_find(struct weave_method *methods,
					size_t count, struct class_text name,
					struct class_text descriptor)
{
	for (size_t i = 0; i < count; i++)
		if (class_text_equals(methods[i].name, name) &&
		    class_text_equals(methods[i].descriptor, descriptor))
			return &methods[i];
	return NULL;
}

/*
 * Weaves the Code attribute at the reader.  On a refusal, writes it unchanged.
 */
static void weaver_weave_code(struct weaver *w, struct class_reader *r,
			      struct weave_method *m, unsigned access)
{
	struct class_reader whole = *r, contents;
	struct class_pool_mark mark = class_pool_mark(&w->pool);
	size_t begin = w->out.len;
	bool was_full = w->out.is_full;
	uint32_t len;

	class_put_u2(&w->out, class_u2(r));
	len = class_u4(r);
	class_put_u4(&w->out, 0);
	contents = (struct class_reader){ class_read(r, len), len, 0,
					  r->is_bad };
	m->refusal = (uint8_t)weave_code(w, &contents, m, access);
	if (m->refusal == PROBE_ARMED) {
		class_set_u4(&w->out, begin + 2,
			     (uint32_t)(w->out.len - begin - 6));
		return;
	}
	class_pool_rewind(&w->pool, mark);
	w->out.len = begin;
	/* A copy before this method may have found no room. */
	w->out.is_full = was_full;
	*r = whole;
	weaver_copy_attribute(w, r);
}

/* Why a method has no code that can be woven. */
static enum probe_refusal weaver_refusal(const struct weaver *w,
					 const struct weave_method *m,
					 unsigned access)
{
	if (access & CLASS_NATIVE)
		return PROBE_IS_NATIVE;
	if (access & CLASS_ABSTRACT)
		return PROBE_IS_ABSTRACT;
	if (class_text_is(m->name, "<clinit>"))
		return PROBE_IS_INITIALIZER;
	if (weave_is_used(class_pool_name(&w->pool, w->this_class), m->name))
		return PROBE_IS_USED;
	return PROBE_ARMED;
}

static void weaver_copy_method(struct weaver *w, struct class_reader *r,
			       struct weave_method *methods, size_t count)
{
	unsigned access = class_u2(r), name = class_u2(r);
	unsigned descriptor = class_u2(r), attributes = class_u2(r);
	struct weave_method *m = weaver_find(
		methods, count, class_pool_text(&w->pool, name),
		class_pool_text(&w->pool, descriptor));

	class_put_u2(&w->out, access);
	class_put_u2(&w->out, name);
	class_put_u2(&w->out, descriptor);
	class_put_u2(&w->out, attributes);
	if (m)
		m->refusal = (uint8_t)weaver_refusal(w, m, access);
	if (m && m->refusal != PROBE_ARMED)
		m = NULL;
	/* The class is malformed unless a Code attribute follows. */
	if (m)
		m->refusal = PROBE_CLASS_BAD;
	for (unsigned i = 0; i < attributes && !r->is_bad; i++) {
		const uint8_t *at = r->bytes + r->at;

		if (m && r->len - r->at >= 6 &&
		    class_text_is(class_pool_text(&w->pool, class_u2_at(at)),
				  "Code"))
			weaver_weave_code(w, r, m, access);
		else
			weaver_copy_attribute(w, r);
	}
}

/* Copies fields, which are laid out as methods are. */
static void weaver_copy_members(struct weaver *w, struct class_reader *r,
				struct weave_method *methods, size_t count)
{
	unsigned members = class_u2(r);

	class_put_u2(&w->out, members);
	while (members-- && !r->is_bad && !w->out.is_full)
		weaver_copy_method(w, r, methods, count);
}

static void weaver_copy_body(struct weaver *w, struct class_reader *r,
			     struct weave_method *methods, size_t count)
{
	unsigned interfaces, attributes;

	class_put_u2(&w->out, class_u2(r)); /* access flags */
	w->this_class = class_u2(r);
	class_put_u2(&w->out, w->this_class);
	class_put_u2(&w->out, class_u2(r)); /* superclass */
	interfaces = class_u2(r);
	class_put_u2(&w->out, interfaces);
	while (interfaces-- && !r->is_bad)
		class_put_u2(&w->out, class_u2(r));
	weaver_copy_members(w, r, NULL, 0);
	weaver_copy_members(w, r, methods, count);
	attributes = class_u2(r);
	class_put_u2(&w->out, attributes);
	while (attributes-- && !r->is_bad)
		weaver_copy_attribute(w, r);
	if (r->at != r->len)
		r->is_bad = true;
}

/* Writes the head of the class file and its constants before the body. */
static bool weaver_put_head(struct weaver *w, const uint8_t *in)
{
	struct class_pool *p = &w->pool;
	size_t head = p->end + p->added.len;

	if (head > w->out.cap - w->out.len)
		return false;
	memmove(w->out.bytes + head, w->out.bytes, w->out.len);
	memcpy(w->out.bytes, in, p->end);
	memcpy(w->out.bytes + p->end, p->added.bytes, p->added.len);
	w->out.len += head;
	class_set_u2(&w->out, 8, p->count);
	return true;
}

static enum probe_refusal weaver_refuse(struct weave_method *methods,
					size_t count, enum probe_refusal why)
{
	for (size_t i = 0; i < count; i++)
		methods[i].refusal = (uint8_t)why;
	return why;
}

enum probe_refusal weave_class(struct weaver *w, const uint8_t *in,
			       size_t in_len, struct weave_method *methods,
			       size_t count, uint8_t *out, size_t cap,
			       size_t *len)
{
	struct class_reader r = { in, in_len, 0, false };
	unsigned modes = 0, woven = 0;
	bool counts = false;

	w->out = (struct class_out){ out, 0, cap, false };
	for (size_t i = 0; i < count; i++) {
		methods[i].refusal = PROBE_IS_MISSING;
		modes |= methods[i].mode;
		counts |= !(methods[i].mode & PROBE_TIME);
	}
	if (in_len > INT32_MAX || class_u4(&r) != CLASS_MAGIC)
		return weaver_refuse(methods, count, PROBE_CLASS_BAD);
	w->version = class_u4(&r) & 0xffff;
	if (!class_pool_read(&w->pool, &r))
		return weaver_refuse(methods, count, PROBE_CLASS_BAD);
	if (!weaver_add_constants(w, modes, counts))
		return weaver_refuse(methods, count, PROBE_POOL_TOO_LARGE);
	weaver_copy_body(w, &r, methods, count);
	/* Without room, the rest of the class is not read. */
	if (w->out.is_full)
		return weaver_refuse(methods, count, PROBE_MEMORY_SHORT);
	if (r.is_bad)
		return weaver_refuse(methods, count, PROBE_CLASS_BAD);
	if (!weaver_put_head(w, in))
		return weaver_refuse(methods, count, PROBE_MEMORY_SHORT);
	*len = w->out.len;
	for (size_t i = 0; i < count; i++)
		woven += methods[i].refusal == PROBE_ARMED;
	return woven ? PROBE_ARMED : PROBE_IS_MISSING;
}
