/* SPDX-License-Identifier: Apache-2.0 */
#include "core/profile/filter.h"

#include "core/base/alloc.h"
#include "core/base/text.h"
#include "core/profile/frame_name.h"
#include "core/profile/idle_method.h"

#include <stdlib.h>
#include <string.h>

/* Results for each stack trace, thread and state, computed before the cells. */
struct verdict {
	const struct profile *profile;
	uint8_t *stacks;  /* WANTED and UNWANTED of frames on the path */
	bool *threads;    /* NULL: all pass */
	uint32_t states;  /* 0: all pass */
	uint8_t must, no; /* of a cell's stack trace */
};

#define WANTED   1
#define UNWANTED 2

/* Each distinct frame is matched once, by its full name without a line. */
static uint8_t *match_frames(const struct profile *p, const struct filter *f)
{
	static const struct style style = { 0 };
	uint8_t *matched = xcalloc(p->frame_count, 1);
	struct text name = { 0 };

	for (size_t i = 1; i < p->frame_count; i++) {
		text_clear(&name);
		frame_name(&name, p, &p->frames[i], &style);
		if (f->include &&
		    pattern_matches(f->include, name.bytes, name.len))
			matched[i] |= WANTED;
		if (f->exclude &&
		    pattern_matches(f->exclude, name.bytes, name.len))
			matched[i] |= UNWANTED;
	}
	text_release(&name);
	return matched;
}

/* A callee's id is greater than its caller's: one loop forward does it. */
static uint8_t *judge_stacks(const struct profile *p, const struct filter *f)
{
	uint8_t *frames = match_frames(p, f);
	uint8_t *stacks = xcalloc(p->stack_count, 1);

	for (size_t i = 1; i < p->stack_count; i++)
		stacks[i] = stacks[p->stacks[i].caller] |
			    frames[p->stacks[i].frame];
	free(frames);
	return stacks;
}

static bool *judge_threads(const struct profile *p, struct pattern *wanted)
{
	bool *threads = xcalloc(p->thread_count, sizeof(*threads));

	for (size_t i = 0; i < p->thread_count; i++) {
		uint32_t name = p->threads[i].name;

		threads[i] = pattern_matches(wanted, profile_text(p, name),
					     intern_len(&p->strings, name));
	}
	return threads;
}

/*
 * RUNNABLE, and by its leaf not waiting.  Threads of the VM's own have no stack
 * trace in a thread dump, and are always RUNNABLE.
 */
#define BUSY (1U << THREAD_STATES)

static bool has_state(const struct verdict *v, const struct cell *c)
{
	const struct profile *p = v->profile;

	if (v->states >> c->state & 1)
		return true;
	return v->states & BUSY && c->state == STATE_RUNNABLE && c->stack &&
	       !idle_method_is(p, &p->frames[p->stacks[c->stack].frame]);
}

static bool filter_passes(void *self, struct cell *c)
{
	const struct verdict *v = self;

	if (v->threads && !v->threads[c->thread])
		return false;
	if (v->states && !has_state(v, c))
		return false;
	return !v->stacks || ((v->stacks[c->stack] & v->must) == v->must &&
			      !(v->stacks[c->stack] & v->no));
}

void filter_apply(struct profile *p, const struct filter *f)
{
	struct verdict v = { .profile = p, .states = f->states };

	if (!f->thread_name && !f->states && !f->include && !f->exclude)
		return;
	if (f->include || f->exclude)
		v.stacks = judge_stacks(p, f);
	if (f->thread_name)
		v.threads = judge_threads(p, f->thread_name);
	v.must = f->include ? WANTED : 0;
	v.no = f->exclude ? UNWANTED : 0;
	profile_retain(p, filter_passes, &v);
	free(v.stacks);
	free(v.threads);
}

static bool drop_class(void *self, struct cell *c)
{
	c->stack = profile_calls(self, c->stack);
	return true;
}

void filter_drop_classes(struct profile *p)
{
	profile_retain(p, drop_class, p);
}

/* async-profiler has one word for every state in which a thread waits. */
#define SLEEPING                                                               \
	(1u << STATE_BLOCKED | 1u << STATE_WAITING | 1u << STATE_TIMED_WAITING)

/* The bits of a state's name, any case, '-' as good as '_'; 0 for none. */
static uint32_t state_bits(const char *name, size_t len)
{
	char plain[32];

	if (len >= sizeof(plain))
		return 0;
	for (size_t i = 0; i < len; i++)
		plain[i] = name[i] == '-' ? '_' : name[i];
	plain[len] = '\0';
	if (strcasecmp(plain, "sleeping") == 0)
		return SLEEPING;
	if (strcasecmp(plain, "busy") == 0)
		return BUSY;
	for (unsigned i = 0; i < THREAD_STATES; i++) {
		if (strcasecmp(plain, thread_state_names[i]) == 0)
			return 1u << i;
	}
	return 0;
}

static int no_such_state(const char *name, size_t len, struct error *err)
{
	struct text known = { 0 };

	for (unsigned i = 0; i < THREAD_STATES; i++)
		text_printf(&known, "%s, ", thread_state_names[i]);
	text_puts(&known, "SLEEPING, BUSY");
	fail(err, ERROR_MISUSE, "'%.*s' is not a thread state; valid: %s",
	     len < 64 ? (int)len : 64, name, known.bytes);
	text_release(&known);
	return -1;
}

int filter_states(const char *list, uint32_t *states, struct error *err)
{
	uint32_t bits = 0;

	for (;;) {
		size_t len = strcspn(list, ",");
		uint32_t bit = state_bits(list, len);

		if (!bit)
			return no_such_state(list, len, err);
		bits |= bit;
		if (!list[len])
			break;
		list += len + 1;
	}
	*states = bits;
	return 0;
}
