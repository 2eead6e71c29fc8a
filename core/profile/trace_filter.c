/* SPDX-License-Identifier: Apache-2.0 */
#include "core/profile/trace_filter.h"

#include "core/base/alloc.h"
#include "core/base/text.h"
#include "core/profile/frame_name.h"
#include "core/profile/trace_expression.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct trace_filter {
	struct trace_expression expression;
	bool trim;
};

/* What is known of each stack trace before cells are looked at. */
struct verdict {
	uint8_t *states;   /* in which it passes, a bit each */
	uint32_t *trimmed; /* what is left of it; NULL: all */
};

struct trace_filter *trace_filter_new(const char *expression, bool trim,
				      struct error *err)
{
	struct trace_filter *f = xcalloc(1, sizeof(*f));

	f->trim = trim;
	if (trace_expression_init(&f->expression, expression, trim, err) == 0)
		return f;
	free(f);
	return NULL;
}

void trace_filter_free(struct trace_filter *f)
{
	if (f)
		trace_expression_release(&f->expression);
	free(f);
}

bool trace_filter_wants_lines(const struct trace_filter *f)
{
	return f->expression.has_lines;
}

size_t trace_filter_undecided(const struct trace_filter *f)
{
	size_t count = 0;

	for (size_t i = 0; i < f->expression.pattern_count; i++)
		count += pattern_undecided(f->expression.patterns[i]);
	return count;
}

/* a.b.Outer$Inner is in Outer.java. */
static void put_file(struct text *out, const char *class_name)
{
	const char *dot = strrchr(class_name, '.');
	const char *base = dot ? dot + 1 : class_name;

	text_add(out, base, strcspn(base, "$"));
	text_puts(out, ".java");
}

static void put_frame(struct text *out, const struct profile *p,
		      const struct frame *f)
{
	static const struct style style = { 0 };

	frame_name(out, p, f, &style);
	if (!f->class_name || !f->method)
		return;
	if (f->kind == FRAME_NATIVE) {
		text_puts(out, "(Native Method)");
		return;
	}
	text_putc(out, '(');
	put_file(out, profile_text(p, f->class_name));
	if (f->line)
		text_printf(out, ":%" PRIu32, f->line);
	text_putc(out, ')');
}

/* Which patterns match each frame. */
static uint64_t *match_frames(const struct profile *p,
			      const struct trace_expression *x)
{
	uint64_t *masks = xcalloc(p->frame_count, sizeof(*masks));
	struct text name = { 0 };

	for (size_t i = 1; i < p->frame_count; i++) {
		text_clear(&name);
		put_frame(&name, p, &p->frames[i]);
		for (size_t k = 0; k < x->pattern_count; k++) {
			if (pattern_matches(x->patterns[k], name.bytes,
					    name.len))
				masks[i] |= UINT64_C(1) << k;
		}
	}
	text_release(&name);
	return masks;
}

/* A callee's id is greater than its caller's: one loop forward does it. */
static void judge(struct profile *p, const struct trace_filter *f,
		  struct verdict *v)
{
	const struct trace_expression *x = &f->expression;
	uint64_t *frames = match_frames(p, x);
	size_t count = p->stack_count, width = x->window_count;
	uint64_t *windows = xcalloc(count, width * sizeof(*windows));

	v->states = xcalloc(count, 1);
	v->trimmed = f->trim ? xcalloc(count, sizeof(*v->trimmed)) : NULL;
	v->states[0] = trace_expression_states(x, windows);
	for (size_t i = 1; i < count; i++) {
		/* Not a pointer: what is trimmed is pushed behind them. */
		struct stack s = p->stacks[i];
		uint64_t *own = windows + i * width;
		uint32_t inside;

		inside = trace_expression_step(x, windows + s.caller * width,
					       frames[s.frame], own);
		v->states[i] = trace_expression_states(x, own);
		if (f->trim && inside >> 1 & 1)
			v->trimmed[i] = profile_push(p, v->trimmed[s.caller],
						     s.frame);
	}
	free(windows);
	free(frames);
}

static bool passes(void *self, struct cell *c)
{
	const struct verdict *v = self;

	if (!(v->states[c->stack] >> c->state & 1))
		return false;
	if (v->trimmed)
		c->stack = v->trimmed[c->stack];
	return !v->trimmed || c->stack;
}

void trace_filter_apply(struct profile *p, struct trace_filter *f)
{
	struct verdict v;

	judge(p, f, &v);
	profile_retain(p, passes, &v);
	free(v.states);
	free(v.trimmed);
}
