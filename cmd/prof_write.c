/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/prof.h"
#include "cmd/talk.h"
#include "cmd/words.h"
#include "core/base/text.h"
#include "render/report.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct prof_report_format {
	const char *name;
	const char *extensions; /* "" also stands for names without one */
	void (*put)(struct text *out, const struct report *r);
	bool is_text;
};

static const struct prof_report_format text_report = { "text", ".txt",
						       report_text,
						       .is_text = true };

int prof_output_choose(struct prof_output *output, const struct prof_options *o,
		       struct error *err)
{
	const char *base = o->output ? strrchr(o->output, '/') : NULL;
	const char *dot = strrchr(base        ? base
				  : o->output ? o->output
					      : "",
				  '.');

	*output = (struct prof_output){ .options = o };
	if (o->output && !*o->output)
		return misuse(err, "--output has no file name");
	if (!o->output_format && (!dot || strcmp(dot, ".txt") == 0)) {
		output->report = &text_report;
		return 0;
	}
	output->drawing = drawing_format(o->output_format, o->output,
					 &o->drawing, err);
	return output->drawing ? 0 : -1;
}

/* How wide the terminal is that it goes to; 0: it is no terminal. */
static size_t width_of(const char *path)
{
	struct winsize size;

	if (strcmp(path, "-") != 0 || !isatty(STDOUT_FILENO) ||
	    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0)
		return 0;
	return size.ws_col;
}

static int write_report(const struct prof_report_format *format,
			const struct prof_options *o, const struct drawing *d,
			struct error *err)
{
	const struct report_options options = {
		.source = d->source,
		.top = o->top,
		.samples = o->samples,
		.style = {
			.simple = o->drawing.simple_names,
			.lines = o->drawing.lines,
		},
		.width = width_of(d->output),
	};
	struct text text = { 0 };
	struct report report;
	struct output out;
	int ret = output_open(&out, d->output, err);

	if (ret == 0) {
		report_init(&report, d->profile, &d->views[d->selected],
			    &options);
		format->put(&text, &report);
		output_write(&out, text.bytes, text.len);
		ret = output_commit(&out, err);
		report_release(&report);
		text_release(&text);
	}
	output_close(&out);
	if (ret == 0 && profile_is_partial(d->profile))
		ret = fail(err, ERROR_PARTIAL,
			   "the report is not of all of the input");
	return ret;
}

int prof_write(const struct prof_output *output, struct drawing *d,
	       struct error *err)
{
	if (output->report)
		return write_report(output->report, output->options, d, err);
	drawing_limit(d);
	return drawing_write(d, output->drawing, err);
}
