/* SPDX-License-Identifier: Apache-2.0 */
#include "render/page/template.h"

#include "core/base/base64.h"

#include <stdbool.h>
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

static bool template_has_times(const struct page_texts *texts)
{
	return texts->has_times;
}

static bool template_has_cells(const struct page_texts *texts)
{
	return texts->cells.len > 0;
}

static bool template_has_moments(const struct page_texts *texts)
{
	return texts->moments.len > 0;
}

#define MARK        "<!--sjkc:"
#define SECTION_END MARK "end-->"

/* A mark of a text, or at the start of a section that only some pages have. */
static const struct placeholder {
	const char *mark;
	void (*write)(struct output *out, const struct page_texts *texts);
	bool (*is_wanted)(const struct page_texts *texts);
} placeholders[] = {
	{ MARK "title-->", template_write_title, NULL },
	{ MARK "summary-->", template_write_summary, NULL },
	{ MARK "data-->", template_write_data, NULL },
	{ MARK "cells-->", template_write_cells, NULL },
	{ MARK "moments-->", template_write_moments, NULL },
	{ MARK "if-times-->\n", NULL, template_has_times },
	{ MARK "if-cells-->\n", NULL, template_has_cells },
	{ MARK "if-moments-->\n", NULL, template_has_moments },
	{ SECTION_END "\n", NULL, NULL },
};

#define PLACEHOLDERS (sizeof(placeholders) / sizeof(*placeholders))

/* Returns the first placeholder at or after `at`, and where; NULL without any.
 */
static const struct placeholder *
template_next_placeholder(const char *at, const char *end, const char **where)
{
	while ((at = memmem(at, (size_t)(end - at), MARK, strlen(MARK)))) {
		for (size_t i = 0; i < PLACEHOLDERS; i++) {
			size_t len = strlen(placeholders[i].mark);

			if (len <= (size_t)(end - at) &&
			    memcmp(at, placeholders[i].mark, len) == 0) {
				*where = at;
				return &placeholders[i];
			}
		}
		at += strlen(MARK);
	}
	return NULL;
}

/* Returns the end of the section that starts at `at`. */
static const char *template_section_end(const char *at, const char *end)
{
	const char *found = memmem(at, (size_t)(end - at), SECTION_END,
				   strlen(SECTION_END));

	return found ? found : end;
}

void page_write(struct output *out, const char *start, const char *end,
		const struct page_texts *texts)
{
	const char *where = NULL;
	const struct placeholder *placeholder;

	while ((placeholder = template_next_placeholder(start, end, &where))) {
		output_write(out, start, (size_t)(where - start));
		start = where + strlen(placeholder->mark);
		if (placeholder->write)
			placeholder->write(out, texts);
		else if (placeholder->is_wanted &&
			 !placeholder->is_wanted(texts))
			start = template_section_end(start, end);
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
