/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page_reader: reads a flame graph page according to render/page/PAGE.md,
 * without using the code that wrote it.
 */
#ifndef TESTS_UNIT_PAGE_READER_H
#define TESTS_UNIT_PAGE_READER_H

#include "core/base/text.h"
#include "core/profile/event_view.h"
#include "core/profile/profile.h"
#include "render/page/flame.h"

#include <cjson/cJSON.h>
#include <stddef.h>
#include <stdint.h>

/* A column of numbers; NULL if it is empty. */
struct page_event {
	size_t cells;
	uint64_t *node; /* + 1; 0 = no stack trace */
	uint64_t *thread, *state, *bucket, *count, *weight;
};

struct page {
	struct text html;
	struct flame_result result;
	cJSON *head;
	char **names;
	size_t name_count;
	uint64_t *frame_name, *frame_line;
	uint8_t *frame_kind;
	size_t frame_count;
	size_t *node_caller; /* + 1; 0 for a root frame */
	uint64_t *node_frame;
	size_t node_count;
	struct page_event *events;
	size_t event_count;
	uint8_t *block;
};

/* Writes a page and reads it; fails the test if the page is not well formed. */
struct page page_of(const struct profile *p, const struct event_view *views,
		    size_t view_count, size_t selected,
		    const struct flame_options *options);
void page_release(struct page *page);

/*
 * Returns the names of the frames that lead to a node, "root;caller;leaf"; node
 * is the number of the node + 1.
 */
char *page_path(const struct page *page, uint64_t node);

/*
 * Return all cells of an event as sorted lines "root;leaf|thread|state|bucket
 * count weight", from the page and from the profile itself.  Cells with equal
 * texts are added up.  Without threads, only the path precedes the numbers.
 */
char *page_lines(const struct page *page, size_t event);
char *profile_lines(const struct profile *p, const struct event_view *view,
		    bool threads);

/* Returns the sum of the nodes with this path and of their callees. */
uint64_t page_total(const struct page *page, size_t event, const char *path);

#endif
