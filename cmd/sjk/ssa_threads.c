/* SPDX-License-Identifier: Apache-2.0 */
/* ssa --thread-info: a row of statistics for each thread. */
#include "cmd/sjk/sjk_table.h"
#include "cmd/sjk/ssa.h"
#include "core/base/alloc.h"
#include "core/base/map64.h"
#include "core/base/safe_text.h"
#include "core/base/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define THREADS_NS_PER_MS 1000000
#define THREADS_WIDTH     80 /* of a cell */
#define THREADS_NAME      32 /* of a name, unless NAME<length> is given */

/* A counter at the first and at the last time. */
struct track {
	bool is_known;
	int64_t first_ms, last_ms;
	int64_t first, last;
};

enum { TRACK_CPU, TRACK_SYS, TRACK_ALLOC, TRACKS };

struct thread_row {
	int64_t id;
	uint32_t name; /* string */
	uint64_t count, samples, native;
	uint64_t states[THREAD_STATES];
	int64_t min_ms, max_ms, last_ms;
	uint64_t gaps;
	double gap_sum, gap_squares, rate_sum; /* seconds, hertz */
	struct track tracks[TRACKS];
	uint64_t *in_class;
};

enum column_kind {
	COLUMN_NAME,
	COLUMN_COUNT,
	COLUMN_FIRST,
	COLUMN_LAST,
	COLUMN_TRACK,
	COLUMN_STATE,
	COLUMN_NATIVE,
	COLUMN_CLASS,
	COLUMN_RATE,
	COLUMN_RATE_HM,
	COLUMN_GAP,
};

struct column {
	enum column_kind kind;
	size_t which; /* length of a name, track, state or class */
	const char *title;
};

#define COLUMNS_MAX 64

struct thread_info {
	struct column columns[COLUMNS_MAX];
	size_t column_count;
	struct ssa_classes classes; /* of the columns */
	struct thread_row *rows;
	size_t row_count, row_cap;
	struct map64 ids;
	uint32_t keys[3]; /* strings: CPU, user, allocation */
	bool numeric;
};

static void track_add(struct track *t, int64_t ms, int64_t value)
{
	if (!t->is_known || ms < t->first_ms) {
		t->first_ms = ms;
		t->first = value;
	}
	if (!t->is_known || ms > t->last_ms) {
		t->last_ms = ms;
		t->last = value;
	}
	t->is_known = true;
}

/* Returns the growth per millisecond; NaN if it is unknown. */
static double track_rate(const struct track *t)
{
	if (!t->is_known || t->first_ms == t->last_ms)
		return NAN;
	return ((double)t->last - (double)t->first) /
	       ((double)t->last_ms - (double)t->first_ms);
}

static int64_t threads_counter(const struct sample_details *d, uint32_t key)
{
	for (size_t i = 0; d && i < d->counter_count; i++) {
		if (d->counters[i].key == key)
			return d->counters[i].value;
	}
	return -1;
}

static void row_add_counters(struct thread_row *row,
			     const struct thread_info *info, int64_t ms,
			     const struct sample_details *d)
{
	int64_t cpu = threads_counter(d, info->keys[0]);
	int64_t user = threads_counter(d, info->keys[1]);
	int64_t alloc = threads_counter(d, info->keys[2]);

	if (cpu >= 0)
		track_add(&row->tracks[TRACK_CPU], ms, cpu);
	if (cpu >= 0 && user >= 0)
		track_add(&row->tracks[TRACK_SYS], ms, cpu - user);
	if (alloc >= 0)
		track_add(&row->tracks[TRACK_ALLOC], ms, alloc);
}

static void row_add_time(struct thread_row *row, int64_t ms)
{
	double gap = (double)(ms - row->last_ms) / 1000;

	if (row->samples && ms > row->last_ms) {
		row->gaps++;
		row->gap_sum += gap;
		row->gap_squares += gap * gap;
		row->rate_sum += 1 / gap;
	}
	if (!row->samples || ms < row->min_ms)
		row->min_ms = ms;
	if (!row->samples || ms > row->max_ms)
		row->max_ms = ms;
	row->last_ms = ms;
}

/* Threads without an id, as in JFR recordings, are distinguished by name. */
static struct thread_row *threads_row(struct thread_info *info,
				      const struct thread *t, uint32_t thread)
{
	int64_t id = t->java_id ? t->java_id : t->os_id;
	uint64_t key = id ? (uint64_t)id : (uint64_t)1 << 63 | thread;
	uint32_t at = map64_get(&info->ids, key);

	if (at == MAP64_NONE) {
		at = (uint32_t)info->row_count++;
		map64_add(&info->ids, key, at);
		array_reserve(info->rows, info->row_cap, info->row_count);
		info->rows[at] = (struct thread_row){
			.id = id,
			.in_class = xcalloc(info->classes.count + 1,
					    sizeof(uint64_t)),
		};
	}
	return &info->rows[at];
}

static uint32_t threads_intern(struct profile *p, const char *key)
{
	return profile_string(p, key, strlen(key));
}

static void threads_add(void *self, struct profile *p, const struct sample *s,
			const struct sample_details *d)
{
	struct thread_info *info = self;
	const struct thread *t = &p->threads[s->thread];
	struct thread_row *row = threads_row(info, t, s->thread);
	const struct frame *leaf = &p->frames[p->stacks[s->stack].frame];

	if (!info->keys[0]) {
		info->keys[0] = threads_intern(p, "java.cpu-time.ms");
		info->keys[1] = threads_intern(p, "java.cpu-time.user.ms");
		info->keys[2] = threads_intern(p, "java.allocated.bytes");
	}
	row_add_time(row, s->time_ns / THREADS_NS_PER_MS);
	row_add_counters(row, info, s->time_ns / THREADS_NS_PER_MS, d);
	row->name = t->name;
	row->samples++;
	row->count += s->count;
	row->states[s->state]++;
	row->native += !s->stack || leaf->kind == FRAME_NATIVE;
	for (size_t k = 0; k < info->classes.count; k++) {
		uint32_t stack = s->stack;

		if (trace_verdicts_pass(info->classes.all[k].verdicts, p,
					&stack, s->state))
			row->in_class[k] += s->count;
	}
}

static const struct {
	const char *word, *title;
	enum column_kind kind;
	size_t which;
} columns[] = {
	{ "NAME", "Name", COLUMN_NAME, THREADS_NAME },
	{ "COUNT", "Count", COLUMN_COUNT, 0 },
	{ "TSMIN", "First time", COLUMN_FIRST, 0 },
	{ "TSMAX", "Last time", COLUMN_LAST, 0 },
	{ "CPU", "On CPU", COLUMN_TRACK, TRACK_CPU },
	{ "SYS", "System", COLUMN_TRACK, TRACK_SYS },
	{ "ALLOC", "Alloc ", COLUMN_TRACK, TRACK_ALLOC },
	{ "NATIVE", "Native", COLUMN_NATIVE, 0 },
	{ "FREQ", "Freq.", COLUMN_RATE, 0 },
	{ "FREQ_HM", "Freq. (1/HM)", COLUMN_RATE_HM, 0 },
	{ "GAP_CHM", "Gap CHM", COLUMN_GAP, 0 },
};

static int threads_parse_column(struct thread_info *info, const char *word,
				unsigned flags, struct column *c,
				struct error *err)
{
	uint64_t length;

	if (strchr(word, '=')) {
		if (ssa_classes_add(&info->classes, word, flags, err))
			return -1;
		c->kind = COLUMN_CLASS;
		c->which = info->classes.count - 1;
		c->title = info->classes.all[c->which].name;
		return 0;
	}
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++) {
		if (strcmp(columns[i].word, word) == 0) {
			c->kind = columns[i].kind;
			c->which = columns[i].which;
			c->title = columns[i].title;
			return 0;
		}
	}
	for (size_t i = 1; i < THREAD_STATES && strncmp(word, "S:", 2) == 0;
	     i++) {
		if (strcmp(thread_state_names[i], word + 2) == 0) {
			*c = (struct column){ COLUMN_STATE, i,
					      thread_state_names[i] };
			return 0;
		}
	}
	if (strncmp(word, "NAME", 4) == 0 &&
	    units_count(word + 4, &length, err) == 0) {
		*c = (struct column){ COLUMN_NAME, length, "Name" };
		return 0;
	}
	return misuse(err,
		      "unknown column '%s'; valid: NAME NAME<length> COUNT "
		      "TSMIN TSMAX CPU SYS ALLOC NATIVE FREQ FREQ_HM GAP_CHM "
		      "S:<state> <name>=<filter>",
		      word);
}

static int threads_parse_columns(struct thread_info *info,
				 const struct ssa_options *o, struct error *err)
{
	static const char *const usual[] = { "NAME",  "COUNT",      "CPU",
					     "ALLOC", "S:RUNNABLE", "NATIVE" };
	const char *const *words = o->summaries.count ? o->summaries.values
						      : usual;
	size_t count = o->summaries.count ? o->summaries.count : 6;
	unsigned flags = o->input.sjk_compat ? 0 : TRACE_EXCLUSIVE;

	if (count > COLUMNS_MAX)
		return misuse(err, "more than %d columns", COLUMNS_MAX);
	for (size_t i = 0; i < count; i++) {
		if (threads_parse_column(info, words[i], flags,
					 &info->columns[i], err))
			return fail_in(err, "option --summary-info");
	}
	info->column_count = count;
	return 0;
}

/* Rounds half up, as Java's formatter does. */
static double threads_round(double value, int digits)
{
	double scale = pow(10, digits);

	return floor(value * scale + 0.5) / scale;
}

/* Adds a number with at most this number of decimals. */
static void cell_add_number(struct sjk_table *t, double value, int digits)
{
	char text[64];
	char *end;

	if (isnan(value)) {
		sjk_table_add(t, " ");
		return;
	}
	snprintf(text, sizeof(text), "%.*f", digits, value);
	if (digits) {
		end = text + strlen(text);
		while (end[-1] == '0')
			*--end = '\0';
		if (end[-1] == '.')
			*--end = '\0';
	}
	sjk_table_add(t, "\t%s ", text);
}

static void cell_add_share(struct sjk_table *t, const struct thread_info *info,
			   double share)
{
	if (info->numeric)
		cell_add_number(t, share, 3);
	else if (isnan(share))
		sjk_table_add(t, " ");
	else
		sjk_table_add(t, "\t%.1f%% ", threads_round(100 * share, 1));
}

static void cell_add_bytes(struct sjk_table *t, const struct thread_info *info,
			   double rate)
{
	int64_t bytes;

	if (isnan(rate) || info->numeric) {
		cell_add_number(t, rate, 0);
		return;
	}
	bytes = rate < 9e18 && rate > -9e18 ? (int64_t)rate : INT64_MAX;
	if (bytes < INT64_C(10) << 10)
		sjk_table_add(t, "%" PRId64 "/s ", bytes);
	else if (bytes < INT64_C(10) << 20)
		sjk_table_add(t, "%" PRId64 "k/s ", bytes >> 10);
	else if (bytes < INT64_C(10) << 30)
		sjk_table_add(t, "%" PRId64 "m/s ", bytes >> 20);
	else
		sjk_table_add(t, "%" PRId64 "g/s ", bytes >> 30);
}

static void cell_add_time(struct sjk_table *t, int64_t ms)
{
	time_t seconds = (time_t)(ms / 1000);
	struct tm tm;
	char text[64] = "";

	if (localtime_r(&seconds, &tm))
		strftime(text, sizeof(text), "%Y.%m.%d_%H:%M:%S", &tm);
	sjk_table_add(t, "%s ", text);
}

static void cell_add_name(struct sjk_table *t, const struct profile *p,
			  uint32_t name, size_t max)
{
	struct text safe = { 0 };
	size_t len = 0;

	if (!name) {
		sjk_table_add(t, "null ");
		return;
	}
	safe_text(&safe, profile_text(p, name), intern_len(&p->strings, name));
	while (len < safe.len && max) {
		len++;
		while (len < safe.len && (safe.bytes[len] & 0xc0) == 0x80)
			len++;
		max--;
	}
	sjk_table_add(t, "%.*s ", (int)len, safe.bytes);
	text_release(&safe);
}

static double row_rate(const struct thread_row *row)
{
	if (row->samples < 2 || row->max_ms == row->min_ms)
		return NAN;
	return 1000.0 * (double)row->samples /
	       (double)(row->max_ms - row->min_ms);
}

static void row_add_cell(const struct thread_info *info, struct sjk_table *t,
			 const struct profile *p, const struct thread_row *row,
			 const struct column *c)
{
	double samples = (double)row->samples;

	switch (c->kind) {
	case COLUMN_NAME:
		cell_add_name(t, p, row->name, c->which);
		break;
	case COLUMN_COUNT:
		sjk_table_add(t, "\t%" PRIu64 " ", row->count);
		break;
	case COLUMN_FIRST:
		cell_add_time(t, row->min_ms);
		break;
	case COLUMN_LAST:
		cell_add_time(t, row->max_ms);
		break;
	case COLUMN_TRACK:
		if (c->which == TRACK_ALLOC)
			cell_add_bytes(t, info,
				       track_rate(&row->tracks[c->which]) *
					       1000);
		else
			cell_add_share(t, info,
				       track_rate(&row->tracks[c->which]));
		break;
	case COLUMN_STATE:
		cell_add_share(t, info,
			       (double)row->states[c->which] / samples);
		break;
	case COLUMN_NATIVE:
		cell_add_share(t, info, (double)row->native / samples);
		break;
	case COLUMN_CLASS:
		cell_add_share(t, info,
			       (double)row->in_class[c->which] /
				       (double)row->count);
		break;
	case COLUMN_RATE:
		cell_add_number(t, row_rate(row), 1);
		break;
	case COLUMN_RATE_HM:
		cell_add_number(
			t, row->gaps ? row->rate_sum / (double)row->gaps : NAN,
			1);
		break;
	case COLUMN_GAP:
		cell_add_number(
			t, row->gaps ? row->gap_squares / row->gap_sum : NAN,
			3);
		break;
	}
}

static int threads_compare(const void *left, const void *right)
{
	const struct thread_row *a = left, *b = right;

	return a->id < b->id ? -1 : a->id > b->id;
}

static void threads_print(struct thread_info *info, const struct profile *p,
			  bool csv, struct output *out)
{
	struct sjk_table t = { .columns = info->column_count };

	qsort(info->rows, info->row_count, sizeof(*info->rows),
	      threads_compare);
	for (size_t i = 0; i < info->column_count; i++)
		sjk_table_add(&t, "%s ", info->columns[i].title);
	for (size_t r = 0; r < info->row_count; r++) {
		for (size_t i = 0; i < info->column_count; i++)
			row_add_cell(info, &t, p, &info->rows[r],
				     &info->columns[i]);
	}
	if (csv)
		sjk_table_print_csv(&t, out);
	else
		sjk_table_print(&t, out, THREADS_WIDTH, false);
	output_puts(out, "\n");
	sjk_table_release(&t);
}

int ssa_thread_info(struct ssa_options *o, int argc, char **argv,
		    struct ssa_classes *c, struct output *out,
		    struct error *err)
{
	struct thread_info info = { .numeric = o->numeric };
	const struct sjk_sink sink = { .add = threads_add, .self = &info };
	struct profile *p = NULL;
	int ret = -1;

	(void)c;
	if (threads_parse_columns(&info, o, err) == 0)
		p = sjk_input_read(&o->input, argc, argv, &sink, err);
	if (p && info.row_count)
		threads_print(&info, p, o->csv, out);
	else if (p)
		output_puts(out, "No data\n");
	if (p)
		ret = sjk_input_check(p, err);
	profile_free(p);
	for (size_t i = 0; i < info.row_count; i++)
		free(info.rows[i].in_class);
	free(info.rows);
	map64_release(&info.ids);
	ssa_classes_release(&info.classes);
	return ret;
}
