/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of sjkc gc: GC logs, JFR recordings, its own JSON, and bundles of sjkc
 * snap, which have that JSON.
 */
#include "cmd/gc/gc_command.h"

#include "cmd/shared/log.h"
#include "core/base/alloc.h"
#include "core/base/input.h"
#include "core/formats/reader.h"
#include "core/formats/snap_bundle.h"
#include "core/gc/gc_jfr.h"
#include "core/gc/gc_log.h"
#include "core/profile/profile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The inputs of one run, which stay open until the end: sources borrow them. */
static struct {
	struct input *all;
	size_t count;
	struct gc_source *log; /* reported at the end */
	uint64_t unreadable;
	uint64_t damaged; /* recordings that were read in part */
	size_t bundles;
} files;

static const char *files_name(const char *path)
{
	return strcmp(path, "-") == 0 ? "<stdin>" : path;
}

static int files_open_input(struct input *in, const char *path,
			    struct error *err)
{
	int is_bundle;

	if (input_open_single(in, path, err) || input_complete(in, err))
		return -1;
	is_bundle = snap_bundle_narrow(in, SNAP_GC, err);
	files.bundles += is_bundle > 0;
	return is_bundle < 0 ? -1 : 0;
}

/* Opens the inputs; several of which some are unreadable are a loss. */
static int files_open_inputs(const struct option_list *paths, struct error *err)
{
	files.all = xcalloc(paths->count, sizeof(*files.all));
	for (size_t i = 0; i < paths->count; i++) {
		struct input *in = &files.all[files.count];
		struct error why;

		if (files_open_input(in, paths->values[i], &why) == 0) {
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
	array_add(streams->all, streams->count, streams->cap, s);
}

static struct gc_source *files_open_log(struct error *err)
{
	struct gc_log_file *parts = xcalloc(files.count, sizeof(*parts));
	struct gc_source *s;
	size_t count = 0;

	for (size_t i = 0; i < files.count; i++) {
		const struct input *in = &files.all[i];

		parts[count] = (struct gc_log_file){ in->bytes, in->len,
						     in->name,
						     in->damage != NULL };
		if (in->damage)
			log_always("%s: %s", in->name, in->damage);
		if (files.count == 1 || gc_log_sniff(in->bytes, in->len)) {
			count++;
			continue;
		}
		log_always("%s: not a GC log", in->name);
		files.unreadable++;
	}
	s = gc_log_open(parts, count, err);
	if (!s)
		fail_in(err, "%s", files_name(files.all[0].name));
	free(parts);
	files.log = s;
	return s;
}

/* Prints the losses of a recording. */
static void files_report_recording(const struct input *in,
				   const struct profile *p)
{
	if (in->damage)
		log_always("%s: %s", in->name, in->damage);
	for (size_t i = 0; i < p->remark_count; i++) {
		const struct remark *r = &p->remarks[i];

		if (r->is_loss)
			log_always("%s: lost: %s: %" PRIu64 "%s%s%s", in->name,
				   r->what, r->count,
				   r->first[0] ? " (first: " : "", r->first,
				   r->first[0] ? ")" : "");
	}
	if (in->damage || profile_is_partial(p))
		files.damaged++;
}

static struct gc_source *files_open_recordings(struct error *err)
{
	struct gc_source *s = gc_jfr_new();
	size_t read = 0;

	for (size_t i = 0; i < files.count; i++) {
		const struct input *in = &files.all[i];
		struct profile *p = profile_new();

		if (gc_jfr_add(s, in->bytes, in->len, p, err) == 0) {
			files_report_recording(in, p);
			read++;
		} else {
			fail_in(err, "%s: jfr", in->name);
			if (files.count > 1)
				log_always("%s", err->text);
			files.unreadable++;
		}
		profile_free(p);
	}
	if (read) {
		gc_jfr_finish(s);
		return s;
	}
	gc_source_close(s);
	return NULL;
}

/* Opens the only input, which has records of gc --json. */
static struct gc_source *files_open_json(struct error *err)
{
	const struct input *in = files.all;

	if (files.count > 1) {
		misuse(err, "bundles and JSON of gc are read one at a time");
		return NULL;
	}
	if (in->damage) {
		log_always("%s: %s", in->name, in->damage);
		files.damaged++;
	}
	return gc_json_open(in->bytes, in->len);
}

/* Opens all inputs as logs, as recordings, or the only one as JSON. */
static struct gc_source *files_open(struct error *err)
{
	size_t recordings = 0;

	if (files.bundles ||
	    gc_json_sniff(files.all[0].bytes, files.all[0].len))
		return files_open_json(err);
	for (size_t i = 0; i < files.count; i++)
		recordings += jfr_reader.sniff(files.all[i].bytes,
					       files.all[i].len);
	if (recordings == files.count)
		return files_open_recordings(err);
	if (!recordings)
		return files_open_log(err);
	misuse(err, "the inputs mix GC logs and JFR recordings");
	return NULL;
}

int gc_files_open(const struct gc_options *o, struct gc_streams *streams,
		  struct error *err)
{
	struct gc_source *s;

	if (files_open_inputs(&o->inputs, err))
		return -1;
	s = files_open(err);
	if (!s)
		return -1;
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
		files_report_lines(count, "incomplete or unrecognized lines",
				   where, number, true);
		count = gc_log_foreign_lines(files.log, &where, &number);
		files_report_lines(count, "lines that are not part of a GC log",
				   where, number, false);
	}
	return files.unreadable + files.damaged;
}

void gc_files_close(void)
{
	for (size_t i = 0; i < files.count; i++)
		input_close(&files.all[i]);
	free(files.all);
}
