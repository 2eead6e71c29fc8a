/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a view as a static SVG image, for pages that allow no scripts. */
#include "render/profile/export.h"

#include "core/base/alloc.h"
#include "core/base/safe_text.h"
#include "core/base/saturate.h"
#include "core/profile/event_view.h"
#include "render/text/amount.h"
#include "render/tree/trace_tree.h"

#include <stdlib.h>
#include <string.h>

#define SVG_ROW    18 /* height of a frame */
#define SVG_MARGIN 10
#define SVG_HEAD   36  /* height of the title */
#define SVG_CHAR   7.3 /* width of a character of the font */
#define SVG_NARROW 0.2 /* pixels: narrower frames are not drawn */
#define FLUSH_AT   ((size_t)64 << 10)

struct svg {
	const struct profile *profile;
	const struct event_view *view;
	const struct svg_options *options;
	struct trace_tree traces;
	enum frame_kind *kinds; /* by label */
	const char **colors;    /* by label; NULL: by kind */
	unsigned width;
	uint64_t *totals; /* by place */
	uint64_t *lefts;  /* by place: in the unit of the totals */
	uint64_t *used;   /* by place: what the callees so far take */
	uint64_t whole;
	uint64_t without_stack;
	size_t rows;
	enum unit unit;
	struct output *out;
	struct text text;
	struct svg_result result;
};

static void svg_flush(struct svg *s, size_t at)
{
	if (s->text.len < at)
		return;
	output_write(s->out, s->text.bytes, s->text.len);
	text_clear(&s->text);
}

static void svg_add_safe(struct text *out, const char *name)
{
	struct text safe = { 0 };

	safe_text_puts(&safe, name);
	safe_text_xml(out, safe.len ? safe.bytes : "", safe.len);
	text_release(&safe);
}

/* Sums up the selfs and, from the leaves to the roots, the totals. */
static void svg_sum(struct svg *s)
{
	const struct profile *p = s->profile;
	const struct tree_node *nodes = s->traces.tree.nodes;
	bool weighs = view_weighs(s->view, s->options->style.weights);
	bool *in_view = view_events(p, s->view);

	for (size_t i = 0; i < p->cell_count; i++) {
		const struct cell *c = &p->cells[i];
		uint32_t place = trace_tree_place(&s->traces, c->stack);
		uint64_t value = cell_measure(c, weighs);

		if (!in_view[c->event])
			continue;
		s->whole = saturate_add(s->whole, value);
		if (place)
			s->totals[place - 1] = saturate_add(
				s->totals[place - 1], value);
		else
			s->without_stack = saturate_add(s->without_stack,
							value);
	}
	for (size_t i = s->traces.tree.count; i-- > 0;) {
		uint32_t caller = nodes[i].caller;

		if (caller)
			s->totals[caller - 1] = saturate_add(
				s->totals[caller - 1], s->totals[i]);
	}
	free(in_view);
}

static bool svg_is_drawn(const struct svg *s, size_t place)
{
	return (double)s->totals[place] * s->width >=
	       SVG_NARROW * (double)s->whole;
}

/* Places the callees of each caller side by side. */
static void svg_arrange(struct svg *s)
{
	const struct tree_node *nodes = s->traces.tree.nodes;
	uint64_t roots = 0;

	for (size_t i = 0; i < s->traces.tree.count; i++) {
		uint32_t caller = nodes[i].caller;
		uint64_t *next = caller ? &s->used[caller - 1] : &roots;
		uint64_t start = caller ? s->lefts[caller - 1] : 0;

		s->lefts[i] = saturate_add(start, *next);
		*next = saturate_add(*next, s->totals[i]);
		if (!svg_is_drawn(s, i) || nodes[i].depth >= SVG_ROWS)
			s->result.narrow++;
		else if (nodes[i].depth + (size_t)1 > s->rows)
			s->rows = nodes[i].depth + 1;
	}
	if (s->rows > SVG_ROWS)
		s->rows = SVG_ROWS;
}

/* Frames of one name may have several kinds; one of them is shown. */
static void svg_set_kinds(struct svg *s)
{
	const struct profile *p = s->profile;

	s->kinds = xcalloc(s->traces.table.label_count + 1, sizeof(*s->kinds));
	s->colors = xcalloc(s->traces.table.label_count + 1,
			    sizeof(*s->colors));
	for (uint32_t id = 1; id < p->frame_count; id++) {
		uint32_t label = s->traces.table.label_of[id];

		if (label != NO_LABEL)
			s->kinds[label] = p->frames[id].kind;
		if (label != NO_LABEL && s->options->colors)
			s->colors[label] = s->options->colors[id];
	}
}

static const char *svg_color(enum frame_kind kind)
{
	static const char *const colors[FRAME_KINDS] = {
		[FRAME_INTERPRETED] = "#c3d7ab", [FRAME_C1] = "#b5dca0",
		[FRAME_JIT] = "#8fd18c",         [FRAME_INLINED] = "#8ed0cb",
		[FRAME_NATIVE] = "#f0a6a0",      [FRAME_CPP] = "#e8d27a",
		[FRAME_KERNEL] = "#f2b27c",      [FRAME_JAVA] = "#8fd18c",
		[FRAME_CLASS] = "#b9b4ea",       [FRAME_SYNTHETIC] = "#d5d5d5",
	};

	return colors[kind];
}

/* Appends as much of a name as fits into a width, or nothing. */
static void svg_add_label(struct text *out, const char *name, size_t len,
			  double width)
{
	size_t fits = width > 2 * SVG_CHAR ? (size_t)((width - 4) / SVG_CHAR)
					   : 0;
	size_t chars = text_width(name, len), at = 0;

	if (fits < 3)
		return;
	if (chars <= fits) {
		safe_text_xml(out, name, len);
		return;
	}
	/* Cut before the first byte of a character. */
	for (size_t n = 0; at < len; at++) {
		n += (name[at] & 0xc0) != 0x80;
		if (n == fits)
			break;
	}
	safe_text_xml(out, name, at);
	text_puts(out, "…");
}

/* Draws a frame, or the bar of all frames, with its tooltip. */
static void svg_put_frame(struct svg *s, const char *name, size_t len,
			  uint64_t left, uint64_t total, size_t row,
			  const char *color)
{
	double scale = s->whole ? s->width / (double)s->whole : 0;
	double x = SVG_MARGIN + (double)left * scale;
	double width = (double)total * scale;
	size_t y = SVG_HEAD + (s->rows - row) * SVG_ROW;
	struct text *t = &s->text;

	text_puts(t, "<g><title>");
	safe_text_xml(t, name, len);
	text_puts(t, " (");
	amount_add(t, s->unit, total);
	if (s->unit == UNIT_SAMPLES)
		text_puts(t, total == 1 ? " sample" : " samples");
	text_puts(t, ", ");
	amount_add_share(t, total, s->whole);
	text_printf(t,
		    ")</title><rect x=\"%.1f\" y=\"%zu\" width=\"%.1f\" "
		    "height=\"%d\" fill=\"%s\"/>",
		    x, y, width > 0.6 ? width - 0.4 : width, SVG_ROW - 1,
		    color);
	if (width > 3 * SVG_CHAR) {
		text_printf(t, "<text x=\"%.1f\" y=\"%zu\">", x + 3,
			    y + SVG_ROW - 5);
		svg_add_label(t, name, len, width);
		text_puts(t, "</text>");
	}
	text_puts(t, "</g>\n");
	svg_flush(s, FLUSH_AT);
}

static void svg_put_frames(struct svg *s)
{
	const struct tree_node *nodes = s->traces.tree.nodes;

	svg_put_frame(s, "all", 3, 0, s->whole, 0, "#e4e4e4");
	for (uint32_t i = 0; i < s->traces.tree.count; i++) {
		const struct label_name *n;
		const char *color;

		if (!svg_is_drawn(s, i) || nodes[i].depth >= SVG_ROWS)
			continue;
		n = trace_tree_name(&s->traces, nodes[i].label);
		color = s->colors[nodes[i].label];
		svg_put_frame(s, n->text, n->len, s->lefts[i], s->totals[i],
			      nodes[i].depth + 1,
			      color ? color
				    : svg_color(s->kinds[nodes[i].label]));
	}
}

static void svg_put_head(struct svg *s)
{
	unsigned width = s->width + 2 * SVG_MARGIN;
	size_t height = SVG_HEAD + (s->rows + 1) * SVG_ROW + SVG_MARGIN;
	struct text *t = &s->text;

	text_printf(t,
		    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" "
		    "height=\"%zu\" viewBox=\"0 0 %u %zu\" "
		    "font-family=\"monospace\" font-size=\"12\">\n<title>",
		    width, height, width, height);
	svg_add_safe(t, s->options->title);
	text_printf(t,
		    "</title>\n<rect width=\"%u\" height=\"%zu\" "
		    "fill=\"#ffffff\"/>\n<text x=\"%d\" y=\"22\" "
		    "font-size=\"15\">",
		    width, height, SVG_MARGIN);
	svg_add_safe(t, s->options->title);
	text_puts(t, ": ");
	svg_add_safe(t, s->view->name);
	text_puts(t, ", ");
	amount_add(t, s->unit, s->whole);
	if (s->unit == UNIT_SAMPLES)
		text_puts(t, s->whole == 1 ? " sample" : " samples");
	if (s->without_stack) {
		text_puts(t, ", without stack trace: ");
		amount_add(t, s->unit, s->without_stack);
	}
	text_puts(t, "</text>\n");
}

struct svg_result svg_write(struct output *out, const struct profile *p,
			    const struct event_view *view,
			    const struct svg_options *options)
{
	struct svg s = {
		.profile = p,
		.view = view,
		.options = options,
		.out = out,
		.width = options->width ? options->width : SVG_WIDTH,
	};

	s.unit = view_weighs(view, options->style.weights) ? view->unit
							   : UNIT_SAMPLES;
	trace_tree_of_views(&s.traces, p, view, 1, &options->style);
	s.totals = xcalloc(s.traces.tree.count + 1, sizeof(*s.totals));
	s.lefts = xcalloc(s.traces.tree.count + 1, sizeof(*s.lefts));
	s.used = xcalloc(s.traces.tree.count + 1, sizeof(*s.used));
	svg_set_kinds(&s);
	svg_sum(&s);
	svg_arrange(&s);
	svg_put_head(&s);
	svg_put_frames(&s);
	text_puts(&s.text, "</svg>\n");
	svg_flush(&s, 0);
	trace_tree_release(&s.traces);
	text_release(&s.text);
	free(s.totals);
	free(s.lefts);
	free(s.used);
	free(s.kinds);
	free(s.colors);
	return s.result;
}
