/* SPDX-License-Identifier: Apache-2.0 */
#include "render/page/flame.h"

#include "core/base/alloc.h"
#include "core/base/base64.h"
#include "core/base/deflate.h"
#include "render/page/flame_data.h"
#include "render/page/flame_summary.h"
#include "render/page/flame_tree.h"
#include "render/page/flame_widths.h"
#include "render/profile/frame_table.h"
#include "render/profile/hot_frames.h"

#include <stdlib.h>
#include <string.h>

/* The template, linked into the binary; build/flame_page.html. */
extern const char flame_page_start[], flame_page_end[];

/* What goes into the holes of the template. */
struct page {
	struct text title;
	struct text summary;
	struct text data; /* compressed */
};

/* Sums up the views, the one in front last: its totals stay at hand. */
static void add_views(struct flame_widths *w, const struct flame_data *d)
{
	for (size_t i = 0; i < d->view_count; i++) {
		if (i != d->selected)
			flame_widths_add(w, &d->views[i],
					 d->options->style.weights);
	}
	if (d->selected < d->view_count)
		flame_widths_add(w, &d->views[d->selected],
				 d->options->style.weights);
}

static void fill_summary(struct text *summary, struct flame_widths *w,
			 const struct flame_data *d)
{
	const struct event_view *front;
	bool weights = d->options->style.weights;
	struct hot_frame hot[HOT_FRAMES];
	size_t count;

	summary_events(summary, d->profile, d->options->title, d->views,
		       d->view_count);
	if (d->selected >= d->view_count)
		return;
	front = &d->views[d->selected];
	count = hot_frames(w, front, weights, hot);
	summary_frames(summary, d->profile, front, weights, hot, count);
}

/* Names the frames of a draft and puts it in order. */
static void arrange(struct flame_data *d, struct draft *draft,
		    struct frame_table *table, struct flame_tree *tree)
{
	static const struct frame_naming naming = { 0 };
	uint8_t *used = xcalloc(d->profile->frame_count + 1, 1);

	draft_frames(draft, used);
	frame_table_init(table, d->profile, used, &naming);
	free(used);
	flame_tree_init(tree, draft, table->label_of, table->label_count);
	d->table = table;
	d->tree = tree;
}

static struct flame_result fill_page(struct page *page, const struct profile *p,
				     struct flame_data *d)
{
	const struct flame_options *options = d->options;
	struct flame_result result = { 0 };
	struct text block = { 0 };
	struct flame_widths widths;
	struct frame_table table;
	struct flame_tree tree;
	struct draft draft;

	html_text(&page->title, options->title, strlen(options->title));
	flame_widths_init(&widths, p);
	add_views(&widths, d);
	if (options->min_width < 0)
		flame_widths_fit(&widths, FLAME_NODES);
	else
		flame_widths_cut(&widths, options->min_width / 100);
	fill_summary(&page->summary, &widths, d);
	draft_init(&draft);
	result.elided = flame_widths_draft(&widths, &draft);
	if (result.elided)
		result.below = 100 * (double)widths.least;
	arrange(d, &draft, &table, &tree);
	result.nodes = tree.count;
	d->node_of = widths.marks;
	d->result = &result;
	flame_data(&block, d);
	/* What it was made of ends here. */
	d->table = NULL;
	d->tree = NULL;
	d->node_of = NULL;
	d->result = NULL;
	flame_widths_release(&widths);
	flame_tree_release(&tree);
	frame_table_release(&table);
	draft_release(&draft);
	deflate_raw(&page->data, block.bytes, block.len);
	text_release(&block);
	return result;
}

static void write_text(struct output *out, const struct text *text)
{
	output_write(out, text->bytes ? text->bytes : "", text->len);
}

static void write_title(struct output *out, const struct page *page)
{
	write_text(out, &page->title);
}

static void write_summary(struct output *out, const struct page *page)
{
	write_text(out, &page->summary);
}

static void write_data(struct output *out, const struct page *page)
{
	const size_t piece = 3 << 14; /* triples: pieces read as one */
	struct text letters = { 0 };

	for (size_t at = 0; at < page->data.len; at += piece) {
		size_t left = page->data.len - at;

		text_clear(&letters);
		base64_add(&letters, page->data.bytes + at,
			   left < piece ? left : piece);
		write_text(out, &letters);
	}
	text_release(&letters);
}

static const struct hole {
	const char *mark;
	void (*write)(struct output *out, const struct page *page);
} holes[] = {
	{ "<!--sjkc:title-->", write_title },
	{ "<!--sjkc:summary-->", write_summary },
	{ "<!--sjkc:data-->", write_data },
};

#define HOLES (sizeof(holes) / sizeof(*holes))

/* The first hole at or after `at`, and where; NULL when there is none. */
static const struct hole *next_hole(const char *at, const char **where)
{
	const struct hole *next = NULL;

	for (size_t i = 0; i < HOLES; i++) {
		const char *found = memmem(at, (size_t)(flame_page_end - at),
					   holes[i].mark,
					   strlen(holes[i].mark));

		if (found && (!next || found < *where)) {
			next = &holes[i];
			*where = found;
		}
	}
	return next;
}

static void write_template(struct output *out, const struct page *page)
{
	const char *at = flame_page_start;
	const char *where = NULL;
	const struct hole *hole;

	while ((hole = next_hole(at, &where))) {
		output_write(out, at, (size_t)(where - at));
		hole->write(out, page);
		at = where + strlen(hole->mark);
	}
	output_write(out, at, (size_t)(flame_page_end - at));
}

struct flame_result flame_write(struct output *out, const struct profile *p,
				const struct event_view *views,
				size_t view_count, size_t selected,
				const struct flame_options *options)
{
	struct page page = { 0 };
	struct flame_result result;
	struct flame_data data = {
		.profile = p,
		.views = views,
		.view_count = view_count,
		.selected = selected,
		.options = options,
	};

	result = fill_page(&page, p, &data);
	write_template(out, &page);
	text_release(&page.title);
	text_release(&page.summary);
	text_release(&page.data);
	return result;
}
