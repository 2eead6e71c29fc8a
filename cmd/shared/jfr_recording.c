/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/shared/jfr_recording.h"

#include "cmd/shared/log.h"
#include "core/base/cursor.h"
#include "core/base/input.h"
#include "core/base/lines.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/formats/reader.h"
#include "core/jvm/opener.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define JFR_CLEANUP_NS (10 * CLOCK_NS_PER_S)
/*
 * JFR removes its oldest chunks, 12 MB each, above the first size, and the file
 * has one more chunk.
 */
#define JFR_MAX_SIZE "256m"
#define JFR_FILE_MAX ((size_t)320 << 20)

/* Known to the cleanup process, too, which starts before JFR. */
struct jfr_shared {
	uint32_t is_stopped;      /* the recording */
	uint32_t len;             /* of the directory; 0 = not known yet */
	char directory[PATH_MAX]; /* JFR's, as the JVM sees it */
};

/* Runs a diagnostic command; *reply may be NULL. */
static int jfr_command(struct attach *attach, const char *command,
		       struct text *reply, struct error *err)
{
	const struct attach_request request = {
		.operation = "jcmd",
		.args = { command },
	};
	struct text ignored = { 0 };
	int ret = attach_call(attach, &request, reply ? reply : &ignored, err);

	text_release(&ignored);
	return ret;
}

/*
 * Runs a command whose success the JVM reports by a text: it also reports wrong
 * options as success.
 */
static int jfr_command_done(struct attach *attach, const char *command,
			    const char *success, struct error *err)
{
	struct text reply = { 0 };
	int ret = jfr_command(attach, command, &reply, err);
	struct lines lines = lines_over(reply.bytes ? reply.bytes : "",
					reply.len);
	struct line first = { 0 };

	lines_next(&lines, &first);
	if (ret == 0 && !(reply.bytes && strstr(reply.bytes, success)))
		ret = fail(err, ERROR_REFUSED, "%.*s: %.*s",
			   (int)strcspn(command, " "), command, (int)first.len,
			   first.len ? first.text : "");
	text_release(&reply);
	return ret;
}

/* ---- cleaning up ---- */

/* The file of the recording in a directory of the JVM. */
struct jfr_file {
	char directory[PATH_MAX], name[32];
	bool is_wanted; /* false: remove it only */
};

/*
 * Opens the file if it is wanted, and removes it. The JVM's user could have put
 * another file there. Runs in the opener.
 */
static int jfr_take_job(const struct jvm *jvm, void *file, struct error *err)
{
	const struct jfr_file *f = file;
	int directory = jvm_open_file(jvm, f->directory, O_PATH | O_DIRECTORY,
				      err);
	int held = -1, fd = f->is_wanted ? -1 : CHILD_NOTHING;
	struct stat st;

	if (directory < 0)
		return -1;
	if (f->is_wanted)
		held = openat(directory, f->name,
			      O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (held >= 0 && fstat(held, &st) == 0 && st.st_uid == jvm->uid)
		fd = jvm_open_held(held, O_RDONLY);
	if (fd == -1)
		fail(err, ERROR_REFUSED,
		     "the recording is not a file of the JVM's user");
	unlinkat(directory, f->name, 0);
	if (held >= 0)
		close(held);
	close(directory);
	return fd;
}

/* Removes the file and returns a constant copy of it, or -1. */
static int jfr_take_file(const struct jfr_recording *r, bool is_wanted,
			 struct error *err)
{
	struct jfr_file f = { .is_wanted = is_wanted };
	struct opening o = {
		.jvm = r->jvm,
		.job = jfr_take_job,
		.argument = &f,
		.size = sizeof(f),
		.place = OPENER_TMP,
		.copy_max = JFR_FILE_MAX,
		.copies = true,
	};

	snprintf(f.directory, sizeof(f.directory), "%s", r->shared->directory);
	snprintf(f.name, sizeof(f.name), "%s", r->name);
	return opener_run(&o, err);
}

static void jfr_remove_file(const struct jfr_recording *r)
{
	if (__atomic_load_n(&r->shared->len, __ATOMIC_ACQUIRE))
		jfr_take_file(r, false, error_unused());
}

/*
 * Stops the recording.  It may have ended already when sjkc was killed at that
 * moment.
 */
static void jfr_stop_recording(const struct jfr_recording *r)
{
	struct attach *attach;
	struct text command = { 0 };
	struct error err;

	if (!jvm_runs(r->jvm))
		return;
	text_printf(&command, "JFR.stop name=%s", r->name);
	attach = attach_open(r->jvm, JFR_CLEANUP_NS, &err);
	if (!attach || jfr_command(attach, command.bytes, NULL, &err)) {
		if (jvm_runs(r->jvm) && !strstr(err.text, "not find"))
			log_always("cannot stop the recording: %s; stop it "
				   "with `sjkc jcmd %d %s`",
				   err.text, (int)r->jvm->pid, command.bytes);
	}
	attach_close(attach);
	text_release(&command);
}

/* The job of the cleanup process: waits for the end of sjkc. */
static int jfr_clean_up(void *self, int channel, struct error *err)
{
	const struct jfr_recording *r = self;
	enum child_news news;
	char word;

	(void)err;
	do
		news = child_hear(channel, INT64_MAX, &word);
	while (news == CHILD_SILENT);
	if (news == CHILD_GONE) {
		if (!__atomic_load_n(&r->shared->is_stopped, __ATOMIC_ACQUIRE))
			jfr_stop_recording(r);
		jfr_remove_file(r);
	}
	return CHILD_NOTHING;
}

static int jfr_start_cleaner(struct jfr_recording *r, struct error *err)
{
	const int kept[] = { STDERR_FILENO, r->jvm->pidfd };
	const struct child_options options = {
		.files = CHILD_NULLS_FILES,
		.kept = kept,
		.kept_count = sizeof(kept) / sizeof(*kept),
	};

	if (child_start(&r->cleaner, &options, jfr_clean_up, r, err))
		return fail_in(err, "cannot start the cleanup process");
	return 0;
}

static void jfr_end_cleaner(struct jfr_recording *r)
{
	if (!r->cleaner.pid)
		return;
	child_end(&r->cleaner,
		  child_tell(r->cleaner.channel, 'k', -1) ? 0 : CLOCK_NS_PER_S);
	r->cleaner = (struct child){ .channel = -1 };
}

/* ---- the recording ---- */

/* Takes the path from "Repository path: /tmp/2026_11_25_18_46_41_22365". */
static int jfr_read_directory(struct jfr_recording *r, struct error *err)
{
	static const char label[] = "Repository path: ";
	struct jfr_shared *shared = r->shared;
	struct text reply = { 0 };
	struct lines lines;
	struct line line;
	uint32_t len = 0;
	int ret = jfr_command(r->attach, "JFR.configure", &reply, err);

	lines = lines_over(reply.bytes ? reply.bytes : "", reply.len);
	while (ret == 0 && !len && lines_next(&lines, &line)) {
		size_t rest = line.len - strlen(label);

		if (!line_starts(line, label) ||
		    rest >= sizeof(shared->directory))
			continue;
		len = (uint32_t)rest;
		memcpy(shared->directory, line.text + strlen(label), len);
	}
	text_release(&reply);
	if (ret == 0 && (!len || *shared->directory != '/' ||
			 strcspn(shared->directory, "\"\n") != len))
		return fail(err, ERROR_REFUSED,
			    "JFR.configure did not report JFR's directory");
	__atomic_store_n(&shared->len, len, __ATOMIC_RELEASE);
	return ret;
}

void jfr_recording_init(struct jfr_recording *r, const struct jvm *jvm,
			struct attach *attach, const char *command)
{
	*r = (struct jfr_recording){
		.jvm = jvm,
		.attach = attach,
		.shared = child_memory(sizeof(*r->shared)),
		.cleaner.channel = -1,
	};
	snprintf(r->name, sizeof(r->name), "sjkc-%s-%d", command,
		 (int)getpid());
}

int jfr_recording_start(struct jfr_recording *r, const char *options,
			struct error *err)
{
	struct text command = { 0 };
	int ret;

	if (jfr_start_cleaner(r, err))
		return -1;
	text_printf(&command, "JFR.start name=%s maxsize=" JFR_MAX_SIZE " %s",
		    r->name, options);
	r->is_running = true;
	ret = jfr_command_done(r->attach, command.bytes, "Started recording",
			       err);
	if (ret == 0)
		ret = jfr_read_directory(r, err);
	r->start_ns = clock_monotonic_ns();
	r->start_wall_ns = clock_wall_ns();
	text_release(&command);
	/* An image without the module has the command since JDK 25. */
	if (ret && (strstr(err->text, "Unknown diagnostic command") ||
		    strstr(err->text, "Module jdk.jfr not found")))
		return fail(err, ERROR_UNAVAILABLE,
			    "%d: the JVM has no JFR: it lacks the module "
			    "jdk.jfr",
			    (int)r->jvm->pid);
	return ret ? fail_in(err, "%d", (int)r->jvm->pid) : 0;
}

/* Counts the time since the start for which there is no chunk. */
static void jfr_add_cut(const struct jfr_recording *r, const struct input *in,
			struct profile *p)
{
	struct cursor c = cursor_over(in->bytes, in->len);
	int64_t chunk_ns;

	/* Magic, version, size, positions of the constant pool and metadata. */
	cursor_bytes(&c, 4 + 4 + 8 + 8 + 8);
	chunk_ns = (int64_t)cursor_u64(&c);
	if (!cursor_ok(&c) || chunk_ns <= r->start_wall_ns)
		return;
	log_always("JFR discarded the first %s of the recording, which was "
		   "larger than " JFR_MAX_SIZE,
		   units_time((double)(chunk_ns - r->start_wall_ns)).text);
	profile_lost(p, "ms of a recording larger than " JFR_MAX_SIZE,
		     (uint64_t)(chunk_ns - r->start_wall_ns) / CLOCK_NS_PER_MS,
		     "its beginning");
}

static int jfr_read_file(const struct jfr_recording *r, int fd,
			 struct profile *p, struct error *err)
{
	struct input in = { 0 };
	char path[32];
	int ret;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ret = input_open(&in, path, err);
	if (ret == 0)
		ret = input_complete(&in, err);
	if (ret == 0) {
		jfr_add_cut(r, &in, p);
		ret = jfr_reader.read(in.bytes, in.len, p, err);
	}
	input_close(&in);
	return ret;
}

int jfr_recording_stop(struct jfr_recording *r, struct profile *p,
		       struct error *err)
{
	struct text command = { 0 };
	int ret, fd;

	if (!jvm_runs(r->jvm)) {
		r->is_running = false;
		return fail(err, ERROR_NO_TARGET,
			    "%d: the JVM has exited, and its recording with it",
			    (int)r->jvm->pid);
	}
	text_printf(&command, "JFR.stop name=%s filename=\"%s/%s\"", r->name,
		    r->shared->directory, r->name);
	r->end_ns = clock_monotonic_ns();
	ret = jfr_command_done(r->attach, command.bytes, "Stopped recording",
			       err);
	text_release(&command);
	if (ret == 0) {
		r->is_running = false;
		__atomic_store_n(&r->shared->is_stopped, 1, __ATOMIC_RELEASE);
		fd = jfr_take_file(r, true, err);
		ret = fd < 0 ? -1 : jfr_read_file(r, fd, p, err);
		if (fd >= 0)
			close(fd);
	}
	return ret ? fail_in(err, "%d: cannot read the recording",
			     (int)r->jvm->pid)
		   : 0;
}

void jfr_recording_release(struct jfr_recording *r)
{
	if (r->is_running) {
		jfr_stop_recording(r);
		jfr_remove_file(r);
	}
	jfr_end_cleaner(r);
	child_memory_free(r->shared, sizeof(*r->shared));
	*r = (struct jfr_recording){ .cleaner.channel = -1 };
}

void jfr_add_time(struct text *out, int64_t ns)
{
	if (ns % CLOCK_NS_PER_MS == 0)
		text_printf(out, "%" PRId64 "ms", ns / CLOCK_NS_PER_MS);
	else if (ns % 1000 == 0)
		text_printf(out, "%" PRId64 "us", ns / 1000);
	else
		text_printf(out, "%" PRId64 "ns", ns);
}
