/* SPDX-License-Identifier: Apache-2.0 */
/* sjkc dexp: exports tags and counters of dumps as tables. */
#include "cmd/commands.h"
#include "cmd/shared/log.h"
#include "cmd/sjk/sjk_input.h"
#include "cmd/sjk/sjk_table.h"
#include "core/base/alloc.h"
#include "core/base/intern.h"
#include "core/base/output.h"
#include "core/base/safe_text.h"
#include "core/formats/std/std_format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DEXP_FLUSH     10000 /* number of cells of CSV */
#define DEXP_NS_PER_MS 1000000
#define DEXP_WIDTH     512 /* of a cell */

/* Distinct values that the summary lists; keys with more have none. */
#define DEXP_VALUES 20
/* Characters of the list of values. */
#define DEXP_LIST 40
/* Schemas beyond this number are not merged, which is quadratic. */
#define DEXP_MERGED 200

static struct {
	struct sjk_input_options input;
	struct option_list columns;
	const char *output;
	const char *time_format; /* of the column T, or NULL: milliseconds */
	bool csv, all, tags, explain;
} opt;

/* A key of tags or counters. */
struct dexp_value {
	uint32_t tag; /* string */
	uint64_t count;
};

struct dexp_key {
	uint32_t name; /* string */
	uint64_t count;
	bool has_values; /* of tags only */
	struct dexp_value values[DEXP_VALUES + 1];
	size_t value_count;
};

/* The keys of an event: their indices, ascending. */
struct dexp_schema {
	uint32_t *keys;
	size_t key_count;
	uint64_t count;
};

struct dexp_cell {
	uint32_t key; /* index */
	uint32_t tag; /* string; 0: a counter */
	int64_t counter;
};

/* An event whose cells are kept, because more columns may follow. */
struct dexp_row {
	size_t first, end; /* cells */
	int64_t time_ns;
};

struct dexp {
	struct profile *profile;
	struct dexp_key *keys;
	size_t key_count, key_cap;
	uint32_t *key_of; /* 1 + index, by the string of the name */
	size_t key_of_count, key_of_cap;
	struct intern schema_ids;
	struct dexp_schema *schemas;
	size_t schema_count, schema_cap;
	uint64_t count;
	int64_t min_ns, max_ns;
	/* The cells of the current event, after those that are kept. */
	struct dexp_cell *cells;
	size_t cell_first, cell_count, cell_cap;
	/* With --export-all, whose columns are known only at the end. */
	struct dexp_row *rows;
	size_t row_count, row_cap;
	struct sjk_table table; /* the exported rows */
	struct output *csv;     /* gets rows when there are many; NULL: none */
};

static size_t dexp_key(struct dexp *d, uint32_t name)
{
	array_reserve(d->key_of, d->key_of_cap, (size_t)name + 1);
	while (d->key_of_count <= name)
		d->key_of[d->key_of_count++] = 0;
	if (!d->key_of[name]) {
		array_add(d->keys, d->key_count, d->key_cap,
			  (struct dexp_key){
				  .name = name,
				  .has_values = true,
			  });
		d->key_of[name] = (uint32_t)d->key_count;
	}
	return d->key_of[name] - 1;
}

static void dexp_put(struct dexp *d, uint32_t name, uint32_t tag,
		     int64_t counter)
{
	array_add(d->cells, d->cell_count, d->cell_cap,
		  (struct dexp_cell){
			  .key = (uint32_t)dexp_key(d, name),
			  .tag = tag,
			  .counter = counter,
		  });
}

static uint32_t dexp_string(struct dexp *d, const char *text)
{
	return profile_string(d->profile, text, strlen(text));
}

static bool dexp_has(const struct dexp *d, uint32_t name)
{
	for (size_t i = d->cell_first; i < d->cell_count; i++) {
		if (d->keys[d->cells[i].key].name == name)
			return true;
	}
	return false;
}

/* Only V4 stores the thread with the tags; elsewhere it is added to them. */
static void dexp_put_thread(struct dexp *d, const struct sample *s)
{
	const struct thread *t = &d->profile->threads[s->thread];
	uint32_t id = dexp_string(d, STD_KEY_ID);
	uint32_t name = dexp_string(d, STD_KEY_NAME);
	uint32_t state = dexp_string(d, STD_KEY_STATE);

	if (t->java_id && !dexp_has(d, id))
		dexp_put(d, id, 0, t->java_id);
	if (t->name && !dexp_has(d, name))
		dexp_put(d, name, t->name, 0);
	if (s->state && !dexp_has(d, state))
		dexp_put(d, state, dexp_string(d, thread_state_names[s->state]),
			 0);
}

static void dexp_collect(struct dexp *d, const struct sample *s,
			 const struct sample_details *details)
{
	d->cell_count = d->cell_first;
	for (size_t i = 0; details && i < details->tag_count; i++)
		dexp_put(d, details->tags[i].key, details->tags[i].value, 0);
	for (size_t i = 0; details && i < details->counter_count; i++)
		dexp_put(d, details->counters[i].key, 0,
			 details->counters[i].value);
	if (!details || !details->is_event)
		dexp_put_thread(d, s);
}

static void key_add_value(struct dexp_key *k, uint32_t tag)
{
	for (size_t i = 0; i < k->value_count; i++) {
		if (k->values[i].tag == tag) {
			k->values[i].count++;
			return;
		}
	}
	k->values[k->value_count++] = (struct dexp_value){ tag, 1 };
	if (k->value_count > DEXP_VALUES)
		k->has_values = false;
}

static int dexp_compare_keys(const void *left, const void *right)
{
	const uint32_t *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

static void dexp_count_schema(struct dexp *d)
{
	uint32_t *keys = xcalloc(d->cell_count, sizeof(*keys));
	size_t count = 0, known = d->schema_ids.count;
	uint32_t id;

	for (size_t i = 0; i < d->cell_count; i++)
		keys[i] = (uint32_t)d->cells[i].key;
	qsort(keys, d->cell_count, sizeof(*keys), dexp_compare_keys);
	for (size_t i = 0; i < d->cell_count; i++) {
		if (!count || keys[count - 1] != keys[i])
			keys[count++] = keys[i];
	}
	id = intern_id(&d->schema_ids, keys, count * sizeof(*keys));
	if (id && d->schema_ids.count > known) {
		array_add(d->schemas, d->schema_count, d->schema_cap,
			  (struct dexp_schema){
				  .keys = keys,
				  .key_count = count,
			  });
		keys = NULL;
	}
	if (id)
		d->schemas[id - 1].count++;
	free(keys);
}

static void dexp_summarize(struct dexp *d, const struct sample *s)
{
	size_t last = SIZE_MAX;

	if (s->time_ns && (!d->min_ns || s->time_ns < d->min_ns))
		d->min_ns = s->time_ns;
	if (s->time_ns > d->max_ns)
		d->max_ns = s->time_ns;
	for (size_t i = 0; i < d->cell_count; i++) {
		struct dexp_key *k = &d->keys[d->cells[i].key];

		/* The tags of one key are adjacent. */
		k->count += d->cells[i].key != last;
		last = d->cells[i].key;
		if (!d->cells[i].tag)
			k->has_values = false;
		else if (k->has_values)
			key_add_value(k, d->cells[i].tag);
	}
	dexp_count_schema(d);
}

/* Appends the values of a column of the current event, or the time of T. */
static bool dexp_format_cell(const struct dexp *d, const char *column,
			     struct text *out)
{
	bool any = false;

	for (size_t i = d->cell_first; i < d->cell_count; i++) {
		const struct dexp_cell *c = &d->cells[i];

		if (strcmp(profile_text(d->profile, d->keys[c->key].name),
			   column) != 0)
			continue;
		if (any)
			text_putc(out, ' ');
		if (c->tag)
			safe_text(out, profile_text(d->profile, c->tag),
				  intern_len(&d->profile->strings, c->tag));
		else
			text_printf(out, "%" PRId64, c->counter);
		any = true;
	}
	return any;
}

/* ---- the format of times, of Java's SimpleDateFormat ---- */

/* The letters, each with the number of times it may follow itself. */
static const struct {
	char letter;
	unsigned most;
} time_letters[] = {
	{ 'y', 4 }, { 'M', 2 }, { 'd', 2 }, { 'H', 2 },
	{ 'm', 2 }, { 's', 2 }, { 'S', 3 },
};

/* Returns the index of a letter that may appear `count` times, or -1. */
static int time_letter(char c, unsigned count)
{
	for (size_t i = 0; i < sizeof(time_letters) / sizeof(*time_letters);
	     i++) {
		if (time_letters[i].letter == c)
			return count <= time_letters[i].most ? (int)i : -1;
	}
	return -1;
}

static unsigned time_count(const char *format)
{
	unsigned count = 0;

	while (format[count] == *format)
		count++;
	return count;
}

/* Returns the end of a quoted text, at its last quote or at the end. */
static const char *time_quoted(const char *at)
{
	const char *end = strchr(at + 1, '\'');

	return end ? end : at + strlen(at) - 1;
}

static int time_check_format(const char *format, struct error *err)
{
	for (const char *at = format; *at; at++) {
		unsigned count = time_count(at);

		if (*at == '\'')
			at = time_quoted(at);
		else if (((*at | 32) < 'a' || (*at | 32) > 'z'))
			continue;
		else if (time_letter(*at, count) < 0)
			return misuse(err,
				      "option --columns: '%.*s' is not "
				      "supported in the format of times; use "
				      "yyyy MM dd HH mm ss SSS",
				      (int)count, at);
		else
			at += count - 1;
	}
	return 0;
}

static void time_add(struct text *out, int64_t ms, const char *format)
{
	int64_t part = (ms % 1000 + 1000) % 1000;
	time_t seconds = (time_t)((ms - part) / 1000);
	struct tm tm = { 0 };

	localtime_r(&seconds, &tm);
	for (const char *at = format; *at; at++) {
		unsigned count = time_count(at);
		const char *end = *at == '\'' ? time_quoted(at) : at;
		int letter = time_letter(*at, count);
		int year = tm.tm_year + 1900;
		const int values[] = {
			count == 2 ? year % 100 : year,
			tm.tm_mon + 1,
			tm.tm_mday,
			tm.tm_hour,
			tm.tm_min,
			tm.tm_sec,
			(int)part,
		};

		if (letter >= 0) {
			text_printf(out, "%0*d", (int)count, values[letter]);
			at += count - 1;
		} else if (end == at) {
			text_putc(out, *at);
		} else if (end == at + 1) {
			text_putc(out, '\''); /* two quotes */
			at = end;
		} else {
			text_add(out, at + 1, (size_t)(end - at - 1));
			at = end;
		}
	}
}

/* Splits "NAME:FORMAT"; SJK applies only the format of T. */
static int dexp_split_column(char *column, struct error *err)
{
	char *colon = strchr(column, ':');

	if (!colon)
		return 0;
	if (!colon[1] || !strchr("DTF", colon[1]))
		return misuse(err,
			      "option --columns: the format of '%s' must begin "
			      "with D, T or F",
			      column);
	if (colon == column + 1 && *column == 'T') {
		if (colon[1] != 'T')
			return misuse(err,
				      "option --columns: '%s' is not "
				      "supported; T:Tyyyy-MM-dd prints dates, "
				      "T milliseconds",
				      column);
		if (time_check_format(colon + 2, err))
			return -1;
		opt.time_format = colon + 2;
	}
	*colon = '\0';
	return 0;
}

static void dexp_export(struct dexp *d, int64_t time_ns)
{
	struct text *cells = xcalloc(opt.columns.count, sizeof(*cells));
	bool any = false;

	for (size_t i = 0; i < opt.columns.count; i++) {
		text_add(&cells[i], "", 0);
		if (strcmp(opt.columns.values[i], "T") != 0)
			any |= dexp_format_cell(d, opt.columns.values[i],
						&cells[i]);
		else if (opt.time_format)
			time_add(&cells[i], time_ns / DEXP_NS_PER_MS,
				 opt.time_format);
		else
			text_printf(&cells[i], "%" PRId64,
				    time_ns / DEXP_NS_PER_MS);
	}
	for (size_t i = 0; i < opt.columns.count; i++) {
		if (any)
			sjk_table_add(&d->table, "%s", cells[i].bytes);
		text_release(&cells[i]);
	}
	free(cells);
}

/* Writes the rows so far. */
static void dexp_flush_csv(struct dexp *d)
{
	sjk_table_print_csv(&d->table, d->csv);
	sjk_table_release(&d->table);
	d->table = (struct sjk_table){ .columns = d->table.columns };
}

/* Adds a row for the current event, if it has any of the columns. */
static void dexp_add_row(struct dexp *d, int64_t time_ns)
{
	dexp_export(d, time_ns);
	if (d->csv && d->table.count >= DEXP_FLUSH)
		dexp_flush_csv(d);
}

static void dexp_add(void *self, struct profile *p, const struct sample *s,
		     const struct sample_details *details)
{
	struct dexp *d = self;

	d->profile = p;
	d->count++;
	dexp_collect(d, s, details);
	if (opt.tags) {
		dexp_summarize(d, s);
	} else if (!opt.all) {
		dexp_add_row(d, s->time_ns);
	} else {
		/* Keep the cells: further columns may follow. */
		array_add(d->rows, d->row_count, d->row_cap,
			  (struct dexp_row){ d->cell_first, d->cell_count,
					     s->time_ns });
		d->cell_first = d->cell_count;
	}
}

static void dexp_add_heads(struct dexp *d)
{
	d->table.columns = opt.columns.count;
	for (size_t i = 0; i < opt.columns.count; i++)
		sjk_table_add(&d->table, "%s", opt.columns.values[i]);
}

/* Exports the kept rows with a column for each key. */
static void dexp_export_all(struct dexp *d)
{
	opt.columns.count = 0;
	for (size_t i = 0; i < d->key_count; i++)
		option_list_add(&opt.columns,
				profile_text(d->profile, d->keys[i].name));
	dexp_add_heads(d);
	for (size_t i = 0; i < d->row_count; i++) {
		d->cell_first = d->rows[i].first;
		d->cell_count = d->rows[i].end;
		dexp_add_row(d, d->rows[i].time_ns);
	}
}

static void dexp_print_time(struct output *out, int64_t ns)
{
	time_t seconds = (time_t)(ns / 1000 / DEXP_NS_PER_MS);
	struct tm tm;
	char text[64] = "";

	if (ns && localtime_r(&seconds, &tm))
		strftime(text, sizeof(text), "%Y%m%d-%H:%M", &tm);
	output_puts(out, text);
}

/* The most frequent first. */
static int dexp_compare_values(const void *left, const void *right,
			       void *profile)
{
	const struct dexp_value *a = left, *b = right;

	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	return strcmp(profile_text(profile, a->tag),
		      profile_text(profile, b->tag));
}

static void dexp_print_values(const struct dexp *d, struct dexp_key *k,
			      struct output *out)
{
	struct text list = { 0 };

	qsort_r(k->values, k->value_count, sizeof(*k->values),
		dexp_compare_values, d->profile);
	text_putc(&list, '[');
	for (size_t i = 0; i < k->value_count; i++) {
		const char *text = profile_text(d->profile, k->values[i].tag);

		text_puts(&list, i ? ", " : "");
		safe_text_puts(&list, text);
	}
	text_putc(&list, ']');
	if (list.len > DEXP_LIST) {
		list.len = DEXP_LIST - 4;
		text_puts(&list, " ...");
	}
	output_printf(out, "  %s", list.bytes);
	text_release(&list);
}

static int dexp_compare_counts(const void *left, const void *right,
			       void *profile)
{
	const struct dexp_key *a = left, *b = right;

	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	return strcmp(profile_text(profile, a->name),
		      profile_text(profile, b->name));
}

static int dexp_compare_schemas(const void *left, const void *right)
{
	const struct dexp_schema *a = left, *b = right;

	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	return a->key_count < b->key_count ? -1 : a->key_count > b->key_count;
}

static bool schema_contains(const struct dexp_schema *a,
			    const struct dexp_schema *b)
{
	size_t at = 0;

	for (size_t i = 0; i < b->key_count; i++) {
		while (at < a->key_count && a->keys[at] < b->keys[i])
			at++;
		if (at == a->key_count || a->keys[at] != b->keys[i])
			return false;
	}
	return true;
}

/* Adds a schema to the only other one that contains it; false if none does. */
static bool dexp_merge_schema(struct dexp *d, size_t which)
{
	struct dexp_schema *found = NULL;

	for (size_t i = 0; i < d->schema_count; i++) {
		if (i == which ||
		    !schema_contains(&d->schemas[i], &d->schemas[which]))
			continue;
		if (found)
			return false;
		found = &d->schemas[i];
	}
	if (!found)
		return false;
	found->count += d->schemas[which].count;
	free(d->schemas[which].keys);
	d->schemas[which] = d->schemas[--d->schema_count];
	return true;
}

static void dexp_merge_schemas(struct dexp *d)
{
	size_t at = 0;

	if (d->schema_count > DEXP_MERGED)
		return;
	while (at < d->schema_count)
		at = dexp_merge_schema(d, at) ? 0 : at + 1;
}

static int dexp_compare_names(const void *left, const void *right)
{
	const char *const *a = left, *const *b = right;

	return strcmp(*a, *b);
}

static void dexp_print_name(struct output *o, const char *before,
			    const char *foreign)
{
	struct text safe = { 0 };

	text_puts(&safe, before);
	safe_text_puts(&safe, foreign);
	output_puts(o, safe.bytes);
	text_release(&safe);
}

static void dexp_print_schema(const struct dexp *d, const struct dexp_schema *s,
			      struct output *out)
{
	const char **names = xcalloc(s->key_count, sizeof(*names));

	for (size_t i = 0; i < s->key_count; i++)
		names[i] = profile_text(d->profile, d->keys[s->keys[i]].name);
	qsort(names, s->key_count, sizeof(*names), dexp_compare_names);
	output_printf(out, " %" PRIu64 " - [", s->count);
	for (size_t i = 0; i < s->key_count; i++)
		dexp_print_name(out, i ? " " : "", names[i]);
	output_puts(out, "]\n");
	free(names);
}

static void dexp_print_tags(struct dexp *d, struct output *out)
{
	/* Schemas refer to keys by index, so they are printed first. */
	struct output *const o = out;
	struct dexp_key *sorted = xcalloc(d->key_count, sizeof(*sorted));

	if (d->key_count)
		memcpy(sorted, d->keys, d->key_count * sizeof(*sorted));
	qsort_r(sorted, d->key_count, sizeof(*sorted), dexp_compare_counts,
		d->profile);
	output_printf(o, "Event count: %" PRIu64 "\nTime range: ", d->count);
	dexp_print_time(o, d->min_ns);
	output_puts(o, " - ");
	dexp_print_time(o, d->max_ns);
	output_puts(o, "\n\nTag summary\n");
	for (size_t i = 0; i < d->key_count; i++) {
		dexp_print_name(o, " @",
				profile_text(d->profile, sorted[i].name));
		output_printf(o, " - %" PRIu64, sorted[i].count);
		if (sorted[i].has_values)
			dexp_print_values(d, &sorted[i], o);
		output_puts(o, "\n");
	}
	free(sorted);
	output_puts(o, "\nSchema summary\n");
	dexp_merge_schemas(d);
	qsort(d->schemas, d->schema_count, sizeof(*d->schemas),
	      dexp_compare_schemas);
	for (size_t i = 0; i < d->schema_count; i++)
		dexp_print_schema(d, &d->schemas[i], o);
}

static void dexp_release(struct dexp *d)
{
	for (size_t i = 0; i < d->schema_count; i++)
		free(d->schemas[i].keys);
	free(d->schemas);
	free(d->keys);
	free(d->key_of);
	free(d->cells);
	free(d->rows);
	intern_release(&d->schema_ids);
	sjk_table_release(&d->table);
}

static struct profile *dexp_read(struct dexp *d, struct error *err)
{
	const struct sjk_sink sink = {
		.add = dexp_add,
		.self = d,
		.wants_events = true,
		.unfiltered = true,
		.any_event = true,
	};

	if (!opt.tags && !opt.all)
		dexp_add_heads(d);
	return sjk_input_read(&opt.input, 0, NULL, &sink, err);
}

static void dexp_print(struct dexp *d, struct output *out)
{
	if (opt.all && !opt.tags)
		dexp_export_all(d);
	if (opt.tags && d->count)
		dexp_print_tags(d, out);
	else if (opt.tags)
		output_puts(out, "No events\n");
	else if (opt.csv)
		dexp_flush_csv(d);
	else
		sjk_table_print(&d->table, out, DEXP_WIDTH, true);
}

static void dexp_print_inputs(struct output *out)
{
	const struct option_list *files = &opt.input.files;

	output_puts(out, "Input files\n");
	for (size_t i = 0; i < files->count; i++) {
		dexp_print_name(out, "  ", files->values[i]);
		output_puts(out, "\n");
	}
	output_puts(out, "\n");
}

static int dexp_write(struct error *err)
{
	struct output out = { 0 };
	struct dexp d = { 0 };
	struct profile *p = NULL;
	int ret = output_open(&out, opt.output ? opt.output : "-", err);

	if (opt.csv && !opt.tags)
		d.csv = &out;
	if (ret == 0 && opt.explain)
		dexp_print_inputs(&out);
	if (ret == 0)
		p = dexp_read(&d, err);
	if (p) {
		dexp_print(&d, &out);
		ret = output_commit(&out, err);
		if (ret == 0)
			ret = sjk_input_check(p, err);
	} else {
		ret = -1;
	}
	output_close(&out);
	dexp_release(&d);
	profile_free(p);
	return ret;
}

static int dexp_check_options(struct error *err)
{
	if (opt.output && access(opt.output, F_OK) == 0)
		return fail(err, ERROR_OUTPUT,
			    "%s exists; sjkc dexp does not "
			    "replace files",
			    opt.output);
	/* The arguments may be changed. */
	for (size_t i = 0; i < opt.columns.count; i++) {
		if (dexp_split_column((char *)opt.columns.values[i], err))
			return -1;
	}
	if (!opt.tags && !opt.all && !opt.columns.count)
		return misuse(err, "no columns: name them with --columns, or "
				   "use --export-all or --tags");
	return 0;
}

static int dexp_run(int argc, char **argv, struct error *err)
{
	if (dexp_check_options(err))
		return -1;
	/* --explain prints the names before the files are read. */
	sjk_input_expand(&opt.input, argc, argv);
	return dexp_write(err);
}

/* clang-format off */
static const struct command_option options[] = {
	OPT_LIST('f', "file", &opt.input.files, "<file>",
		 "read these files; - is stdin", .aliases = "-i --input"),
	OPT_FLAG(0, "tags", &opt.tags, "summarize tags and counters"),
	OPT_LIST(0, "columns", &opt.columns, "<key>",
		 "export these keys; T is the time",
		 .aliases = "-cl"),
	OPT_FLAG(0, "export-all", &opt.all, "export all keys"),
	OPT_FLAG(0, "csv", &opt.csv, "print CSV", .aliases = "-csv"),
	OPT_FLAG(0, "explain", &opt.explain,
		 "print the names of the input files first"),
	OPT_STRING('o', "output", &opt.output, "<file>",
		   "write to this new file", .aliases = "--outfile"),
	OPT_SJK_TIMES(opt.input),
	OPT_END,
};
/* clang-format on */

const struct command dexp_command = {
	.name = "dexp",
	.synopsis = "dexp [<options>] <file>…",
	.summary = "export tags and counters of .std files",
	.group = "SJK's files",
	.examples = "  sjkc dexp -f dump.std --tags\n"
		    "  sjkc dexp -f dump.std --columns T thread.javaName "
		    "java.cpu-time.ms --csv\n",
	.options = options,
	.has_messages = true,
	.shorthands = sjk_shorthands,
	.refusals = sjk_refusals,
	.run = dexp_run,
};
