/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page of a diagnosis: the causes, each with its numbers, and what they
 * were found in: the pauses, a flame graph and the last thread dump.  It has no
 * script.
 */
#include "cmd/why/why.h"

#include "core/base/lines.h"
#include "core/profile/event_view.h"
#include "render/page/flame_summary.h"
#include "render/profile/export.h"
#include "render/threads/threads_report.h"

#include <math.h>
#include <string.h>

enum { CHART_WIDTH = 1000, CHART_HEIGHT = 120 };

/* clang-format off */
static const char page_head[] =
	"<!doctype html>\n"
	"<html lang=\"en\">\n"
	"<head>\n"
	"<meta charset=\"utf-8\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n"
	"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	"<meta name=\"color-scheme\" content=\"light dark\">\n"
	"<style>\n"
	":root { color-scheme: light dark; --soft: #565c68; --line: #d9dce2; --bar: #1d4ed8; }\n"
	"@media (prefers-color-scheme: dark) { :root { --soft: #a4abb8; --line: #363b46; --bar: #8ab4ff; } }\n"
	"body { margin: 0 auto; max-width: 1240px; padding: 12px; font: 14px/20px system-ui, \"DejaVu Sans\", sans-serif; }\n"
	"h1 { font-size: 18px; } h2 { font-size: 16px; margin: 20px 0 4px; }\n"
	"p, li { overflow-wrap: anywhere; } p { margin: 4px 0; }\n"
	".rank { font-size: 12px; font-weight: 600; border: 1px solid var(--line); border-radius: 4px; padding: 1px 6px; margin-right: 8px; }\n"
	".soft { color: var(--soft); }\n"
	"table { border-collapse: collapse; font-variant-numeric: tabular-nums; }\n"
	"td, th { padding: 2px 16px 2px 0; text-align: left; border-bottom: 1px solid var(--line); } td.n { text-align: right; }\n"
	"pre, .wide { overflow-x: auto; } code { font-size: 13px; }\n"
	"summary { cursor: pointer; font-weight: 600; margin: 8px 0; }\n"
	".gc { fill: var(--bar); } .other { fill: var(--soft); }\n"
	"</style>\n"
	"<title>";
/* clang-format on */

/* Adds a text, or nothing, between marks. */
static void page_put(struct text *out, const char *before, const char *string,
		     const char *after)
{
	text_puts(out, before);
	if (string)
		flame_html(out, string, strlen(string));
	text_puts(out, after);
}

static void page_add_evidence(struct text *out, const struct evidence *all,
			      size_t count)
{
	text_puts(out, "<table><tr><th>number</th><th>value</th><th>unit</th>"
		       "<th>source</th></tr>\n");
	for (size_t i = 0; i < count; i++) {
		page_put(out, "<tr><td>", all[i].name, "</td><td class=\"n\">");
		text_printf(out,
			    all[i].value == floor(all[i].value) ? "%.0f"
								: "%.4g",
			    all[i].value);
		page_put(out, "</td><td>", all[i].unit, "</td><td>");
		page_put(out, "", all[i].source, "</td></tr>\n");
	}
	text_puts(out, "</table>\n");
}

static void page_add_cause(struct text *out, size_t number,
			   const struct cause *c)
{
	text_printf(out, "<h2>%zu <span class=\"rank\">%s</span>", number,
		    cause_rank_names[c->rank]);
	page_put(out, "", c->sentence.bytes, "</h2>\n<p>");
	page_put(out, "", c->detail.bytes, "");
	if (c->explained_by)
		text_printf(out, " (because of %zu)", c->explained_by);
	if (c->next.len)
		page_put(out, "</p>\n<p>Next: <code>sjkc ", c->next.bytes,
			 "</code>");
	text_puts(out, "</p>\n<details><summary>Numbers</summary>\n");
	page_add_evidence(out, c->evidence, c->evidence_count);
	text_puts(out, "</details>\n");
}

static void page_add_rules(struct text *out, const struct diagnosis *d)
{
	text_puts(out, "<p class=\"soft\">Fine:");
	for (size_t i = 0; i < d->fine_count; i++)
		text_printf(out, "%s %s", i ? "," : "", d->fine[i]->topic);
	text_puts(out, "</p>\n");
	if (!d->unchecked_count)
		return;
	text_puts(out, "<p class=\"soft\">Not checked:</p>\n<ul>\n");
	for (size_t i = 0; i < d->unchecked_count; i++) {
		text_printf(out,
			    "<li class=\"soft\">%s: ", d->unchecked[i]->topic);
		page_put(out, "", d->reasons[i], "</li>\n");
	}
	text_puts(out, "</ul>\n");
}

/* A bar for each stop, at its end, as high as it was long. */
static void page_add_pauses(struct text *out, const struct diagnosis *d,
			    const struct observed_stop *all, size_t count)
{
	double longest = 0;

	if (!count || d->seconds <= 0)
		return;
	for (size_t i = 0; i < count; i++)
		if (all[i].stopped_s > longest)
			longest = all[i].stopped_s;
	text_printf(out,
		    "<details><summary>Stops of the program</summary>\n"
		    "<p>%zu stops in %.1f s; the longest: %.3g ms. Blue: "
		    "garbage collection.</p>\n<div class=\"wide\"><svg "
		    "xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
		    "height=\"%d\" role=\"img\" aria-label=\"stops\">\n",
		    count, d->seconds, 1000 * longest, CHART_WIDTH,
		    CHART_HEIGHT + 2);
	for (size_t i = 0; i < count && longest > 0; i++) {
		double height = CHART_HEIGHT * all[i].stopped_s / longest;
		double width = CHART_WIDTH * all[i].stopped_s / d->seconds;
		double end = CHART_WIDTH * all[i].end_s / d->seconds;

		width = width < 1 ? 1 : width;
		text_printf(out,
			    "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" "
			    "width=\"%.1f\" height=\"%.1f\"><title>%.3g ms, "
			    "at %.2f s</title></rect>\n",
			    all[i].is_collection ? "gc" : "other", end - width,
			    CHART_HEIGHT + 1 - height, width, height,
			    1000 * all[i].stopped_s, all[i].end_s);
	}
	text_puts(out, "</svg></div>\n</details>\n");
}

static void page_write_flame(struct output *out, struct profile *p)
{
	const struct svg_options options = { .title = "CPU time" };
	struct event_view view;

	if (!p || event_view_choose(p, "cpu", &view, error_unused()))
		return;
	output_puts(out, "<details><summary>CPU time</summary>\n"
			 "<div class=\"wide\">\n");
	svg_write(out, p, &view, &options);
	output_puts(out, "</div>\n</details>\n");
}

static void page_add_dump(struct text *out, const struct diagnosis *d,
			  const struct dump_series *s)
{
	const struct threads_options options = {
		.source = d->title.len ? d->title.bytes : "",
		.top = 50,
		.few = 5,
		.frames = 60,
	};
	struct text report = { 0 };
	struct lines lines;
	struct line line;

	if (!s)
		return;
	threads_text(&report, s, &options);
	text_puts(out, "<details><summary>The last thread dump</summary>\n"
		       "<pre>");
	lines = lines_over(report.bytes, report.len);
	while (lines_next(&lines, &line)) {
		flame_html(out, line.text, line.len);
		text_putc(out, '\n');
	}
	text_puts(out, "</pre>\n</details>\n");
	text_release(&report);
}

void why_write_page(struct output *out, const struct diagnosis *d,
		    struct observation *o)
{
	const struct observed seen = observation_observed(o);
	struct text t = { 0 };

	page_put(&t, page_head, d->title.bytes,
		 "</title>\n</head>\n<body>\n<h1>");
	page_put(&t, "", d->title.bytes, "");
	text_printf(&t, "</h1>\n<p>%.1f s observed, %zu thread dumps</p>\n",
		    d->seconds, d->dumps);
	if (!d->count)
		text_puts(&t, "<h2>No cause found</h2>\n");
	for (size_t i = 0; i < d->count; i++)
		page_add_cause(&t, i + 1, &d->causes[i]);
	page_add_rules(&t, d);
	if (d->lost.len)
		page_put(&t, "<p>Lost: ", d->lost.bytes, "</p>\n");
	text_puts(&t, "<h2>Evidence</h2>\n");
	page_add_pauses(&t, d, seen.stops, seen.stop_count);
	output_write(out, t.bytes, t.len);
	text_clear(&t);
	page_write_flame(out, seen.profile);
	page_add_dump(&t, d, seen.dump);
	text_puts(&t, "<details><summary>Figures</summary>\n");
	page_add_evidence(&t, d->figures, d->figure_count);
	text_puts(&t, "</details>\n</body>\n</html>\n");
	output_write(out, t.bytes, t.len);
	text_release(&t);
}
