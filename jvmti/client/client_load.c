/* SPDX-License-Identifier: Apache-2.0 */
#include "jvmti/client/client_load.h"

#include "core/base/clock.h"
#include "core/base/lines.h"
#include "core/base/text.h"
#include "core/jvm/procfs.h"
#include "jvmti/client/client_library.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAPS_LIMIT  ((size_t)64 << 20)
#define WORDS_LIMIT 300
#define DELETED     " (deleted)"

/* A JVM answers a little before it may load agents. */
#define EARLY_NS       CLOCK_NS_PER_S
#define EARLY_PAUSE_NS (20 * CLOCK_NS_PER_MS)

int agent_load_allowed(const struct jvm *jvm, struct error *err)
{
	struct jvm_about about;
	struct error unused;
	const char *option;
	int ret = 0;

	if (jvm->kind != JVM_HOTSPOT)
		return fail(err, ERROR_UNAVAILABLE,
			    "%d: the agent is for HotSpot JVMs", (int)jvm->pid);
	/* What cannot be looked up is found out by trying. */
	if (jvm_about(jvm, &about, &unused))
		return 0;
	option = jvm_about_option(&about, "-XX:-EnableDynamicAgentLoading");
	if (option)
		ret = fail(err, ERROR_REFUSED,
			   "%d: the JVM was started with %s: it loads no "
			   "agents; start it without, or do without the agent",
			   (int)jvm->pid, "-XX:-EnableDynamicAgentLoading");
	jvm_about_release(&about);
	return ret;
}

/* The path of a line of /proc/PID/maps; its length is 0 without one. */
static struct line path_of(struct line line)
{
	const char *at = memchr(line.text, '/', line.len);

	if (!at)
		return (struct line){ 0 };
	return (struct line){ .text = at,
			      .len = (size_t)(line.text + line.len - at) };
}

/* "/tmp/.sjkc-…/agent-….so (deleted)", of which the end goes. */
static bool is_ours(struct line *path)
{
	const char *name = agent_library_name();
	size_t len = strlen(name);

	if (line_ends(*path, DELETED))
		path->len -= strlen(DELETED);
	return path->len > len + 1 && line_ends(*path, name) &&
	       path->text[path->len - len - 1] == '/' &&
	       memmem(path->text, path->len, "/.sjkc-", 7);
}

static bool is_code(struct line line)
{
	const char *at = memchr(line.text, ' ', line.len);

	return at && line.text + line.len - at > 4 && at[3] == 'x';
}

struct found {
	struct line path, range; /* of the library's code */
	bool is_there, has_musl;
};

static struct found look_for(const struct text *maps)
{
	struct lines lines = lines_over(maps->bytes, maps->len);
	struct found f = { 0 };
	struct line line;

	while (lines_next(&lines, &line)) {
		struct line path = path_of(line);

		if (path.len && memmem(path.text, path.len, "/ld-musl-", 9))
			f.has_musl = true;
		if (f.is_there || !path.len || !is_code(line) ||
		    !is_ours(&path))
			continue;
		f.is_there = true;
		f.path = path;
		f.range = line;
		f.range.len = (size_t)((const char *)memchr(line.text, ' ',
							    line.len) -
				       line.text);
	}
	return f;
}

static bool copy(char *to, size_t size, struct line from)
{
	if (from.len >= size)
		return false;
	memcpy(to, from.text, from.len);
	to[from.len] = '\0';
	return true;
}

/*
 * Of a JVM whose root is a folder of ours (chroot), the kernel says paths from
 * our root on; its loader knows them from its own.
 */
static void strip_root(const struct jvm *jvm, struct line *path)
{
	char link[32], root[PATH_MAX];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/%d/root", (int)jvm->pid);
	len = readlink(link, root, sizeof(root));
	if (len > 1 && (size_t)len < path->len &&
	    memcmp(path->text, root, (size_t)len) == 0 &&
	    path->text[len] == '/') {
		path->text += len;
		path->len -= (size_t)len;
	}
}

bool agent_load_known(const struct jvm *jvm, char *path, size_t size)
{
	struct text maps = { 0 };
	struct error unused;
	struct found f = { 0 };
	bool is_known = false;

	if (procfs_read(jvm->pid, "maps", MAPS_LIMIT, &maps, &unused) == 0 &&
	    maps.len) {
		f = look_for(&maps);
		if (f.is_there)
			strip_root(jvm, &f.path);
		is_known = f.is_there && !f.has_musl &&
			   copy(path, size, f.path);
	}
	text_release(&maps);
	return is_known;
}

/* As map_files has it: hexadecimal without zeros in front. */
bool agent_load_mapping(const struct jvm *jvm, char *name, size_t size)
{
	struct text maps = { 0 };
	struct error unused;
	bool is_there = false;
	char range[64], *end;

	if (procfs_read(jvm->pid, "maps", MAPS_LIMIT, &maps, &unused) == 0 &&
	    maps.len) {
		struct found f = look_for(&maps);

		is_there = f.is_there && copy(range, sizeof(range), f.range);
	}
	text_release(&maps);
	if (is_there) {
		unsigned long long from = strtoull(range, &end, 16);
		unsigned long long to = *end == '-'
						? strtoull(end + 1, NULL, 16)
						: 0;

		snprintf(name, size, "%llx-%llx", from, to);
	}
	return is_there;
}

/* "return code: 0", or before JDK 9 just "0". */
int agent_load_verdict(const char *reply, size_t len, struct error *err)
{
	static const char label[] = "return code: ";
	const char *at = len ? memmem(reply, len, label, strlen(label)) : NULL;
	const char *digits = at ? at + strlen(label) : reply;
	size_t left = len ? (size_t)(reply + len - digits) : 0;
	size_t words = len < WORDS_LIMIT ? len : WORDS_LIMIT;
	size_t count = 0;
	int code = 0;

	while (count < left && count < 6 &&
	       isdigit((unsigned char)digits[count]))
		code = code * 10 + (digits[count++] - '0');
	if (count && (at || count == left || digits[count] == '\n')) {
		if (code == 0)
			return 0;
		errno = code;
		return fail_sys(err, ERROR_REFUSED,
				"the agent cannot open its file");
	}
	while (words && isspace((unsigned char)reply[words - 1]))
		words--;
	return fail(err, ERROR_REFUSED, "the JVM did not load the agent: %.*s",
		    (int)words, words ? reply : "");
}

static int load_once(struct attach *a, const struct jvm *jvm, const char *path,
		     const char *options, struct error *err)
{
	const struct attach_request request = {
		.operation = "load",
		.args = { path, "true", options },
	};
	struct text reply = { 0 };
	int ret = attach_call(a, &request, &reply, err);

	if (ret == 0 && agent_load_verdict(reply.bytes, reply.len, err))
		ret = fail_in(err, "%d", (int)jvm->pid);
	text_release(&reply);
	return ret;
}

/* JvmtiAgentList::load_agent() of JDK 21 and later. */
static bool is_too_early(const struct error *err)
{
	return err->kind == ERROR_REFUSED && strstr(err->text, "live phase");
}

int agent_load(struct attach *a, const struct jvm *jvm, const char *path,
	       const char *options, struct error *err)
{
	static const struct timespec pause = { .tv_nsec = EARLY_PAUSE_NS };
	int64_t until_ns = clock_monotonic_ns() + EARLY_NS;
	int ret;

	while ((ret = load_once(a, jvm, path, options, err)) &&
	       is_too_early(err) && clock_monotonic_ns() < until_ns)
		nanosleep(&pause, NULL);
	return ret;
}
