/* SPDX-License-Identifier: Apache-2.0 */
/* Files of sjkc gc: GC logs and JFR recordings. */
#include "cmd/gc/gc_command.h"

#include "cmd/log.h"
#include "core/base/alloc.h"
#include "core/base/input.h"
#include "core/gc/gc_log.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The inputs of one run, which stay open until the end: sources borrow them. */
static struct {
	struct input *all;
	size_t count;
	struct gc_source *log; /* reported at the end */
	uint64_t unreadable;
} files;

static const char *files_name(const char *path)
{
	return strcmp(path, "-") == 0 ? "<stdin>" : path;
}

/* Opens the inputs; several of which some are unreadable are a loss. */
static int files_open_inputs(const struct option_list *paths, struct error *err)
{
	files.all = xcalloc(paths->count, sizeof(*files.all));
	for (size_t i = 0; i < paths->count; i++) {
		struct input *in = &files.all[files.count];
		struct error why;

		if (input_open(in, paths->values[i], &why) == 0 &&
		    input_complete(in, &why) == 0) {
			files.count++;
			continue;
		}
		fail_in(&why, "%s", files_name(paths->values[i]));
		*err = why;
		input_close(in);
		*in = (struct input){ 0 };
		if (paths->count > 1)
			log_always("%s", why.text);
		files.unreadable++;
	}
	return files.count ? 0 : -1;
}

/* Adds a stream without a JVM. */
static void files_add_stream(struct gc_streams *streams,
			     struct gc_source *source)
{
	struct gc_stream *s = xcalloc(1, sizeof(*s));

	s->source = source;
	s->jvm.pidfd = -1;
	s->cpu_ns = GC_ABSENT;
	text_puts(&source->label, files_name(files.all[0].name));
	if (files.count > 1)
		text_printf(&source->label, " and %zu more", files.count - 1);
	log_info("%s: %s", source->label.bytes, source->description.bytes);
	array_reserve(streams->all, streams->cap, streams->count + 1);
	streams->all[streams->count++] = s;
}

static struct gc_source *files_open_log(struct error *err)
{
	struct gc_log_file *parts = xcalloc(files.count, sizeof(*parts));
	struct gc_source *s;

	for (size_t i = 0; i < files.count; i++) {
		const struct input *in = &files.all[i];

		parts[i] = (struct gc_log_file){ in->bytes, in->len, in->name,
						 in->damage != NULL };
		if (in->damage)
			log_always("%s: %s", in->name, in->damage);
	}
	s = gc_log_open(parts, files.count, err);
	free(parts);
	files.log = s;
	return s;
}

int gc_files_open(const struct gc_options *o, struct gc_streams *streams,
		  struct error *err)
{
	struct gc_source *s;

	if (files_open_inputs(&o->inputs, err))
		return -1;
	s = files_open_log(err);
	if (!s)
		return fail_in(err, "%s", files_name(files.all[0].name));
	files_add_stream(streams, s);
	return 0;
}

/* Prints how many lines of a kind there were, and the first of them. */
static void files_report_lines(uint64_t count, const char *what,
			       const char *where, uint64_t number, bool is_loss)
{
	if (!count)
		return;
	(is_loss ? log_always : log_info)("%s: %s: %" PRIu64
					  " (first: line %" PRIu64 ")",
					  where, what, count, number);
}

uint64_t gc_files_report(void)
{
	uint64_t number;
	const char *where;
	uint64_t count;

	if (files.log) {
		count = gc_log_broken_lines(files.log, &where, &number);
		files_report_lines(count, "lines that are not whole", where,
				   number, true);
		count = gc_log_foreign_lines(files.log, &where, &number);
		files_report_lines(count, "lines in no format of a GC log",
				   where, number, false);
	}
	return files.unreadable;
}

void gc_files_close(void)
{
	for (size_t i = 0; i < files.count; i++)
		input_close(&files.all[i]);
	free(files.all);
}
