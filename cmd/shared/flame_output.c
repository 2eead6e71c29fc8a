/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/shared/flame_output.h"

#include "cmd/shared/command.h"
#include "cmd/shared/log.h"
#include "core/base/alloc.h"
#include "core/base/nearest.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/profile/bias.h"
#include "render/page/flame.h"
#include "render/profile/export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAMED_VIEWS 8   /* maximum number of other events in the message */
#define PAGE_VIEWS  100 /* maximum number of tabs of a page */
/* With fewer samples, cpu is the first tab only if no other time is longer. */
#define CPU_SAMPLES_MIN 20

const char *flame_output_events(const struct option_list *events)
{
	static struct text joined;

	text_clear(&joined);
	for (size_t i = 0; i < events->count; i++)
		text_printf(&joined, "%s%s", i ? "," : "", events->values[i]);
	if (!events->count)
		return NULL;
	return joined.bytes ? joined.bytes : "";
}

void flame_output_release(struct flame_output *d)
{
	free(d->views);
	d->views = NULL;
	d->view_count = 0;
}

static const char *path_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

const char *flame_output_extension(const char *path)
{
	const char *base = path_base(path);
	const char *dot = strrchr(base, '.');

	return dot && dot != base ? dot : "";
}

char *flame_output_name(const char *input, const struct flame_output_format *f)
{
	const char *base = path_base(input);
	struct text name = { 0 };
	size_t len;

	/* "-", or a directory: "dir/", ".", "..". */
	if (strcmp(base, "-") == 0 || !base[strspn(base, ".")])
		base = "flame";
	len = strlen(base) - strlen(flame_output_extension(base));
	text_add(&name, base, len);
	text_add(&name, f->extensions, strcspn(f->extensions, " "));
	return name.bytes;
}

int flame_output_check_output(const char *output, const char *const *inputs,
			      size_t count, struct error *err)
{
	struct stat out, in;

	if (stat(output, &out) < 0 || !S_ISREG(out.st_mode))
		return 0;
	for (size_t i = 0; i < count; i++) {
		int ret = strcmp(inputs[i], "-") ? stat(inputs[i], &in)
						 : fstat(STDIN_FILENO, &in);

		if (ret == 0 && in.st_dev == out.st_dev &&
		    in.st_ino == out.st_ino)
			return fail(err, ERROR_OUTPUT,
				    "%s is also an input; choose another "
				    "--output",
				    output);
	}
	return 0;
}

char *flame_output_source_of(const char *const *inputs, size_t count)
{
	struct text source = { 0 };

	if (count > 1)
		text_printf(&source, "%zu recordings", count);
	else
		text_puts(&source, strcmp(inputs[0], "-") == 0 ? "<stdin>"
				   : *path_base(inputs[0])
					   ? path_base(inputs[0])
					   : inputs[0]);
	return source.bytes;
}

/* Fails: the filters leave no samples of the view. */
static int flame_output_fail_empty(const struct event_view *view,
				   const struct sample_filter *filter,
				   struct error *err)
{
	struct text names = { 0 };

	sample_filter_name(filter, &names);
	fail(err, ERROR_FAILED,
	     "%s leaves none of the %" PRIu64 " %s samples; nothing is written",
	     names.bytes, view->samples, view->name);
	text_release(&names);
	return -1;
}

/* Adds event names similar to `event` to the error. Returns -1. */
static int flame_output_suggest(const struct profile *p, const char *event,
				struct error *err)
{
	struct nearest nearest = nearest_to(event ? event : "",
					    event ? strlen(event) : 0);
	struct event_view *views = NULL;
	size_t count = event_views(p, &views);
	struct text near = { 0 };

	for (size_t i = 0; i < count; i++)
		nearest_offer(&nearest, views[i].name);
	if (nearest_suggest(&nearest, &near)) {
		size_t used = strlen(err->text);

		snprintf(err->text + used, sizeof(err->text) - used, "%s",
			 near.bytes);
	}
	text_release(&near);
	free(views);
	return -1;
}

static bool views_overlap(const struct event_view *a,
			  const struct event_view *b)
{
	for (size_t i = 0; i < a->event_count; i++) {
		for (size_t k = 0; k < b->event_count; k++)
			if (a->events[i] == b->events[k])
				return true;
	}
	return false;
}

/*
 * Adds the view of a named event to d->views, which has room. An event drawn
 * twice would be missing in one of the graphs.
 */
static int flame_output_add_view(struct flame_output *d, const char *event,
				 struct error *err)
{
	struct event_view *view = &d->views[d->view_count];

	if (event_view_choose(d->profile, event, view, err))
		return flame_output_suggest(d->profile, event, err);
	for (size_t i = 0; i < d->view_count; i++) {
		if (views_overlap(&d->views[i], view))
			return misuse(err,
				      "option --event: '%s' and '%s' include "
				      "the same samples",
				      d->views[i].name, view->name);
	}
	d->view_count++;
	return 0;
}

/* Chooses the views of a list of events: "cpu,alloc". */
static int flame_output_add_views(struct flame_output *d, const char *events,
				  struct error *err)
{
	char *names = xstrdup(events), *rest = names, *name;
	int ret = 0;

	d->views = xcalloc(strlen(events) + 1, sizeof(*d->views));
	while (ret == 0 && (name = strsep(&rest, ",")))
		ret = flame_output_add_view(d, name, err);
	free(names);
	return ret;
}

/* Chooses the views of all events. */
static int flame_output_add_all(struct flame_output *d, struct error *err)
{
	struct event_view front;

	if (event_view_choose(d->profile, NULL, &front, err))
		return -1;
	d->view_count = event_views(d->profile, &d->views);
	for (size_t i = 0; i < d->view_count; i++) {
		if (strcmp(d->views[i].name, front.name) == 0)
			d->selected = i;
	}
	return 0;
}

/*
 * Looks for the events before it applies the filter, to distinguish a missing
 * event from a filter that leaves no samples of it.
 */
int flame_output_choose(struct flame_output *d,
			const struct sample_filter *filter, struct error *err)
{
	const char *events = d->options->event;
	struct event_view whole;

	if (events ? flame_output_add_views(d, events, err)
		   : event_view_choose(d->profile, NULL, &whole, err))
		return -1;
	sample_filter_apply(filter, d->profile);
	if (!events)
		return flame_output_add_all(d, error_unused()) == 0
			       ? 0
			       : flame_output_fail_empty(&whole, filter, err);
	for (size_t i = 0; i < d->view_count; i++) {
		whole = d->views[i];
		if (event_view_choose(d->profile, whole.name, &d->views[i],
				      error_unused()))
			return flame_output_fail_empty(&whole, filter, err);
	}
	return 0;
}

static void flame_output_log_choice(const struct flame_output *d,
				    const struct flame_output_format *format)
{
	const struct event_view *front = &d->views[d->selected];
	struct text others = { 0 };
	size_t more = 0;

	for (size_t i = 0; i < d->view_count; i++) {
		if (i != d->selected && i <= NAMED_VIEWS)
			text_printf(&others, "%s%s", others.len ? ", " : "",
				    d->views[i].name);
		else if (i != d->selected)
			more++;
	}
	if (more)
		text_printf(&others, " and %zu more", more);
	if (others.len && format->is_page)
		log_info("the HTML flame graph opens with %s (%" PRIu64
			 " sample%s); other "
			 "tabs: %s",
			 front->name, front->samples,
			 units_plural(front->samples), others.bytes);
	else if (others.len)
		log_info("%s output has only %s (%" PRIu64 " sample%s); use "
			 "--event for %s",
			 format->name, front->name, front->samples,
			 units_plural(front->samples), others.bytes);
	text_release(&others);
}

/*
 * Opens the page with the longest time if few samples of the CPU hide where the
 * threads wait.
 */
static void flame_output_choose_front(struct flame_output *d)
{
	const struct event_view *cpu = &d->views[d->selected];

	if (strcmp(cpu->name, "cpu") != 0 || cpu->unit != UNIT_NS ||
	    cpu->samples >= CPU_SAMPLES_MIN)
		return;
	for (size_t i = 0; i < d->view_count; i++) {
		if (d->views[i].unit == UNIT_NS &&
		    d->views[i].weight > d->views[d->selected].weight)
			d->selected = i;
	}
	if (d->all_asked && cpu != &d->views[d->selected])
		log_info("the HTML flame graph opens with %s; cpu has only "
			 "%" PRIu64 " samples",
			 d->views[d->selected].name, cpu->samples);
}

/* Each tab costs as much as a graph, even with few samples. */
void flame_output_limit(struct flame_output *d,
			const struct flame_output_format *format)
{
	size_t count = d->view_count;

	if (d->options->event)
		return;
	if (format->is_page)
		flame_output_choose_front(d);
	if (!d->all_asked)
		flame_output_log_choice(d, format);
	d->view_count = event_views_limit(d->views, count, PAGE_VIEWS,
					  &d->selected);
	if (count > d->view_count)
		log_info("the HTML flame graph has tabs for %zu of the %zu "
			 "kinds of "
			 "events; use --event for another",
			 d->view_count, count);
}

int flame_output_write(const struct flame_output *d,
		       const struct flame_output_format *format,
		       struct error *err)
{
	struct output out;
	bool whole = false, replaced = access(d->output, F_OK) == 0;
	int ret = output_open(&out, d->output, err);

	if (ret == 0) {
		whole = format->write(&out, d);
		ret = output_commit(&out, err);
	}
	output_close(&out);
	if (ret)
		return -1;
	if (strcmp(d->output, "-") != 0)
		log_info("wrote %s%s", d->output,
			 replaced ? " (replaced)" : "");
	if (!whole || profile_is_partial(d->profile))
		return fail(err, ERROR_PARTIAL,
			    "%s is incomplete: part of the input is unreadable "
			    "or lost",
			    strcmp(d->output, "-") ? d->output : "<stdout>");
	return 0;
}

static const char *flame_output_title(const struct flame_output *d)
{
	return d->options->title ? d->options->title : d->source;
}

static bool format_write_page(struct output *out, const struct flame_output *d)
{
	const struct event_view *front = &d->views[d->selected];
	const struct flame_output_options *o = d->options;
	const struct flame_options options = {
		.title = flame_output_title(d),
		.source = d->source,
		/* The weight may count samples that records combine. */
		.style = flame_output_style(
			o, !o->samples || (front->unit == UNIT_SAMPLES &&
					   front->weight != front->samples)),
		.min_width = o->min_width,
	};
	struct flame_result result;

	result = flame_write(out, d->profile, d->views, d->view_count,
			     d->selected, &options);
	if (result.elided && o->min_width < 0)
		log_info("omitted %zu of %zu stack traces, which are narrower "
			 "than %g %%; --min-width 0 draws them",
			 result.elided, result.elided + result.nodes,
			 result.below);
	return true;
}

static bool format_write_collapsed(struct output *out,
				   const struct flame_output *d)
{
	const struct event_view *view = &d->views[d->selected];
	const struct flame_output_options *o = d->options;
	const struct collapsed_options options = {
		.style = flame_output_style(
			o, o->total || view->unit == UNIT_SAMPLES),
	};
	struct collapsed_result result;

	result = collapsed_write(out, d->profile, view, &options);
	if (result.cut)
		log_always(
			"lost: stack traces truncated to %zu frames: %" PRIu64,
			result.depth, result.cut);
	return !result.cut;
}

/* Warns and returns false when stack traces were truncated to depth. */
static bool flame_output_is_whole(size_t depth)
{
	if (depth)
		log_always("lost: stack traces truncated to %zu frames", depth);
	return !depth;
}

static bool format_write_speedscope(struct output *out,
				    const struct flame_output *d)
{
	const struct flame_output_options *o = d->options;
	const struct speedscope_options options = {
		.title = flame_output_title(d),
		.style = flame_output_style(o, !o->samples),
	};

	return flame_output_is_whole(speedscope_write(out, d->profile, d->views,
						      d->view_count,
						      d->selected, &options)
					     .depth);
}

static bool format_write_pprof(struct output *out, const struct flame_output *d)
{
	const struct flame_output_options *o = d->options;
	const struct event_view *front = &d->views[d->selected];
	const struct pprof_options options = {
		.period = rate_period(d->profile, front),
		.title = flame_output_title(d),
		.style = flame_output_style(o, !o->samples),
	};

	return flame_output_is_whole(pprof_write(out, d->profile, d->views,
						 d->view_count, d->selected,
						 &options)
					     .depth);
}

static bool format_write_otlp(struct output *out, const struct flame_output *d)
{
	const struct flame_output_options *o = d->options;
	const struct otlp_options options = {
		.style = flame_output_style(o, !o->samples),
	};
	struct otlp_result result;

	result = otlp_write(out, d->profile, d->views, d->view_count, &options);
	if (result.cut)
		log_always(
			"lost: stack traces truncated to %zu frames: %" PRIu64,
			result.depth, result.cut);
	return !result.cut;
}

static bool format_write_svg(struct output *out, const struct flame_output *d)
{
	const struct flame_output_options *o = d->options;
	const struct svg_options options = {
		.title = flame_output_title(d),
		.style = flame_output_style(o, !o->samples),
	};
	struct svg_result result;

	result = svg_write(out, d->profile, &d->views[d->selected], &options);
	if (result.narrow)
		log_info("omitted frames, which are too narrow or "
			 "too deep to draw: %zu",
			 result.narrow);
	return true;
}

static bool format_write_firefox(struct output *out,
				 const struct flame_output *d)
{
	const struct flame_output_options *o = d->options;
	const struct firefox_options options = {
		.title = flame_output_title(d),
		.style = flame_output_style(o, !o->samples),
	};

	firefox_write(out, d->profile, d->views, d->view_count, d->selected,
		      &options);
	return true;
}

static bool format_write_jfr(struct output *out, const struct flame_output *d)
{
	struct jfr_result result;

	result = jfr_write(out, d->profile, d->views, d->view_count);
	if (result.cut)
		log_always(
			"lost: stack traces truncated to %zu frames: %" PRIu64,
			result.depth, result.cut);
	if (result.dropped)
		log_always("lost: samples beyond %" PRIu64 ": %" PRIu64,
			   JFR_EVENTS, result.dropped);
	return !result.cut && !result.dropped;
}

/* The first format is the default for names without an extension. */
static const struct flame_output_format formats[] = {
	{ "html", ".html .htm", .is_page = true, .titled = true,
	  .reverses = true, .write = format_write_page },
	{ "collapsed", ".collapsed .folded", .annotates = true,
	  .reverses = true, .one_event = true,
	  .write = format_write_collapsed },
	{ "speedscope", ".speedscope.json .json", .titled = true,
	  .annotates = true, .write = format_write_speedscope },
	{ "pprof", ".pb.gz .pprof", .titled = true, .annotates = true,
	  .write = format_write_pprof },
	{ "otlp", ".otlp", .annotates = true, .write = format_write_otlp },
	{ "firefox", ".firefox.json.gz .json.gz", .titled = true,
	  .annotates = true, .write = format_write_firefox },
	{ "jfr", ".jfr", .write = format_write_jfr },
	{ "svg", ".svg", .titled = true, .annotates = true, .one_event = true,
	  .has_no_threads = true, .write = format_write_svg },
};

#define FORMATS (sizeof(formats) / sizeof(*formats))

const char *flame_output_formats(void)
{
	static struct text choices;

	if (!choices.len) {
		for (size_t i = 0; i < FORMATS; i++)
			text_printf(&choices, "%s%s", i ? "|" : "",
				    formats[i].name);
	}
	return choices.bytes;
}

/* True if the path ends with one of the format's extensions. */
static bool format_has_extension(const struct flame_output_format *f,
				 const char *path)
{
	const char *base = path_base(path);
	size_t base_len = strlen(base);
	const char *at = f->extensions;

	while (*at) {
		size_t len = strcspn(at, " ");

		if (len < base_len &&
		    memcmp(base + base_len - len, at, len) == 0)
			return true;
		at += len;
		at += *at == ' ';
	}
	return false;
}

/* Rejects options that the format would ignore. */
static int flame_output_check_options(const struct flame_output_format *f,
				      const struct flame_output_options *o,
				      struct error *err)
{
	if (o->style.annotate && !f->annotates)
		return misuse(err, "--annotate does not work with %s output",
			      f->name);
	if (o->style.reverse && !f->reverses)
		return misuse(err, "--reverse does not work with %s output",
			      f->name);
	if (o->style.threads && f->has_no_threads)
		return misuse(err, "--threads does not work with %s output",
			      f->name);
	if (o->title && !f->titled)
		return misuse(err, "--title does not work with %s output",
			      f->name);
	if (o->min_width >= 0 && !f->is_page)
		return misuse(err, "--min-width requires html output");
	if (o->event && strchr(o->event, ',') && f->one_event)
		return misuse(err,
			      "%s output supports one event: choose one event "
			      "or another format",
			      f->name);
	return 0;
}

static void format_fail_unknown(const char *output, const char *dot,
				const struct flame_output_options *o,
				struct error *err)
{
	struct text known = { 0 };

	for (size_t i = 0; i < FORMATS; i++) {
		if (i)
			text_puts(&known, o->by_extension && i + 1 == FORMATS
						  ? " or "
						  : ", ");
		text_add(&known, formats[i].extensions,
			 strcspn(formats[i].extensions, " "));
	}
	misuse(err, "%s: unknown extension %s; use %s%s%s%s", output, dot,
	       known.bytes, o->reports ? ", " : "",
	       o->reports ? o->reports : "",
	       o->by_extension ? "" : ", or --output-format");
	text_release(&known);
}

/* In other commands, .json is sjkc's own JSON. */
static void format_note_old_extension(const char *output, const char *dot)
{
	if (strcmp(dot, ".json") == 0 && !strstr(output, ".speedscope.json"))
		log_info("%s has the format of speedscope; later versions "
			 "require the extension .speedscope.json",
			 output);
}

const struct flame_output_format *
flame_output_format(const char *name, const char *output,
		    const struct flame_output_options *o, struct error *err)
{
	const char *dot = output ? flame_output_extension(output) : "";
	const struct flame_output_format *found = NULL;

	for (size_t i = 0; !found && i < FORMATS; i++) {
		if (name ? strcmp(formats[i].name, name) == 0
			 : output && format_has_extension(&formats[i], output))
			found = &formats[i];
	}
	if (!found && !*dot)
		found = &formats[0];
	if (!found && (strcmp(dot, ".std") == 0 || strcmp(dot, ".sjk") == 0))
		misuse(err, "%s: `sjkc stcpy -i INPUT -o %s` writes %s files",
		       output, output, dot);
	else if (!found)
		format_fail_unknown(output, dot, o, err);
	else if (!name && output)
		format_note_old_extension(output, dot);
	return found && flame_output_check_options(found, o, err) == 0 ? found
								       : NULL;
}
