/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/shared/target.h"

#include "cmd/shared/command.h"
#include "cmd/shared/log.h"
#include "cmd/shared/process.h"
#include "core/base/alloc.h"
#include "core/base/ascii.h"
#include "core/base/clock.h"
#include "core/base/input.h"
#include "core/base/nearest.h"
#include "core/base/pattern.h"
#include "core/base/units.h"
#include "core/formats/reader.h"
#include "core/gc/gc_log.h"
#include "core/jvm/class_histogram.h"
#include "core/jvm/container.h"
#include "core/jvm/main_name.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* How long `java` may take from its start until it loads libjvm. */
#define LAUNCH_NS (1 * CLOCK_NS_PER_S)

/* True for "4711", "-1" and "+1": the user means a PID. */
static bool target_is_number(const char *name)
{
	size_t sign = name[0] == '-' || name[0] == '+';

	return is_digit(name[sign]) &&
	       !name[sign + strspn(name + sign, "0123456789")];
}

/* True for `java`, which loads libjvm a few milliseconds after its start. */
static bool target_is_launcher(pid_t pid)
{
	static const char name[] = "/java";
	char path[32], exe[PATH_MAX];
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)procfs_owner(pid));
	len = readlink(path, exe, sizeof(exe));
	return len >= (ssize_t)strlen(name) &&
	       memcmp(exe + len - strlen(name), name, strlen(name)) == 0;
}

static int target_open_pid(struct jvm *jvm, const char *name, struct error *err)
{
	int64_t until_ns = clock_monotonic_ns() + LAUNCH_NS;
	long pid = strtol(name, NULL, 10);

	if (pid <= 0 || pid > INT32_MAX)
		return misuse(err,
			      "invalid PID '%s'; `sjkc jps` lists the "
			      "PIDs of JVMs",
			      name);
	while (jvm_open_java(jvm, (pid_t)pid, err)) {
		if (err->kind != ERROR_NO_TARGET ||
		    !target_is_launcher((pid_t)pid) ||
		    clock_left_ms(until_ns) == 0)
			return -1;
		clock_sleep_until(clock_monotonic_ns() + 10 * CLOCK_NS_PER_MS);
	}
	return 0;
}

/* A JVM that the user may mean. */
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
	size_t first; /* index of the first match */
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
			continue; /* the process has ended */
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

/* Matches "com.acme.Main", "Main", "/opt/app.jar", "app.jar" and "app". */
static bool target_has_name(const char *main, const char *name)
{
	const char *simple = main_name_simple(main);
	size_t len = strlen(simple);

	if (strcmp(main, name) == 0 || strcmp(simple, name) == 0)
		return true;
	return len > 4 && strcmp(simple + len - 4, ".jar") == 0 &&
	       strlen(name) == len - 4 && memcmp(simple, name, len - 4) == 0;
}

/* Marks JVMs with the name or, without any, those that match it as a
 * regex. */
static int target_find(struct candidates *c, const char *name,
		       struct error *err)
{
	struct pattern *pattern;

	for (size_t i = 0; i < c->count; i++) {
		if (target_has_name(c->at[i].main.bytes, name))
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

/* Marks the JVMs of a pod, "NAMESPACE/NAME" or "NAME". */
static void target_find_pod(struct candidates *c, const char *name)
{
	const char *slash = strchr(name, '/');
	const char *pod = slash ? slash + 1 : name;
	size_t len = slash ? (size_t)(slash - name) : 0;

	for (size_t i = 0; i < c->count; i++) {
		struct container_pod p;

		container_pod_read(&p, c->at[i].jvm);
		if (p.name.len && strcmp(p.name.bytes, pod) == 0 &&
		    (!slash || (p.namespace.len == len &&
				memcmp(p.namespace.bytes, name, len) == 0)))
			target_mark(c, i);
		container_pod_release(&p);
	}
}

static void target_add_hidden(const struct jvm_list *list, struct text *out)
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

bool target_is_file(const char *argument)
{
	size_t len = strlen(argument);
	struct stat file = { 0 };

	if (argument[strspn(argument, "0123456789")] == '\0' ||
	    (len > 4 && strcmp(argument + len - 4, ".jar") == 0) ||
	    (stat(argument, &file) == 0 && S_ISREG(file.st_mode) &&
	     (file.st_mode & 0111)))
		return false;
	return strcmp(argument, "-") == 0 || *argument == '/' ||
	       strncmp(argument, "./", 2) == 0 ||
	       strncmp(argument, "../", 3) == 0 ||
	       (file.st_mode && !S_ISDIR(file.st_mode));
}

int target_refuse_live(const char *options, struct error *err)
{
	const char *given = command_given(options);

	return given ? misuse(err, "--%s requires a running JVM, not a file",
			      given)
		     : 0;
}

/* Appends the command that reads the file, or the reason why none does. */
static void target_add_reader(const char *path, struct text *out)
{
	struct class_histogram h = { 0 };
	struct input in = { 0 };
	struct error err = { 0 };
	const struct reader *reader = NULL;
	const char *command = NULL;
	size_t head;

	if (input_open(&in, path, &err)) {
		text_printf(out, ": it %s", err.text);
		input_close(&in);
		return;
	}
	head = in.len < INPUT_HEAD ? in.len : INPUT_HEAD;
	reader = reader_for(NULL, NULL, in.bytes, head, &err);
	if (reader == &dump_reader || reader == &dump_json_reader)
		command = "threads";
	else if (reader)
		command = "prof";
	else if (gc_log_sniff(in.bytes, head))
		command = "gc";
	else if (class_histogram_read(&h, (const char *)in.bytes, head, &err) ==
		 0)
		command = "hh";
	if (command)
		text_printf(out, "; use `sjkc %s %s`", command, path);
	else
		text_puts(out, "; `sjkc jps` lists the JVMs");
	class_histogram_release(&h);
	input_close(&in);
}

static int target_fail_none(const struct candidates *c, const char *name,
			    struct error *err)
{
	struct nearest nearest = nearest_to(name, strlen(name));
	struct text hidden = { 0 }, advice = { 0 };
	const char *kind = "JVM";
	struct stat file;

	text_puts(&hidden, "");
	if (strchr(name, '/') && stat(name, &file) != 0)
		kind = "file or JVM";
	for (size_t i = 0; i < c->count; i++)
		nearest_offer(&nearest, main_name_simple(c->at[i].main.bytes));
	if (c->list.hidden)
		text_puts(&hidden, "; ");
	target_add_hidden(&c->list, &hidden);
	if (stat(name, &file) == 0 && S_ISREG(file.st_mode) &&
	    !(file.st_mode & 0111)) {
		target_add_reader(name, &advice);
		fail(err, ERROR_NO_TARGET, "'%s' is a file, not a JVM%s%s",
		     name, advice.bytes, hidden.bytes);
	} else if (nearest.best) {
		fail(err, ERROR_NO_TARGET,
		     "no %s is called '%s'; did you mean '%s'?%s", kind, name,
		     nearest.best, hidden.bytes);
	} else {
		fail(err, ERROR_NO_TARGET,
		     "no %s is called '%s'; `sjkc jps` lists the JVMs%s", kind,
		     name, hidden.bytes);
	}
	text_release(&advice);
	text_release(&hidden);
	return -1;
}

/* Prints a JVM with its arguments, since several may have the same name. */
static void target_print_candidate(size_t number, const struct candidate *c)
{
	struct text args = { 0 };
	struct process p;

	text_puts(&args, "");
	if (process_init(&p, c->jvm, error_unused()) == 0) {
		process_args(&p, &args);
		process_release(&p);
	}
	log_always("%3zu. pid %d: %s%s%s", number, (int)c->jvm->pid,
		   c->main.bytes, args.len ? " " : "", args.bytes);
	text_release(&args);
}

/* Opens a JVM of the list, unless another process has its pid now. */
static int target_open_listed(struct jvm *jvm, const struct jvm *listed,
			      struct error *err)
{
	if (jvm_open_java(jvm, listed->pid, err))
		return -1;
	if (jvm->start_ticks == listed->start_ticks)
		return 0;
	jvm_close(jvm);
	return fail(err, ERROR_NO_TARGET, "%d has exited", (int)listed->pid);
}

static void target_list_matches(const struct candidates *c)
{
	size_t number = 0;

	for (size_t i = 0; i < c->count; i++) {
		if (c->at[i].matches)
			target_print_candidate(++number, &c->at[i]);
	}
}

static const struct candidate *target_match(const struct candidates *c,
					    size_t number)
{
	for (size_t i = 0; i < c->count; i++) {
		if (c->at[i].matches && --number == 0)
			return &c->at[i];
	}
	return NULL;
}

/* Reads a line without its newline; false when it is empty. */
static bool target_read_line(char *line, size_t size)
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

/* Finds a candidate by its number in the list or by its PID. */
static const struct candidate *target_chosen(const struct candidates *c,
					     const char *line)
{
	uint64_t number;

	if (units_count(line, &number, error_unused()))
		return NULL;
	if (number >= 1 && number <= c->matching)
		return target_match(c, (size_t)number);
	for (size_t i = 0; i < c->count; i++) {
		if (c->at[i].matches && (uint64_t)c->at[i].jvm->pid == number)
			return &c->at[i];
	}
	return NULL;
}

/* Asks on the terminal which of the listed JVMs to open. */
static int target_ask(struct jvm *jvm, const struct candidates *c,
		      struct error *err)
{
	static const char prompt[] = "number or PID: ";
	const struct candidate *chosen;
	char line[32];

	if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
		return misuse(err, "name one of these JVMs by its PID");
	log_bytes(prompt, sizeof(prompt) - 1);
	if (!target_read_line(line, sizeof(line)))
		return misuse(err, "no JVM was chosen");
	chosen = target_chosen(c, line);
	if (!chosen)
		return misuse(err, "'%s' is not in the list", line);
	return target_open_listed(jvm, chosen->jvm, err);
}

int target_open_named(struct jvm *jvm, const char *name, struct error *err)
{
	bool is_pod = strncmp(name, "pod/", 4) == 0;
	struct candidates c;
	int ret = -1;

	if (target_is_number(name))
		return target_open_pid(jvm, name, err);
	if (!*name)
		return misuse(err, "the JVM's name is empty");
	if (candidates_open(&c, err))
		goto out;
	if (is_pod)
		target_find_pod(&c, name + 4);
	else if (target_find(&c, name, err))
		goto out;
	if (c.matching == 1) {
		ret = target_open_listed(jvm, c.at[c.first].jvm, err);
	} else if (!c.matching) {
		ret = target_fail_none(&c, name, err);
	} else {
		log_always("'%s' matches %zu JVMs:", name, c.matching);
		target_list_matches(&c);
		ret = target_ask(jvm, &c, err);
	}
out:
	candidates_close(&c);
	return ret;
}

int target_fail_no_jvm(const struct jvm_list *list, struct error *err)
{
	struct text hidden = { 0 };

	text_puts(&hidden, "no JVM runs here");
	if (list->hidden)
		text_puts(&hidden, " that sjkc can inspect: ");
	else if (list->hides)
		text_puts(&hidden, " that sjkc can see: /proc hides the "
				   "processes of other users (hidepid)");
	target_add_hidden(list, &hidden);
	fail(err, list->hidden ? ERROR_PERMISSION : ERROR_NO_TARGET, "%s",
	     hidden.bytes);
	text_release(&hidden);
	return -1;
}

void target_log_hidden(const struct jvm_list *list)
{
	struct text hidden = { 0 };

	target_add_hidden(list, &hidden);
	if (hidden.len)
		log_info("%s", hidden.bytes);
	if (list->hides)
		log_info("/proc hides the processes of other users (hidepid)");
	text_release(&hidden);
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
		ret = target_fail_no_jvm(&c.list, err);
	} else if (c.count == 1) {
		log_info("using the only JVM here: %d %s",
			 (int)c.at[0].jvm->pid, c.at[0].main.bytes);
		ret = target_open_listed(jvm, c.at[0].jvm, err);
	} else {
		log_always("%zu JVMs run here:", c.count);
		target_list_matches(&c);
		ret = target_ask(jvm, &c, err);
	}
out:
	candidates_close(&c);
	return ret;
}

int target_open(struct jvm *jvm, const char *pid_option, int argc, char **argv,
		struct error *err)
{
	int used = pid_option ? 0 : 1;

	if (argc > used)
		return misuse(err, "unexpected argument '%s': name one JVM",
			      argv[used]);
	return target_open_first(jvm, pid_option, &argc, &argv, err);
}

int target_open_first(struct jvm *jvm, const char *pid_option, int *argc,
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
