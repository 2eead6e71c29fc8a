/* SPDX-License-Identifier: Apache-2.0 */
/* sjkc mcp: serves coding agents on standard input and output. */
#include "cmd/mcp/mcp.h"

#include "cmd/commands.h"
#include "cmd/shared/log.h"
#include "cmd/shared/signals.h"
#include "cmd/shared/target.h"
#include "core/base/alloc.h"
#include "core/base/ascii.h"
#include "core/base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Output that the client has not read; beyond, no request is read. */
enum { OUT_MAX = 1 << 20, WRITE_MAX = 4096 };

static struct {
	struct option_list pids, allow;
	const char *user, *directory;
} opt;

/* ---- input and output ---- */

struct stream {
	struct mcp_server *server;
	struct text in;
	bool skips; /* the rest of a line that is too long */
	bool has_ended;
};

static void stream_add_line(struct stream *t)
{
	if (t->skips)
		mcp_error_write(mcp_server_out(t->server), &(struct text){ 0 },
				MCP_PARSE, "the line is longer than 1 MB",
				NULL);
	else
		mcp_server_take(t->server, t->in.len ? t->in.bytes : "",
				t->in.len);
	t->skips = false;
	text_clear(&t->in);
}

static void stream_read(struct stream *t)
{
	/* Few, because an answer may be 300 times longer than its request. */
	char part[4096];
	ssize_t got = read(STDIN_FILENO, part, sizeof(part));

	if (got < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	t->has_ended = got <= 0;
	for (ssize_t i = 0; i < got;) {
		const char *end = memchr(part + i, '\n', (size_t)(got - i));
		size_t len = end ? (size_t)(end - part - i) : (size_t)(got - i);

		t->skips |= t->in.len + len > MCP_LINE_MAX;
		if (!t->skips)
			text_add(&t->in, part + i, len);
		if (end)
			stream_add_line(t);
		i += (ssize_t)len + (end != NULL);
	}
}

/* poll(2) has said that a pipe takes this much without blocking. */
static void stream_write(struct stream *t)
{
	struct text *out = mcp_server_out(t->server);
	ssize_t put = write(STDOUT_FILENO, out->bytes,
			    out->len < WRITE_MAX ? out->len : WRITE_MAX);

	if (put < 0 && errno != EINTR && errno != EAGAIN)
		t->has_ended = true;
	if (put <= 0)
		return;
	out->len -= (size_t)put;
	memmove(out->bytes, out->bytes + put, out->len);
}

static void stream_poll(struct stream *t)
{
	const struct text *out = mcp_server_out(t->server);
	int64_t due_ns = INT64_MAX;
	struct pollfd fds[3 + MCP_FDS] = {
		{ STDIN_FILENO, out->len < OUT_MAX ? POLLIN : POLLRDHUP, 0 },
		{ STDOUT_FILENO, out->len ? POLLOUT : 0, 0 },
		{ signals_fd(), POLLIN, 0 },
	};
	size_t count = mcp_server_fds(t->server, fds + 3, &due_ns);

	if (poll(fds, count + 3,
		 due_ns == INT64_MAX ? -1 : clock_left_ms(due_ns)) < 0)
		return;
	if (fds[1].revents & POLLOUT)
		stream_write(t);
	/* The client has closed its end, so it reads no answers. */
	else if (fds[1].revents & POLLERR)
		t->has_ended = true;
	/* Calls before the end of the input would be cancelled behind it. */
	if (fds[0].revents & POLLHUP)
		mcp_server_cancel(t->server);
	if (fds[0].revents && fds[0].events == POLLIN)
		stream_read(t);
	/* The client does not read answers, and has closed its end. */
	else if (fds[0].revents)
		t->has_ended = true;
	mcp_server_step(t->server);
}

/* Writes answers to requests before the end of the input. */
static void stream_flush(struct stream *t)
{
	struct pollfd out = { .fd = STDOUT_FILENO, .events = POLLOUT };
	int64_t until_ns = clock_monotonic_ns() + CLOCK_NS_PER_S / 2;

	t->has_ended = false;
	while (mcp_server_out(t->server)->len && !t->has_ended &&
	       poll(&out, 1, clock_left_ms(until_ns)) > 0)
		stream_write(t);
}

static void mcp_serve(const struct mcp_rules *rules)
{
	struct stream t = { .server = mcp_server_new(rules) };

	signals_listen();
	while (!t.has_ended && !signals_arrived())
		stream_poll(&t);
	mcp_server_cancel(t.server);
	stream_flush(&t);
	mcp_server_free(t.server);
	text_release(&t.in);
}

/* ---- options ---- */

static int rules_set_rights(struct mcp_rules *r, struct error *err)
{
	for (size_t i = 0; i < opt.allow.count; i++) {
		struct line rest = mcp_line(opt.allow.values[i]);

		while (rest.len) {
			struct line word = line_cut(&rest, ',');
			unsigned right = mcp_right_find(word);

			if (!right)
				return misuse(err,
					      "option --allow: unknown right "
					      "'%.*s'; choose from stop, load, "
					      "probe, files",
					      (int)word.len, word.text);
			r->allowed |= right;
		}
	}
	if (r->allowed & MCP_WRITE && !opt.directory)
		return misuse(err, "--allow files requires --dir");
	return 0;
}

static int rules_set_user(struct mcp_rules *r, struct error *err)
{
	const struct passwd *pw = opt.user ? getpwnam(opt.user) : NULL;
	char *end;

	if (!opt.user)
		return 0;
	r->has_user = true;
	r->user = pw ? pw->pw_uid : (uid_t)strtoul(opt.user, &end, 10);
	if (!pw && (!is_digit(*opt.user) || *end))
		return misuse(err, "option --user: no user '%s'", opt.user);
	return 0;
}

static int rules_open_directory(struct mcp_rules *r, struct error *err)
{
	if (!opt.directory)
		return 0;
	r->directory_name = realpath(opt.directory, NULL);
	if (r->directory_name)
		r->directory = open(r->directory_name,
				    O_PATH | O_DIRECTORY | O_CLOEXEC);
	return r->directory >= 0
		       ? 0
		       : fail_sys(err, ERROR_INPUT, "%s", opt.directory);
}

static int rules_open_jvms(struct mcp_rules *r, struct error *err)
{
	struct jvm *jvms = xcalloc(opt.pids.count + 1, sizeof(*jvms));

	r->jvms = jvms;
	for (size_t i = 0; i < opt.pids.count; i++, r->jvm_count++)
		if (target_open_named(&jvms[i], opt.pids.values[i], err))
			return -1;
	return 0;
}

static void rules_release(struct mcp_rules *r)
{
	for (size_t i = 0; i < r->jvm_count; i++)
		jvm_close(&r->jvms[i]);
	free(r->jvms);
	if (r->directory >= 0)
		close(r->directory);
	free(r->directory_name);
}

static int mcp_run(int argc, char **argv, struct error *err)
{
	struct mcp_rules rules = { .directory = -1 };
	int ret = argc ? misuse(err, "unexpected argument '%s'", argv[0]) : 0;

	if (ret == 0)
		ret = rules_set_rights(&rules, err);
	if (ret == 0)
		ret = rules_set_user(&rules, err);
	if (ret == 0)
		ret = rules_open_directory(&rules, err);
	if (ret == 0)
		ret = rules_open_jvms(&rules, err);
	if (ret == 0 && isatty(STDIN_FILENO))
		log_info("waiting for messages of the Model Context Protocol; "
			 "sjkc-mcp(1) lists how to register sjkc in a client");
	if (ret == 0)
		mcp_serve(&rules);
	rules_release(&rules);
	return ret;
}

/* clang-format off */
static const struct command_option options[] = {
	OPT_LIST('p', "pid", &opt.pids, "<pid>",
		 "serve only this JVM: PID, main class, <regex>",
		 .single = true),
	OPT_STRING(0, "user", &opt.user, "<user>",
		   "serve only the JVMs of this user"),
	OPT_LIST(0, "allow", &opt.allow, "<rights>",
		 "allow what disturbs a JVM: stop,load,probe,files",
		 .single = true, .complete = "stop|load|probe|files"),
	OPT_STRING(0, "dir", &opt.directory, "<directory>",
		   "read and write files only in this directory"),
	OPT_END,
};
/* clang-format on */

const struct command mcp_command = {
	.name = "mcp",
	.synopsis = "mcp [<options>]",
	.summary = "let a coding agent examine JVMs, over stdin and stdout",
	.group = "watch",
	.examples = "  sjkc mcp                          # reads only\n"
		    "  sjkc mcp --allow stop --pid 4711\n"
		    "  sjkc mcp --dir /var/tmp/incident --allow stop,files\n"
		    "  ssh host sjkc mcp\n",
	.options = options,
	.has_messages = true,
	.run = mcp_run,
};
