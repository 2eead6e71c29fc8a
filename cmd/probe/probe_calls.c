/* SPDX-License-Identifier: Apache-2.0 */
/* Single calls: a line or a JSON object for each, and their stack traces. */
#include "cmd/probe/probe_options.h"
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/json.h"
#include "core/base/output.h"
#include "core/base/safe_text.h"
#include "core/base/units.h"
#include "core/profile/frame_name.h"
#include "core/profile/java_name.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TREE_CALLS = 200000, TREE_DEPTH = 256 };

/* A call of --tree, without its names. */
struct tree_call {
	uint64_t thread;
	int64_t start_ns, ns;
	uint32_t frame, thread_id;
};

struct probe_calls {
	const struct probe_run *run;
	const struct probes *probes;
	struct profile *profile;
	uint32_t event;
	struct text out;
	struct tree_call *tree;
	size_t tree_count, tree_cap;
	uint64_t tree_lost;
};

struct probe_calls *probe_calls_new(const struct probe_run *run,
				    const struct probes *probes)
{
	struct probe_calls *c = xcalloc(1, sizeof(*c));

	c->run = run;
	c->probes = probes;
	c->profile = profile_new();
	c->event = profile_event(c->profile, PROBE_SLOW_EVENT, UNIT_NS);
	return c;
}

void probe_calls_free(struct probe_calls *c)
{
	if (!c)
		return;
	profile_free(c->profile);
	text_release(&c->out);
	free(c->tree);
	free(c);
}

static void call_add_method(const struct probe_calls *c,
			    const struct probe_call *call, struct text *out)
{
	const struct probe_method *m = probes_method(c->probes, call->method);
	const char *name = probes_class(c->probes, m->class)->name;

	safe_text_puts(out, name);
	text_putc(out, '.');
	safe_text_puts(out, m->name);
}

/* ---- text ---- */

static void call_add_time(struct text *out, int64_t wall_ns)
{
	time_t seconds = (time_t)(wall_ns / CLOCK_NS_PER_S);
	char text[32] = "";
	struct tm tm;

	if (localtime_r(&seconds, &tm))
		strftime(text, sizeof(text), "%H:%M:%S", &tm);
	text_printf(out, "%s.%03d", text,
		    (int)(wall_ns % CLOCK_NS_PER_S / CLOCK_NS_PER_MS));
}

static void call_add_character(struct text *out, int64_t number)
{
	struct text raw = { 0 };

	text_utf8(&raw, (uint32_t)number & 0xffff);
	text_putc(out, '\'');
	safe_text(out, raw.bytes, raw.len);
	text_putc(out, '\'');
	text_release(&raw);
}

/* Appends an argument as Java writes it; of an object, only its class. */
static void call_add_value(struct text *out, const struct probe_value *v)
{
	const char *text = v->text ? v->text : "";

	switch (v->kind) {
	case PROBE_NULL:
		text_puts(out, "null");
		break;
	case PROBE_LONG:
		text_printf(out, "%" PRId64, v->number);
		break;
	case PROBE_DOUBLE:
		text_printf(out, "%.17g", v->real);
		break;
	case PROBE_BOOLEAN:
		text_puts(out, v->number ? "true" : "false");
		break;
	case PROBE_CHAR:
		call_add_character(out, v->number);
		break;
	case PROBE_STRING:
		text_putc(out, '"');
		safe_text_puts(out, text);
		text_puts(out, v->number > PROBE_TEXT ? "\"…" : "\"");
		break;
	case PROBE_OBJECT:
		text_putc(out, '<');
		safe_text_puts(out, text);
		text_putc(out, '>');
		break;
	}
}

static void call_add_frames(struct text *out, const struct probe_call *call)
{
	for (size_t i = 0; i < call->frame_count; i++) {
		const struct probe_frame *f = &call->frames[i];

		text_puts(out, "    at ");
		safe_text_puts(out, f->class_name);
		text_putc(out, '.');
		safe_text_puts(out, f->method);
		if (f->line > 0)
			text_printf(out, ":%" PRId32, f->line);
		text_putc(out, '\n');
	}
}

static void call_add_text(const struct probe_calls *c,
			  const struct probe_call *call, struct text *out)
{
	const char *thread = call->thread ? call->thread : "";

	call_add_time(out, clock_wall_of(call->start_ns));
	text_puts(out, "  ");
	units_add_time(out, (double)call->ns);
	text_puts(out, "  ");
	call_add_method(c, call, out);
	if (c->run->o->args) {
		text_putc(out, '(');
		for (size_t i = 0; i < call->argument_count; i++) {
			text_puts(out, i ? ", " : "");
			call_add_value(out, &call->arguments[i]);
		}
		text_putc(out, ')');
	}
	text_puts(out, "  [");
	safe_text_puts(out, thread);
	text_printf(out, " tid=%u]", call->tid);
	if (call->exception) {
		text_puts(out, "  threw ");
		safe_text_puts(out, call->exception);
	}
	text_putc(out, '\n');
	if (c->run->o->stack)
		call_add_frames(out, call);
}

/* ---- JSON ---- */

static void json_add_value(struct json *j, const struct probe_value *v)
{
	switch (v->kind) {
	case PROBE_NULL:
		json_null(j);
		break;
	case PROBE_LONG:
	case PROBE_CHAR:
		json_int(j, v->number);
		break;
	case PROBE_DOUBLE:
		json_double(j, v->real);
		break;
	case PROBE_BOOLEAN:
		json_bool(j, v->number != 0);
		break;
	case PROBE_STRING:
		json_text(j, v->text ? v->text : "");
		break;
	case PROBE_OBJECT:
		json_open_object(j);
		json_add_text(j, "class", v->text ? v->text : "");
		json_close_object(j);
		break;
	}
}

static void json_add_arrays(struct json *j, const struct probe_call *call)
{
	json_add_array(j, "arguments");
	for (size_t i = 0; i < call->argument_count; i++)
		json_add_value(j, &call->arguments[i]);
	json_close_array(j);
	json_add_array(j, "frames");
	for (size_t i = 0; i < call->frame_count; i++) {
		json_open_object(j);
		json_add_text(j, "class", call->frames[i].class_name);
		json_add_text(j, "method", call->frames[i].method);
		json_add_id(j, "line",
			    call->frames[i].line > 0 ? call->frames[i].line
						     : 0);
		json_close_object(j);
	}
	json_close_array(j);
}

static void call_add_json(const struct probe_calls *c,
			  const struct probe_call *call, struct text *out)
{
	const struct probe_method *m = probes_method(c->probes, call->method);
	struct json j = json_document(out, "sjkc.probe/1");

	json_add_text(&j, "type", "call");
	json_add_double(&j, "time",
			(double)clock_wall_of(call->start_ns) / 1e9);
	json_add_text(&j, "class", probes_class(c->probes, m->class)->name);
	json_add_text(&j, "method", m->name);
	json_add_text(&j, "descriptor", m->descriptor);
	json_add_int(&j, "duration_ns", call->ns);
	json_add_text(&j, "thread", call->thread ? call->thread : "");
	json_add_uint(&j, "tid", call->tid);
	json_add_text(&j, "exception", call->exception);
	json_add_arrays(&j, call);
	json_end_document(&j);
}

/* ---- stack traces ---- */

static uint32_t calls_frame(struct probe_calls *c, const char *class_name,
			    const char *method)
{
	const struct frame f = {
		.class_name = java_class_name(c->profile, class_name,
					      strlen(class_name)),
		.method = profile_string(c->profile, method, strlen(method)),
		.kind = FRAME_JAVA,
	};

	return profile_frame(c->profile, &f);
}

static uint32_t calls_method_frame(struct probe_calls *c, uint32_t method)
{
	const struct probe_method *m = probes_method(c->probes, method);

	return calls_frame(c, probes_class(c->probes, m->class)->name, m->name);
}

static uint32_t calls_thread(struct probe_calls *c,
			     const struct probe_call *call)
{
	const char *name = call->thread ? call->thread : "";
	const struct thread t = {
		.name = profile_string(c->profile, name, strlen(name)),
		.java_id = (int64_t)call->thread_id,
		.os_id = call->tid,
	};

	return profile_thread(c->profile, &t);
}

/* A call without a stack trace has the method alone. */
static void calls_add_sample(struct probe_calls *c,
			     const struct probe_call *call)
{
	uint32_t frames[PROBE_FRAMES + 1], method;
	size_t count = 0;
	struct sample s = {
		.event = c->event,
		.thread = calls_thread(c, call),
		.time_ns = clock_wall_of(call->start_ns),
		.duration_ns = (uint64_t)call->ns,
		.count = 1,
		.weight = (uint64_t)call->ns,
	};

	method = calls_method_frame(c, call->method);
	for (size_t i = 0; i < call->frame_count; i++)
		frames[count++] = calls_frame(c, call->frames[i].class_name,
					      call->frames[i].method);
	/* The innermost frame is the method itself, unless it has none. */
	if (!count || frames[0] != method) {
		memmove(frames + 1, frames, count * sizeof(*frames));
		frames[0] = method;
		count++;
	}
	s.stack = profile_stack(c->profile, frames, count);
	profile_add(c->profile, &s);
}

static void calls_add_to_tree(struct probe_calls *c,
			      const struct probe_call *call)
{
	if (c->tree_count == TREE_CALLS) {
		c->tree_lost++;
		return;
	}
	array_add(
		c->tree, c->tree_count, c->tree_cap,
		(struct tree_call){
			.thread = call->thread_id ? call->thread_id : call->tid,
			.start_ns = call->start_ns,
			.ns = call->ns,
			.frame = calls_method_frame(c, call->method),
			.thread_id = calls_thread(c, call),
		});
}

void probe_calls_add(void *self, const struct probe_call *call)
{
	struct probe_calls *c = self;
	const struct probe_options *o = c->run->o;

	if (o->tree)
		calls_add_to_tree(c, call);
	if (o->above_ns < 0 || call->ns < o->above_ns)
		return;
	calls_add_sample(c, call);
	if (o->json)
		call_add_json(c, call, &c->out);
	else if (!o->csv)
		call_add_text(c, call, &c->out);
}

int probe_calls_print(struct probe_calls *c, struct error *err)
{
	int ret = c->out.len ? output_file("-", c->out.bytes, c->out.len, err)
			     : 0;

	text_clear(&c->out);
	return ret;
}

/*
 * By thread, the last end first, so that a call precedes the calls that it
 * makes.  The end is the time of the record; the start is later than the true
 * one by what the record took, which can be more than the time between the
 * starts of two calls.
 */
static int tree_compare(const void *a, const void *b)
{
	const struct tree_call *x = a, *y = b;
	int order = (x->thread > y->thread) - (x->thread < y->thread);

	if (!order)
		order = (x->start_ns + x->ns < y->start_ns + y->ns) -
			(x->start_ns + x->ns > y->start_ns + y->ns);
	return order ? order : (x->ns < y->ns) - (x->ns > y->ns);
}

/* An open call, while the calls of a thread are visited in order. */
struct open_call {
	const struct tree_call *call;
	uint32_t stack;
	int64_t children_ns;
};

static void tree_end_call(struct probe_calls *c, const struct open_call *open,
			  uint32_t event)
{
	int64_t self = open->call->ns - open->children_ns;
	const struct sample s = {
		.event = event,
		.stack = open->stack,
		.thread = open->call->thread_id,
		.time_ns = clock_wall_of(open->call->start_ns),
		.count = 1,
		.weight = self > 0 ? (uint64_t)self : 0,
	};

	profile_add(c->profile, &s);
}

/* Adds each call with its self time below the calls that enclose it. */
static void calls_add_tree(struct probe_calls *c)
{
	struct open_call open[TREE_DEPTH];
	uint32_t event = profile_event(c->profile, PROBE_TREE_EVENT, UNIT_NS);
	size_t depth = 0;

	qsort(c->tree, c->tree_count, sizeof(*c->tree), tree_compare);
	for (size_t i = 0; i < c->tree_count; i++) {
		const struct tree_call *call = &c->tree[i];

		/* End the calls that do not enclose this one. */
		while (depth && (open[depth - 1].call->thread != call->thread ||
				 call->start_ns + call->ns <=
					 open[depth - 1].call->start_ns))
			tree_end_call(c, &open[--depth], event);
		if (depth == TREE_DEPTH)
			continue;
		if (depth)
			open[depth - 1].children_ns += call->ns;
		open[depth] = (struct open_call){
			.call = call,
			.stack = profile_push(c->profile,
					      depth ? open[depth - 1].stack : 0,
					      call->frame),
		};
		depth++;
	}
	while (depth)
		tree_end_call(c, &open[--depth], event);
	if (c->tree_lost)
		profile_lost(c->profile, "calls beyond the limit of the tree",
			     c->tree_lost, "%s", "");
}

struct profile *probe_calls_profile(struct probe_calls *c)
{
	if (c->tree_count)
		calls_add_tree(c);
	c->tree_count = 0;
	return c->profile;
}
