/* SPDX-License-Identifier: Apache-2.0 */
/* sjkc threads: reports what the threads of a thread dump do. */
#include "cmd/commands.h"
#include "cmd/log.h"
#include "cmd/recording.h"
#include "core/base/output.h"
#include "core/threads/dump_series.h"
#include "render/threads/threads_report.h"

#include <unistd.h>

#define THREADS_TOP    20
#define THREADS_FRAMES 12

static struct {
	uint64_t dump, top, frames;
	const char *output;
	bool quiet, verbose;
} opt = {
	.top = THREADS_TOP,
	.frames = THREADS_FRAMES,
	.output = "-",
};

static void threads_prepare(void *self, struct profile *p)
{
	struct dump_series *s = self;

	dump_series_init(s, p);
	s->wanted = opt.dump;
}

static int threads_write(const struct dump_series *s, const char *source,
			 struct error *err)
{
	const struct threads_options options = {
		.source = source,
		.top = opt.top,
		.frames = opt.frames,
		.colour = isatty(STDOUT_FILENO) == 1,
	};
	struct text text = { 0 };
	int ret;

	threads_text(&text, s, &options);
	ret = output_file(opt.output, text.bytes, text.len, err);
	text_release(&text);
	return ret;
}

static int threads_run(int argc, char **argv, struct error *err)
{
	const struct recording_options options = {
		.paths = (const char *const *)argv,
		.path_count = (size_t)argc,
		.format = "auto",
		.prepare = threads_prepare,
		.prepare_self = &(struct dump_series){ 0 },
	};
	struct dump_series *s = options.prepare_self;
	struct profile *p;
	int ret = -1;

	log_set_level(opt.verbose ? LOG_VERBOSE
		      : opt.quiet ? LOG_QUIET
				  : LOG_NORMAL);
	if (!argc)
		return misuse(err, "no thread dump: name a file or a JVM");
	p = recording_read(&options, err);
	if (!p)
		return -1;
	dump_series_end(s);
	ret = threads_write(s, argv[0], err);
	dump_series_release(s);
	profile_free(p);
	return ret;
}

/* clang-format off */
static const struct command_option options[] = {
	OPT_COUNT(0, "dump", &opt.dump, "<number>",
		  "report this dump of several (default: the last)"),
	OPT_COUNT('n', "top", &opt.top, "<count>",
		  "limit the rows and groups; 0: all"),
	OPT_COUNT(0, "frames", &opt.frames, "<count>",
		  "limit the frames; 0: all"),
	OPT_STRING('o', "output", &opt.output, "<file>", "write to this file"),
	OPT_FLAG('q', "quiet", &opt.quiet, "print no messages but errors and losses"),
	OPT_FLAG('v', "verbose", &opt.verbose, "print verbose output"),
	OPT_END,
};
/* clang-format on */

const struct command threads_command = {
	.name = "threads",
	.synopsis = "threads [<options>] <file>…",
	.summary = "report who blocks whom in thread dumps",
	.group = "ask a JVM",
	.examples = "  sjkc threads dump.txt\n",
	.options = options,
	.run = threads_run,
};
