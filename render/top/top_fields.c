/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes reports as CSV rows, and as JSON documents of schema sjkc.ttop/1, one
 * a line.
 */
#include "render/top/top_report.h"

#include "core/base/json.h"
#include "core/base/units.h"
#include "render/text/fields.h"
#include "render/top/top_rows.h"

#include <math.h>

/* Rounds to four decimals: more would be noise. NaN becomes null. */
static void top_json_put_rate(struct json *j, const char *key, double value)
{
	if (value < 1e12)
		value = (double)(int64_t)(value * 1e4 + 0.5) / 1e4;
	json_add_double(j, key, value);
}

static void top_json_put_percent(struct json *j, const char *key, double share)
{
	top_json_put_rate(j, key, share * 100);
}

static void top_json_put_count(struct json *j, const char *key, int64_t count)
{
	json_key(j, key);
	if (count >= 0)
		json_int(j, count);
	else
		json_null(j);
}

static void top_json_put_text(struct json *j, const char *key, const char *text)
{
	json_add_text(j, key, *text ? text : NULL);
}

static void top_json_put_gc(struct json *j, const struct process_rates *p)
{
	json_key(j, "gc");
	if (!p->gc_count) {
		json_null(j);
		return;
	}
	json_open_array(j);
	for (size_t i = 0; i < p->gc_count; i++) {
		json_open_object(j);
		json_add_text(j, "name", p->gc[i].name);
		top_json_put_percent(j, "pct", p->gc[i].share);
		top_json_put_count(j, "count", p->gc[i].count);
		json_add_bool(j, "is_upper_bound", p->gc[i].at_most);
		json_close_object(j);
	}
	json_close_array(j);
}

static bool top_json_is_lower_bound(const struct longest_pause *l)
{
	return l->ns != COUNTER_ABSENT && l->most_ns > l->ns;
}

static void top_json_put_pauses(struct json *j, const struct process_rates *p,
				const char *cause)
{
	const struct longest_pause *gc = &p->gc_longest, *any = &p->longest;

	top_json_put_percent(j, "gc_pause_pct", p->gc_pauses);
	json_add_bool(j, "gc_pause_pct_is_upper_bound", p->gc_at_most);
	top_json_put_text(j, "gc_last_cause", cause);
	top_json_put_rate(j, "gc_longest_ms",
			  gc->ns == COUNTER_ABSENT ? NAN
						   : (double)gc->ns / 1e6);
	json_add_bool(j, "gc_longest_is_lower_bound",
		      top_json_is_lower_bound(gc));
	top_json_put_rate(j, "safepoint_longest_ms",
			  any->ns == COUNTER_ABSENT ? NAN
						    : (double)any->ns / 1e6);
	json_add_bool(j, "safepoint_longest_is_lower_bound",
		      top_json_is_lower_bound(any));
}

static void top_json_put_process(struct json *j, const struct top_rates *r)
{
	const struct process_rates *p = &r->process;
	const struct process_sample *s = &r->sample->process;

	json_add_object(j, "process");
	top_json_put_percent(j, "cpu_pct", p->cpu);
	top_json_put_percent(j, "application_pct", p->application);
	top_json_put_percent(j, "user_pct", p->user);
	top_json_put_percent(j, "sys_pct", p->sys);
	top_json_put_percent(j, "other_pct", p->other);
	top_json_put_percent(j, "vm_pct", p->vm_cpu);
	top_json_put_percent(j, "gc_cpu_pct", p->gc_cpu);
	top_json_put_percent(j, "jit_pct", p->jit_cpu);
	top_json_put_percent(j, "native_pct", p->native_cpu);
	top_json_put_percent(j, "runq_pct", p->runq);
	top_json_put_count(j, "threads", (int64_t)r->row_count);
	top_json_put_count(j, "java_threads", (int64_t)p->java_threads);
	top_json_put_count(j, "new_threads", (int64_t)p->new_threads);
	top_json_put_count(j, "ended_threads", (int64_t)p->ended_threads);
	top_json_put_rate(j, "alloc_bytes_per_s", p->alloc);
	top_json_put_gc(j, p);
	top_json_put_rate(j, "safepoints_per_s", p->safepoints);
	top_json_put_rate(j, "safepoint_avg_ms", p->safepoint_pause_ms);
	top_json_put_percent(j, "safepoint_sync_pct", p->sync);
	top_json_put_percent(j, "safepoint_pct", p->safepoint);
	top_json_put_pauses(j, p, s->gc_cause);
	top_json_put_count(j, "heap_used_bytes", s->heap_used);
	top_json_put_count(j, "heap_max_bytes", s->heap_max);
	top_json_put_count(j, "rss_bytes", s->rss_bytes);
	top_json_put_percent(j, "machine_cpu_pct", p->machine);
	top_json_put_count(j, "machine_cpus",
			   isnan(p->machine) ? COUNTER_ABSENT : s->cpus);
	top_json_put_rate(j, "cpu_limit_cpus",
			  s->cpu_limit < 0 ? NAN : (double)s->cpu_limit / 1000);
	top_json_put_percent(j, "throttled_pct", p->throttled);
	top_json_put_percent(j, "throttled_periods_pct", p->throttled_periods);
	top_json_put_text(j, "namespace", s->pod_namespace);
	top_json_put_text(j, "pod", s->pod);
	top_json_put_text(j, "container", s->container);
	json_close_object(j);
}

/* ---- the rows of threads, which both formats have ---- */

static void fields_rate(struct fields *f, const char *key, double value)
{
	if (f->json)
		top_json_put_rate(f->json, key, value);
	else
		fields_double(f, key, value, 2);
}

static void fields_percent(struct fields *f, const char *key, double share)
{
	fields_rate(f, key, share * 100);
}

static void top_put_thread(struct fields *f, const struct thread_row *row)
{
	const struct thread_sample *t = row->thread;
	const double *rates = row->rates;

	fields_id(f, "id", t->java_id);
	fields_id(f, "tid", t->tid);
	fields_quoted(f, "name", t->name);
	fields_text(f, "kind", thread_kind_name(t->kind));
	fields_text(f, "state", thread_run_state_name(t->state));
	fields_percent(f, "cpu_pct", rates[THREAD_CPU]);
	fields_percent(f, "user_pct", rates[THREAD_USER]);
	fields_percent(f, "sys_pct", rates[THREAD_SYS]);
	fields_rate(f, "alloc_bytes_per_s", rates[THREAD_ALLOC]);
	if (f->json)
		json_add_bool(f->json, "alloc_is_coarse", t->alloc_is_coarse);
	fields_rate(f, "waits_per_s", rates[THREAD_WAITS]);
	fields_percent(f, "wait_pct", rates[THREAD_WAIT_TIME]);
	fields_rate(f, "blocks_per_s", rates[THREAD_BLOCKS]);
	fields_percent(f, "block_pct", rates[THREAD_BLOCK_TIME]);
	fields_percent(f, "runq_pct", rates[THREAD_RUNQ]);
	fields_rate(f, "csw_per_s", top_row_switches(row));
	fields_end(f);
}

/* The source of each value, or the reason why it is unavailable. */
static void top_json_put_notes(struct json *j, const struct top_sample *s)
{
	json_add_array(j, "notes");
	for (size_t i = 0; i < s->note_count; i++) {
		json_open_object(j);
		json_add_text(j, "figure", s->notes[i].figure);
		json_add_text(j, "text", s->notes[i].text);
		json_add_bool(j, "absent", s->notes[i].is_absent);
		json_close_object(j);
	}
	json_close_array(j);
}

static void top_json_put_blocked_thread(struct json *j, const struct blocked *b,
					const struct blocked_thread *t)
{
	static const char *const kinds[] = {
		[BLOCKED_NOT] = "none",
		[BLOCKED_MONITOR] = "monitor",
		[BLOCKED_SYNCHRONIZER] = "synchronizer",
	};
	bool waits = t->kind != BLOCKED_NOT;

	json_open_object(j);
	json_add_id(j, "id", t->id > 0 ? t->id : 0);
	json_add_text(j, "name", t->name);
	json_add_text(j, "state", thread_run_state_name(t->state));
	json_add_text(j, "waits_for", kinds[t->kind]);
	json_add_text(j, "lock_class", t->lock_class);
	json_add_text(j, "lock_id", t->lock_id);
	json_add_id(j, "owner_id", t->owner_id > 0 ? t->owner_id : 0);
	top_json_put_rate(j, "seen_blocked_s",
			  waits ? (double)(b->at_ns - t->since_ns) / 1e9 : NAN);
	top_json_put_count(j, "seen_times", waits ? (int64_t)t->looks : -1);
	top_json_put_count(j, "holds_back", (int64_t)t->held_back);
	json_add_id(j, "deadlock", t->deadlock);
	json_add_text(j, "leaf", t->leaf);
	json_add_text(j, "frame", t->frame);
	json_close_object(j);
}

static void top_json_put_blocked(struct json *j, const struct blocked *b)
{
	json_add_object(j, "blocked");
	json_add_text(j, "source", b->source);
	top_json_put_rate(j, "pause_ms",
			  b->pause_ns < 0 ? NAN : (double)b->pause_ns / 1e6);
	json_add_bool(j, "owners_of_synchronizers_known",
		      b->knows_synchronizers);
	json_add_bool(j, "same_block_known", b->knows_blocks);
	json_add_array(j, "threads");
	for (size_t i = 0; i < b->count; i++)
		top_json_put_blocked_thread(j, b, &b->threads[i]);
	json_close_array(j);
	json_close_object(j);
}

void top_json_add(struct text *out, const struct top_report *report)
{
	const struct top_rates *r = report->rates;
	struct json j = json_document(out, "sjkc.ttop/1");
	struct fields f = { .json = &j };
	struct text time = { 0 };

	units_add_utc(&time, r->sample->wall_ns);
	json_add_text(&j, "time", time.bytes);
	json_add_id(&j, "pid", report->pid);
	top_json_put_rate(&j, "interval_s", r->interval_s);
	top_json_put_process(&j, r);
	json_add_array(&j, "threads");
	for (size_t i = 0; i < report->passing && i < report->shown; i++) {
		json_open_object(&j);
		top_put_thread(&f, &r->rows[i]);
	}
	json_close_array(&j);
	if (report->blocked && !report->blocked->recorded.len)
		top_json_put_blocked(&j, report->blocked);
	top_json_put_notes(&j, r->sample);
	json_end_document(&j);
	text_release(&time);
}

/* ---- CSV ---- */

const char top_csv_head
	[] = "time,pid,id,tid,name,kind,state,cpu_pct,user_pct,sys_pct,"
	     "alloc_bytes_per_s,waits_per_s,wait_pct,blocks_per_s,block_pct,"
	     "runq_pct,csw_per_s\n";

static void top_csv_begin_row(struct fields *f, const struct top_report *report)
{
	struct text time = { 0 };

	units_add_utc(&time, report->rates->sample->wall_ns);
	fields_text(f, "time", time.bytes);
	fields_id(f, "pid", report->pid);
	text_release(&time);
}

void top_csv_add(struct text *out, const struct top_report *report)
{
	const struct process_rates *p = &report->rates->process;
	struct fields f = { .csv = out };

	top_csv_begin_row(&f, report);
	text_puts(out, ",,,,process,");
	fields_percent(&f, "cpu_pct", p->cpu);
	fields_percent(&f, "user_pct", p->user);
	fields_percent(&f, "sys_pct", p->sys);
	fields_rate(&f, "alloc_bytes_per_s", p->alloc);
	text_puts(out, ",,,,,,");
	fields_end(&f);
	for (size_t i = 0; i < report->passing && i < report->shown; i++) {
		top_csv_begin_row(&f, report);
		top_put_thread(&f, &report->rates->rows[i]);
	}
}
