/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/why/why.h"

#include "core/base/clock.h"
#include "core/base/units.h"
#include "render/text/columns.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 80, INDENT = 12, CAUSES_MAX = 5 };

/* Appends a text as lines, unless it is empty, and releases it. */
static void text_wrap(struct text *out, struct text *line)
{
	if (line->len)
		columns_wrap(out, line->bytes, 0, 2, WIDTH);
	text_release(line);
}

static void fine_add_text(struct text *out, const struct diagnosis *d)
{
	struct text line = { 0 };

	for (size_t i = 0; i < d->fine_count; i++)
		text_printf(&line, "%s %s",
			    i ? "," : "fine:", d->fine[i]->topic);
	text_wrap(out, &line);
}

/* True if a rule before this one was not checked for the same reason. */
static bool reason_is_shown(const struct diagnosis *d, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (strcmp(d->reasons[i], d->reasons[at]) == 0)
			return true;
	return false;
}

/* "not checked: disk, locks (reason); CPU use (reason)" */
static void unchecked_add_text(struct text *out, const struct diagnosis *d)
{
	struct text line = { 0 };

	for (size_t i = 0; i < d->unchecked_count; i++) {
		const char *comma = line.len ? ";" : "not checked:";

		if (reason_is_shown(d, i))
			continue;
		for (size_t j = i; j < d->unchecked_count; j++) {
			if (strcmp(d->reasons[i], d->reasons[j]) != 0)
				continue;
			text_printf(&line, "%s %s", comma,
				    d->unchecked[j]->topic);
			comma = ",";
		}
		text_printf(&line, " (%s)", d->reasons[i]);
	}
	text_wrap(out, &line);
}

static void cause_add_text(struct text *out, size_t number,
			   const struct cause *c)
{
	struct text line = { 0 };

	text_printf(out, "%zu  %-8s ", number, cause_rank_names[c->rank]);
	text_puts(&line, c->sentence.bytes);
	if (c->explained_by)
		text_printf(&line, " (because of %zu)", c->explained_by);
	columns_wrap(out, line.bytes, INDENT, INDENT, WIDTH);
	if (c->detail.len) {
		text_spaces(out, INDENT);
		columns_wrap(out, c->detail.bytes, INDENT, INDENT, WIDTH);
	}
	if (c->next.len) {
		text_spaces(out, INDENT);
		text_printf(out, "-> sjkc %s\n", c->next.bytes);
	}
	text_release(&line);
}

static const struct evidence *figure_named(const struct diagnosis *d,
					   const char *name)
{
	for (size_t i = 0; i < d->figure_count; i++)
		if (strcmp(d->figures[i].name, name) == 0)
			return &d->figures[i];
	return NULL;
}

static void busiest_add_text(struct text *out, const struct diagnosis *d)
{
	const struct evidence *cpu = figure_named(d, "cpu");
	struct text line = { 0 };

	text_puts(&line, "no cause found");
	if (d->seconds > 0)
		text_printf(&line, " in %.0f s", d->seconds);
	if (cpu)
		text_printf(&line, "; the JVM uses %.2f cores", cpu->value);
	if (d->busiest.len && d->busiest_share >= 0)
		text_printf(&line, ", %.0f%% of the samples in or below %s",
			    100 * d->busiest_share, d->busiest.bytes);
	text_wrap(out, &line);
}

static bool cause_is_in(const struct cause *c, const struct diagnosis *other)
{
	for (size_t i = 0; other && i < other->count; i++) {
		const struct cause *o = &other->causes[i];

		if (o->rule == c->rule && o->place.len == c->place.len &&
		    (!c->place.len ||
		     strcmp(o->place.bytes, c->place.bytes) == 0))
			return true;
	}
	return false;
}

size_t why_count_causes(const struct diagnosis *d,
			const struct diagnosis *other)
{
	size_t count = 0;

	for (size_t i = 0; i < d->count; i++)
		count += !cause_is_in(&d->causes[i], other);
	return count;
}

/* ---- two diagnoses ---- */

static void figure_add_value(struct text *out, const struct evidence *e)
{
	struct text value = { 0 };
	size_t width;

	if (!e)
		text_puts(&value, "-");
	else if (strcmp(e->unit, "bytes") == 0)
		text_puts(&value, units_bytes(e->value).text);
	else if (strcmp(e->unit, "bytes/s") == 0)
		text_printf(&value, "%s/s", units_bytes(e->value).text);
	else if (e->value == floor(e->value) && fabs(e->value) < 1e15)
		text_printf(&value, "%.0f %s", e->value, e->unit);
	else
		text_printf(&value, "%.2f %s", e->value, e->unit);
	width = text_width(value.bytes, value.len);
	text_spaces(out, width < 18 ? 18 - width : 1);
	text_puts(out, value.bytes);
	text_release(&value);
}

static void figures_add_text(struct text *out, const struct diagnosis *d,
			     const struct diagnosis *other)
{
	text_printf(out, "%-24s%18s%18s\n", "", "this", "the other");
	for (size_t i = 0; i < d->figure_count; i++) {
		const struct evidence *e = &d->figures[i];
		struct text name = { 0 };

		text_puts(&name, e->name);
		for (size_t at = 0; at < name.len; at++)
			if (name.bytes[at] == '_')
				name.bytes[at] = ' ';
		text_printf(out, "%-24s", name.bytes);
		figure_add_value(out, e);
		figure_add_value(out, figure_named(other, e->name));
		text_putc(out, '\n');
		text_release(&name);
	}
}

/* Appends the topics of the causes that the other has, or lacks. */
static void topics_add_text(struct text *out, const char *label,
			    const struct diagnosis *d,
			    const struct diagnosis *other, bool has)
{
	struct text line = { 0 };

	for (size_t i = 0; i < d->count; i++)
		if (cause_is_in(&d->causes[i], other) == has)
			text_printf(&line, "%s %s", line.len ? "," : label,
				    d->causes[i].rule->topic);
	text_wrap(out, &line);
}

static void head_add_text(struct text *out, const char *label,
			  const struct diagnosis *d)
{
	text_printf(out, "%s%s: ", label, d->title.len ? d->title.bytes : "");
	if (d->seconds > 0)
		text_printf(out, "%.1f s observed, ", d->seconds);
	text_printf(out, "%s\n", units_counted(d->dumps, "thread dump").text);
}

void why_add_text(struct text *out, const struct diagnosis *d,
		  const struct diagnosis *other)
{
	size_t shown = 0, left_out = 0, count = why_count_causes(d, other);

	head_add_text(out, "", d);
	if (other)
		head_add_text(out, "the other: ", other);
	if (!d->count)
		busiest_add_text(out, d);
	else if (!count)
		text_puts(out, "the other has the same causes\n");
	for (size_t i = 0; i < d->count; i++) {
		if (cause_is_in(&d->causes[i], other))
			continue;
		if (shown++ < CAUSES_MAX)
			cause_add_text(out, i + 1, &d->causes[i]);
		else
			left_out++;
	}
	if (left_out)
		text_printf(out, "%zu more causes; --json lists all causes\n",
			    left_out);
	if (other) {
		topics_add_text(out, "both:", d, other, true);
		topics_add_text(out, "only the other:", other, d, false);
		figures_add_text(out, d, other);
	}
	fine_add_text(out, d);
	unchecked_add_text(out, d);
	if (d->lost.len)
		text_printf(out, "lost: %s\n", d->lost.bytes);
}

void why_add_changes(struct text *out, const struct diagnosis *d,
		     const struct diagnosis *before)
{
	struct text when = { 0 };

	units_add_local_time(&when, clock_wall_ns());
	if (!before && !d->count)
		text_printf(out, "%s  no cause found\n", when.bytes);
	for (size_t i = 0; i < d->count; i++) {
		if (cause_is_in(&d->causes[i], before))
			continue;
		text_printf(out, "%s  new:\n", when.bytes);
		cause_add_text(out, i + 1, &d->causes[i]);
	}
	for (size_t i = 0; before && i < before->count; i++)
		if (!cause_is_in(&before->causes[i], d))
			text_printf(out, "%s  gone: %s\n", when.bytes,
				    before->causes[i].sentence.bytes);
	text_release(&when);
}
