/* SPDX-License-Identifier: Apache-2.0 */
/* sjkc ssa: SJK's reports on stack traces (stack sample analyzer). */
#include "cmd/sjk/ssa.h"

#include "cmd/commands.h"
#include "cmd/sjk/sjk_table.h"
#include "core/base/alloc.h"
#include "core/base/safe_text.h"
#include "core/profile/event_view.h"
#include "core/profile/frame_name.h"
#include "render/profile/export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SSA_NS_PER_MS 1000000

static struct ssa_options opt = { .width = SVG_WIDTH };

/* Appends "2026-11-21T08:47:57.269", in the time zone of the options. */
static void print_add_time(struct text *out, int64_t ns)
{
	int64_t ms = ns / SSA_NS_PER_MS;
	time_t seconds = (time_t)(ms / 1000);
	struct tm tm;
	char text[64] = "";

	if (localtime_r(&seconds, &tm))
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	text_printf(out, "%s.%03d", text, (int)(ms % 1000));
}

struct printing {
	struct output *out;
	struct sjk_frames frames;
};

static void print_add(void *self, struct profile *p, const struct sample *s,
		      const struct sample_details *d)
{
	struct printing *printing = self;
	const struct sjk_frames *frames = &printing->frames;
	const struct thread *t = &p->threads[s->thread];
	int64_t id = t->java_id ? t->java_id : t->os_id ? t->os_id : -1;
	struct text text = { 0 };

	(void)d;
	text_printf(&text, "Thread [%" PRId64 "] ", id);
	if (s->state)
		text_printf(&text, "%s ", thread_state_names[s->state]);
	text_puts(&text, "at ");
	print_add_time(&text, s->time_ns);
	if (t->name) {
		text_puts(&text, " - ");
		safe_text(&text, profile_text(p, t->name),
			  intern_len(&p->strings, t->name));
	}
	text_putc(&text, '\n');
	sjk_frames_set(&printing->frames, p, s->stack);
	for (size_t i = 0; i < frames->count; i++) {
		frame_place_name(&text, p, &p->frames[frames->at[i]]);
		text_putc(&text, '\n');
	}
	text_putc(&text, '\n');
	output_write(printing->out, text.bytes, text.len);
	text_release(&text);
}

static int ssa_print(struct ssa_options *o, int argc, char **argv,
		     struct ssa_classes *c, struct output *out,
		     struct error *err)
{
	struct printing printing = { .out = out };
	const struct sjk_sink sink = { .add = print_add, .self = &printing };
	struct profile *p = sjk_input_read(&o->input, argc, argv, &sink, err);
	int ret = p ? sjk_frames_check(&printing.frames, p, err) : -1;

	(void)c;
	free(printing.frames.at);
	profile_free(p);
	return ret;
}

struct categories {
	const struct ssa_classes *classes;
	uint64_t *counts;
	uint64_t total;
};

static void categories_add(void *self, struct profile *p,
			   const struct sample *s,
			   const struct sample_details *d)
{
	struct categories *c = self;

	(void)d;
	for (size_t i = 0; i < c->classes->count; i++) {
		uint32_t stack = s->stack;

		if (!trace_verdicts_pass(c->classes->all[i].verdicts, p, &stack,
					 s->state))
			continue;
		c->counts[i] += s->count;
		c->total += s->count;
		return;
	}
}

/* Rounds half up, as Java's formatter does. */
static void categories_add_percent(struct sjk_table *t, const char *tab,
				   uint64_t count, uint64_t total)
{
	/* SJK computes with single precision. */
	float percent = total ? 100.0f * (float)count / (float)total : 0;
	uint64_t hundredths = (uint64_t)((double)percent * 100 + 0.5);

	sjk_table_add(t, "%s%" PRIu64 ".%02u%%", tab, hundredths / 100,
		      (unsigned)(hundredths % 100));
}

static void categories_print(const struct categories *c, bool csv,
			     struct output *out)
{
	struct sjk_table t = { .columns = 3 };
	const char *tab = csv ? "" : "\t ";

	sjk_table_add(&t, "Total samples");
	sjk_table_add(&t, "%s%" PRIu64, tab, c->total);
	sjk_table_add(&t, "%s100.00%%", tab);
	for (size_t i = 0; i < c->classes->count; i++) {
		sjk_table_add(&t, "%s", c->classes->all[i].name);
		sjk_table_add(&t, "%s%" PRIu64, tab, c->counts[i]);
		categories_add_percent(&t, tab, c->counts[i], c->total);
	}
	if (csv)
		sjk_table_print_csv(&t, out);
	else
		sjk_table_print(&t, out, SIZE_MAX, false);
	output_puts(out, "\n");
	sjk_table_release(&t);
}

static int ssa_categorize(struct ssa_options *o, int argc, char **argv,
			  struct ssa_classes *classes, struct output *out,
			  struct error *err)
{
	struct categories c = { .classes = classes };
	const struct sjk_sink sink = {
		.add = categories_add,
		.self = &c,
		.unfiltered = o->input.sjk_compat,
	};
	struct profile *p;
	int ret = -1;

	if (!classes->count)
		return misuse(err,
			      "--categorize requires categories: name "
			      "them with --named-class or --categorizer-file");
	c.counts = xcalloc(classes->count, sizeof(*c.counts));
	p = sjk_input_read(&o->input, argc, argv, &sink, err);
	if (p) {
		categories_print(&c, o->csv, out);
		ret = sjk_input_check(p, err);
	}
	profile_free(p);
	free(c.counts);
	return ret;
}

/* Adds a sample to the profile, as without a tap. */
static void flame_add(void *self, struct profile *p, const struct sample *s,
		      const struct sample_details *d)
{
	const struct sample_tap *tap = p->tap;

	(void)self;
	(void)d;
	p->tap = NULL;
	profile_add(p, s);
	p->tap = tap;
}

/* The colors of --rainbow, in the order of its filters. */
static const char *const rainbow[] = {
	"#f0a6a0", "#8ed0cb", "#b9b4ea", "#f2b27c", "#8fd18c",
	"#e8d27a", "#9cc4f0", "#e6a5d2", "#c3d7ab", "#c8b7a6",
};

#define RAINBOW        (sizeof(rainbow) / sizeof(*rainbow))
#define RAINBOW_OTHERS "#d5d5d5"

/*
 * Returns the color of each frame: that of the first filter that a stack trace
 * of this frame alone matches. The caller frees the array.
 */
static const char **flame_colors(const struct ssa_classes *filters,
				 struct profile *p)
{
	size_t count = p->frame_count;
	const char **colors = xcalloc(count + 1, sizeof(*colors));

	for (uint32_t id = 1; id < count; id++) {
		uint32_t alone = profile_push(p, 0, id);

		colors[id] = RAINBOW_OTHERS;
		for (size_t k = filters->count; k-- > 0;) {
			uint32_t stack = alone;

			if (trace_verdicts_pass(filters->all[k].verdicts, p,
						&stack, STATE_NONE))
				colors[id] = rainbow[k % RAINBOW];
		}
	}
	return colors;
}

/* Each filter is a class without a name of its own. */
static int flame_compile(struct ssa_classes *filters,
			 const struct ssa_options *o, struct error *err)
{
	unsigned flags = o->input.sjk_compat ? 0 : TRACE_EXCLUSIVE;
	struct text word = { 0 };
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < o->rainbow.count; i++) {
		text_clear(&word);
		text_printf(&word, "%zu=%s", i + 1, o->rainbow.values[i]);
		ret = ssa_classes_add(filters, word.bytes, flags, err);
	}
	text_release(&word);
	return ret ? fail_in(err, "option --rainbow") : 0;
}

/* Fails: the filters leave no samples. */
static int flame_fail_empty(const struct sjk_input_options *o,
			    const struct event_view *view, struct error *err)
{
	const struct {
		const char *name, *value;
	} filters[] = {
		{ "--thread-name", o->thread_name },
		{ "--trace-filter", o->trace_filter },
		{ "--trace-trim", o->trace_trim },
		{ "--jfr-event", o->jfr_event ? o->jfr_event : "EXEC" },
	};
	const char *between = "";
	struct text names = { 0 };

	/* The event alone leaves none only without another filter. */
	for (size_t i = 0; i < 4 && (i < 3 || !names.len); i++) {
		if (!filters[i].value)
			continue;
		text_printf(&names, "%s%s '%s'", between, filters[i].name,
			    filters[i].value);
		between = ", ";
	}
	fail(err, ERROR_FAILED,
	     "%s leaves none of the %" PRIu64 " %s samples; nothing is written",
	     names.bytes, view->samples, view->name);
	text_release(&names);
	return -1;
}

static int flame_draw(const struct ssa_options *o, struct profile *p,
		      const struct ssa_classes *filters, struct output *out,
		      struct error *err)
{
	const char **colors = filters->count ? flame_colors(filters, p) : NULL;
	const struct svg_options options = {
		.title = o->title ? o->title : "Flame Graph",
		.width = (unsigned)o->width,
		.colors = colors,
	};
	struct event_view view;
	int ret = event_view_choose(p, NULL, &view, err);

	if (ret == 0 && !p->cell_count)
		ret = flame_fail_empty(&o->input, &view, err);
	if (ret == 0)
		svg_write(out, p, &view, &options);
	free(colors);
	return ret;
}

static int ssa_flame(struct ssa_options *o, int argc, char **argv,
		     struct ssa_classes *c, struct output *out,
		     struct error *err)
{
	const struct sjk_sink sink = { .add = flame_add };
	struct ssa_classes filters = { 0 };
	struct profile *p = NULL;
	int ret = -1;

	(void)c;
	if (flame_compile(&filters, o, err) == 0)
		p = sjk_input_read(&o->input, argc, argv, &sink, err);
	if (p && flame_draw(o, p, &filters, out, err) == 0)
		ret = sjk_input_check(p, err);
	profile_free(p);
	ssa_classes_release(&filters);
	return ret;
}

static int ssa_help(struct ssa_options *o, int argc, char **argv,
		    struct ssa_classes *c, struct output *out,
		    struct error *err)
{
	(void)o;
	(void)argc;
	(void)argv;
	(void)c;
	(void)err;
	output_puts(
		out,
		"A filter selects stack traces by their frames.\n"
		"\n"
		"  a.b.Class.method   a frame begins with this text; * is any "
		"text without\n"
		"                     a dot, ** is any text, **. any package\n"
		"  X*:12              line 12 of X\n"
		"  #state=BLOCK*      the thread state\n"
		"  A,B                A or B\n"
		"  A+B  A!B  !A       A and B; A and not B; not A\n"
		"  A/+B  A/!B         B matches (does not match) the frames "
		"that the A\n"
		"                     nearest to the leaf calls\n"
		"  A/^+B  A/^!B       the same for the A nearest to the root\n"
		"\n"
		"The comma binds most tightly, then the operators with a "
		"slash.\n"
		"With --sjk-compat, the part above the A nearest to the root "
		"includes A.\n");
	return 0;
}

static const struct {
	const bool *chosen;
	const char *option;
	ssa_report *run;
} reports[] = {
	{ &opt.print, "--print", ssa_print },
	{ &opt.histo, "--histo", ssa_histo },
	{ &opt.categorize, "--categorize", ssa_categorize },
	{ &opt.thread_info, "--thread-info", ssa_thread_info },
	{ &opt.flame, "--flame", ssa_flame },
	{ &opt.ssa_help, "--ssa-help", ssa_help },
};

static ssa_report *ssa_choose(struct error *err)
{
	ssa_report *chosen = NULL;
	size_t count = 0;

	for (size_t i = 0; i < sizeof(reports) / sizeof(*reports); i++) {
		if (*reports[i].chosen) {
			chosen = reports[i].run;
			count++;
		}
	}
	if (count == 1)
		return chosen;
	misuse(err, "choose one report: --print, --histo, --categorize, "
		    "--thread-info, --flame or --ssa-help");
	return NULL;
}

static int ssa_compile(struct ssa_classes *c, struct error *err)
{
	unsigned flags = opt.input.sjk_compat ? 0 : TRACE_EXCLUSIVE;

	for (size_t i = 0; i < opt.named.count; i++) {
		if (ssa_classes_add(c, opt.named.values[i], flags, err))
			return fail_in(err, "option --named-class");
	}
	if (opt.category_file)
		return ssa_classes_load(c, opt.category_file, flags, err);
	return 0;
}

static int ssa_run(int argc, char **argv, struct error *err)
{
	ssa_report *report = ssa_choose(err);
	struct ssa_classes classes = { 0 };
	struct output out = { 0 };
	struct error committed;
	int ret = -1;

	if (report && (opt.width < 100 || opt.width > 100000)) {
		misuse(err, "--width is between 100 and 100000 pixels");
		goto out;
	}
	if (!report || ssa_compile(&classes, err) ||
	    output_open(&out, "-", err))
		goto out;
	ret = report(&opt, argc, argv, &classes, &out, err);
	if ((ret == 0 || err->kind == ERROR_PARTIAL) &&
	    output_commit(&out, &committed)) {
		*err = committed;
		ret = -1;
	}
out:
	output_close(&out);
	ssa_classes_release(&classes);
	return ret;
}

/* clang-format off */
static const struct command_option options[] = {
	OPT_LIST('f', "file", &opt.input.files, "<file>",
		 "read these files; - is stdin", .aliases = "-i --input"),
	OPT_FLAG(0, "print", &opt.print, "print each stack trace"),
	OPT_FLAG(0, "histo", &opt.histo, "count the frames"),
	OPT_CHOICE(0, "sort", &opt.sort, "TERM|OCCUR|FREQ",
		   "sort the frames by this number (default: TERM)"),
	OPT_FLAG(0, "by-term", &opt.by_term, "sort the frames by leaf samples",
		 .excludes = "sort"),
	OPT_FLAG(0, "categorize", &opt.categorize,
		 "count the samples of each category"),
	OPT_STRING(0, "categorizer-file", &opt.category_file, "<file>",
		   "read categories from a file: NAME: FILTER",
		   .aliases = "-cf", .excludes = "named-class"),
	OPT_LIST(0, "named-class", &opt.named, "<name>=<filter>",
		 "add a category, and a column to --histo",
		 .aliases = "-nc"),
	OPT_FLAG(0, "thread-info", &opt.thread_info,
		 "print statistics of each thread"),
	OPT_LIST(0, "summary-info", &opt.summaries, "<column>",
		 "print these columns: NAME COUNT CPU ALLOC …",
		 .aliases = "-si"),
	OPT_FLAG(0, "numeric", &opt.numeric,
		 "print plain numbers instead of percentages"),
	OPT_FLAG(0, "csv-output", &opt.csv, "print CSV",
		 .aliases = "-co --csv"),
	OPT_FLAG(0, "flame", &opt.flame, "draw a flame graph as SVG"),
	OPT_STRING(0, "title", &opt.title, "<text>",
		   "with --flame: set the title", .requires = "flame"),
	OPT_COUNT(0, "width", &opt.width, "<pixels>",
		  "with --flame: set the width", .requires = "flame"),
	OPT_LIST(0, "rainbow", &opt.rainbow, "<filter>",
		 "with --flame: color the frames that match",
		 .aliases = "-rc", .requires = "flame"),
	OPT_FLAG(0, "ssa-help", &opt.ssa_help, "explain the filters"),
	OPT_SJK_FILTERS(opt.input),
	OPT_SJK_TIMES(opt.input),
	OPT_END,
};
/* clang-format on */

const struct command ssa_command = {
	.name = "ssa",
	.synopsis = "ssa [<options>] <file>…",
	.summary = "report on stack traces as SJK does",
	.group = "SJK's files",
	.examples = "  sjkc ssa -f dump.std --histo\n"
		    "  sjkc ssa -f dump.std --thread-info\n"
		    "  sjkc ssa -f dump.std --print --trace-filter "
		    "'**.Db.*!**.Cache.*'\n"
		    "  sjkc ssa -f dump.std --categorize --named-class "
		    "io=java.net "
		    "db=java.sql\n",
	.options = options,
	.has_messages = true,
	.shorthands = sjk_shorthands,
	.refusals = sjk_refusals,
	.run = ssa_run,
};
