/* SPDX-License-Identifier: Apache-2.0 */
/* Writes heap histograms and their differences as text, CSV and JSON. */
#include "render/text/histogram.h"

#include "core/base/safe_text.h"
#include "render/text/fields.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static size_t histogram_shown_rows(const struct class_histogram *h, size_t top)
{
	return top && top < h->count ? top : h->count;
}

static void histogram_add_name(struct text *t, const struct class_count *row)
{
	safe_text_puts(t, row->name);
	if (!*row->module)
		return;
	text_puts(t, " (");
	safe_text_puts(t, row->module);
	text_puts(t, ")");
}

/* The columns of jmap -histo and of SJK. */
void histogram_text(struct output *out, const struct class_histogram *h,
		    size_t top)
{
	struct class_count total = class_histogram_total(h);
	struct text name = { 0 };

	output_printf(out, "%4s %14s %14s  %s\n", "#", "Instances", "Bytes",
		      "Type");
	for (size_t i = 0; i < histogram_shown_rows(h, top); i++) {
		const struct class_count *row = &h->rows[i];

		text_clear(&name);
		histogram_add_name(&name, row);
		output_printf(out, "%4zu:%14" PRId64 " %14" PRId64 "  %s\n",
			      i + 1, row->instances, row->bytes, name.bytes);
	}
	output_printf(out, "%4s %14" PRId64 " %14" PRId64 "  %s\n", "",
		      total.instances, total.bytes, total.name);
	text_release(&name);
}

static void histogram_put_counts(struct fields *f,
				 const struct class_count *row)
{
	fields_int(f, "instances", row->instances, true);
	fields_int(f, "bytes", row->bytes, true);
	fields_end(f);
}

static void histogram_put_rows(struct fields *f,
			       const struct class_histogram *h, size_t top)
{
	for (size_t i = 0; i < histogram_shown_rows(h, top); i++) {
		if (f->json)
			json_open_object(f->json);
		fields_text(f, "name", h->rows[i].name);
		fields_text(f, "module", h->rows[i].module);
		histogram_put_counts(f, &h->rows[i]);
	}
}

void histogram_csv(struct output *out, const struct class_histogram *h,
		   size_t top)
{
	struct text text = { 0 };
	struct fields f = { .csv = &text };

	text_puts(&text, "class,module,instances,bytes\n");
	histogram_put_rows(&f, h, top);
	output_write(out, text.bytes, text.len);
	text_release(&text);
}

void histogram_json(struct output *out, const struct class_histogram *h,
		    size_t top)
{
	struct class_count total = class_histogram_total(h);
	struct text text = { 0 };
	struct json j = json_document(&text, "sjkc.histogram/1");
	struct fields f = { .json = &j };

	container_pod_json(h->pod, &j);
	json_add_array(&j, "classes");
	histogram_put_rows(&f, h, top);
	json_close_array(&j);
	json_add_object(&j, "total");
	histogram_put_counts(&f, &total);
	json_end_document(&j);
	output_write(out, text.bytes, text.len);
	text_release(&text);
}

/* ---- differences ---- */

static size_t changes_shown(const struct histogram_changes *c, size_t top)
{
	return top && top < c->count ? top : c->count;
}

static void changes_add_line(struct output *out, const char *number,
			     const struct class_change *c, const char *name)
{
	output_printf(out,
		      "%5s%+14" PRId64 " %+14" PRId64 " %14" PRId64 "  %s\n",
		      number, c->instances - c->instances_before,
		      c->bytes - c->bytes_before, c->bytes, name);
}

static struct class_change changes_total(const struct histogram_changes *c)
{
	return (struct class_change){
		.name = "Total",
		.module = "",
		.instances_before = c->before.instances,
		.instances = c->after.instances,
		.bytes_before = c->before.bytes,
		.bytes = c->after.bytes,
	};
}

void histogram_changes_text(struct output *out,
			    const struct histogram_changes *c, size_t top)
{
	const struct class_change total = changes_total(c);
	struct text name = { 0 };
	char number[24];

	output_printf(out, "%4s %14s %14s %14s  %s\n", "#", "Instances",
		      "Bytes", "Bytes now", "Type");
	for (size_t i = 0; i < changes_shown(c, top); i++) {
		const struct class_change *row = &c->rows[i];
		const struct class_count names = { .name = row->name,
						   .module = row->module };

		text_clear(&name);
		histogram_add_name(&name, &names);
		if (!row->instances_before)
			text_puts(&name, " (new)");
		else if (!row->instances)
			text_puts(&name, " (gone)");
		snprintf(number, sizeof(number), "%4zu:", i + 1);
		changes_add_line(out, number, row, name.bytes);
	}
	changes_add_line(out, "", &total, total.name);
	text_release(&name);
}

static void changes_put_counts(struct fields *f, const struct class_change *c)
{
	fields_int(f, "instances_before", c->instances_before, true);
	fields_int(f, "instances", c->instances, true);
	fields_int(f, "bytes_before", c->bytes_before, true);
	fields_int(f, "bytes", c->bytes, true);
	fields_end(f);
}

static void changes_put_rows(struct fields *f,
			     const struct histogram_changes *c, size_t top)
{
	for (size_t i = 0; i < changes_shown(c, top); i++) {
		if (f->json)
			json_open_object(f->json);
		fields_text(f, "name", c->rows[i].name);
		fields_text(f, "module", c->rows[i].module);
		changes_put_counts(f, &c->rows[i]);
	}
}

void histogram_changes_csv(struct output *out,
			   const struct histogram_changes *c, size_t top)
{
	struct text text = { 0 };
	struct fields f = { .csv = &text };

	text_puts(&text, "class,module,instances_before,instances,bytes_before,"
			 "bytes\n");
	changes_put_rows(&f, c, top);
	output_write(out, text.bytes, text.len);
	text_release(&text);
}

void histogram_changes_json(struct output *out,
			    const struct histogram_changes *c, size_t top)
{
	const struct class_change total = changes_total(c);
	struct text text = { 0 };
	struct json j = json_document(&text, "sjkc.histogram-diff/1");
	struct fields f = { .json = &j };

	container_pod_json(c->pod, &j);
	json_add_array(&j, "classes");
	changes_put_rows(&f, c, top);
	json_close_array(&j);
	json_add_object(&j, "total");
	changes_put_counts(&f, &total);
	json_end_document(&j);
	output_write(out, text.bytes, text.len);
	text_release(&text);
}
