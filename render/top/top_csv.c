/* SPDX-License-Identifier: Apache-2.0 */
/* Writes reports of ttop as CSV rows. */
#include "render/top/top_csv.h"

#include "core/base/safe_text.h"
#include "render/text/table.h"
#include "render/top/top_rows.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

const char top_csv_head
	[] = "time,pid,id,tid,name,kind,state,cpu_pct,user_pct,sys_pct,"
	     "alloc_bytes_per_s,waits_per_s,wait_pct,blocks_per_s,block_pct,"
	     "runq_pct,csw_per_s\n";

static void top_csv_put_rate(struct text *out, double value)
{
	text_putc(out, ',');
	if (isfinite(value))
		text_printf(out, "%.2f", value);
}

static void top_csv_put_id(struct text *out, int64_t id)
{
	text_putc(out, ',');
	if (id)
		text_printf(out, "%" PRId64, id);
}

static void top_csv_put_name(struct text *out, const char *name)
{
	struct text safe = { 0 };

	safe_text(&safe, name, strlen(name));
	text_putc(out, ',');
	text_puts(&safe, "");
	csv_field(out, safe.bytes, safe.len, CSV_QUOTED);
	text_release(&safe);
}

static void top_csv_begin_row(struct text *out, const struct top_report *report,
			      pid_t pid)
{
	top_text_utc(out, report->rates->sample->wall_ns);
	top_csv_put_id(out, pid);
}

static void top_csv_put_process(struct text *out,
				const struct top_report *report, pid_t pid)
{
	const struct process_rates *p = &report->rates->process;

	top_csv_begin_row(out, report, pid);
	text_puts(out, ",,,,process,");
	top_csv_put_rate(out, p->cpu * 100);
	top_csv_put_rate(out, p->user * 100);
	top_csv_put_rate(out, p->sys * 100);
	top_csv_put_rate(out, p->alloc);
	text_puts(out, ",,,,,,\n");
}

static void top_csv_put_thread(struct text *out, const struct thread_row *row)
{
	const struct thread_sample *t = row->thread;
	const double *rates = row->rates;

	top_csv_put_id(out, t->java_id);
	top_csv_put_id(out, t->tid);
	top_csv_put_name(out, t->name);
	text_printf(out, ",%s,%s", thread_kind_name(t->kind),
		    thread_run_state_name(t->state));
	top_csv_put_rate(out, rates[THREAD_CPU] * 100);
	top_csv_put_rate(out, rates[THREAD_USER] * 100);
	top_csv_put_rate(out, rates[THREAD_SYS] * 100);
	top_csv_put_rate(out, rates[THREAD_ALLOC]);
	top_csv_put_rate(out, rates[THREAD_WAITS]);
	top_csv_put_rate(out, rates[THREAD_WAIT_TIME] * 100);
	top_csv_put_rate(out, rates[THREAD_BLOCKS]);
	top_csv_put_rate(out, rates[THREAD_BLOCK_TIME] * 100);
	top_csv_put_rate(out, rates[THREAD_RUNQ] * 100);
	top_csv_put_rate(out, top_row_switches(row));
	text_puts(out, "\n");
}

void top_csv_add(struct text *out, const struct top_report *report, pid_t pid)
{
	top_csv_put_process(out, report, pid);
	for (size_t i = 0; i < report->passing && i < report->shown; i++) {
		top_csv_begin_row(out, report, pid);
		top_csv_put_thread(out, &report->rates->rows[i]);
	}
}
