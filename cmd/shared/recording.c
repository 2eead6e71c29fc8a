/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/shared/recording.h"

#include "cmd/shared/log.h"
#include "core/base/alloc.h"
#include "core/base/arena.h"
#include "core/base/input.h"
#include "core/base/nearest.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/formats/reader.h"
#include "core/jvm/procfs.h"
#include "core/profile/event_table.h"
#include "core/profile/filter.h"
#include "core/profile/moments.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define ZONES      "/usr/share/zoneinfo/"
#define ZONE_DEPTH 3 /* America/Argentina/Salta */

/* One input. It stays open for a second reading: it may be a pipe. */
struct source {
	const char *path;
	const char *name;   /* for messages */
	const char *wanted; /* of reader_for() */
	const struct reader *reader;
	struct input input;
	bool is_directory; /* without recordings */
	bool failed;
};

struct sources {
	struct source *all;
	size_t count, cap;
	struct arena paths; /* of files in directories */
	bool keep;          /* keep the inputs open for a second reading */
	bool loud;          /* print remarks: in one of two readings only */
};

const char *recording_formats(void)
{
	static struct text choices;

	if (!choices.len) {
		text_puts(&choices, "auto");
		for (size_t i = 0; readers[i]; i++)
			text_printf(&choices, "|%s", readers[i]->name);
	}
	return choices.bytes;
}

/* ---- recordings that a process still writes ---- */

/* The file to search for: the one with this inode or, if 0, any *.jfr. */
struct written_file {
	struct stat file;
	char path[PATH_MAX]; /* of the found file, for the process */
};

static bool name_is_jfr(const char *name)
{
	const char *end = strrchr(name, '.');

	return end && strcmp(end, ".jfr") == 0;
}

static bool descriptor_writes(int dir, const char *fd, struct written_file *w)
{
	struct stat link, file;
	ssize_t len;

	/* The mode of the link has the rights of the descriptor. */
	if (fstatat(dir, fd, &link, AT_SYMLINK_NOFOLLOW) < 0 ||
	    !S_ISLNK(link.st_mode) || !(link.st_mode & S_IWUSR))
		return false;
	len = readlinkat(dir, fd, w->path, sizeof(w->path) - 1);
	if (len < 0)
		return false;
	w->path[len] = '\0';
	if (!w->file.st_ino)
		return name_is_jfr(w->path);
	return procfs_identify(dir, fd, &file) &&
	       file.st_dev == w->file.st_dev && file.st_ino == w->file.st_ino;
}

static bool process_writes(pid_t pid, struct written_file *w)
{
	struct dirent *entry;
	bool found = false;
	int fd = procfs_open(pid, "fd", O_RDONLY | O_DIRECTORY, error_unused());
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	while (!found && (entry = readdir(dir)))
		found = descriptor_writes(fd, entry->d_name, w);
	closedir(dir);
	return found;
}

pid_t recording_writer(const char *path)
{
	struct written_file w = { 0 };
	bool is_stdin = strcmp(path, "-") == 0;
	struct dirent *entry;
	pid_t writer = 0;
	DIR *proc;

	if (!procfs_identify(AT_FDCWD, is_stdin ? "/dev/stdin" : path, &w.file))
		return 0;
	proc = opendir("/proc");
	while (proc && !writer && (entry = readdir(proc))) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (pid > 0 && process_writes(pid, &w))
			writer = pid;
	}
	if (proc)
		closedir(proc);
	return writer;
}

/* Called by readers. */
static pid_t source_writer(void *self)
{
	const struct source *s = self;

	return recording_writer(s->path);
}

/* Adds what to do with a running process when a missing file is a PID. */
static int recording_suggest_process(const char *path, struct error *err)
{
	size_t digits = strspn(path, "0123456789");
	size_t used = strlen(err->text);
	struct written_file w = { 0 };
	char *end = err->text + used;
	char proc[32];

	if (err->sys != ENOENT || !digits || digits > 10 || path[digits])
		return -1;
	snprintf(proc, sizeof(proc), "/proc/%s", path);
	if (access(proc, F_OK) < 0)
		return -1;
	used = sizeof(err->text) - used;
	if (process_writes((pid_t)strtol(path, NULL, 10), &w))
		snprintf(end, used,
			 "; the process records to %s, which sjkc can read",
			 w.path);
	else
		snprintf(end, used,
			 "; `sjkc prof %s -o out.html` samples the process",
			 path);
	return -1;
}

/* ---- inputs ---- */

static int source_open(struct source *s, const char *format, struct error *err)
{
	struct input *in = &s->input;

	if (in->bytes)
		return 0;
	if (s->is_directory)
		return fail(err, ERROR_INPUT,
			    "is a directory without recordings (*.jfr)");
	if (input_open(in, s->path, err))
		return recording_suggest_process(s->path, err);
	s->reader = reader_for(format, s->wanted, in->bytes, in->len, err);
	if (!s->reader)
		return -1;
	return input_complete(in, err);
}

static int source_read(struct source *s, const char *format, struct profile *p,
		       struct error *err)
{
	if (source_open(s, format, err))
		return fail_in(err, "%s", s->name);
	if (s->input.damage)
		profile_lost(p, "damaged compressed inputs", 1, "%s",
			     s->input.damage);
	log_detail("%s: %zu bytes of %s", s->name, s->input.len,
		   s->reader->summary);
	if (s->reader->read(s->input.bytes, s->input.len, p, err))
		return fail_in(err, "%s: %s", s->name, s->reader->name);
	return 0;
}

/* Prints the losses that were added since `before` was counted. */
static void recording_print_losses(const struct profile *p, const char *name,
				   const uint64_t *before, size_t known)
{
	for (size_t i = 0; i < p->remark_count; i++) {
		const struct remark *r = &p->remarks[i];
		uint64_t count = r->count - (i < known ? before[i] : 0);
		bool first = i >= known && r->first[0];

		if (count && r->is_loss)
			log_always("%s: lost: %s: %" PRIu64 "%s%s%s", name,
				   r->what, count, first ? " (first: " : "",
				   first ? r->first : "", first ? ")" : "");
	}
}

void recording_log_notes(const struct profile *p, const char *name,
			 const struct event_view *views, size_t view_count,
			 bool are_shown)
{
	uint32_t *view_of = views_of_events(p, views, view_count);

	for (size_t i = 0; i < p->remark_count; i++) {
		const struct remark *r = &p->remarks[i];
		bool first = r->first[0];

		if (r->is_loss || (views && r->event && !view_of[r->event - 1]))
			continue;
		(are_shown ? log_detail : log_info)(
			"%s: %s: %" PRIu64 "%s%s%s", name, r->what, r->count,
			first ? " (first: " : "", first ? r->first : "",
			first ? ")" : "");
	}
	free(view_of);
}

static void source_read_and_report(struct source *s, const struct sources *all,
				   const char *format, struct profile *p,
				   struct error *err)
{
	size_t known = p->remark_count;
	uint64_t *before = xcalloc(known, sizeof(*before));
	struct text title = { 0 };

	for (size_t i = 0; i < known; i++)
		before[i] = p->remarks[i].count;
	text_printf(&title, "reading %s", s->name);
	progress_start(title.bytes);
	p->writer = source_writer;
	p->writer_self = s;
	s->failed = source_read(s, format, p, err) != 0;
	p->writer = NULL;
	progress_end();
	/* If the whole input is unreadable, the error gives the reason. */
	if (all->loud && !s->failed)
		recording_print_losses(p, s->name, before, known);
	if (s->failed || !all->keep)
		input_close(&s->input);
	text_release(&title);
	free(before);
}

/* Reads the inputs; fails when all of them are unreadable. */
static int sources_read(struct sources *all, const char *format,
			struct profile *p, struct error *err)
{
	size_t failed = 0;

	p->progress = progress_show;
	for (size_t i = 0; i < all->count; i++) {
		struct source *s = &all->all[i];

		if (!s->failed)
			source_read_and_report(s, all, format, p, err);
		if (!s->failed)
			continue;
		failed++;
		/* A misuse of --format concerns all inputs. */
		if (all->count == 1 || err->kind == ERROR_MISUSE)
			return -1;
		if (all->loud)
			log_always("%s", err->text);
	}
	if (failed == all->count)
		return fail(err, ERROR_INPUT,
			    "none of the %zu inputs is readable", all->count);
	if (failed)
		profile_lost(p, "unreadable inputs", failed, "%s", "");
	return 0;
}

static int recording_parse_bound(const char *option, const char *text,
				 struct time_bound *bound, struct error *err)
{
	if (text && time_bound_parse(text, bound, err))
		return fail_in(err, "option %s", option);
	return 0;
}

/* Reads the inputs once to learn the times of the first and last sample. */
static int sources_learn_times(struct sources *all, const char *format,
			       int64_t *earliest, int64_t *latest,
			       struct error *err)
{
	struct profile *p = profile_new();
	int ret;

	all->keep = true;
	ret = sources_read(all, format, p, err);
	*earliest = p->earliest_ns;
	*latest = p->latest_ns;
	all->keep = false;
	all->loud = false;
	profile_free(p);
	return ret;
}

static int recording_set_range(struct profile *p,
			       const struct recording_options *o,
			       struct sources *all, struct error *err)
{
	struct time_bound from = { 0 }, to = { 0 };
	int64_t earliest = 0, latest = 0;

	if (recording_parse_bound("--from", o->from, &from, err) ||
	    recording_parse_bound("--to", o->to, &to, err))
		return -1;
	if (((o->from && time_bound_is_relative(&from)) ||
	     (o->to && time_bound_is_relative(&to))) &&
	    sources_learn_times(all, o->format, &earliest, &latest, err))
		return -1;
	if (o->from)
		p->from_ns = time_bound_resolve(&from, earliest, latest);
	if (o->to)
		p->to_ns = time_bound_resolve(&to, earliest, latest);
	if (p->from_ns >= p->to_ns)
		return fail(err, ERROR_MISUSE, "--from is not before --to");
	return 0;
}

/* Offers the names of time zones in a directory below ZONES, and its own. */
static void zones_offer(struct nearest *nearest, struct arena *a,
			const char *prefix, unsigned depth)
{
	struct text path = { 0 };
	struct dirent *entry;
	DIR *dir;

	text_printf(&path, ZONES "%s", prefix);
	dir = opendir(path.bytes);
	while (dir && (entry = readdir(dir))) {
		/* Names of zones have capitals; posix/ and others repeat them.
		 */
		if (entry->d_name[0] < 'A' || entry->d_name[0] > 'Z')
			continue;
		text_clear(&path);
		text_printf(&path, "%s%s", prefix, entry->d_name);
		nearest_offer(nearest, arena_copy(a, path.bytes, path.len));
		text_putc(&path, '/');
		if (depth < ZONE_DEPTH && entry->d_type == DT_DIR)
			zones_offer(nearest, a, path.bytes, depth + 1);
	}
	if (dir)
		closedir(dir);
	text_release(&path);
}

/* Adds near misses to the error of time_zone_of_java(). Returns -1. */
static int recording_fail_zone(const char *name, struct error *err)
{
	struct nearest nearest = nearest_to(name, strlen(name));
	struct arena a = { 0 };
	struct text hint = { 0 };

	zones_offer(&nearest, &a, "", 1);
	if (!nearest_suggest(&nearest, &hint))
		text_puts(&hint, ";");
	fail(err, ERROR_MISUSE,
	     "option --time-zone: invalid time zone '%s'%s valid: UTC, "
	     "GMT+02:00, and the names in " ZONES,
	     name, hint.bytes);
	text_release(&hint);
	arena_release(&a);
	return -1;
}

static bool recording_wants_time(void *self, int64_t time_ns)
{
	return time_period_has(self, time_ns);
}

/*
 * Sets --time-zone and --time-range. Without --time-zone, --time-range is in
 * UTC and --from in local time.
 */
static int recording_set_period(struct profile *p,
				const struct recording_options *o,
				struct time_period *period, struct error *err)
{
	char *zone;

	if (o->time_zone) {
		if (time_zone_of_java(o->time_zone, &zone, err))
			return recording_fail_zone(o->time_zone, err);
		setenv("TZ", zone, 1);
		tzset();
		free(zone);
	}
	if (!o->time_range)
		return 0;
	if (time_period_parse(o->time_range, period, err))
		return fail_in(err, "option --time-range");
	period->local = o->time_zone != NULL;
	p->wants_time = recording_wants_time;
	p->wants_time_self = period;
	return 0;
}

static bool recording_has_samples(const struct profile *p)
{
	for (size_t i = 0; i < p->event_count; i++) {
		if (p->events[i].samples)
			return true;
	}
	return false;
}

static bool recording_has_tables(const struct profile *p)
{
	for (size_t i = 0; i < p->table_count; i++) {
		if (p->tables[i]->count)
			return true;
	}
	return false;
}

static void recording_add_times(struct text *out, const struct profile *p)
{
	units_add_local_time(out, p->earliest_ns);
	text_puts(out, " to ");
	units_add_local_time(out, p->latest_ns);
}

/* Prints totals of the profile for -v. */
static void recording_log_details(const struct profile *p)
{
	struct text times = { 0 };

	if (p->earliest_ns) {
		text_puts(&times, ", from ");
		recording_add_times(&times, p);
	}
	log_detail("%zu stack trace%s of %zu frame%s in %zu thread%s%s",
		   p->stack_count - 1, units_plural(p->stack_count - 1),
		   p->frame_count - 1, units_plural(p->frame_count - 1),
		   p->thread_count - 1, units_plural(p->thread_count - 1),
		   times.len ? times.bytes : "");
	text_release(&times);
}

/* Fails, with the reason, when the profile has no samples to show. */
static int recording_check_samples(const struct profile *p,
				   const struct recording_options *o,
				   struct error *err)
{
	const char *ranges = !o->time_range ? "--from and --to"
			     : o->from || o->to
				     ? "--from, --to and --time-range"
				     : "--time-range";
	bool ranged = o->from || o->to || o->time_range;
	struct text times = { 0 };

	if (ranged && !p->earliest_ns && recording_has_samples(p))
		return fail(err, ERROR_FAILED,
			    "cannot apply %s: the samples have no times",
			    ranges);
	if (p->thread_tap || recording_has_samples(p) ||
	    recording_has_tables(p))
		return 0;
	if (!p->outside)
		return fail(err, ERROR_INPUT, "the input has no samples");
	recording_add_times(&times, p);
	fail(err, ERROR_FAILED,
	     "no sample is within %s; the %" PRIu64 " sample%s from %s", ranges,
	     p->outside, p->outside == 1 ? " is" : "s are", times.bytes);
	text_release(&times);
	return -1;
}

static void sources_add(struct sources *all, const struct recording_options *o,
			const char *path)
{
	array_add(all->all, all->count, all->cap,
		  (struct source){
			  .path = path,
			  .name = strcmp(path, "-") == 0 ? "<stdin>" : path,
			  .wanted = o->wanted,
		  });
}

static int entry_is_jfr(const struct dirent *entry)
{
	return name_is_jfr(entry->d_name);
}

/*
 * Adds the recordings in a directory. JVMs name the files in a repository by
 * time.
 */
static void sources_add_directory(struct sources *all,
				  const struct recording_options *o,
				  const char *path)
{
	struct dirent **entries = NULL;
	int count = scandir(path, &entries, entry_is_jfr, alphasort);
	size_t before = all->count;

	for (int i = 0; i < count; i++) {
		struct text file = { 0 };
		struct stat st;

		text_printf(&file, "%s%s%s", path,
			    path[strlen(path) - 1] == '/' ? "" : "/",
			    entries[i]->d_name);
		/* A JVM creates the file of its next chunk empty. */
		if (lstat(file.bytes, &st) == 0 && S_ISREG(st.st_mode) &&
		    st.st_size)
			sources_add(
				all, o,
				arena_copy(&all->paths, file.bytes, file.len));
		text_release(&file);
		free(entries[i]);
	}
	free(entries);
	if (all->count > before)
		return;
	sources_add(all, o, path);
	all->all[before].is_directory = true;
}

static void sources_add_all(struct sources *all,
			    const struct recording_options *o)
{
	struct stat st;

	for (size_t i = 0; i < o->path_count; i++) {
		const char *path = o->paths[i];

		if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
			sources_add_directory(all, o, path);
		else
			sources_add(all, o, path);
	}
}

struct profile *recording_read(const struct recording_options *o,
			       struct error *err)
{
	struct sources all = { .loud = true };
	struct profile *p = o->into ? o->into : profile_new();
	struct time_period period = { 0 };
	int ret;

	sources_add_all(&all, o);
	p->keep_lines = o->keep_lines;
	if (o->keep_moments)
		profile_keep_moments(p, MOMENTS_MAX);
	p->wants_tables = o->tables;
	p->wants_stacks = o->stacks;
	if (o->prepare)
		o->prepare(o->prepare_self, p);
	ret = recording_set_period(p, o, &period, err);
	if (ret == 0)
		ret = recording_set_range(p, o, &all, err);
	if (ret == 0)
		ret = sources_read(&all, o->format, p, err);
	for (size_t i = 0; i < p->table_count; i++)
		event_table_sort(p->tables[i]);
	if (ret == 0 && recording_check_samples(p, o, err))
		ret = fail_in(err, "%s",
			      all.count == 1 ? all.all[0].name : "all inputs");
	for (size_t i = 0; i < all.count; i++)
		input_close(&all.all[i].input);
	free(all.all);
	arena_release(&all.paths);
	if (ret == 0) {
		p->wants_time = NULL;
		recording_log_details(p);
		return p;
	}
	if (!o->into)
		profile_free(p);
	return NULL;
}
