/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the threads of a dump as CSV (RFC 4180), a line for each. */
#include "core/base/safe_text.h"
#include "core/profile/frame_name.h"
#include "render/text/table.h"
#include "render/threads/threads_report.h"

#include <inttypes.h>
#include <string.h>

static const char csv_head[] =
	"name,id,tid,state,activity,daemon,virtual,peer_id,cpu_ns,elapsed_ns,"
	"used_cpu_ns,used_in_ns,dumps_without_a_move,waits_for,"
	"waits_for_class,blocked,owner,owner_id,deadlock,owns,frame,stack\n";

struct writer {
	struct text *out;
	const struct dump_series *s;
	struct text scratch;
};

/* Writes a foreign text; the comma follows. */
static void csv_put_text(struct writer *w, const char *text)
{
	struct text safe = { 0 };

	if (text)
		safe_text(&safe, text, strlen(text));
	if (safe.len)
		csv_field(w->out, safe.bytes, safe.len, CSV_TEXT);
	text_putc(w->out, ',');
	text_release(&safe);
}

static void csv_put_string(struct writer *w, uint32_t string)
{
	csv_put_text(w, string ? profile_text(w->s->profile, string) : NULL);
}

/* Writes a number; nothing if it is below min, which means unknown. */
static void csv_put_number(struct writer *w, int64_t value, int64_t min)
{
	if (value >= min)
		text_printf(w->out, "%" PRId64, value);
	text_putc(w->out, ',');
}

/* Writes the owner of the lock that the thread needs. */
static void csv_put_blocked(struct writer *w, const struct series_thread *t)
{
	const struct blocked *all = &w->s->blocked;
	const struct blocked_thread *b = t->blocked == BLOCKED_NONE
						 ? NULL
						 : &all->threads[t->blocked];

	if (!b || b->kind == BLOCKED_NOT) {
		text_puts(w->out, ",,,,");
		return;
	}
	csv_put_text(w,
		     b->kind == BLOCKED_MONITOR ? "monitor" : "synchronizer");
	csv_put_text(w, b->owner == BLOCKED_NONE ? NULL
						 : all->threads[b->owner].name);
	csv_put_number(w, b->owner == BLOCKED_NONE ? 0 : b->owner_id, 1);
	csv_put_number(w, b->deadlock, 1);
}

/* Writes the locks that the thread owns, separated by spaces. */
static void csv_put_owned(struct writer *w, const struct series_thread *t,
			  const struct tapped_lock *wait)
{
	const struct profile *p = w->s->profile;
	const struct tapped_lock *lock;
	size_t at = 0;

	text_clear(&w->scratch);
	text_add(&w->scratch, "", 0);
	while ((lock = series_next_owned(w->s, t, wait, &at)))
		text_printf(&w->scratch, "%s%s", w->scratch.len ? " " : "",
			    profile_text(p, lock->id ? lock->id
						     : lock->class_name));
	csv_put_text(w, w->scratch.bytes);
}

/* Writes the leaf, and all frames from the leaf on, separated by newlines. */
static void csv_put_frames(struct writer *w, const struct series_thread *t)
{
	const struct profile *p = w->s->profile;
	struct text frames = { 0 };

	text_add(&frames, "", 0);
	for (uint32_t at = t->stack; at; at = p->stacks[at].caller) {
		text_clear(&w->scratch);
		frame_place_name(&w->scratch, p,
				 &p->frames[p->stacks[at].frame]);
		if (at == t->stack)
			csv_put_text(w, w->scratch.bytes);
		else
			text_putc(&frames, '\n');
		safe_text(&frames, w->scratch.bytes, w->scratch.len);
	}
	if (!t->stack)
		text_putc(w->out, ',');
	if (frames.len)
		csv_field(w->out, frames.bytes, frames.len, CSV_TEXT);
	text_putc(w->out, '\n');
	text_release(&frames);
}

static void csv_put_thread(struct writer *w, const struct series_thread *t)
{
	const struct tapped_lock *wait = series_wait(w->s, t);

	csv_put_string(w, t->thread.name);
	csv_put_number(w, t->thread.java_id, 1);
	csv_put_number(w, t->thread.os_id, 1);
	csv_put_text(w, t->state ? thread_state_names[t->state] : NULL);
	csv_put_text(w, series_activity_names[t->activity]);
	csv_put_text(w, t->is_daemon ? "true" : "false");
	csv_put_text(w, t->thread.is_virtual ? "true" : "false");
	csv_put_number(w, t->peer_id, 1);
	csv_put_number(w, t->cpu_ns, 0);
	csv_put_number(w, t->elapsed_ns, 0);
	csv_put_number(w, t->used_ns, 0);
	csv_put_number(w, t->used_in_ns, 0);
	csv_put_number(w, t->looks, 0);
	csv_put_string(w, wait ? wait->id : 0);
	csv_put_string(w, wait ? wait->class_name : 0);
	csv_put_blocked(w, t);
	csv_put_owned(w, t, wait);
	csv_put_frames(w, t);
}

void threads_csv(struct text *out, const struct dump_series *s,
		 const struct threads_options *o)
{
	struct writer w = { .out = out, .s = s };

	(void)o;
	text_puts(out, csv_head);
	for (size_t i = 0; i < s->thread_count; i++)
		csv_put_thread(&w, &s->threads[i]);
	text_release(&w.scratch);
}
