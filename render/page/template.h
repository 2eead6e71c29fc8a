/* SPDX-License-Identifier: Apache-2.0 */
/*
 * template: fills the placeholders of a page that assemble.sh has made, and
 * leaves out the sections that the page does not need.
 *
 * The scripts of a template, and so their hashes, are the same on every page.
 */
#ifndef RENDER_PAGE_TEMPLATE_H
#define RENDER_PAGE_TEMPLATE_H

#include "core/base/output.h"
#include "core/base/text.h"

#include <stdbool.h>

/* The texts that replace the marks of the template. */
struct page_texts {
	struct text title;   /* HTML */
	struct text summary; /* HTML, for browsers without JavaScript */
	struct text data;    /* bytes, which are written as base64 */
	struct text cells;   /* likewise; may be empty */
	struct text moments; /* likewise; may be empty */
	bool has_times;      /* the page has a heat map */
};

/* Writes a template, which ends at `end`, with its placeholders filled. */
void page_write(struct output *out, const char *start, const char *end,
		const struct page_texts *texts);

void page_texts_release(struct page_texts *texts);

#endif
