/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/lines.h"
#include "core/jvm/java_command.h"
#include "core/jvm/jvm.h"
#include "core/jvm/jvm_kind.h"
#include "core/jvm/opener.h"
#include "core/jvm/perfdata.h"
#include "core/jvm/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/*
 * The kernel accepts longer command lines, but a word of at most 128 KB; a JVM
 * with all options that it has needs less.
 */
#define LONGEST_COMMAND ((size_t)1 << 20)
#define LONGEST_RELEASE ((size_t)64 << 10)
/* HotSpot truncates longer strings: PerfMaxStringConstLength. */
#define LONGEST_COUNTER ((size_t)1024)

static char *info_user_name(uid_t uid)
{
	struct text name = { 0 };
	struct passwd entry, *found = NULL;
	char buffer[16384];

	if (getpwuid_r(uid, &entry, buffer, sizeof(buffer), &found) == 0 &&
	    found)
		return xstrdup(entry.pw_name);
	text_printf(&name, "%u", (unsigned)uid);
	return name.bytes;
}

/* Start times include the time that the machine was suspended. */
static int64_t info_start(const struct jvm *jvm)
{
	int64_t hz = sysconf(_SC_CLK_TCK);
	struct timespec boot;
	int64_t up_ns, started_ns;

	clock_gettime(CLOCK_BOOTTIME, &boot);
	up_ns = boot.tv_sec * CLOCK_NS_PER_S + boot.tv_nsec;
	started_ns = (int64_t)jvm->start_ticks / hz * CLOCK_NS_PER_S +
		     (int64_t)jvm->start_ticks % hz * CLOCK_NS_PER_S / hz;
	return clock_wall_ns() - up_ns + started_ns;
}

static enum java_launcher info_launcher(pid_t pid,
					const struct java_words *words)
{
	char path[32], exe[PATH_MAX];
	const char *name = words->count ? words->at[0] : "";
	const char *slash;
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)procfs_owner(pid));
	len = readlink(path, exe, sizeof(exe) - 1);
	if (len > 0) {
		exe[len] = '\0';
		name = exe;
	}
	slash = strrchr(name, '/');
	return java_launcher_of(slash ? slash + 1 : name);
}

/*
 * Environment variables with options, in the order in which the JVM applies
 * them.
 */
static const struct variable {
	const char *name;
	bool launcher; /* only `java` reads it */
	bool openj9;   /* only OpenJ9 reads it */
	bool last;     /* applied after the command line, so it overrides */
} variables[] = {
	{ "JAVA_TOOL_OPTIONS=", false, false, false },
	{ "OPENJ9_JAVA_OPTIONS=", false, true, false },
	{ "IBM_JAVA_OPTIONS=", false, true, false },
	{ "JDK_JAVA_OPTIONS=", true, false, false },
	{ "_JAVA_OPTIONS=", false, false, true },
};

/* Looks up "NAME=" in the text of an environ file, which ends with a NUL. */
static const char *variable_value(const struct text *block, const char *name)
{
	for (size_t at = 0; at < block->len;) {
		const char *variable = block->bytes + at;

		if (strncmp(variable, name, strlen(name)) == 0)
			return variable + strlen(name);
		at += strlen(variable) + 1;
	}
	return NULL;
}

/* True if a word names a file with more options. */
static bool words_have_file(const struct java_words *words)
{
	for (size_t i = 0; i < words->count; i++) {
		if (words->at[i][0] == '@' && words->at[i][1] != '@')
			return true;
	}
	return false;
}

static void info_add_variables(struct java_words *to, const struct text *block,
			       const struct jvm *jvm, struct java_command *c,
			       bool is_java, bool last)
{
	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++) {
		const struct variable *v = &variables[i];
		struct java_words words = { 0 };
		const char *value = variable_value(block, v->name);

		if (!value || v->last != last || (v->launcher && !is_java) ||
		    (v->openj9 && jvm->kind != JVM_OPENJ9))
			continue;
		java_words_of_options(&words, value, strlen(value));
		if (v->launcher && words_have_file(&words))
			c->has_file = true;
		java_words_move(to, &words);
	}
}

/* Reads the command line and the options in the environment. */
static int info_read_command(const struct jvm *jvm, struct java_command *c,
			     bool *is_java, bool *cut, struct error *err)
{
	struct java_words words = { 0 }, all = { 0 };
	enum java_launcher launcher;
	struct text text = { 0 };
	int ret = procfs_read(jvm->pid, "cmdline", LONGEST_COMMAND, &text, err);

	if (ret)
		goto out;
	java_words_of_nuls(&words, text.bytes, text.len);
	*cut |= text.len == LONGEST_COMMAND || words.is_cut;
	launcher = info_launcher(jvm->pid, &words);
	*is_java = launcher == JAVA_LAUNCHER_JAVA;
	java_command_read(c, &words, launcher);
	java_words_release(&words);
	/* The environment is optional. */
	procfs_read(jvm->pid, "environ", LONGEST_COMMAND, &text,
		    error_unused());
	*cut |= text.len == LONGEST_COMMAND;
	info_add_variables(&all, &text, jvm, c, *is_java, false);
	java_words_move(&all, &c->vm_args);
	info_add_variables(&all, &text, jvm, c, *is_java, true);
	c->vm_args = all;
	*cut |= all.is_cut;
out:
	text_release(&text);
	return ret;
}

/*
 * Splits options joined by spaces, as HotSpot stores them. Text that does not
 * begin like an option belongs to the preceding option.
 */
static void info_split_options(struct java_words *w, const char *text)
{
	while (*text) {
		const char *end = strstr(text, " -");
		size_t len = end ? (size_t)(end - text) : strlen(text);

		java_words_add(w, text, len);
		text += len + (end != NULL);
	}
}

/* Adds facts from the JVM's counters that the command line lacks. */
static void info_complete_command(struct java_command *c, bool is_java,
				  const struct perfdata *p, bool *cut)
{
	const char *options = perfdata_text(p, "java.rt.vmArgs");
	const char *command = perfdata_text(p, "sun.rt.javaCommand");

	if (options && (!is_java || c->has_file)) {
		java_words_release(&c->vm_args);
		info_split_options(&c->vm_args, options);
		*cut |= strlen(options) + 1 >= LONGEST_COUNTER;
	}
	if (command && *command && !c->main_class) {
		size_t len = strcspn(command, " ");

		c->main_class = xstrndup(command, len);
		java_words_release(&c->args);
		java_words_of_options(&c->args, command + len,
				      strlen(command + len));
		*cut |= strlen(command) + 1 >= LONGEST_COUNTER;
	}
}

static char *info_copy_counter(const struct perfdata *p, const char *name)
{
	const char *text = perfdata_text(p, name);

	return text ? xstrdup(text) : NULL;
}

static void info_set_properties(struct jvm_info *about,
				const struct perfdata *p)
{
	about->version = info_copy_counter(p, "java.property.java.version");
	about->vm_name = info_copy_counter(p, "java.property.java.vm.name");
	about->vm_vendor = info_copy_counter(p, "java.property.java.vm.vendor");
	about->java_home = info_copy_counter(p, "java.property.java.home");
}

/*
 * Returns the directory above the JVM's library: the parent of
 * lib/server/libjvm.so, or of lib/amd64/server/libjvm.so up to JDK 8.
 */
static char *info_find_home(const struct jvm *jvm)
{
	struct text library = { 0 };
	enum jvm_kind kind;
	const char *from = "", *lib = NULL;
	char *home = NULL;

	if (jvm_kind_library(jvm->pid, &kind, &library, error_unused()) == 0 &&
	    library.len) {
		from = library.bytes +
		       jvm_root_len(jvm, library.bytes, library.len);
		for (const char *at = from; (at = strstr(at, "/lib/")); at += 5)
			lib = at;
	}
	if (lib)
		home = xstrndup(from, (size_t)(lib - from));
	text_release(&library);
	return home;
}

/* Returns the value of a line NAME="value"; NULL for another line. */
static char *release_value(struct line line, const char *name)
{
	size_t skip = strlen(name);

	if (!line_starts(line, name) || line.len < skip + 3 ||
	    line.text[skip] != '=')
		return NULL;
	line.text += skip + 1;
	line.len -= skip + 1;
	if (!line_starts(line, "\"") || !line_ends(line, "\""))
		return NULL;
	return xstrndup(line.text + 1, line.len - 2);
}

static void release_parse(struct jvm_info *about, const char *bytes, size_t len)
{
	struct lines lines = lines_over(bytes, len);
	struct line line;

	while (lines_next(&lines, &line)) {
		if (!about->version)
			about->version = release_value(line, "JAVA_VERSION");
		if (!about->vm_vendor)
			about->vm_vendor = release_value(line, "IMPLEMENTOR");
		if (!about->modules)
			about->modules = release_value(line, "MODULES");
	}
}

/*
 * The file is in the JDK's directory; for JDK 8, in the parent of jre. Runs in
 * the opener.
 */
static int release_open(const struct jvm *jvm, void *home, struct error *err)
{
	static const char *const names[] = { "/release", "/../release" };
	char path[PATH_MAX];
	int fd = -1;

	for (size_t i = 0; i < 2 && fd < 0; i++) {
		snprintf(path, sizeof(path), "%s%s", (char *)home, names[i]);
		fd = jvm_open_file(jvm, path, O_RDONLY, err);
	}
	return fd;
}

static void release_read(const struct jvm *jvm, struct jvm_info *about)
{
	struct opening o = {
		.jvm = jvm,
		.job = release_open,
		.argument = about->java_home,
		.size = about->java_home ? strlen(about->java_home) + 1 : 0,
		.place = OPENER_HOME,
		.copy_max = LONGEST_RELEASE,
	};
	int fd = o.size && o.size < PATH_MAX ? opener_run(&o, error_unused())
					     : -1;
	char *bytes;
	size_t len = 0;
	ssize_t got;

	if (fd < 0)
		return;
	bytes = xmalloc(LONGEST_RELEASE);
	do {
		got = read(fd, bytes + len, LONGEST_RELEASE - len);
		if (got > 0)
			len += (size_t)got;
	} while (got > 0 || (got < 0 && errno == EINTR));
	close(fd);
	release_parse(about, bytes, len);
	free(bytes);
}

bool jvm_lacks_module(const struct jvm *jvm, const struct jvm_info *about,
		      const char *module)
{
	struct jvm_info file = { 0 };
	struct line rest;
	bool lacks;

	if (about->java_home)
		file.java_home = xstrdup(about->java_home);
	release_read(jvm, &file);
	lacks = file.modules != NULL;
	rest = (struct line){ .text = file.modules,
			      .len = lacks ? strlen(file.modules) : 0 };
	while (lacks && rest.len)
		lacks = !line_is(line_cut(&rest, ' '), module);
	jvm_info_release(&file);
	return lacks;
}

int jvm_info(const struct jvm *jvm, struct jvm_info *about, struct error *err)
{
	struct java_command c = { 0 };
	struct perfdata *p;
	bool is_java = false;

	*about = (struct jvm_info){ 0 };
	if (info_read_command(jvm, &c, &is_java, &about->args_cut, err))
		return -1;
	p = jvm->kind == JVM_HOTSPOT ? perfdata_open(jvm, error_unused())
				     : NULL;
	if (p) {
		info_complete_command(&c, is_java, p, &about->args_cut);
		info_set_properties(about, p);
		perfdata_close(p);
	} else {
		about->args_cut |= c.has_file;
	}
	about->main_class = c.main_class;
	about->vm_args = c.vm_args.at;
	about->args = c.args.at;
	about->user = info_user_name(jvm->uid);
	about->start_ns = info_start(jvm);
	if (!about->java_home)
		about->java_home = info_find_home(jvm);
	if (!about->version)
		release_read(jvm, about);
	if (jvm_runs(jvm))
		return 0;
	jvm_info_release(about);
	return fail(err, ERROR_NO_TARGET, "%d has exited", (int)jvm->pid);
}

static void info_free_words(char **words)
{
	for (size_t i = 0; words && words[i]; i++)
		free(words[i]);
	free(words);
}

void jvm_info_release(struct jvm_info *about)
{
	free(about->user);
	free(about->main_class);
	info_free_words(about->vm_args);
	info_free_words(about->args);
	free(about->version);
	free(about->vm_name);
	free(about->vm_vendor);
	free(about->java_home);
	free(about->modules);
	*about = (struct jvm_info){ 0 };
}

const char *jvm_info_option(const struct jvm_info *about, const char *beginning)
{
	const char *last = NULL;

	for (size_t i = 0; about->vm_args && about->vm_args[i]; i++) {
		if (strncmp(about->vm_args[i], beginning, strlen(beginning)) ==
		    0)
			last = about->vm_args[i];
	}
	return last;
}
