/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/target.h"

#include "cmd/log.h"
#include "cmd/main_name.h"
#include "cmd/nearest.h"
#include "cmd/process.h"
#include "core/base/alloc.h"
#include "core/base/ascii.h"
#include "core/base/clock.h"
#include "core/base/pattern.h"
#include "core/base/units.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LAUNCH_NS (1 * CLOCK_NS_PER_S)

/* "4711", and what is near enough to one that no name is meant. */
static bool is_number(const char *name)
{
	size_t sign = name[0] == '-' || name[0] == '+';

	return is_digit(name[sign]) &&
	       !name[sign + strspn(name + sign, "0123456789")];
}

/* A launcher loads libjvm a few milliseconds after it has started. */
static bool is_launcher(pid_t pid)
{
	static const char name[] = "/java";
	char path[32], exe[PATH_MAX];
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	len = readlink(path, exe, sizeof(exe));
	return len >= (ssize_t)strlen(name) &&
	       memcmp(exe + len - strlen(name), name, strlen(name)) == 0;
}

static int open_pid(struct jvm *jvm, const char *name, struct error *err)
{
	int64_t until_ns = clock_monotonic_ns() + LAUNCH_NS;
	long pid = strtol(name, NULL, 10);

	if (pid <= 0 || pid > INT32_MAX)
		return misuse(err, "%s: no such process", name);
	while (jvm_open_java(jvm, (pid_t)pid, err)) {
		if (err->kind != ERROR_NO_TARGET || !is_launcher((pid_t)pid) ||
		    clock_left_ms(until_ns) == 0)
			return -1;
		clock_sleep_until(clock_monotonic_ns() + 10 * CLOCK_NS_PER_MS);
	}
	return 0;
}

/* A JVM that may be meant. */
struct candidate {
	const struct jvm *jvm;
	struct text main;
	bool matches;
};

struct candidates {
	struct jvm_list list;
	struct candidate *at;
	size_t count;
	size_t matching;
	size_t first; /* of those */
};

static int candidates_open(struct candidates *c, struct error *err)
{
	*c = (struct candidates){ 0 };
	if (jvm_list(&c->list, err))
		return -1;
	c->at = xcalloc(c->list.count, sizeof(*c->at));
	for (size_t i = 0; i < c->list.count; i++) {
		const struct jvm *jvm = &c->list.jvms[i];
		struct jvm_info info;
		struct error unused;

		if (jvm_info(jvm, &info, &unused))
			continue; /* has ended */
		c->at[c->count].jvm = jvm;
		main_name_of(jvm, &info, &c->at[c->count++].main);
		jvm_info_release(&info);
	}
	return 0;
}

static void candidates_close(struct candidates *c)
{
	for (size_t i = 0; i < c->count; i++)
		text_release(&c->at[i].main);
	free(c->at);
	jvm_list_release(&c->list);
}

static void target_mark(struct candidates *c, size_t i)
{
	if (c->matching++ == 0)
		c->first = i;
	c->at[i].matches = true;
}

/* "com.acme.Main", "Main", "/opt/app.jar", "app.jar", "app". */
static bool is_called(const char *main, const char *name)
{
	const char *simple = main_name_simple(main);
	size_t len = strlen(simple);

	if (strcmp(main, name) == 0 || strcmp(simple, name) == 0)
		return true;
	return len > 4 && strcmp(simple + len - 4, ".jar") == 0 &&
	       strlen(name) == len - 4 && memcmp(simple, name, len - 4) == 0;
}

/* Those that have the name or, when none has, that an expression finds. */
static int target_find(struct candidates *c, const char *name,
		       struct error *err)
{
	struct pattern *pattern;

	for (size_t i = 0; i < c->count; i++) {
		if (is_called(c->at[i].main.bytes, name))
			target_mark(c, i);
	}
	if (c->matching)
		return 0;
	pattern = pattern_new(name, err);
	if (!pattern)
		return -1;
	for (size_t i = 0; i < c->count; i++) {
		const struct text *main = &c->at[i].main;

		if (pattern_matches(pattern, main->bytes, main->len))
			target_mark(c, i);
	}
	pattern_free(pattern);
	return 0;
}

void target_add_hidden(const struct jvm_list *list, struct text *out)
{
	if (!list->hidden)
		return;
	text_printf(out, "no permission to inspect %zu %s; ", list->hidden,
		    list->hidden == 1 ? "process that may be a JVM"
				      : "processes that may be JVMs");
	if (geteuid())
		text_puts(out, "run as root to see all");
	else
		text_printf(out, "`sjkc doctor %d` prints why",
			    (int)list->hidden_pid);
}

static int target_fail_none(const struct candidates *c, const char *name,
			    struct error *err)
{
	struct nearest nearest = nearest_to(name, strlen(name));
	struct text hidden = { 0 };
	struct stat file;

	text_puts(&hidden, "");
	for (size_t i = 0; i < c->count; i++)
		nearest_offer(&nearest, main_name_simple(c->at[i].main.bytes));
	if (c->list.hidden)
		text_puts(&hidden, "; ");
	target_add_hidden(&c->list, &hidden);
	if (stat(name, &file) == 0 && S_ISREG(file.st_mode) &&
	    !(file.st_mode & 0111))
		fail(err, ERROR_NO_TARGET,
		     "no JVM is called '%s', but a file; `sjkc prof -i %s` "
		     "reports on a recording%s",
		     name, name, hidden.bytes);
	else if (nearest.best)
		fail(err, ERROR_NO_TARGET,
		     "no JVM is called '%s'; did you mean '%s'?%s", name,
		     nearest.best, hidden.bytes);
	else
		fail(err, ERROR_NO_TARGET,
		     "no JVM is called '%s'; `sjkc jps` lists the JVMs%s", name,
		     hidden.bytes);
	text_release(&hidden);
	return -1;
}

/* "4711 Main orders --token=***": names alone may all be the same. */
static void say_candidate(size_t number, const struct candidate *c)
{
	struct text args = { 0 };
	struct process p;
	struct error unused;

	text_puts(&args, "");
	if (process_init(&p, c->jvm, &unused) == 0) {
		process_args(&p, &args);
		process_release(&p);
	}
	log_always("%3zu. pid %d: %s%s%s", number, (int)c->jvm->pid,
		   c->main.bytes, args.len ? " " : "", args.bytes);
	text_release(&args);
}

/* Opens one of a list, unless another has taken its pid since. */
static int open_listed(struct jvm *jvm, const struct jvm *listed,
		       struct error *err)
{
	if (jvm_open_java(jvm, listed->pid, err))
		return -1;
	if (jvm->start_ticks == listed->start_ticks)
		return 0;
	jvm_close(jvm);
	return fail(err, ERROR_NO_TARGET, "%d has ended", (int)listed->pid);
}

static void list_matches(const struct candidates *c)
{
	size_t number = 0;

	for (size_t i = 0; i < c->count; i++) {
		if (c->at[i].matches)
			say_candidate(++number, &c->at[i]);
	}
}

static const struct candidate *match(const struct candidates *c, size_t number)
{
	for (size_t i = 0; i < c->count; i++) {
		if (c->at[i].matches && --number == 0)
			return &c->at[i];
	}
	return NULL;
}

/* A line of the terminal without its newline; false when it is empty. */
static bool read_answer(char *line, size_t size)
{
	size_t len = 0;
	char c;

	while (read(STDIN_FILENO, &c, 1) == 1 && c != '\n') {
		if (len + 1 < size)
			line[len++] = c;
	}
	line[len] = '\0';
	return len > 0;
}

/* By its number in the list or, when that is none, by its PID. */
static const struct candidate *answered(const struct candidates *c,
					const char *line)
{
	struct error unused;
	uint64_t number;

	if (units_count(line, &number, &unused))
		return NULL;
	if (number >= 1 && number <= c->matching)
		return match(c, (size_t)number);
	for (size_t i = 0; i < c->count; i++) {
		if (c->at[i].matches && (uint64_t)c->at[i].jvm->pid == number)
			return &c->at[i];
	}
	return NULL;
}

/* Of those that match, listed on a terminal: the one that is typed. */
static int ask_which(struct jvm *jvm, const struct candidates *c,
		     struct error *err)
{
	static const char prompt[] = "number or PID: ";
	const struct candidate *chosen;
	char line[32];

	if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
		return misuse(err, "name one of these JVMs by its PID");
	log_bytes(prompt, sizeof(prompt) - 1);
	if (!read_answer(line, sizeof(line)))
		return misuse(err, "no JVM was chosen");
	chosen = answered(c, line);
	if (!chosen)
		return misuse(err, "'%s' is not in the list", line);
	return open_listed(jvm, chosen->jvm, err);
}

static int target_fail_several(struct jvm *jvm, const struct candidates *c,
			       const char *name, struct error *err)
{
	log_always("'%s' matches %zu JVMs:", name, c->matching);
	list_matches(c);
	return ask_which(jvm, c, err);
}

int target_open_named(struct jvm *jvm, const char *name, struct error *err)
{
	struct candidates c;
	int ret = -1;

	if (is_number(name))
		return open_pid(jvm, name, err);
	if (!*name)
		return misuse(err, "the JVM's name is empty");
	if (candidates_open(&c, err) || target_find(&c, name, err))
		goto out;
	if (c.matching == 1)
		ret = open_listed(jvm, c.at[c.first].jvm, err);
	else
		ret = c.matching ? target_fail_several(jvm, &c, name, err)
				 : target_fail_none(&c, name, err);
out:
	candidates_close(&c);
	return ret;
}

static int no_jvm(const struct candidates *c, struct error *err)
{
	struct text hidden = { 0 };

	text_puts(&hidden, "no JVM runs here");
	if (c->list.hidden)
		text_puts(&hidden, " that sjkc can inspect; ");
	else if (c->list.hides)
		text_puts(&hidden, " that sjkc can see: /proc hides the "
				   "processes of other users (hidepid)");
	target_add_hidden(&c->list, &hidden);
	fail(err, ERROR_NO_TARGET, "%s", hidden.bytes);
	text_release(&hidden);
	return -1;
}

static void say_only(const struct candidate *c)
{
	log_info("using the only JVM here: %d %s", (int)c->jvm->pid,
		 c->main.bytes);
}

int target_open_any(struct jvm *jvm, struct error *err)
{
	struct candidates c;
	int ret = -1;

	if (candidates_open(&c, err))
		goto out;
	for (size_t i = 0; i < c.count; i++)
		target_mark(&c, i);
	if (c.count == 0) {
		ret = no_jvm(&c, err);
	} else if (c.count == 1) {
		say_only(&c.at[0]);
		ret = open_listed(jvm, c.at[0].jvm, err);
	} else {
		log_always("%zu JVMs run here:", c.count);
		list_matches(&c);
		ret = ask_which(jvm, &c, err);
	}
out:
	candidates_close(&c);
	return ret;
}

int target_open(struct jvm *jvm, const char *pid_option, int *argc,
		char ***argv, struct error *err)
{
	if (!pid_option) {
		if (*argc < 1)
			return target_open_any(jvm, err);
		pid_option = **argv;
		--*argc;
		++*argv;
	}
	return target_open_named(jvm, pid_option, err);
}
