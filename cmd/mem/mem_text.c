/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/mem/mem.h"

#include "core/base/lines.h"
#include "core/base/safe_text.h"
#include "core/base/units.h"
#include "render/text/columns.h"
#include "render/text/table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 80, TABLE_ROWS = 20 };

/* Parts that changed by less are "all else". */
#define GROWTH_LEAST ((int64_t)64 << 10)

#define TABLE_OF(c)                                                            \
	{                                                                      \
		.columns = (c), .column_count = sizeof(c) / sizeof(*(c))       \
	}

static void cell_bytes(struct table *t, uint64_t bytes)
{
	text_puts(table_cell(t), units_bytes((double)bytes).text);
}

static void cell_count(struct table *t, uint64_t count)
{
	units_add_count(table_cell(t), count);
}

static void add_head(struct text *out, const struct mem_view *v)
{
	const struct mem_account *a = v->account;
	struct text line = { 0 };

	safe_text_puts(&line, v->name);
	text_printf(&line, " (%d): RSS %s", (int)a->pid,
		    units_bytes((double)a->rss).text);
	if (mem_has_heap(a))
		text_printf(&line, ", %s beyond the Java heap",
			    units_bytes((double)(a->total -
						 a->parts[MEM_HEAP].resident))
				    .text);
	if (v->container && v->container->memory.current >= 0)
		text_printf(
			&line, "; container %s",
			units_bytes((double)v->container->memory.current).text);
	if (v->container && v->container->limit >= 0)
		text_printf(&line, " of %s",
			    units_bytes((double)v->container->limit).text);
	columns_wrap(out, line.bytes, 0, 2, WIDTH);
	text_release(&line);
}

static void add_advice(struct text *out, const char *when,
		       const struct text *what)
{
	if (!what->len)
		return;
	text_printf(out, "  %s: ", when);
	columns_wrap(out, what->bytes, 4 + strlen(when), 4, WIDTH);
}

static void add_verdict(struct text *out, const struct mem_verdict *v)
{
	for (size_t i = 0; i < v->count; i++) {
		columns_wrap(out, v->all[i].sentence.bytes, 0, 2, WIDTH);
		add_advice(out, "now", &v->all[i].now);
		add_advice(out, "at the next start", &v->all[i].lasting);
	}
	if (!v->count)
		text_puts(out, "nothing stands out\n");
	if (v->fit.len)
		columns_wrap(out, v->fit.bytes, 0, 2, WIDTH);
}

static int part_compare(const void *a, const void *b, void *account)
{
	const struct mem_account *m = account;
	uint64_t one = m->parts[*(const size_t *)a].resident;
	uint64_t two = m->parts[*(const size_t *)b].resident;

	return one < two ? 1 : one > two ? -1 : 0;
}

static void add_part(struct text *out, const struct mem_account *a,
		     enum mem_part part)
{
	const struct mem_size *s = &a->parts[part];
	struct text detail = { 0 };
	size_t at = out->len;

	mem_add_detail(&detail, a, part);
	if (s->huge)
		text_printf(&detail, "%s%s in huge pages",
			    detail.len ? "; " : "",
			    units_bytes((double)s->huge).text);
	if (s->swapped)
		text_printf(&detail, "%s%s swapped out", detail.len ? "; " : "",
			    units_bytes((double)s->swapped).text);
	text_puts(out, units_bytes((double)s->resident).text);
	columns_right(out, at, 9);
	text_printf(out, " %5.1f%%  ",
		    a->total ? 100 * (double)s->resident / (double)a->total
			     : 0);
	at = out->len;
	text_puts(out, mem_part_titles[part]);
	if (detail.len) {
		size_t width = text_width(out->bytes + at, out->len - at);

		text_spaces(out, width < 20 ? 20 - width : 2);
		columns_wrap(out, detail.bytes, 38, 38, WIDTH);
	} else {
		text_putc(out, '\n');
	}
	text_release(&detail);
}

static void add_parts(struct text *out, const struct mem_account *a)
{
	size_t order[MEM_PARTS];

	for (size_t i = 0; i < MEM_PARTS; i++)
		order[i] = i;
	qsort_r(order, MEM_PARTS, sizeof(*order), part_compare, (void *)a);
	text_puts(out, "\n resident  share  part                detail\n");
	for (size_t i = 0; i < MEM_PARTS; i++)
		if (a->parts[order[i]].resident || a->parts[order[i]].swapped)
			add_part(out, a, (enum mem_part)order[i]);
}

static void add_group_number(struct text *out, const char *name, int64_t value)
{
	if (value >= 0)
		text_printf(out, "%s %s %s",
			    out->len ? "," : "container:", name,
			    units_bytes((double)value).text);
}

static void add_container(struct text *out, const struct mem_container *c)
{
	const struct cgroup_memory *m = &c->memory;
	struct text line = { 0 };

	add_group_number(&line, "anonymous", m->anonymous);
	add_group_number(&line, "cached files", m->files);
	add_group_number(&line, "of these droppable", m->inactive_files);
	add_group_number(&line, "kernel", m->kernel);
	add_group_number(&line, "peak", m->peak);
	if (m->oom_kills > 0)
		text_printf(&line, ", the kernel killed %" PRId64 " process%s",
			    m->oom_kills, m->oom_kills == 1 ? "" : "es");
	if (line.len)
		columns_wrap(out, line.bytes, 0, 2, WIDTH);
	text_release(&line);
}

static void add_table(struct text *out, struct table *t)
{
	text_putc(out, '\n');
	table_text(t, 0, out);
	table_release(t);
}

static void add_threads(struct text *out, const struct mem_account *a)
{
	static const struct table_column columns[] = {
		{ "resident", true }, { "reserved", true }, { "kind", false },
		{ "tid", true },      { "name", false },
	};
	struct table t = TABLE_OF(columns);

	for (size_t i = 0; i < a->stack_count; i++) {
		const struct mem_stack *s = &a->stacks[i];

		cell_bytes(&t, s->size.resident);
		cell_bytes(&t, s->end - s->start);
		table_add(&t, s->is_java ? "Java" : "native");
		text_printf(table_cell(&t), "%d", (int)s->tid);
		table_add(&t, s->name);
	}
	add_table(out, &t);
}

static void add_arenas(struct text *out, const struct mem_account *a)
{
	static const struct table_column columns[] = {
		{ "arena", true },     { "threads", true },
		{ "heaps", true },     { "resident", true },
		{ "in use", true },    { "blocks", true },
		{ "free", true },      { "top", true },
		{ "trimmable", true }, { "", false },
	};
	struct table t = TABLE_OF(columns);

	for (size_t i = 0; i < a->glibc.arena_count; i++) {
		const struct malloc_arena *one = &a->glibc.arenas[i];

		text_printf(table_cell(&t), one->is_main ? "main" : "%zu", i);
		cell_count(&t, one->threads);
		cell_count(&t, one->heaps);
		cell_bytes(&t, one->resident);
		cell_bytes(&t, one->in_use_resident);
		cell_count(&t, one->blocks);
		cell_bytes(&t, one->free_resident);
		cell_bytes(&t, one->top_resident);
		cell_bytes(&t, one->trimmable);
		text_puts(table_cell(&t),
			  one->is_incomplete ? "incomplete" : "");
	}
	add_table(out, &t);
}

static void add_sizes(struct text *out, const struct mem_account *a)
{
	static const struct table_column columns[] = {
		{ "total", true },
		{ "blocks", true },
		{ "bytes each", true },
	};
	struct table t = TABLE_OF(columns);

	for (size_t i = 0; i < a->glibc.size_count && i < TABLE_ROWS; i++) {
		const struct malloc_size *s = &a->glibc.sizes[i];

		cell_bytes(&t, s->size * s->blocks);
		cell_count(&t, s->blocks);
		cell_count(&t, s->size);
	}
	add_table(out, &t);
}

/* Without a table, whose cells would take 400 bytes a row. */
static void add_maps(struct text *out, const struct mem_account *a)
{
	enum { PATH_WIDTH = 256 };

	text_puts(out, "\naddress          length  resident   swapped  "
		       "part                    detail\n");
	for (size_t i = 0; i < a->range_count; i++) {
		const struct mem_range *r = &a->ranges[i];
		const char *detail = *r->path    ? r->path
				     : r->detail ? r->detail
						 : "";
		size_t len = strlen(detail);

		text_printf(out, "%012" PRIx64 "%10s", r->start,
			    units_bytes((double)(r->end - r->start)).text);
		text_printf(out, "%10s",
			    units_bytes((double)r->size.resident).text);
		text_printf(out, "%10s  %-23s ",
			    units_bytes((double)r->size.swapped).text,
			    mem_part_titles[r->part]);
		if (len > PATH_WIDTH)
			text_puts(out, "…");
		safe_text_puts(out, len > PATH_WIDTH ? detail + len - PATH_WIDTH
						     : detail);
		text_putc(out, '\n');
	}
}

/* A line each. */
static void add_limits(struct text *out, const struct mem_account *a)
{
	struct lines lines = lines_over(a->limits.len ? a->limits.bytes : "",
					a->limits.len);
	struct line line;

	while (lines_next(&lines, &line)) {
		struct text copy = { 0 };

		text_puts(&copy, "note: ");
		text_add(&copy, line.text, line.len);
		columns_wrap(out, copy.bytes, 0, 2, WIDTH);
		text_release(&copy);
	}
}

void mem_add_text(struct text *out, const struct mem_view *v,
		  const struct mem_tables *tables)
{
	const struct mem_account *a = v->account;

	add_head(out, v);
	add_verdict(out, v->verdict);
	add_parts(out, a);
	if (v->container)
		add_container(out, v->container);
	add_limits(out, a);
	if (tables->threads)
		add_threads(out, a);
	if (tables->arenas)
		add_arenas(out, a);
	if (tables->sizes)
		add_sizes(out, a);
	if (tables->maps)
		add_maps(out, a);
}

/* ---- growth ---- */

static void add_signed(struct text *out, int64_t bytes)
{
	text_printf(out, "%c%s", bytes < 0 ? '-' : '+',
		    units_bytes((double)llabs(bytes)).text);
}

static int growth_compare(const void *a, const void *b, void *growth)
{
	const struct mem_growth *g = growth;
	int64_t one = llabs(g->parts[*(const size_t *)a]);
	int64_t two = llabs(g->parts[*(const size_t *)b]);

	return one < two ? 1 : one > two ? -1 : 0;
}

static void add_grown_parts(struct text *line, const struct mem_growth *g)
{
	size_t order[MEM_PARTS];
	int64_t rest = g->rss;

	for (size_t i = 0; i < MEM_PARTS; i++)
		order[i] = i;
	qsort_r(order, MEM_PARTS, sizeof(*order), growth_compare, (void *)g);
	for (size_t i = 0; i < MEM_PARTS; i++) {
		int64_t more = g->parts[order[i]];

		if (llabs(more) < GROWTH_LEAST)
			break;
		text_printf(line, "%s %s ", i ? "," : ":",
			    mem_part_titles[order[i]]);
		add_signed(line, more);
		rest -= more;
	}
	if (rest)
		text_puts(line, ", all else ");
	if (rest)
		add_signed(line, rest);
}

static void add_grown_sizes(struct text *line, const struct mem_growth *g)
{
	text_puts(line, "malloc in use ");
	add_signed(line, g->in_use);
	for (size_t i = 0; i < g->size_count; i++) {
		text_printf(line, "%s +", i ? "," : ":");
		units_add_count(line, (uint64_t)g->sizes[i].blocks);
		text_puts(line, i ? " of " : " blocks of ");
		units_add_count(line, g->sizes[i].size);
		text_puts(line, i ? "" : " bytes");
	}
}

static void add_kinds(struct text *line, const struct mem_growth *g)
{
	for (size_t i = 0; i < g->kind_count; i++) {
		text_printf(line, "%s%s +", i ? ", " : "", g->kinds[i].name);
		units_add_count(line, (uint64_t)g->kinds[i].count);
		if (g->kinds[i].is_guess)
			text_puts(line, " (by the sizes of blocks)");
	}
}

void mem_add_growth(struct text *out, const struct mem_growth *g)
{
	struct text line = { 0 };

	if (g->seconds >= 1)
		text_printf(&line,
			    "in %s: ", units_time(g->seconds * 1e9).text);
	text_puts(&line, "RSS ");
	add_signed(&line, g->rss);
	if (g->seconds >= 1) {
		text_puts(&line, " (");
		add_signed(&line, (int64_t)((double)g->rss / g->seconds * 60));
		text_puts(&line, "/min)");
	}
	add_grown_parts(&line, g);
	columns_wrap(out, line.bytes, 0, 2, WIDTH);
	text_clear(&line);
	if (g->has_blocks) {
		add_grown_sizes(&line, g);
		text_puts(out, "  ");
		columns_wrap(out, line.bytes, 2, 4, WIDTH);
		text_clear(&line);
	}
	if (g->kind_count) {
		add_kinds(&line, g);
		text_puts(out, "  ");
		columns_wrap(out, line.bytes, 2, 4, WIDTH);
	}
	text_release(&line);
}

void mem_add_course(struct text *out, const struct mem_trend *t,
		    const struct mem_growth *g)
{
	enum mem_course course = mem_trend_course(t);
	struct text line = { 0 };

	if (course == MEM_UNCLEAR)
		return;
	text_printf(&line, "malloc grew in each of the last %u intervals",
		    t->grown);
	if (course == MEM_WARMS_UP)
		text_printf(&line,
			    ", but the JVM started %s ago and may still warm "
			    "up: watch it again when it has run for %d min",
			    units_time((double)g->uptime_ns).text,
			    MEM_WARM_UP_MIN);
	else if (course == MEM_SETTLES)
		text_puts(&line,
			  ", but less and less: no leak, unless it goes on");
	else
		text_puts(&line, ": probably a leak");
	columns_wrap(out, line.bytes, 0, 2, WIDTH);
	if (course == MEM_LEAKS)
		text_printf(out,
			    "  callers: sjkc prof %d -e nativemem -d 60s "
			    "--older 30s\n",
			    (int)g->pid);
	text_release(&line);
}
