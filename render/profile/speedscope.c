/* SPDX-License-Identifier: Apache-2.0 */
/* Writes profiles in the file format of speedscope. */
#include "render/profile/export.h"

#include "core/base/alloc.h"
#include "core/base/json.h"
#include "core/base/safe_text.h"
#include "core/base/saturate.h"
#include "core/base/version.h"
#include "core/profile/event_view.h"
#include "render/profile/thread_ranks.h"
#include "render/tree/path_text.h"
#include "render/tree/sort.h"
#include "render/tree/trace_tree.h"

#include <stdlib.h>
#include <string.h>

#define FLUSH_AT ((size_t)64 << 10)

/* One of the file's profiles. */
struct part {
	uint32_t view;
	uint32_t rank; /* rank of the thread */
	uint64_t total;
	uint32_t found; /* index before sorting */
	size_t rows;    /* end of its rows */
};

struct scope {
	const struct profile *profile;
	const struct event_view *views;
	size_t view_count;
	const struct speedscope_options *options;
	uint32_t *view_of; /* by event: 1 + view, or 0 */
	struct trace_tree traces;
	struct thread_ranks threads;
	bool timed;
	struct speedscope_result result;

	struct part *parts;
	size_t part_count, part_cap;
	struct row *rows; /* one per cell; after merging, one per sample */
	size_t row_count;

	struct output *out;
	struct text text; /* output buffer */
	struct json json; /* writes into text */
	struct path_text path;
};

static uint64_t scope_measure(const struct scope *s, const struct cell *c)
{
	const struct event_view *view = &s->views[s->view_of[c->event] - 1];

	return cell_measure(c, view_weighs(view, s->options->style.weights));
}

/* Makes a row per cell, sorted by view and thread. */
static void scope_gather(struct scope *s)
{
	const struct profile *p = s->profile;

	s->rows = xmalloc(p->cell_count * sizeof(*s->rows));
	for (size_t i = 0; i < p->cell_count; i++) {
		const struct cell *c = &p->cells[i];

		if (!s->view_of[c->event])
			continue;
		s->rows[s->row_count++] = (struct row){
			.major = s->view_of[c->event] - 1,
			.minor = s->options->style.threads
					 ? s->threads.rank_of[c->thread]
					 : 0,
			.item = (uint32_t)i,
		};
	}
	row_sort(s->rows, s->row_count);
}

static int scope_part_compare(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->view != y->view)
		return x->view < y->view ? -1 : 1;
	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return (x->rank > y->rank) - (x->rank < y->rank);
}

/*
 * Makes a part per view and thread, sorts the parts by total and sets the
 * majors of the rows to their parts.
 */
static void scope_divide(struct scope *s)
{
	struct part *last = NULL;
	uint32_t *place;

	for (size_t i = 0; i < s->row_count; i++) {
		struct row *r = &s->rows[i];
		uint32_t view = r->major, rank = (uint32_t)r->minor;

		if (!last || last->view != view || last->rank != rank) {
			array_reserve(s->parts, s->part_cap, s->part_count + 1);
			last = &s->parts[s->part_count];
			*last = (struct part){ .view = view, .rank = rank };
			last->found = (uint32_t)s->part_count++;
		}
		last->total = saturate_add(
			last->total,
			scope_measure(s, &s->profile->cells[r->item]));
		r->major = last->found;
	}
	qsort(s->parts, s->part_count, sizeof(*s->parts), scope_part_compare);
	place = xmalloc(s->part_count * sizeof(*place));
	for (size_t i = 0; i < s->part_count; i++)
		place[s->parts[i].found] = (uint32_t)i;
	for (size_t i = 0; i < s->row_count; i++)
		s->rows[i].major = place[s->rows[i].major];
	free(place);
}

/* Sorts the rows by part, time (if timed) and stack trace. */
static void scope_sort_rows(struct scope *s)
{
	const struct cell *cells = s->profile->cells;

	for (size_t i = 0; i < s->row_count; i++) {
		struct row *r = &s->rows[i];
		const struct cell *c = &cells[r->item];

		r->minor = trace_tree_place(&s->traces, c->stack);
		if (s->timed)
			r->minor |= (uint64_t)c->bucket << 32;
	}
	row_sort(s->rows, s->row_count);
}

static bool scope_ends_sample(const struct scope *s, size_t i)
{
	const struct row *r = &s->rows[i];

	return i + 1 == s->row_count || r[1].major != r->major ||
	       r[1].minor != r->minor;
}

/* Returns the number of frames of all samples; counts samples by depth. */
static uint64_t scope_count_frames(const struct scope *s, uint64_t *traces_at)
{
	uint64_t frames = 0;

	for (size_t i = 0; i < s->row_count; i++) {
		size_t depth;

		if (!scope_ends_sample(s, i))
			continue;
		depth = trace_tree_depth(&s->traces,
					 (uint32_t)s->rows[i].minor);
		traces_at[depth]++;
		frames += depth;
	}
	return frames;
}

/* Sorts the rows; drops times and truncates stack traces to fit the limits. */
static void scope_fit(struct scope *s)
{
	const struct speedscope_options *o = s->options;
	uint64_t most = o->most_frames ? o->most_frames : SPEEDSCOPE_FRAMES;
	uint64_t timed = o->timed_frames ? o->timed_frames
					 : SPEEDSCOPE_TIMED_FRAMES;
	size_t depth = trace_tree_deepest(&s->traces);
	uint64_t *traces_at = xmalloc((depth + 1) * sizeof(*traces_at));

	s->timed = s->profile->bucket_ns > 0;
	for (;;) {
		uint64_t frames;

		scope_sort_rows(s);
		memset(traces_at, 0, (depth + 1) * sizeof(*traces_at));
		frames = scope_count_frames(s, traces_at);
		if (s->timed && frames > timed) {
			s->timed = false;
			continue;
		}
		if (frames <= most || s->result.depth)
			break;
		s->result.depth = depth_limit(traces_at, depth, most);
		trace_tree_cut(&s->traces, s->result.depth);
	}
	free(traces_at);
}

/* Merges the rows of each sample: minor becomes the weight, item the place. */
static void scope_merge_rows(struct scope *s)
{
	size_t count = 0;
	uint64_t sum = 0;

	for (size_t i = 0; i < s->row_count; i++) {
		struct row r = s->rows[i];

		sum = saturate_add(
			sum, scope_measure(s, &s->profile->cells[r.item]));
		if (!scope_ends_sample(s, i))
			continue;
		if (sum) {
			s->rows[count++] = (struct row){
				.major = r.major,
				.minor = sum,
				.item = (uint32_t)r.minor,
			};
			s->parts[r.major].rows = count;
		}
		sum = 0;
	}
	s->row_count = count;
}

/* Writes the buffer if it has at least `at` bytes. */
static void scope_flush(struct scope *s, size_t at)
{
	if (s->text.len < at)
		return;
	output_write(s->out, s->text.bytes, s->text.len);
	text_clear(&s->text);
}

static void scope_put_frame(struct scope *s, const char *name, size_t len,
			    uint32_t line)
{
	struct json *j = &s->json;

	json_open_object(j);
	json_add_string(j, "name", name, len);
	if (line) {
		json_add_uint(j, "line", line);
	}
	json_close_object(j);
	scope_flush(s, FLUSH_AT);
}

/* Writes all frames, then the frame for samples without a stack trace. */
static void scope_put_frames(struct scope *s)
{
	const struct frame_table *t = &s->traces.table;

	json_add_object(&s->json, "shared");
	json_add_array(&s->json, "frames");
	for (uint32_t i = 0; i < t->label_count; i++) {
		const struct label_name *n = trace_tree_name(&s->traces, i);

		scope_put_frame(s, n->text, n->len,
				s->options->style.lines ? t->labels[i].line
							: 0);
	}
	scope_put_frame(s, "[no stack trace]", 16, 0);
	json_close_array(&s->json);
	json_close_object(&s->json);
}

/* Appends a decimal number; the formatter is too slow for millions of them. */
static void scope_put_number(struct text *text, uint32_t number)
{
	char digits[10];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	text_add(text, digits + at, sizeof(digits) - at);
}

static void scope_put_label(void *self, struct text *line, uint32_t label)
{
	(void)self;
	if (line->len > 1)
		text_putc(line, ',');
	scope_put_number(line, label);
}

/* Writes arrays of frame indexes, for speed without the JSON writer. */
static void scope_put_samples(struct scope *s, size_t from, size_t to)
{
	struct text *line = &s->path.line;

	path_text_begin(&s->path, "[", 1);
	for (size_t i = from; i < to; i++) {
		uint32_t place = s->rows[i].item;

		path_text_set(&s->path, &s->traces.tree, place, scope_put_label,
			      NULL);
		if (!place)
			scope_put_label(NULL, line,
					(uint32_t)s->traces.table.label_count);
		if (i > from)
			text_putc(&s->text, ',');
		text_add(&s->text, line->bytes, line->len);
		text_putc(&s->text, ']');
		scope_flush(s, FLUSH_AT);
	}
}

static uint64_t scope_put_weights(struct scope *s, size_t from, size_t to)
{
	uint64_t sum = 0;

	json_add_array(&s->json, "weights");
	for (size_t i = from; i < to; i++) {
		json_uint(&s->json, s->rows[i].minor);
		sum = saturate_add(sum, s->rows[i].minor);
		scope_flush(s, FLUSH_AT);
	}
	json_close_array(&s->json);
	return sum;
}

static void scope_put_name(struct scope *s, const struct part *part)
{
	const char *view = s->views[part->view].name;
	struct text name = { 0 };

	safe_text_puts(&name, view);
	if (s->options->style.threads) {
		const struct name *thread = &s->threads.names[part->rank];

		text_putc(&name, ' ');
		text_add(&name, thread->text, thread->len);
	}
	json_add_string(&s->json, "name", name.bytes, name.len);
	text_release(&name);
}

static const char *scope_unit_of(const struct scope *s,
				 const struct event_view *view)
{
	static const char *const units[] = {
		[UNIT_SAMPLES] = "none",
		[UNIT_NS] = "nanoseconds",
		[UNIT_BYTES] = "bytes",
		[UNIT_COUNT] = "none",
	};

	return units[s->options->style.weights ? view->unit : UNIT_SAMPLES];
}

static void scope_put_part(struct scope *s, const struct part *part,
			   size_t from)
{
	struct json *j = &s->json;
	uint64_t sum;

	json_open_object(j);
	json_add_text(j, "type", "sampled");
	scope_put_name(s, part);
	json_add_text(j, "unit", scope_unit_of(s, &s->views[part->view]));
	json_add_uint(j, "startValue", 0);
	json_add_array(j, "samples");
	scope_put_samples(s, from, part->rows);
	json_close_array(j);
	sum = scope_put_weights(s, from, part->rows);
	json_add_uint(j, "endValue", sum);
	json_close_object(j);
}

/* Returns the first part of the selected view. */
static size_t scope_active_part(const struct scope *s, size_t selected)
{
	for (size_t i = 0; i < s->part_count; i++) {
		if (s->parts[i].view == selected)
			return i;
	}
	return 0;
}

static void scope_put_all(struct scope *s, size_t selected)
{
	struct json *j = &s->json;
	size_t from = 0;

	*j = json_into(&s->text);
	json_open_object(j);
	json_add_text(j, "$schema",
		      "https://www.speedscope.app/file-format-schema.json");
	json_add_text(j, "exporter", "sjkc " SJKC_VERSION);
	json_add_text(j, "name", s->options->title);
	json_add_uint(j, "activeProfileIndex", scope_active_part(s, selected));
	scope_put_frames(s);
	json_add_array(j, "profiles");
	for (size_t i = 0; i < s->part_count; i++) {
		struct part *part = &s->parts[i];

		/* A part whose total is 0 has no rows. */
		if (part->rows < from)
			part->rows = from;
		scope_put_part(s, part, from);
		from = part->rows;
	}
	json_close_array(j);
	json_close_object(j);
	text_putc(&s->text, '\n');
	scope_flush(s, 0);
}

static void scope_release(struct scope *s)
{
	trace_tree_release(&s->traces);
	thread_ranks_release(&s->threads);
	path_text_release(&s->path);
	text_release(&s->text);
	free(s->view_of);
	free(s->parts);
	free(s->rows);
}

struct speedscope_result
speedscope_write(struct output *out, const struct profile *p,
		 const struct event_view *views, size_t view_count,
		 size_t selected, const struct speedscope_options *options)
{
	struct scope s = {
		.profile = p,
		.views = views,
		.view_count = view_count,
		.options = options,
		.view_of = views_of_events(p, views, view_count),
		.out = out,
	};

	trace_tree_of_views(&s.traces, p, views, view_count, &options->style);
	if (options->style.threads)
		thread_ranks_init(&s.threads, p, NULL);
	scope_gather(&s);
	scope_divide(&s);
	scope_fit(&s);
	scope_merge_rows(&s);
	scope_put_all(&s, selected);
	scope_release(&s);
	return s.result;
}
