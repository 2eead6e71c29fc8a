/* SPDX-License-Identifier: Apache-2.0 */
#include "render/page/template.h"

#include "core/base/base64.h"

#include <string.h>

static void template_write_text(struct output *out, const struct text *text)
{
	output_write(out, text->bytes ? text->bytes : "", text->len);
}

static void template_write_title(struct output *out,
				 const struct page_texts *texts)
{
	template_write_text(out, &texts->title);
}

static void template_write_summary(struct output *out,
				   const struct page_texts *texts)
{
	template_write_text(out, &texts->summary);
}

static void template_write_base64(struct output *out, const struct text *bytes)
{
	const size_t piece = 3 << 14; /* a multiple of 3: no padding inside */
	struct text letters = { 0 };

	for (size_t at = 0; at < bytes->len; at += piece) {
		size_t left = bytes->len - at;

		text_clear(&letters);
		base64_add(&letters, bytes->bytes + at,
			   left < piece ? left : piece);
		template_write_text(out, &letters);
	}
	text_release(&letters);
}

static void template_write_data(struct output *out,
				const struct page_texts *texts)
{
	template_write_base64(out, &texts->data);
}

static void template_write_cells(struct output *out,
				 const struct page_texts *texts)
{
	template_write_base64(out, &texts->cells);
}

static void template_write_moments(struct output *out,
				   const struct page_texts *texts)
{
	template_write_base64(out, &texts->moments);
}

static const struct hole {
	const char *mark;
	void (*write)(struct output *out, const struct page_texts *texts);
} holes[] = {
	{ "<!--sjkc:title-->", template_write_title },
	{ "<!--sjkc:summary-->", template_write_summary },
	{ "<!--sjkc:data-->", template_write_data },
	{ "<!--sjkc:cells-->", template_write_cells },
	{ "<!--sjkc:moments-->", template_write_moments },
};

#define HOLES (sizeof(holes) / sizeof(*holes))

/* Returns the first hole at or after `at`, and where; NULL without any. */
static const struct hole *template_next_hole(const char *at, const char *end,
					     const char **where)
{
	const struct hole *next = NULL;

	for (size_t i = 0; i < HOLES; i++) {
		const char *found = memmem(at, (size_t)(end - at),
					   holes[i].mark,
					   strlen(holes[i].mark));

		if (found && (!next || found < *where)) {
			next = &holes[i];
			*where = found;
		}
	}
	return next;
}

void page_write(struct output *out, const char *start, const char *end,
		const struct page_texts *texts)
{
	const char *where = NULL;
	const struct hole *hole;

	while ((hole = template_next_hole(start, end, &where))) {
		output_write(out, start, (size_t)(where - start));
		hole->write(out, texts);
		start = where + strlen(hole->mark);
	}
	output_write(out, start, (size_t)(end - start));
}

void page_texts_release(struct page_texts *texts)
{
	text_release(&texts->title);
	text_release(&texts->summary);
	text_release(&texts->data);
	text_release(&texts->cells);
	text_release(&texts->moments);
}
