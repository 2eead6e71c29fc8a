/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read_perf: reads the text of perf script(1), and perf.data by running perf
 * script, because the format and the symbols depend on the version of perf and
 * on the machine.
 */
#include "core/formats/perf/perf_text.h"

#include "core/base/alloc.h"
#include "core/base/child.h"
#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/formats/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PIECE       ((size_t)1 << 20) /* bytes between reports of progress */
#define SNIFF_LINES 64

/* ---- text ---- */

static bool perf_sniff(const uint8_t *head, size_t len)
{
	struct lines lines = lines_over(head, len), ahead;
	struct line line, next = { NULL, 0 };

	if (memchr(head, '\0', len))
		return false;
	for (size_t i = 0; i < SNIFF_LINES && lines_next(&lines, &line); i++) {
		struct line word = line_trimmed(line);

		/* The head may end within the last line. */
		if (lines.at == lines.end && len >= READER_HEAD)
			return false;
		if (!word.len || word.text[0] == '#')
			continue;
		ahead = lines;
		lines_next(&ahead, &next);
		return perf_text_is_header(line, next);
	}
	return false;
}

static int perf_read(const uint8_t *bytes, size_t len, struct profile *p,
		     struct error *err)
{
	struct perf_text *t = perf_text_new(p);
	size_t at = 0;
	uint64_t samples;

	while (at < len) {
		size_t end = len - at > PIECE ? at + PIECE : len;
		const uint8_t *newline = memchr(bytes + end, '\n', len - end);

		end = newline ? (size_t)(newline + 1 - bytes) : len;
		perf_text_read(t, bytes + at, end - at);
		profile_progress(p, end, len);
		at = end;
	}
	samples = perf_text_finish(t, false);
	perf_text_free(t);
	if (samples)
		return 0;
	return fail(err, ERROR_INPUT, "no whole sample of perf script");
}

const struct reader perf_reader = {
	.name = "perf",
	.summary = "text of perf script",
	.sniff = perf_sniff,
	.read = perf_read,
};

/* ---- perf.data ---- */

#define MAGIC         "PERFILE2"
#define MAGIC_OTHER   "2ELIFREP" /* of a machine with the other byte order */
#define MAGIC_LEN     8
#define SILENCE_NS    (120 * CLOCK_NS_PER_S) /* maximum time without output */
#define END_NS        (2 * CLOCK_NS_PER_S)
#define LINE_MAX_LEN  ((size_t)16 << 20)
#define COMPLAINT_MAX 200 /* bytes of perf's last message */

/* A run of perf script. */
struct perf_run {
	int data; /* memory with the file, which perf opens by its number */
	int output[2];
	int messages; /* memory for perf's standard error */
	struct child child;
	struct text pending; /* an incomplete line */
	size_t read;
	bool is_silent;
	bool shows_lost; /* perf has the option, since version 4.15 */
};

/* Becomes perf script, which reads the file and writes to the pipe. */
static int perf_exec(void *self, int channel, struct error *err)
{
	const struct perf_run *r = self;
	char path[32];
	/*
	 * -f: the memory belongs to this user, but the owner of the recording
	 * does not matter.
	 */
	const char *const argv[] = {
		"perf",
		"script",
		"-f",
		"--ns",
		"-i",
		path,
		r->shows_lost ? "--show-lost-events" : NULL,
		NULL,
	};

	(void)channel;
	if (dup2(r->output[1], STDOUT_FILENO) < 0 ||
	    dup2(r->messages, STDERR_FILENO) < 0)
		return fail_sys(err, ERROR_FAILED, "dup2");
	fcntl(r->data, F_SETFD, 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", r->data);
	return child_exec((char *const *)argv, err);
}

/* Copies the recording to memory, which perf needs to seek in. */
static int perf_copy_data(struct perf_run *r, const uint8_t *bytes, size_t len,
			  struct error *err)
{
	size_t done = 0;

	r->data = memfd_create("perf.data", MFD_CLOEXEC);
	r->messages = memfd_create("messages", MFD_CLOEXEC);
	if (r->data < 0 || r->messages < 0 || pipe2(r->output, O_CLOEXEC) < 0)
		return fail_sys(err, ERROR_FAILED, "cannot start perf");
	while (done < len) {
		ssize_t n = write(r->data, bytes + done, len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return fail_sys(err, ERROR_FAILED,
					"cannot copy the recording");
		done += (size_t)n;
	}
	return 0;
}

static int perf_start(struct perf_run *r, struct error *err)
{
	const int kept[] = { r->data, r->output[1], r->messages };
	const struct child_options options = {
		.signals = CHILD_DEFAULT_SIGNALS,
		.kept = kept,
		.kept_count = 3,
		.dies_with_parent = true,
	};

	if (child_start(&r->child, &options, perf_exec, r, err))
		return -1;
	close(r->output[1]);
	r->output[1] = -1;
	return 0;
}

/* Passes whole lines to the parser and keeps the rest for later. */
static void perf_pass_lines(struct perf_run *r, struct perf_text *t)
{
	const char *end = r->pending.len ? memrchr(r->pending.bytes, '\n',
						   r->pending.len)
					 : NULL;
	size_t done = end ? (size_t)(end + 1 - r->pending.bytes) : 0;

	/* A line without an end is not from perf. */
	if (!done && r->pending.len > LINE_MAX_LEN)
		done = r->pending.len;
	perf_text_read(t, r->pending.bytes, done);
	r->pending.len -= done;
	memmove(r->pending.bytes, r->pending.bytes + done, r->pending.len);
}

/* Reads the output until its end, or until perf is silent for too long. */
static void perf_read_output(struct perf_run *r, struct perf_text *t)
{
	char *buffer = xmalloc(PIECE);
	int64_t deadline = clock_after(clock_monotonic_ns(), SILENCE_NS);

	for (;;) {
		struct pollfd ready = { .fd = r->output[0], .events = POLLIN };
		int n = poll(&ready, 1, clock_left_ms(deadline));
		ssize_t got;

		if (n < 0 && errno == EINTR)
			continue;
		r->is_silent = n == 0;
		got = n > 0 ? read(r->output[0], buffer, PIECE) : 0;
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		text_add(&r->pending, buffer, (size_t)got);
		perf_pass_lines(r, t);
		r->read += (size_t)got;
		deadline = clock_after(clock_monotonic_ns(), SILENCE_NS);
	}
	free(buffer);
}

/* Appends ": " and the last line that perf wrote to standard error. */
static void perf_add_complaint(const struct perf_run *r, struct text *out)
{
	char text[4096];
	off_t size = lseek(r->messages, 0, SEEK_END);
	off_t from = size > (off_t)sizeof(text) ? size - (off_t)sizeof(text)
						: 0;
	ssize_t got = size > 0 ? pread(r->messages, text, sizeof(text), from)
			       : 0;
	struct lines lines = lines_over(text, got > 0 ? (size_t)got : 0);
	struct line line, last = { 0 };

	while (lines_next(&lines, &line)) {
		line = line_trimmed(line);
		if (line.len)
			last = line;
	}
	if (last.len)
		text_printf(out, ": %.*s",
			    (int)(last.len < COMPLAINT_MAX ? last.len
							   : COMPLAINT_MAX),
			    last.text);
}

/* Fails if perf could not be started; its result, otherwise, is in *status. */
static int perf_wait(struct perf_run *r, int *status, struct error *err)
{
	struct error reason = { 0 };
	enum child_news news;
	pid_t pid = r->child.pid;
	int fd;

	*status = -1;
	news = child_wait(&r->child, clock_after(clock_monotonic_ns(), END_NS),
			  &fd, &reason);
	if (news == CHILD_FAILED && reason.sys == ENOENT)
		return fail(err, ERROR_UNAVAILABLE,
			    "perf is required to read perf.data: install it "
			    "(Debian: linux-perf), or save the output of `perf "
			    "script` and read that");
	if (news == CHILD_FAILED) {
		*err = reason;
		return -1;
	}
	/* The id of a reaped child may belong to another process. */
	if (!r->is_silent &&
	    child_reap(pid, status, clock_after(clock_monotonic_ns(), END_NS)))
		child_leave(&r->child);
	return 0;
}

/* Reports how the run ended; fails if it yielded no samples. */
static int perf_judge(struct perf_run *r, struct profile *p, int status,
		      uint64_t samples, struct error *err)
{
	struct text why = { 0 };
	int ret = 0;

	if (r->is_silent)
		text_puts(&why, "no output of perf script for 120 s");
	else if (status != 0) {
		text_puts(&why, "perf script failed");
		perf_add_complaint(r, &why);
	}
	if (!samples)
		ret = fail(err, ERROR_INPUT, "%s",
			   why.len ? why.bytes
				   : "the recording has no samples");
	else if (why.len)
		profile_lost(p, "truncated recordings", 1, "%s", why.bytes);
	text_release(&why);
	return ret;
}

static void perf_close(struct perf_run *r)
{
	child_end(&r->child, 0);
	for (int i = 0; i < 2; i++)
		if (r->output[i] >= 0)
			close(r->output[i]);
	if (r->data >= 0)
		close(r->data);
	if (r->messages >= 0)
		close(r->messages);
	text_release(&r->pending);
}

#define PERF_USAGE 129 /* exit status of perf for an unknown option */

/* Runs perf script once; *is_old is set if perf does not have the option. */
static int perf_data_run(const uint8_t *bytes, size_t len, struct profile *p,
			 bool *is_old, struct error *err)
{
	struct perf_run r = {
		.data = -1,
		.output = { -1, -1 },
		.messages = -1,
		.shows_lost = !*is_old,
	};
	struct perf_text *t = perf_text_new(p);
	int ret = -1, status;

	*is_old = false;
	if (len < MAGIC_LEN || (memcmp(bytes, MAGIC, MAGIC_LEN) != 0 &&
				memcmp(bytes, MAGIC_OTHER, MAGIC_LEN) != 0)) {
		fail(err, ERROR_INPUT,
		     "not a recording of perf: it does not begin with " MAGIC);
		goto out;
	}
	if (perf_copy_data(&r, bytes, len, err) || perf_start(&r, err))
		goto out;
	perf_read_output(&r, t);
	if (perf_wait(&r, &status, err))
		goto out;
	if (r.shows_lost && !r.read && WIFEXITED(status) &&
	    WEXITSTATUS(status) == PERF_USAGE) {
		*is_old = true;
		goto out;
	}
	perf_text_read(t, r.pending.bytes, r.pending.len);
	ret = perf_judge(&r, p, status,
			 perf_text_finish(t, r.pending.len || status != 0),
			 err);
out:
	perf_close(&r);
	perf_text_free(t);
	return ret;
}

static int perf_data_read(const uint8_t *bytes, size_t len, struct profile *p,
			  struct error *err)
{
	bool is_old = false;
	int ret = perf_data_run(bytes, len, p, &is_old, err);

	return is_old ? perf_data_run(bytes, len, p, &is_old, err) : ret;
}

static bool perf_data_sniff(const uint8_t *head, size_t len)
{
	return len >= MAGIC_LEN && (memcmp(head, MAGIC, MAGIC_LEN) == 0 ||
				    memcmp(head, MAGIC_OTHER, MAGIC_LEN) == 0);
}

const struct reader perf_data_reader = {
	.name = "perf-data",
	.summary = "recording of perf record, read by perf script",
	.sniff = perf_data_sniff,
	.read = perf_data_read,
};
