/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tools of `sjkc mcp`: the table at the end names their arguments, their
 * commands and how answers are cut.
 */
#include "cmd/mcp/mcp.h"

#include "cmd/shared/command.h"
#include "core/base/alloc.h"
#include "core/base/ascii.h"
#include "core/base/safe_text.h"
#include "core/base/units.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Bytes of an argument. */
enum { TEXT_MAX = 500, PATH_BYTES = 1000 };

static const struct mcp_arg limit_arg = {
	ARG_COUNT,
	false,
	"limit",
	"maximum size of the answer in bytes; a larger one has more rows",
	NULL,
	MCP_ANSWER_LEAST,
	MCP_ANSWER_MAX,
	MCP_ANSWER
};

/* ---- conditions and rights ---- */

static unsigned right_find(const char *name, size_t len)
{
	for (unsigned i = 0; i < MCP_RIGHTS; i++)
		if (strlen(mcp_right_names[i]) == len &&
		    memcmp(mcp_right_names[i], name, len) == 0)
			return 1U << i;
	return 0;
}

static size_t values_index(const struct mcp_values *v, struct line name)
{
	size_t i = 0;

	while (i < MCP_ARGS && v->tool->args[i].kind &&
	       !line_is(name, v->tool->args[i].name))
		i++;
	return i;
}

const struct mcp_value *mcp_values_find(const struct mcp_values *v,
					const char *name)
{
	size_t i = values_index(v, (struct line){ name, strlen(name) });

	return i < MCP_ARGS && v->all[i].is_given ? &v->all[i] : NULL;
}

/* "name" is true for a given argument, "name=value" for this value. */
static bool values_match(const struct mcp_values *v, struct line condition)
{
	struct line name = line_cut(&condition, '=');
	size_t i = values_index(v, name);

	if (i == MCP_ARGS || !v->all[i].is_given)
		return false;
	return !condition.len ||
	       (v->all[i].text && line_is(condition, v->all[i].text));
}

/* Rights that a variant needs; without values, in any case. */
static unsigned variant_needs(const struct mcp_variant *variant,
			      const struct mcp_values *v)
{
	const char *needs = variant->needs ? variant->needs : "";
	struct line rest = { needs, strlen(needs) };
	unsigned rights = 0;

	while (rest.len) {
		struct line word = line_cut(&rest, ' ');
		const char *colon = memchr(word.text, ':', word.len);
		size_t len = colon ? (size_t)(colon - word.text) : 0;

		if (colon &&
		    (!v || !values_match(v, (struct line){ word.text, len })))
			continue;
		len += colon != NULL;
		rights |= right_find(word.text + len, word.len - len);
	}
	return rights;
}

unsigned mcp_values_rights(const struct mcp_values *v,
			   const struct mcp_rules *r)
{
	return variant_needs(v->variant, v) | (v->variant->uses & r->allowed);
}

/* ---- the list ---- */

const struct mcp_tool *mcp_tool_find(const char *name)
{
	const struct mcp_tool *t = mcp_tools;

	while (t->name && strcmp(t->name, name) != 0)
		t++;
	return t->name ? t : NULL;
}

static void schema_add_choices(struct json *j, const char *choices)
{
	struct line rest = { choices, strlen(choices) };

	json_add_array(j, "enum");
	while (rest.len) {
		struct line choice = line_cut(&rest, '|');

		json_string(j, choice.text, choice.len);
	}
	json_close_array(j);
}

static void schema_add_arg(struct json *j, const struct mcp_arg *a)
{
	bool is_number = a->kind == ARG_PID || a->kind == ARG_COUNT;

	json_add_object(j, a->name);
	json_add_text(j, "type",
		      is_number             ? "integer"
		      : a->kind == ARG_FLAG ? "boolean"
					    : "string");
	json_add_text(j, "description", a->help);
	if (is_number) {
		json_add_int(j, "minimum", a->kind == ARG_PID ? 1 : a->least);
		json_add_int(j, "maximum",
			     a->kind == ARG_PID ? INT32_MAX : a->most);
	}
	if (a->preset)
		json_add_int(j, "default", a->preset);
	if (a->kind == ARG_CHOICE)
		schema_add_choices(j, a->choices);
	if (a->kind == ARG_TIME)
		json_add_text(j, "pattern", "^[0-9]+(us|ms|s|m)$");
	json_close_object(j);
}

static void schema_add_input(struct json *j, const struct mcp_tool *t)
{
	json_add_object(j, "inputSchema");
	json_add_text(j, "type", "object");
	json_add_object(j, "properties");
	for (const struct mcp_arg *a = t->args; a->kind; a++)
		schema_add_arg(j, a);
	schema_add_arg(j, &limit_arg);
	json_close_object(j);
	json_add_array(j, "required");
	for (const struct mcp_arg *a = t->args; a->kind; a++)
		if (a->is_required)
			json_text(j, a->name);
	json_close_array(j);
	json_add_bool(j, "additionalProperties", false);
	json_close_object(j);
}

/* Loose: a client loses an answer that does not conform. */
static void schema_add_output(struct json *j, const struct mcp_tool *t)
{
	static const char *const strings[] = { "summary", "next" };
	const char *const arrays[] = { "left_out", "messages", t->counts };

	json_add_object(j, "outputSchema");
	json_add_text(j, "type", "object");
	json_add_object(j, "properties");
	for (size_t i = 0; i < 2; i++) {
		json_add_object(j, strings[i]);
		json_add_text(j, "type", "string");
		json_close_object(j);
	}
	for (size_t i = 0; i < 3; i++) {
		json_add_object(j, arrays[i]);
		json_add_text(j, "type", "array");
		json_close_object(j);
	}
	json_close_object(j);
	json_add_array(j, "required");
	json_text(j, "summary");
	json_close_array(j);
	json_close_object(j);
}

/* The rights that calls of a tool may use, or always need. */
static unsigned tool_rights(const struct mcp_tool *t, bool always)
{
	unsigned any = 0, all = ~0U;

	for (const struct mcp_variant *v = t->variants; v->shape; v++) {
		const char *needs = v->needs ? v->needs : "";
		unsigned rights = variant_needs(v, NULL) | v->uses;

		all &= variant_needs(v, NULL);
		for (unsigned i = 0; i < MCP_RIGHTS; i++)
			if (strstr(needs, mcp_right_names[i]))
				rights |= 1U << i;
		any |= rights;
	}
	return always ? all : any;
}

static void tool_add_rights(struct text *out, unsigned rights)
{
	for (unsigned i = 0; i < MCP_RIGHTS; i++)
		if (rights >> i & 1)
			text_printf(out, "%s%s",
				    out->len && out->bytes[out->len - 1] != ' '
					    ? ","
					    : "",
				    mcp_right_names[i]);
}

static void tool_add_description(struct json *j, const struct mcp_tool *t,
				 const struct mcp_rules *r)
{
	unsigned missing = tool_rights(t, true) & ~r->allowed;
	struct text help = { 0 };

	text_puts(&help, t->help);
	if (missing) {
		text_puts(&help, " Refused by this server; its user can allow "
				 "it with: sjkc mcp --allow ");
		tool_add_rights(&help, missing);
	}
	json_add_text(j, "description", help.bytes);
	text_release(&help);
}

/* A tool changes a JVM only if the server has the rights for it. */
static void tool_add_annotations(struct json *j, const struct mcp_tool *t,
				 const struct mcp_rules *r)
{
	bool is_read_only = !(tool_rights(t, false) & r->allowed) &&
			    !tool_rights(t, true);

	json_add_object(j, "annotations");
	json_add_text(j, "title", t->title);
	json_add_bool(j, "readOnlyHint", is_read_only);
	json_add_bool(j, "destructiveHint", t->is_destructive);
	json_add_bool(j, "idempotentHint", is_read_only);
	json_add_bool(j, "openWorldHint", false);
	json_close_object(j);
}

void mcp_tools_list(struct json *j, const struct mcp_rules *r)
{
	json_add_array(j, "tools");
	for (const struct mcp_tool *t = mcp_tools; t->name; t++) {
		json_open_object(j);
		json_add_text(j, "name", t->name);
		json_add_text(j, "title", t->title);
		tool_add_description(j, t, r);
		schema_add_input(j, t);
		schema_add_output(j, t);
		tool_add_annotations(j, t, r);
		json_close_object(j);
	}
	json_close_array(j);
}

/* ---- the arguments of a call ---- */

static int value_read_number(struct mcp_value *value, const struct mcp_arg *a,
			     struct line raw, struct error *err)
{
	int64_t least = a->kind == ARG_PID ? 1 : a->least;
	int64_t most = a->kind == ARG_PID ? INT32_MAX : a->most;
	char digits[24];
	struct json_reader r;

	/* The reader needs the end of a number. */
	if (raw.len > sizeof(digits) - 2)
		return misuse(err, "%s must be an integer", a->name);
	memcpy(digits, raw.text, raw.len);
	digits[raw.len] = ' ';
	r = json_reader_over(digits, raw.len + 1);
	value->number = json_read_int(&r);
	if (!json_reader_at_end(&r))
		return misuse(err, "%s must be an integer", a->name);
	if (value->number < least || value->number > most)
		return misuse(err, "%s must be %" PRId64 " to %" PRId64,
			      a->name, least, most);
	return 0;
}

/* Text that a command gets: one line, and never an option. */
static int value_check_text(const char *text, size_t len,
			    const struct mcp_arg *a, struct error *err)
{
	size_t most = a->kind == ARG_FILE ? PATH_BYTES : TEXT_MAX;

	if (!len || len > most)
		return misuse(err, "%s must have 1 to %zu bytes", a->name,
			      most);
	if (*text == '-')
		return misuse(err, "%s must not begin with '-'", a->name);
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] < ' ' || text[i] == '\x7f' ||
		    (unsigned char)text[i] == 0xc0)
			return misuse(err,
				      "%s must not have control characters",
				      a->name);
	return 0;
}

static int value_read_text(struct mcp_value *value, const struct mcp_arg *a,
			   struct line raw, struct error *err)
{
	struct json_reader r = json_reader_over(raw.text, raw.len);
	struct text text = { 0 };
	int64_t ns;
	int ret;

	json_read_text(&r, &text);
	if (r.failed)
		ret = misuse(err, "%s must be a string", a->name);
	else
		ret = value_check_text(text.len ? text.bytes : "", text.len, a,
				       err);
	if (ret == 0 && a->kind == ARG_TIME &&
	    units_duration(text.bytes, &ns, err))
		ret = fail_in(err, "%s", a->name);
	if (ret == 0 && a->kind == ARG_CHOICE &&
	    !word_list_has(a->choices, '|', text.bytes, text.len))
		ret = misuse(err, "%s must be one of %s", a->name, a->choices);
	if (ret == 0)
		value->text = xstrdup(text.bytes);
	text_release(&text);
	return ret;
}

static int value_read(struct mcp_value *value, const struct mcp_arg *a,
		      struct line raw, struct error *err)
{
	int ret = 0;

	if (value->is_given)
		return misuse(err, "%s is given twice", a->name);
	if (line_is(raw, "null"))
		return 0;
	value->is_given = true;
	if (a->kind == ARG_PID || a->kind == ARG_COUNT) {
		ret = value_read_number(value, a, raw, err);
	} else if (a->kind == ARG_FLAG) {
		value->is_given = line_is(raw, "true");
		if (!value->is_given && !line_is(raw, "false"))
			ret = misuse(err, "%s must be true or false", a->name);
	} else {
		ret = value_read_text(value, a, raw, err);
	}
	return ret;
}

static int values_fail_unknown(const struct mcp_tool *t, struct line key,
			       struct error *err)
{
	struct text names = { 0 };

	for (const struct mcp_arg *a = t->args; a->kind; a++)
		text_printf(&names, "%s, ", a->name);
	misuse(err, "unknown argument '%.*s'; %s has %slimit",
	       key.len > 40 ? 40 : (int)key.len, key.text, t->name,
	       names.len ? names.bytes : "");
	text_release(&names);
	return -1;
}

static int values_read_all(struct mcp_values *v, struct line arguments,
			   struct error *err)
{
	struct json_reader r = json_reader_over(arguments.text, arguments.len);
	struct mcp_value limit = { 0 };
	struct line key;

	for (bool in = arguments.len && json_enter_object(&r);
	     in && json_next_member(&r, &key);) {
		size_t i = values_index(v, key);
		struct line raw = mcp_read_raw(&r);
		bool is_limit = line_is(key, limit_arg.name);

		if (!is_limit && (i == MCP_ARGS || !v->tool->args[i].kind))
			return values_fail_unknown(v->tool, key, err);
		if (value_read(is_limit ? &limit : &v->all[i],
			       is_limit ? &limit_arg : &v->tool->args[i], raw,
			       err))
			return -1;
	}
	v->limit = limit.is_given ? (size_t)limit.number : MCP_ANSWER;
	return 0;
}

/* Checks that required arguments are given; sets the others' presets. */
static int values_complete(struct mcp_values *v, struct error *err)
{
	struct line rest = { v->tool->one_of,
			     v->tool->one_of ? strlen(v->tool->one_of) : 0 };
	size_t given = 0;

	for (size_t i = 0; v->tool->args[i].kind; i++) {
		const struct mcp_arg *a = &v->tool->args[i];

		if (v->all[i].is_given)
			continue;
		if (a->is_required)
			return misuse(err, "missing argument %s: %s", a->name,
				      a->help);
		v->all[i].is_given = a->preset != 0;
		v->all[i].number = a->preset;
	}
	while (rest.len)
		given += values_match(v, line_cut(&rest, '|'));
	if (v->tool->one_of && given != 1)
		return misuse(err, "give exactly one of the arguments %s",
			      v->tool->one_of);
	return 0;
}

static int values_choose(struct mcp_values *v, const struct mcp_rules *r,
			 struct error *err)
{
	struct text names = { 0 };
	unsigned missing;

	const struct mcp_arg *a;
	struct line rest;

	v->variant = v->tool->variants;
	while (v->variant->when &&
	       !values_match(v, (struct line){ v->variant->when,
					       strlen(v->variant->when) }))
		v->variant++;
	rest = (struct line){ v->variant->requires,
			      v->variant->requires
				      ? strlen(v->variant->requires)
				      : 0 };
	while (rest.len) {
		struct line name = line_cut(&rest, ' ');

		a = &v->tool->args[values_index(v, name)];
		if (!values_match(v, name))
			return misuse(err, "missing argument %s: %s", a->name,
				      a->help);
	}
	missing = variant_needs(v->variant, v) & ~r->allowed;
	if (!missing)
		return 0;
	tool_add_rights(&names, missing);
	fail(err, ERROR_PERMISSION,
	     "not allowed by this server; its user can restart it with "
	     "`sjkc mcp --allow %s`",
	     names.bytes);
	text_release(&names);
	return -1;
}

static int values_open_files(struct mcp_values *v, const struct mcp_rules *r,
			     struct error *err)
{
	for (size_t i = 0; v->tool->args[i].kind; i++) {
		const struct mcp_value *value = &v->all[i];
		int fd;

		if (!value->is_given)
			continue;
		if (v->tool->args[i].kind == ARG_NEW_FILE &&
		    mcp_rules_check_new_file(r, value->text, err))
			return -1;
		if (v->tool->args[i].kind != ARG_FILE)
			continue;
		fd = mcp_rules_open_file(r, value->text, err);
		if (fd < 0)
			return -1;
		v->files[v->file_count++] = fd;
	}
	return 0;
}

int mcp_values_read(struct mcp_values *v, const struct mcp_tool *t,
		    const struct mcp_rules *r, struct line arguments,
		    struct error *err)
{
	*v = (struct mcp_values){ .tool = t };
	return values_read_all(v, arguments, err) || values_complete(v, err) ||
			       values_choose(v, r, err) ||
			       values_open_files(v, r, err)
		       ? -1
		       : 0;
}

void mcp_values_release(struct mcp_values *v)
{
	for (size_t i = 0; i < MCP_ARGS; i++)
		free(v->all[i].text);
	for (size_t i = 0; i < v->file_count; i++)
		close(v->files[i]);
	*v = (struct mcp_values){ 0 };
}

/* ---- the command line ---- */

/* Appends the value of an argument; a file is a descriptor of the child. */
static void words_add_value(struct text *out, const struct mcp_values *v,
			    size_t index)
{
	size_t file = 0;

	for (size_t i = 0; i < index; i++)
		file += v->tool->args[i].kind == ARG_FILE && v->all[i].is_given;
	if (v->tool->args[index].kind == ARG_FILE)
		text_printf(out, "/proc/self/fd/%d", v->files[file]);
	else if (v->all[index].text)
		text_puts(out, v->all[index].text);
	else
		text_printf(out, "%" PRId64, v->all[index].number);
}

/* Returns false if the word is omitted because of its condition. */
static bool words_accept(struct line *word, const struct mcp_values *v,
			 const struct mcp_rules *r)
{
	char mark = *word->text;
	struct line condition;

	if (!strchr("?~!", mark))
		return true;
	condition = line_cut(word, ':');
	condition.text++;
	condition.len--;
	if (mark == '!')
		return !(right_find(condition.text, condition.len) &
			 r->allowed);
	while (condition.len)
		if (values_match(v, line_cut(&condition, ',')))
			return mark == '?';
	return mark == '~';
}

/* Appends a word with its values; returns false if one of them is missing. */
static bool words_expand(struct text *out, struct line word,
			 const struct mcp_values *v)
{
	while (word.len) {
		struct line plain = line_cut(&word, '{');
		size_t i;

		text_add(out, plain.text, plain.len);
		if (!word.len)
			break;
		i = values_index(v, line_cut(&word, '}'));
		if (i == MCP_ARGS || !v->all[i].is_given)
			return false;
		words_add_value(out, v, i);
	}
	return true;
}

char **mcp_values_command(const struct mcp_values *v, const struct mcp_rules *r)
{
	struct line rest = { v->variant->words, 0 };
	char **words;
	size_t count = 0;

	if (!v->variant->words)
		return NULL;
	words = xcalloc(MCP_WORDS + 1, sizeof(*words));
	rest.len = strlen(rest.text);
	while (rest.len && count < MCP_WORDS) {
		struct line word = line_cut(&rest, ' ');
		struct text text = { 0 };

		if (words_accept(&word, v, r) && words_expand(&text, word, v))
			words[count++] = xstrdup(text.bytes);
		text_release(&text);
	}
	return words;
}

void mcp_words_free(char **words)
{
	for (size_t i = 0; words && words[i]; i++)
		free(words[i]);
	free(words);
}

/* ---- the table ---- */

#define PID(h)                                                                 \
	{                                                                      \
		ARG_PID, true, "pid", h, NULL, 0, 0, 0                         \
	}
#define PID_OR_FILE                                                            \
	{                                                                      \
		ARG_PID, false, "pid", JVM_HELP, NULL, 0, 0, 0                 \
	}
#define COUNT(n, h, from, to, usual)                                           \
	{                                                                      \
		ARG_COUNT, false, n, h, NULL, from, to, usual                  \
	}
#define SECONDS(usual) COUNT("seconds", "observe for this long", 1, 60, usual)
#define FLAG(n, h)                                                             \
	{                                                                      \
		ARG_FLAG, false, n, h, NULL, 0, 0, 0                           \
	}
#define CHOICE(n, c, h)                                                        \
	{                                                                      \
		ARG_CHOICE, false, n, h, c, 0, 0, 0                            \
	}
#define TIME(n, h)                                                             \
	{                                                                      \
		ARG_TIME, false, n, h, NULL, 0, 0, 0                           \
	}
#define TEXT(n, h)                                                             \
	{                                                                      \
		ARG_TEXT, false, n, h, NULL, 0, 0, 0                           \
	}
#define NEEDED_TEXT(n, h)                                                      \
	{                                                                      \
		ARG_TEXT, true, n, h, NULL, 0, 0, 0                            \
	}
#define FILE_ARG(n, h)                                                         \
	{                                                                      \
		ARG_FILE, false, n, h, NULL, 0, 0, 0                           \
	}
#define NEW_FILE(n, h)                                                         \
	{                                                                      \
		ARG_NEW_FILE, false, n, h, NULL, 0, 0, 0                       \
	}

#define JVM_HELP "process ID of the JVM, from list_jvms"

#define WHY_SHAPE                                                              \
	"causes:5 not_checked:25 evidence:6 fine:30 figures:12 "               \
	"-schema -title"
#define PROF_SHAPE                                                             \
	"reports:4 frames:25 application:12 threads:10 waits:10 "              \
	"owners:8 owner_methods:8 classes:15 calls:25 notes:8 "                \
	"lost:8 events:12 -schema -source -event_types "                       \
	"-is_reversed"
#define THREADS_SHAPE                                                          \
	"threads:25@blocked,activity=running,waits_in,stack owns:3 pools:12 "  \
	"dumps:1 -schema -source "                                             \
	"-stacks -daemon -dump -elapsed_ns"
#define GC_SHAPE        "groups:12 longest:10 -schema"
#define HISTOGRAM_SHAPE "classes:40 -schema"

#define WITHOUT_DUMPS                                                          \
	"no thread dumps were taken, so locks, deadlocks and "                 \
	"waits were not checked, and pauses come from the JVM's counters; "    \
	"more with sjkc mcp --allow stop,probe"

/* clang-format off */
const struct mcp_tool mcp_tools[] = {
	{ "list_jvms", "List JVMs",
	  "List the running Java virtual machines, also those in containers: "
	  "PID, main class, arguments, version, user, start time. Use it first, "
	  "to find a PID.",
	  "jvms", "call why with the pid of the JVM that has a problem",
	  NULL, false, { { 0 } },
	  { { .words = "jps --json --no-attach",
	      .shape = "jvms:60 args:4 options:6 -schema -vm_vendor -vm_name "
		       "-java_home -own_root -own_pid_namespace -cut",
	      .grace_s = 20 } } },
	{ "why", "Diagnose a JVM",
	  "Observe a JVM for some seconds and return the causes of its "
	  "problems (deadlock, lock, pool, garbage collection, CPU limit, memory, "
	  "hot code), the most important first, with evidence. Use it when a "
	  "JVM is slow, hangs or uses too much CPU or memory.",
	  "causes", "call the tool in next_call of the first cause; without "
	  "causes, call profile with event offcpu, or memory",
	  NULL, false,
	  { PID(JVM_HELP), SECONDS(15) },
	  { { .words = "why --json !stop:--no-attach !probe:--no-uprobes "
		       "--duration={seconds}s --pid={pid}",
	      .uses = MCP_STOP | MCP_PROBE, .without = WITHOUT_DUMPS,
	      .shape = WHY_SHAPE, .grace_s = 30 } } },
	{ "threads", "Take thread dumps",
	  "Return blocked threads and the owners of their locks, deadlocks, "
	  "running threads with stack traces, and pools. Use it when a JVM "
	  "hangs. Each dump stops the program for about a millisecond.",
	  "threads", "call profile with event lock or offcpu to see how long "
	  "threads wait",
	  NULL, false,
	  { PID(JVM_HELP),
	    COUNT("count", "number of dumps, 2 s apart; several show threads "
		  "that do not move", 1, 10, 1),
	    FLAG("virtual", "include all virtual threads (JDK 21 and later)") },
	  { { .words = "threads --json --count={count} ?virtual:--virtual "
		       "--pid={pid}",
	      .needs = "stop", .shape = THREADS_SHAPE, .grace_s = 45 } } },
	{ "profile", "Profile a JVM or a recording",
	  "Sample where a JVM spends its time, or report a recording: hottest "
	  "frames, threads, application methods, call tree. Event cpu is for high "
	  "CPU use, offcpu for waits, alloc for garbage, lock for contention.",
	  "reports", "for one method, call probe with its class and name; for "
	  "its callers, call profile with callers_of",
	  "pid|path", false,
	  { PID_OR_FILE,
	    FILE_ARG("path", "a recording in the server's directory (JFR, "
		     "pprof, collapsed stacks, thread dumps), in place of pid"),
	    CHOICE("event", "cpu|offcpu|wall|alloc|lock",
		   "what to sample (default: cpu, or the main event of a "
		   "recording); alloc and lock load an agent into a running JVM"),
	    SECONDS(10),
	    FLAG("agent", "load the sjkc agent into the JVM for method names"),
	    CHOICE("by", "frame|class|package", "add up frames"),
	    TEXT("callers_of", "list the callers of frames that match this "
		 "regular expression"),
	    NEW_FILE("save", "record into this new file in the server's "
		     "directory instead: NAME.jfr for compare and profile, "
		     "NAME.html for people") },
	  { { .when = "path",
	      .words = "prof --json --log-format=json --event={event} "
		       "--by={by} --callers-of={callers_of} --input={path}",
	      .shape = PROF_SHAPE, .grace_s = 60 },
	    { .when = "save",
	      .words = "prof --log-format=json ~agent,event=alloc,event=lock:"
		       "--no-agent --event={event} --duration={seconds}s "
		       "--output={save} --pid={pid}",
	      .needs = "files agent:load event=alloc:load event=lock:load",
	      .shape = PROF_SHAPE, .grace_s = 30 },
	    { .words = "prof --json --log-format=json "
		       "~agent,event=alloc,event=lock:--no-agent "
		       "--event={event} --by={by} --callers-of={callers_of} "
		       "--duration={seconds}s --pid={pid}",
	      .needs = "agent:load event=alloc:load event=lock:load",
	      .shape = PROF_SHAPE, .grace_s = 30 } } },
	{ "gc", "Measure garbage collection",
	  "Measure the pauses of a JVM for some seconds: how long the program "
	  "was stopped, by kind and cause, percentiles, the longest pauses and "
	  "the heap after them. Use it for long pauses and a full heap.",
	  "groups", "if the heap stays full after collections, call histogram "
	  "with live; if pauses are many and short, call profile with event alloc",
	  NULL, false,
	  { PID(JVM_HELP), SECONDS(15),
	    FLAG("safepoints", "also measure stops without a collection") },
	  { { .words = "gc --json ?safepoints:--safepoints "
		       "!probe:--source=counters --duration={seconds}s "
		       "--pid={pid}",
	      .uses = MCP_PROBE,
	      .without = "pauses come from the JVM's counters, without "
			 "causes and safepoints; more with sjkc mcp --allow "
			 "probe",
	      .shape = GC_SHAPE, .is_summed = true, .grace_s = 20 } } },
	{ "memory", "Account for resident memory",
	  "Return where the resident memory of a JVM is: heap, metaspace, code, "
	  "stacks, malloc arenas, files, and a verdict. Use it when the process "
	  "is larger than its heap or the container is short of memory.",
	  "verdict", "if the heap is the largest part, call histogram",
	  NULL, false, { PID(JVM_HELP) },
	  { { .words = "mem --json --pid={pid}",
	      .shape = "verdict:8 parts:16 threads:8 arenas:6 sizes:10 -schema "
		       "-time_ns -committed_bytes",
	      .grace_s = 60 } } },
	{ "histogram", "Count heap objects by class",
	  "Count the objects of the heap and their bytes by class. Use it when "
	  "the heap is full. Stops the program while the JVM counts, about a "
	  "second per GB; live first forces a full collection.",
	  "classes", "call it again later and compare the counts; a class that "
	  "grows is a leak",
	  NULL, false,
	  { PID(JVM_HELP),
	    FLAG("live", "count only objects in use; forces a full collection") },
	  { { .words = "hh --json --top=100 ?live:--live --timeout=60s "
		       "--pid={pid}",
	      .needs = "stop", .shape = HISTOGRAM_SHAPE, .grace_s = 70 } } },
	{ "probe", "Count and time calls of a method",
	  "Instrument methods of a running JVM for some seconds: calls, time, "
	  "exceptions, and slow calls with arguments. Use it to test a guess "
	  "about one method. Loads the sjkc agent and changes classes, which "
	  "stops the program twice; the methods are restored.",
	  "methods", "call profile with callers_of to see who calls the method",
	  NULL, true,
	  { PID(JVM_HELP),
	    NEEDED_TEXT("method", "Class.method or package.Class.method; * "
			"matches any characters"),
	    SECONDS(10),
	    TIME("above", "report each call that takes at least this long"),
	    FLAG("args", "with above: record the arguments"),
	    FLAG("stack", "with above: record stack traces"),
	    FLAG("system", "include classes of the JDK"),
	    FLAG("count", "only count calls, at less cost"),
	    FLAG("discard_code", "allow the JVM to discard its compiled code, "
		 "which the first change before JDK 23 may require") },
	  { { .words = "probe --json --duration={seconds}s --above={above} "
		       "?args:--args ?stack:--stack ?system:--system "
		       "?count:--count ?discard_code:--yes --pid={pid} -- "
		       "{method}",
	      .needs = "probe",
	      .shape = "methods:20 calls:15 exceptions:5 buckets:0 stack:12 "
		       "arguments:6 -schema -descriptor -type",
	      .grace_s = 40 } } },
	{ "compare", "Compare two JVMs or two files",
	  "Return what differs: causes that one JVM has and another lacks "
	  "(pid and other_pid), or frames, classes and threads that changed "
	  "between two recordings or histograms (before and after).",
	  "changes", "call profile or read_file with the file that has more",
	  "other_pid|before", false,
	  { PID_OR_FILE,
	    { ARG_PID, false, "other_pid", "a healthy JVM to compare with",
	      NULL, 0, 0, 0 },
	    SECONDS(15),
	    FILE_ARG("before", "a file in the server's directory"),
	    FILE_ARG("after", "a later file of the same kind"),
	    CHOICE("kind", "recording|histogram", "kind of the files"),
	    CHOICE("event", "cpu|offcpu|wall|alloc|lock|park",
		   "event of recordings to compare") },
	  { { .when = "other_pid", .requires = "pid",
	      .words = "why --json !stop:--no-attach !probe:--no-uprobes "
		       "--duration={seconds}s --against={other_pid} "
		       "--pid={pid}",
	      .uses = MCP_STOP | MCP_PROBE, .without = WITHOUT_DUMPS,
	      .shape = WHY_SHAPE, .grace_s = 40 },
	    { .when = "kind=histogram", .requires = "before after",
	      .words = "hh --json --diff={before} --input={after}",
	      .shape = HISTOGRAM_SHAPE, .grace_s = 30 },
	    { .requires = "before after",
	      .words = "diff --json --event={event} {before} {after}",
	      .shape = "changes:3 self:20 total:20 threads:8 classes:12 -schema "
		       "-source -samples_before -samples_after -lost",
	      .grace_s = 60 } } },
	{ "read_file", "Read a recording, dump or log",
	  "Read a file of the server's directory: a JFR or other recording, "
	  "thread dumps, a GC log, a fatal error log (hs_err), a heap histogram, "
	  "a bundle of sjkc snap. Without a path, list the files.",
	  "files", "if the answer has no cause, read the file again with view "
	  "profile, threads or gc",
	  NULL, false,
	  { FILE_ARG("path", "a file in the server's directory"),
	    CHOICE("view", "causes|profile|threads|gc|histogram|events",
		   "what to return (default: causes)"),
	    CHOICE("event", "cpu|offcpu|wall|alloc|lock|park",
		   "event of a profile") },
	  { { .when = "view=profile", .requires = "path",
	      .words = "prof --json --log-format=json --event={event} "
		       "--input={path}",
	      .shape = PROF_SHAPE, .grace_s = 60 },
	    { .when = "view=threads", .requires = "path", .words = "threads --json {path}",
	      .shape = THREADS_SHAPE, .grace_s = 60 },
	    { .when = "view=gc", .requires = "path", .words = "gc --json --input={path}",
	      .shape = GC_SHAPE, .is_summed = true, .grace_s = 60 },
	    { .when = "view=histogram", .requires = "path",
	      .words = "hh --json --top=100 --input={path}",
	      .shape = HISTOGRAM_SHAPE, .grace_s = 60 },
	    { .when = "view=events", .requires = "path",
	      .words = "flame --list-events --json {path}",
	      .shape = "events:30 tables:40 -schema", .grace_s = 60 },
	    { .when = "path", .words = "why --json {path}",
	      .shape = WHY_SHAPE " frames:20 events:10", .grace_s = 60 },
	    { .shape = "files:100", .grace_s = 10 } } },
	{ 0 },
};
/* clang-format on */
