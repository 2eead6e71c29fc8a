/* SPDX-License-Identifier: Apache-2.0 */
/* ssa --histo: how often each frame occurs. */
#include "cmd/sjk/sjk_table.h"
#include "cmd/sjk/ssa.h"
#include "core/base/alloc.h"
#include "core/base/intern.h"
#include "core/profile/frame_name.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* One frame, by its text. */
struct histo_site {
	uint64_t traces; /* stack traces that contain it */
	uint64_t hits;   /* occurrences, more than one with recursion */
	uint64_t leaves; /* stack traces that end with it */
	uint64_t open;   /* occurrences on the path of the walk */
};

struct histo {
	const struct ssa_classes *classes;
	uint64_t *self; /* samples, index: stack trace */
	size_t self_count, self_cap;
	uint64_t total;
	struct intern names; /* the texts of the sites */
	uint32_t *site_of;   /* index: frame */
	struct histo_site *sites;
	uint64_t *in_class; /* samples, sites × classes */
	/* The tree of stack traces: lists of callees. */
	uint32_t *first, *next;
};

static void histo_add(void *self, struct profile *p, const struct sample *s,
		      const struct sample_details *d)
{
	struct histo *h = self;

	(void)d;
	(void)p;
	array_reserve(h->self, h->self_cap, (size_t)s->stack + 1);
	while (h->self_count <= s->stack)
		h->self[h->self_count++] = 0;
	h->self[s->stack] += s->count;
	h->total += s->count;
}

static void histo_name_frames(struct histo *h, const struct profile *p)
{
	struct text name = { 0 };

	h->site_of = xcalloc(p->frame_count, sizeof(*h->site_of));
	for (size_t i = 1; i < p->frame_count; i++) {
		text_clear(&name);
		frame_place_name(&name, p, &p->frames[i]);
		h->site_of[i] = intern_id(&h->names, name.bytes, name.len);
	}
	h->sites = xcalloc(h->names.count + 1, sizeof(*h->sites));
	h->in_class = xcalloc((h->names.count + 1) * (h->classes->count + 1),
			      sizeof(*h->in_class));
	text_release(&name);
}

/* Sums up samples from callees to callers; index: stack trace. */
static uint64_t *histo_totals(const struct profile *p, const uint64_t *self,
			      size_t count)
{
	uint64_t *totals = xcalloc(count + 1, sizeof(*totals));

	for (size_t i = count; i-- > 1;) {
		totals[i] += self[i];
		totals[p->stacks[i].caller] += totals[i];
	}
	return totals;
}

static void histo_link_callees(struct histo *h, const struct profile *p)
{
	h->first = xcalloc(h->self_count + 1, sizeof(*h->first));
	h->next = xcalloc(h->self_count + 1, sizeof(*h->next));
	for (size_t i = h->self_count; i-- > 1;) {
		uint32_t caller = p->stacks[i].caller;

		h->next[i] = h->first[caller];
		h->first[caller] = (uint32_t)i;
	}
}

/*
 * Calls visit() for each node, with whether its frame is the first of its site
 * on the path from the root. The walk needs no stack: callees know their
 * caller.
 */
static void histo_walk(struct histo *h, const struct profile *p,
		       void (*visit)(struct histo *h, uint32_t node,
				     struct histo_site *site, bool is_first,
				     const uint64_t *totals, size_t class),
		       const uint64_t *totals, size_t class)
{
	uint32_t node = h->first[0];

	while (node) {
		struct histo_site
			*site = &h->sites[h->site_of[p->stacks[node].frame]];

		visit(h, node, site, site->open++ == 0, totals, class);
		if (h->first[node]) {
			node = h->first[node];
			continue;
		}
		while (node) {
			h->sites[h->site_of[p->stacks[node].frame]].open--;
			if (h->next[node])
				break;
			node = p->stacks[node].caller;
		}
		node = node ? h->next[node] : 0;
	}
}

static void histo_count_node(struct histo *h, uint32_t node,
			     struct histo_site *site, bool is_first,
			     const uint64_t *totals, size_t class)
{
	(void)class;
	site->hits += totals[node];
	site->leaves += h->self[node];
	if (is_first)
		site->traces += totals[node];
}

static void histo_count_class(struct histo *h, uint32_t node,
			      struct histo_site *site, bool is_first,
			      const uint64_t *totals, size_t class)
{
	size_t at = (size_t)(site - h->sites);

	if (is_first)
		h->in_class[at * h->classes->count + class] += totals[node];
}

static void histo_count(struct histo *h, struct profile *p)
{
	uint64_t *totals = histo_totals(p, h->self, h->self_count);

	histo_walk(h, p, histo_count_node, totals, 0);
	free(totals);
	for (size_t k = 0; k < h->classes->count; k++) {
		uint64_t *self = xcalloc(h->self_count + 1, sizeof(*self));

		for (uint32_t i = 1; i < h->self_count; i++) {
			uint32_t stack = i;

			if (h->self[i] &&
			    trace_verdicts_pass(h->classes->all[k].verdicts, p,
						&stack, STATE_NONE))
				self[i] = h->self[i];
		}
		totals = histo_totals(p, self, h->self_count);
		histo_walk(h, p, histo_count_class, totals, k);
		free(totals);
		free(self);
	}
}

/* A site in its order. */
struct histo_row {
	uint64_t first, second; /* descending */
	const char *name;       /* ascending, for equal rows */
	size_t site;
};

static int histo_compare(const void *left, const void *right)
{
	const struct histo_row *a = left, *b = right;

	if (a->first != b->first)
		return a->first < b->first ? 1 : -1;
	if (a->second != b->second)
		return a->second < b->second ? 1 : -1;
	return strcmp(a->name, b->name);
}

static struct histo_row *histo_sort(const struct histo *h, enum ssa_sort sort,
				    size_t *count)
{
	struct histo_row *rows = xcalloc(h->names.count, sizeof(*rows));

	*count = 0;
	for (size_t i = 1; i <= h->names.count; i++) {
		const struct histo_site *site = &h->sites[i];

		if (!site->hits)
			continue;
		rows[(*count)++] = (struct histo_row){
			.first = sort == SSA_TERM    ? site->leaves
				 : sort == SSA_OCCUR ? site->traces
						     : site->hits,
			.second = site->traces,
			.name = intern_text(&h->names, (uint32_t)i),
			.site = i,
		};
	}
	qsort(rows, *count, sizeof(*rows), histo_compare);
	return rows;
}

static unsigned histo_percent(uint64_t part, uint64_t whole)
{
	return whole ? (unsigned)((unsigned __int128)part * 100 / whole) : 0;
}

static void histo_add_row(const struct histo *h, struct sjk_table *t,
			  const struct histo_row *row)
{
	const struct histo_site *s = &h->sites[row->site];

	sjk_table_add(t, "\t%" PRIu64 " %3u%%", s->traces,
		      histo_percent(s->traces, h->total));
	sjk_table_add(t, "  \t%" PRIu64 "  ", s->hits);
	sjk_table_add(t, "\t%" PRIu64 " %3u%%", s->leaves,
		      histo_percent(s->leaves, h->total));
	for (size_t k = 0; k < h->classes->count; k++) {
		uint64_t count = h->in_class[row->site * h->classes->count + k];

		sjk_table_add(t, "  \t%" PRIu64 " %3u%%", count,
			      histo_percent(count, s->traces));
	}
	sjk_table_add(t, "  %s", row->name);
}

static void histo_add_csv_row(const struct histo *h, struct sjk_table *t,
			      const struct histo_row *row)
{
	const struct histo_site *s = &h->sites[row->site];

	sjk_table_add(t, "%" PRIu64, s->traces);
	sjk_table_add(t, "%" PRIu64, s->hits);
	sjk_table_add(t, "%" PRIu64, s->leaves);
	for (size_t k = 0; k < h->classes->count; k++)
		sjk_table_add(t, "%" PRIu64,
			      h->in_class[row->site * h->classes->count + k]);
	sjk_table_add(t, "%s", row->name);
}

static void histo_add_head(const struct histo *h, struct sjk_table *t, bool csv)
{
	sjk_table_add(t, csv ? "Trace N" : "Trc\t(%%)");
	sjk_table_add(t, csv ? "Frame N" : "  Frm\t N  ");
	sjk_table_add(t, csv ? "Terminal N" : "Term\t(%%)");
	for (size_t k = 0; k < h->classes->count; k++)
		sjk_table_add(t, csv ? "[%s]" : "  [\t%s\t]",
			      h->classes->all[k].name);
	sjk_table_add(t, csv ? "Frame" : "  Frame");
}

#define HISTO_WIDTH 200

static void histo_print(const struct histo *h, const struct ssa_options *o,
			enum ssa_sort sort, struct output *out)
{
	struct sjk_table t = { .columns = 4 + h->classes->count };
	size_t count;
	struct histo_row *rows = histo_sort(h, sort, &count);

	histo_add_head(h, &t, o->csv);
	for (size_t i = 0; i < count; i++)
		(o->csv ? histo_add_csv_row : histo_add_row)(h, &t, &rows[i]);
	if (o->csv)
		sjk_table_print_csv(&t, out);
	else
		sjk_table_print(&t, out, HISTO_WIDTH, false);
	/* SJK prints the table as one line that ends with a newline. */
	output_puts(out, "\n");
	sjk_table_release(&t);
	free(rows);
}

static enum ssa_sort histo_order(const struct ssa_options *o)
{
	static const char *const orders[] = { "TERM", "OCCUR", "FREQ" };
	int sort = SSA_TERM;

	while (o->sort && sort < SSA_FREQ && strcmp(o->sort, orders[sort]) != 0)
		sort++;
	return (enum ssa_sort)sort;
}

int ssa_histo(struct ssa_options *o, int argc, char **argv,
	      struct ssa_classes *c, struct output *out, struct error *err)
{
	struct histo h = { .classes = c };
	const struct sjk_sink sink = { .add = histo_add, .self = &h };
	struct profile *p = sjk_input_read(&o->input, argc, argv, &sink, err);
	int ret = -1;

	if (p && h.self_count) {
		histo_name_frames(&h, p);
		histo_link_callees(&h, p);
		histo_count(&h, p);
		histo_print(&h, o, histo_order(o), out);
	} else if (p) {
		output_puts(out, "No data\n");
	}
	if (p)
		ret = sjk_input_check(p, err);
	profile_free(p);
	free(h.self);
	free(h.site_of);
	free(h.sites);
	free(h.in_class);
	free(h.first);
	free(h.next);
	intern_release(&h.names);
	return ret;
}
