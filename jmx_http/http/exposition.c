/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/http/exposition.h"

#include "core/base/alloc.h"
#include "core/base/safe_text.h"

#include <stdlib.h>
#include <string.h>

struct exposition_series {
	const char *family, *suffix, *labels, *value, *help;
	enum metric_type type;
	size_t order; /* of arrival */
};

static bool name_is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool name_is_digit(char c) { return c >= '0' && c <= '9'; }

void exposition_add_name(struct text *out, const char *part)
{
	for (; *part; part++) {
		bool is_valid = name_is_letter(*part) || name_is_digit(*part);

		if (!out->len && name_is_digit(*part))
			text_putc(out, '_');
		if (is_valid)
			text_putc(out, *part);
		else if (!out->len || out->bytes[out->len - 1] != '_')
			text_putc(out, '_');
	}
	text_puts(out, "");
}

/* Escapes text: of label values quotes, too. */
static void text_add_escaped(struct text *out, const char *foreign,
			     bool is_label)
{
	struct text valid = { 0 };

	safe_text_valid(&valid, foreign, strlen(foreign));
	for (size_t i = 0; i < valid.len; i++) {
		char c = valid.bytes[i];

		if (c == '\\' || (is_label && c == '"'))
			text_putc(out, '\\');
		if (c == '\n')
			text_puts(out, "\\n");
		else
			text_putc(out, c);
	}
	text_release(&valid);
}

bool metric_labels_add(struct metric_labels *l, const char *name,
		       const char *value)
{
	if (l->count == EXPOSITION_LABELS_MAX)
		return false;
	l->at[l->count++] = (struct metric_label){ name, value };
	return true;
}

struct clean_label {
	struct text name;
	const char *value;
};

static int label_compare(const void *a, const void *b)
{
	return strcmp(((const struct clean_label *)a)->name.bytes,
		      ((const struct clean_label *)b)->name.bytes);
}

/* Different names may become equal: the later one gets a "_" at its end. */
static void label_make_unique(struct clean_label *labels, size_t count)
{
	struct text *name = &labels[count].name;

	for (size_t i = 0; i < count; i++)
		if (strcmp(labels[i].name.bytes, name->bytes) == 0) {
			text_putc(name, '_');
			i = (size_t)-1;
		}
}

/*
 * Appends "{area=\"heap\"}".  Sorted by name, so that equal labels are equal
 * texts.
 */
static void labels_add(struct text *out, const struct metric_labels *labels)
{
	struct clean_label clean[EXPOSITION_LABELS_MAX] = { 0 };

	if (!labels || !labels->count)
		return;
	for (size_t i = 0; i < labels->count; i++) {
		clean[i].value = labels->at[i].value;
		exposition_add_name(&clean[i].name, labels->at[i].name);
		if (!clean[i].name.len)
			text_putc(&clean[i].name, '_');
		label_make_unique(clean, i);
	}
	qsort(clean, labels->count, sizeof(*clean), label_compare);
	for (size_t i = 0; i < labels->count; i++) {
		text_printf(out, "%s%s=\"", i ? "," : "{", clean[i].name.bytes);
		text_add_escaped(out, clean[i].value, true);
		text_putc(out, '"');
		text_release(&clean[i].name);
	}
	text_putc(out, '}');
}

void exposition_add(struct exposition *e, const struct metric *metric,
		    const char *suffix, const struct metric_labels *labels,
		    const char *value)
{
	struct text line = { 0 };

	labels_add(&line, labels);
	text_puts(&line, "");
	if (e->count == EXPOSITION_SERIES_MAX ||
	    e->arena.total + line.len + strlen(metric->help) >
		    EXPOSITION_BYTES_MAX) {
		e->dropped++;
	} else {
		struct arena *a = &e->arena;

		array_reserve(e->series, e->cap, e->count + 1);
		e->series[e->count] = (struct exposition_series){
			.family = arena_copy(a, metric->name,
					     strlen(metric->name)),
			.suffix = arena_copy(a, suffix, strlen(suffix)),
			.labels = arena_copy(a, line.bytes, line.len),
			.value = arena_copy(a, value, strlen(value)),
			.help = arena_copy(a, metric->help,
					   strlen(metric->help)),
			.type = metric->type,
			.order = e->count,
		};
		e->count++;
	}
	text_release(&line);
}

static int series_compare(const void *a, const void *b)
{
	const struct exposition_series *x = a, *y = b;
	int order = strcmp(x->family, y->family);

	if (!order)
		order = strcmp(x->labels, y->labels);
	if (!order)
		order = strcmp(x->suffix, y->suffix);
	if (!order)
		order = x->order < y->order ? -1 : 1;
	return order;
}

/* The first one added decides on the type and the help of its family. */
static const struct exposition_series *
series_find_first(const struct exposition_series *at,
		  const struct exposition_series *end)
{
	const struct exposition_series *first = at;

	for (; at < end; at++)
		if (at->order < first->order)
			first = at;
	return first;
}

static const char *const type_names[] = {
	[METRIC_GAUGE] = "gauge",
	[METRIC_COUNTER] = "counter",
	[METRIC_SUMMARY] = "summary",
	[METRIC_UNTYPED] = "untyped",
};

static void family_write(struct exposition *e,
			 const struct exposition_series *at,
			 const struct exposition_series *end, struct text *out)
{
	const struct exposition_series *first = series_find_first(at, end);
	const struct exposition_series *last = NULL;

	text_printf(out, "# HELP %s ", first->family);
	text_add_escaped(out, first->help, false);
	text_printf(out, "\n# TYPE %s %s\n", first->family,
		    type_names[first->type]);
	for (; at < end; at++) {
		if (at->type != first->type ||
		    (last && strcmp(last->labels, at->labels) == 0 &&
		     strcmp(last->suffix, at->suffix) == 0)) {
			e->repeated++;
			continue;
		}
		text_printf(out, "%s%s%s %s\n", at->family, at->suffix,
			    at->labels, at->value);
		last = at;
	}
}

void exposition_write(struct exposition *e, struct text *out)
{
	const struct exposition_series *end, *next;

	if (e->count)
		qsort(e->series, e->count, sizeof(*e->series), series_compare);
	end = e->count ? e->series + e->count : NULL;
	for (const struct exposition_series *at = e->series; at != end;
	     at = next) {
		for (next = at + 1;
		     next < end && strcmp(at->family, next->family) == 0;)
			next++;
		family_write(e, at, next, out);
	}
	text_puts(out, "");
}

void exposition_release(struct exposition *e)
{
	free(e->series);
	arena_release(&e->arena);
	*e = (struct exposition){ 0 };
}
