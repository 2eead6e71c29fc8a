/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tools of `sjkc mcp`: the table at the end names their arguments, their
 * commands and how answers are cut.
 */
#include "cmd/mcp/mcp.h"

#include "cmd/shared/command.h"
#include "core/base/alloc.h"
#include "core/base/ascii.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Bytes of an argument. */
enum { TEXT_MAX = 500 };

/* ---- conditions and rights ---- */

/* The index of an argument, or that of the end. */
static size_t values_index(const struct mcp_values *v, struct line name)
{
	size_t i = 0;

	while (v->tool->args[i].kind && !line_is(name, v->tool->args[i].name))
		i++;
	return i;
}

const struct mcp_value *mcp_values_find(const struct mcp_values *v,
					const char *name)
{
	size_t i = values_index(v, mcp_line(name));

	return v->all[i].is_given ? &v->all[i] : NULL;
}

/* One of "a,b=c" is true: a is given, or b has the value c. */
static bool values_match(const struct mcp_values *v, struct line conditions)
{
	while (conditions.len) {
		struct line value = line_cut(&conditions, ',');
		struct line name = line_cut(&value, '=');
		const struct mcp_value *is = &v->all[values_index(v, name)];

		if (is->is_given &&
		    (!value.len || (is->text && line_is(value, is->text))))
			return true;
	}
	return false;
}

/* Rights that a call requires. */
static unsigned values_needs(const struct mcp_values *v)
{
	struct line rest = mcp_line(v->variant->needs);
	unsigned rights = 0;

	while (rest.len) {
		struct line right = line_cut(&rest, ' ');
		struct line when = line_cut(&right, ':');

		if (!right.len)
			right = when;
		else if (!values_match(v, when))
			continue;
		rights |= mcp_right_find(right);
	}
	return rights;
}

unsigned mcp_values_rights(const struct mcp_values *v,
			   const struct mcp_rules *r)
{
	return values_needs(v) | (v->variant->uses & r->allowed);
}

/* ---- the list ---- */

const struct mcp_tool *mcp_tool_find(const char *name)
{
	const struct mcp_tool *t = mcp_tools;

	while (t->name && strcmp(t->name, name) != 0)
		t++;
	return t->name ? t : NULL;
}

static bool arg_is_number(const struct mcp_arg *a)
{
	return a->kind == ARG_PID || a->kind == ARG_COUNT;
}

static void schema_add_arg(struct json *j, const struct mcp_arg *a)
{
	bool is_number = arg_is_number(a);
	struct line rest = mcp_line(a->choices);

	json_add_object(j, a->name);
	json_add_text(j, "type",
		      is_number             ? "integer"
		      : a->kind == ARG_FLAG ? "boolean"
					    : "string");
	json_add_text(j, "description", a->help);
	if (is_number) {
		json_add_int(j, "minimum", a->least);
		json_add_int(j, "maximum", a->most);
	}
	if (a->preset)
		json_add_int(j, "default", a->preset);
	if (a->choices)
		json_add_array(j, "enum");
	while (rest.len) {
		struct line choice = line_cut(&rest, '|');

		json_string(j, choice.text, choice.len);
	}
	if (a->choices)
		json_close_array(j);
	json_close_object(j);
}

static void schema_add_input(struct json *j, const struct mcp_tool *t)
{
	bool is_open = false;

	json_add_object(j, "inputSchema");
	json_add_text(j, "type", "object");
	json_add_object(j, "properties");
	for (const struct mcp_arg *a = t->args; a->kind; a++)
		schema_add_arg(j, a);
	json_close_object(j);
	/* Draft 4 of JSON Schema allows no empty array. */
	for (const struct mcp_arg *a = t->args; a->kind; a++) {
		if (a->is_required && !is_open)
			json_add_array(j, "required");
		is_open |= a->is_required;
		if (a->is_required)
			json_text(j, a->name);
	}
	if (is_open)
		json_close_array(j);
	json_add_bool(j, "additionalProperties", false);
	json_close_object(j);
}

static void schema_add_type(struct json *j, const char *name, const char *type)
{
	json_add_object(j, name);
	json_add_text(j, "type", type);
	json_close_object(j);
}

/*
 * Loose, because a client loses an answer that does not conform. The first
 * array of each shape is named.
 */
static void schema_add_output(struct json *j, const struct mcp_tool *t)
{
	const char *last = "";

	json_add_object(j, "outputSchema");
	json_add_text(j, "type", "object");
	json_add_object(j, "properties");
	schema_add_type(j, "summary", "string");
	for (const struct mcp_variant *v = t->variants; v->shape; v++) {
		char name[32];

		snprintf(name, sizeof(name), "%.*s",
			 (int)strcspn(v->shape, ":"), v->shape);
		if (strcmp(v->shape, last) != 0)
			schema_add_type(j, name, "array");
		last = v->shape;
	}
	schema_add_type(j, "left_out", "array");
	schema_add_type(j, "messages", "array");
	schema_add_type(j, "next", "array");
	json_close_object(j);
	json_add_array(j, "required");
	json_text(j, "summary");
	json_close_array(j);
	json_close_object(j);
}

static void rights_add(struct text *out, unsigned rights)
{
	for (unsigned i = 0; i < MCP_RIGHTS; i++)
		if (rights >> i & 1)
			text_printf(out, "%s%s",
				    rights & ((1U << i) - 1) ? "," : "",
				    mcp_right_names[i]);
}

/* A tool changes a JVM only if the server has the rights for it. */
static void tool_write(struct json *j, const struct mcp_tool *t,
		       const struct mcp_rules *r)
{
	bool is_read_only = !t->always && !(t->rights & r->allowed);
	struct text help = { 0 };

	text_puts(&help, t->help);
	if (t->always & ~r->allowed) {
		text_puts(&help, " This server refuses it; its user can allow "
				 "it with: sjkc mcp --allow ");
		rights_add(&help, t->always & ~r->allowed);
	}
	json_open_object(j);
	json_add_text(j, "name", t->name);
	json_add_text(j, "title", t->title);
	json_add_text(j, "description", help.bytes);
	schema_add_input(j, t);
	schema_add_output(j, t);
	json_add_object(j, "annotations");
	json_add_text(j, "title", t->title);
	json_add_bool(j, "readOnlyHint", is_read_only);
	json_add_bool(j, "destructiveHint", t->always & MCP_PROBE);
	json_add_bool(j, "idempotentHint", is_read_only);
	json_add_bool(j, "openWorldHint", false);
	json_close_object(j);
	json_close_object(j);
	text_release(&help);
}

void mcp_tools_write(struct json *j, const struct mcp_rules *r)
{
	json_add_array(j, "tools");
	for (const struct mcp_tool *t = mcp_tools; t->name; t++)
		tool_write(j, t, r);
	json_close_array(j);
}

/* ---- the arguments of a call ---- */

static int value_read_number(struct mcp_value *value, const struct mcp_arg *a,
			     struct line raw, struct error *err)
{
	/* A number ends before the next character, which an object has. */
	struct json_reader r = json_reader_over(raw.text, raw.len + 1);

	value->number = json_read_int(&r);
	if (r.failed || r.at != raw.text + raw.len)
		return misuse(err, "%s must be an integer", a->name);
	if (value->number < a->least || value->number > a->most)
		return misuse(err, "%s must be %" PRId64 " to %" PRId64,
			      a->name, a->least, a->most);
	return 0;
}

/* A text is one line, and never an option of a command. */
static int value_check_text(const struct text *text, const struct mcp_arg *a,
			    struct error *err)
{
	if (!text->len || text->len > TEXT_MAX)
		return misuse(err, "%s must have 1 to %d bytes", a->name,
			      TEXT_MAX);
	if (*text->bytes == '-')
		return misuse(err, "%s must not begin with '-'", a->name);
	for (const char *at = text->bytes; *at; at++)
		if ((unsigned char)*at < ' ' || *at == '\x7f' || *at == '\xc0')
			return misuse(err, "%s has a control character",
				      a->name);
	if (a->choices &&
	    !word_list_has(a->choices, '|', text->bytes, text->len))
		return misuse(err, "%s must be one of %s", a->name, a->choices);
	return 0;
}

static int value_read(struct mcp_value *value, const struct mcp_arg *a,
		      struct line raw, struct error *err)
{
	struct json_reader r = json_reader_over(raw.text, raw.len);
	struct text text = { 0 };
	int ret;

	value->is_given = !line_is(raw, "false") && !line_is(raw, "null");
	if (!value->is_given)
		return 0;
	if (arg_is_number(a))
		return value_read_number(value, a, raw, err);
	if (a->kind == ARG_FLAG)
		return line_is(raw, "true")
			       ? 0
			       : misuse(err, "%s must be true or false",
					a->name);
	json_read_text(&r, &text);
	ret = r.failed ? misuse(err, "%s must be a string", a->name)
		       : value_check_text(&text, a, err);
	if (ret == 0)
		value->text = xstrdup(text.bytes);
	text_release(&text);
	return ret;
}

static int values_fail_unknown(const struct mcp_tool *t, struct line key,
			       struct error *err)
{
	struct text names = { 0 };

	for (const struct mcp_arg *a = t->args; a->kind; a++)
		text_printf(&names, "%s%s", a == t->args ? "" : ", ", a->name);
	misuse(err, "unknown argument '%.*s'; %s has %s",
	       key.len > 40 ? 40 : (int)key.len, key.text, t->name,
	       names.bytes);
	text_release(&names);
	return -1;
}

static int values_read_all(struct mcp_values *v, struct line arguments,
			   struct error *err)
{
	struct json_reader r = json_reader_over(arguments.text, arguments.len);
	unsigned seen = 0;
	struct line key;

	for (bool in = arguments.len && json_enter_object(&r);
	     in && json_next_member(&r, &key);) {
		size_t i = values_index(v, key);
		const struct mcp_arg *a = &v->tool->args[i];
		struct line raw = mcp_read_raw(&r);

		if (r.failed)
			break;
		if (!a->kind)
			return values_fail_unknown(v->tool, key, err);
		if (seen >> i & 1)
			return misuse(err, "%s is given twice", a->name);
		seen |= 1U << i;
		if (value_read(&v->all[i], a, raw, err))
			return -1;
	}
	return r.failed ? misuse(err, "the arguments are not JSON") : 0;
}

static int values_require(const struct mcp_values *v, struct line names,
			  struct error *err)
{
	while (names.len) {
		struct line name = line_cut(&names, ' ');
		size_t i = values_index(v, name);

		if (!v->all[i].is_given)
			return misuse(err, "missing argument %s: %s",
				      v->tool->args[i].name,
				      v->tool->args[i].help);
	}
	return 0;
}

/* Sets presets, checks required arguments, and chooses the command. */
static int values_choose(struct mcp_values *v, const struct mcp_rules *r,
			 struct error *err)
{
	struct text names = { 0 };
	unsigned missing;

	for (size_t i = 0; v->tool->args[i].kind; i++) {
		const struct mcp_arg *a = &v->tool->args[i];

		if (a->is_required && values_require(v, mcp_line(a->name), err))
			return -1;
		if (!v->all[i].is_given && a->preset)
			v->all[i] = (struct mcp_value){ true, a->preset, NULL };
	}
	v->limit = (size_t)mcp_values_find(v, "limit")->number;
	v->variant = v->tool->variants;
	while (v->variant->when && !values_match(v, mcp_line(v->variant->when)))
		v->variant++;
	if (values_require(v, mcp_line(v->variant->requires), err))
		return -1;
	missing = values_needs(v) & ~r->allowed;
	if (!missing)
		return 0;
	rights_add(&names, missing);
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
		enum mcp_arg_kind kind = v->tool->args[i].kind;
		struct mcp_value *value = &v->all[i];

		if (!value->is_given)
			continue;
		if (kind == ARG_NEW_FILE &&
		    mcp_rules_check_new_file(r, value->text, err))
			return -1;
		if (kind == ARG_FILE)
			value->number = mcp_rules_open_file(r, value->text,
							    err);
		if (kind == ARG_FILE && value->number < 0)
			return -1;
	}
	return 0;
}

int mcp_values_read(struct mcp_values *v, const struct mcp_tool *t,
		    const struct mcp_rules *r, struct line arguments,
		    struct error *err)
{
	*v = (struct mcp_values){ .tool = t };
	return values_read_all(v, arguments, err) || values_choose(v, r, err) ||
			       values_open_files(v, r, err)
		       ? -1
		       : 0;
}

void mcp_values_release(struct mcp_values *v)
{
	for (size_t i = 0; v->tool && v->tool->args[i].kind; i++) {
		free(v->all[i].text);
		if (v->tool->args[i].kind == ARG_FILE && v->all[i].number > 0)
			close((int)v->all[i].number);
	}
	*v = (struct mcp_values){ 0 };
}

/* ---- the command line ---- */

/* Removes the condition of a word; returns false if the word is omitted. */
static bool word_accept(struct line *word, const struct mcp_values *v,
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
		return !(mcp_right_find(condition) & r->allowed);
	return values_match(v, condition) == (mark == '?');
}

/* Appends a word with its values; returns false if one of them is missing. */
static bool word_expand(struct text *out, struct line word,
			const struct mcp_values *v)
{
	while (word.len) {
		struct line plain = line_cut(&word, '{');
		size_t i = values_index(v, line_cut(&word, '}'));

		text_add(out, plain.text, plain.len);
		if (!v->all[i].is_given && v->tool->args[i].kind)
			return false;
		if (v->tool->args[i].kind == ARG_FILE)
			text_printf(out, "/proc/self/fd/%d",
				    (int)v->all[i].number);
		else if (v->all[i].text)
			text_puts(out, v->all[i].text);
		else if (v->tool->args[i].kind)
			text_printf(out, "%" PRId64, v->all[i].number);
	}
	return true;
}

char **mcp_values_command(const struct mcp_values *v, const struct mcp_rules *r)
{
	struct line rest = mcp_line(v->variant->words);
	char **words = xcalloc(MCP_WORDS + 1, sizeof(*words));
	size_t count = 0;

	while (rest.len && count < MCP_WORDS) {
		struct line word = line_cut(&rest, ' ');
		struct text text = { 0 };

		if (word_accept(&word, v, r) && word_expand(&text, word, v))
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

/* clang-format off */
#define ARG(k, n, h, ...) \
	{ .kind = ARG_##k, .name = (n), .help = (h), __VA_ARGS__ }
#define COUNT(n, h, from, to, usual) \
	ARG(COUNT, n, h, .least = (from), .most = (to), .preset = (usual))
#define CHOICE(n, h, c) ARG(TEXT, n, h, .choices = (c))
#define SECONDS(usual) COUNT("seconds", "observe for this long", 1, 60, usual)
#define A_PID(n, h, ...) \
	ARG(PID, n, h, .least = 1, .most = INT32_MAX, __VA_ARGS__)
#define LIMIT COUNT("limit", "maximum size of the answer in bytes; a larger one " \
		    "has more", MCP_ANSWER_LEAST, MCP_ANSWER_MAX, MCP_ANSWER)
#define JVM A_PID("pid", "process ID of the JVM, from list_jvms", \
		  .is_required = true)

#define WHY_SHAPE "causes:5 not_checked:25 evidence:6 fine:30 " \
	"-schema -title -busiest_share -next"
#define PROF_SHAPE "reports:4 frames:25 application:12 threads:10 waits:10 " \
	"owners:8 owner_methods:8 classes:15 calls:25 notes:8 lost:8 " \
	"events:12 -schema -source -event_types"
#define THREADS_SHAPE \
	"threads:25@blocked.deadlock,blocked,activity=runs,activity=waits,stack " \
	"dumps:3 pools:12 owns:3 -schema -source -stacks -daemon -dump -elapsed_ns"
#define GC_SHAPE "groups:12 longest:10"
#define HISTOGRAM_SHAPE "classes:60 -schema"

#define USES_MORE .uses = MCP_STOP | MCP_PROBE, \
	.without = { "no thread dumps were taken, so locks, deadlocks and waits " \
		     "were not checked: sjkc mcp --allow stop", NULL, \
		     "pauses come from the JVM's counters: sjkc mcp --allow " \
		     "probe measures them" }

const struct mcp_tool mcp_tools[] = {
	{ .name = "list_jvms", .title = "List JVMs",
	  .help = "List the running Java virtual machines, also those in "
		  "containers: PID, main class, arguments, version, user, start "
		  "time. Use it first, to find a PID.",
	  .args = { LIMIT },
	  .variants = {
		{ .words = "jps --json --no-attach",
		  .shape = "jvms:60 args:4 options:6 -schema -vm_vendor -vm_name "
			   "-java_home -own_root -own_pid_namespace -uid",
		  .next = "why",
		  .grace_s = 20 } } },
	{ .name = "why", .title = "Diagnose a JVM",
	  .help = "Observe a JVM for some seconds and return the causes of its "
		  "problems (deadlock, lock, pool, garbage collection, CPU "
		  "limit, memory, hot code), the most important first, with "
		  "evidence. Use it when a JVM is slow, hangs, or uses too much "
		  "CPU or memory.",
	  .rights = MCP_STOP | MCP_PROBE,
	  .args = { JVM, SECONDS(15), LIMIT },
	  .variants = {
		{ .words = "why --json !stop:--no-attach !probe:--no-uprobes "
			   "--duration={seconds}s --pid={pid}",
		  USES_MORE,
		  .shape = WHY_SHAPE, .next = "profile event=offcpu",
		  .grace_s = 30 } } },
	{ .name = "threads", .title = "Take thread dumps",
	  .help = "Return blocked threads and the owners of their locks, "
		  "deadlocks, running threads with their stack traces, and "
		  "pools. Use it when a JVM hangs. Each dump stops the program "
		  "for about a millisecond.",
	  .rights = MCP_STOP, .always = MCP_STOP,
	  .args = {
		JVM,
		COUNT("count", "number of dumps, 2 s apart; several show threads "
		      "that do not move", 1, 10, 1),
		ARG(FLAG, "virtual", "include virtual threads (JDK 21)"),
		LIMIT },
	  .variants = {
		{ .words = "threads --json --count={count} ?virtual:--virtual "
			   "--pid={pid}",
		  .needs = "stop", .shape = THREADS_SHAPE,
		  .next = "profile event=offcpu",
		  .grace_s = 45 } } },
	{ .name = "profile", .title = "Profile a JVM or a recording",
	  .help = "Sample where a JVM spends its time, or report a recording: "
		  "hottest frames, application methods, threads, call tree. "
		  "Event cpu is for high CPU use, offcpu for waits, alloc for "
		  "garbage, lock for contention.",
	  .rights = MCP_LOAD | MCP_WRITE,
	  .args = {
		A_PID("pid", "process ID of the JVM, from list_jvms"),
		ARG(FILE, "path", "a recording in the server's directory in "
		    "place of pid: JFR, pprof, collapsed stacks, thread dumps"),
		CHOICE("event", "event to sample (default: cpu, or the main one "
		       "of a recording); alloc and lock load an agent into a "
		       "running JVM", "cpu|offcpu|wall|alloc|lock|park"),
		SECONDS(10),
		ARG(FLAG, "agent", "load the sjkc agent for method names"),
		CHOICE("by", "add up frames (default: frame)",
		       "frame|class|package"),
		ARG(TEXT, "callers_of", "list the callers of frames that match "
		    "this regular expression"),
		ARG(NEW_FILE, "save", "record into this new file in the server's "
		    "directory instead: NAME.jfr for compare and profile, "
		    "NAME.html for people"),
		LIMIT },
	  .variants = {
		{ .when = "path",
		  .words = "prof --json --log-format=json --event={event} "
			   "--by={by} --callers-of={callers_of} --input={path}",
		  .shape = PROF_SHAPE, .next = "read_file", .grace_s = 60 },
		{ .when = "save", .requires = "pid",
		  .words = "prof --log-format=json "
			   "~agent,event=alloc,event=lock:--no-agent "
			   "--event={event} --duration={seconds}s "
			   "--output={save} --pid={pid}",
		  .needs = "files agent:load event=alloc:load event=lock:load",
		  .shape = PROF_SHAPE, .next = "profile", .grace_s = 30 },
		{ .requires = "pid",
		  .words = "prof --json --log-format=json "
			   "~agent,event=alloc,event=lock:--no-agent "
			   "--event={event} --by={by} "
			   "--callers-of={callers_of} --duration={seconds}s "
			   "--pid={pid}",
		  .needs = "agent:load event=alloc:load event=lock:load",
		  .shape = PROF_SHAPE, .next = "threads|gc",
		  .grace_s = 30 } } },
	{ .name = "gc", .title = "Measure garbage collection",
	  .help = "Measure the pauses of a JVM for some seconds: how long the "
		  "program was stopped, by kind and cause, percentiles, the "
		  "longest pauses and the heap after them. Use it for long "
		  "pauses and a full heap.",
	  .rights = MCP_PROBE,
	  .args = { JVM, SECONDS(15),
		ARG(FLAG, "safepoints", "also stops without a collection"), LIMIT },
	  .variants = {
		{ .words = "gc --json ?safepoints:--safepoints "
			   "!probe:--source=counters --duration={seconds}s "
			   "--pid={pid}",
		  .uses = MCP_PROBE,
		  .without = { NULL, NULL,
			       "pauses come from the JVM's counters, without "
			       "other safepoints: sjkc mcp --allow probe "
			       "measures them" },
		  .shape = GC_SHAPE, .is_summed = true,
		  .next = "histogram live|profile event=alloc|memory",
		  .grace_s = 20 } } },
	{ .name = "memory", .title = "Account for resident memory",
	  .help = "Return where the resident memory of a JVM is: heap, "
		  "metaspace, code, stacks, malloc, files, and a verdict. Use "
		  "it when the process is larger than its heap, or the "
		  "container is short of memory.",
	  .args = { JVM, LIMIT },
	  .variants = {
		{ .words = "mem --json --pid={pid}",
		  .shape = "verdict:8 parts:16 threads:8 arenas:6 sizes:10 "
			   "-schema -time_ns",
		  .next = "histogram|gc", .grace_s = 60 } } },
	{ .name = "histogram", .title = "Count heap objects by class",
	  .help = "Count the objects of the heap and their bytes by class. Use "
		  "it when the heap is full. Stops the program while the JVM "
		  "counts, about a second per GB; live first forces a full "
		  "collection.",
	  .rights = MCP_STOP, .always = MCP_STOP,
	  .args = { JVM, ARG(FLAG, "live", "count only objects in use; forces "
			     "a full collection"), LIMIT },
	  .variants = {
		{ .words = "hh --json --top=500 ?live:--live --timeout=60s "
			   "--pid={pid}",
		  .needs = "stop", .shape = HISTOGRAM_SHAPE,
		  .next = "profile event=alloc|gc", .grace_s = 70 } } },
	{ .name = "probe", .title = "Count and time calls of a method",
	  .help = "Instrument methods of a running JVM for some seconds: calls, "
		  "time, exceptions, and slow calls with arguments. Use it to "
		  "test a guess about one method. Loads the sjkc agent and "
		  "changes classes, which stops the program twice; then the "
		  "methods are restored.",
	  .rights = MCP_PROBE, .always = MCP_PROBE,
	  .args = {
		JVM,
		ARG(TEXT, "method", "Class.method or package.Class.method; * is "
		    "any text", .is_required = true),
		SECONDS(10),
		ARG(TEXT, "above", "report each call that takes this long: 100ms"),
		ARG(FLAG, "args", "with above: record the arguments"),
		ARG(FLAG, "stack", "with above: record stack traces"),
		ARG(FLAG, "system", "include classes of the JDK"),
		ARG(FLAG, "count", "only count calls, at less cost"),
		ARG(FLAG, "discard_code", "allow the JVM to discard compiled "
		    "code, which JDKs before 23 may require"),
		LIMIT },
	  .variants = {
		{ .words = "probe --json --duration={seconds}s --above={above} "
			   "?args:--args ?stack:--stack ?system:--system "
			   "?count:--count ?discard_code:--yes --pid={pid} -- "
			   "{method}",
		  .needs = "probe",
		  .shape = "methods:20 calls:15 exceptions:5 stack:12 "
			   "arguments:6 -buckets -schema -descriptor -type",
		  .next = "threads|profile",
		  .grace_s = 40 } } },
	{ .name = "compare", .title = "Compare two JVMs or two files",
	  .help = "Return what differs: causes that one JVM has and another "
		  "lacks (pid and other_pid), or frames, classes and threads "
		  "that changed between two recordings or histograms (before "
		  "and after).",
	  .rights = MCP_STOP | MCP_PROBE,
	  .args = {
		A_PID("pid", "process ID of the JVM with a problem"),
		A_PID("other_pid", "process ID of a healthy JVM"),
		SECONDS(15),
		ARG(FILE, "before", "a file in the server's directory"),
		ARG(FILE, "after", "a later file of the same kind"),
		CHOICE("kind", "kind of the files", "recording|histogram"),
		CHOICE("event", "event of recordings to compare",
		       "cpu|offcpu|wall|alloc|lock|park"),
		LIMIT },
	  .variants = {
		{ .when = "pid,other_pid", .requires = "pid other_pid",
		  .words = "why --json !stop:--no-attach !probe:--no-uprobes "
			   "--duration={seconds}s --against={other_pid} "
			   "--pid={pid}",
		  USES_MORE,
		  .shape = WHY_SHAPE, .next = "why", .grace_s = 40 },
		{ .when = "kind=histogram", .requires = "before after",
		  .words = "hh --json --diff={before} --input={after}",
		  .shape = HISTOGRAM_SHAPE,
		  .next = "read_file view=histogram", .grace_s = 30 },
		{ .requires = "before after",
		  .words = "diff --json --event={event} {before} {after}",
		  .shape = "changes:3 self:20 total:20 threads:8 classes:12 "
			   "-schema -source -samples_before -samples_after",
		  .next = "profile", .grace_s = 60 } } },
	{ .name = "read_file", .title = "Read a recording, dump or log",
	  .help = "Read a file of the server's directory: a JFR or other "
		  "recording, thread dumps, a GC log, a fatal error log "
		  "(hs_err), a heap histogram, a bundle of sjkc snap. Without a "
		  "path, list the files.",
	  .args = {
		ARG(FILE, "path", "a file in the server's directory"),
		CHOICE("view", "what to return (default: causes)",
		       "causes|profile|threads|gc|histogram|events"),
		CHOICE("event", "event of a profile",
		       "cpu|offcpu|wall|alloc|lock|park"),
		LIMIT },
	  .variants = {
		{ .when = "view=profile", .requires = "path",
		  .words = "prof --json --log-format=json --event={event} "
			   "--input={path}",
		  .shape = PROF_SHAPE, .next = "read_file", .grace_s = 60 },
		{ .when = "view=threads", .requires = "path",
		  .words = "threads --json {path}",
		  .shape = THREADS_SHAPE, .next = "read_file", .grace_s = 60 },
		{ .when = "view=gc", .requires = "path",
		  .words = "gc --json --input={path}",
		  .shape = GC_SHAPE, .is_summed = true, .next = "read_file",
		  .grace_s = 60 },
		{ .when = "view=histogram", .requires = "path",
		  .words = "hh --json --top=500 --input={path}",
		  .shape = HISTOGRAM_SHAPE, .grace_s = 60 },
		{ .when = "view=events", .requires = "path",
		  .words = "flame --list-events --json {path}",
		  .shape = "events:30 tables:40 -schema",
		  .next = "read_file view=profile", .grace_s = 60 },
		{ .when = "path,view", .requires = "path",
		  .words = "why --json {path}",
		  .shape = "causes:5 evidence:6 frames:12 events:8 "
			   "not_checked:2 -schema -title -source_file "
			   "-busiest_share -container -limits -lost -pid -next",
		  .next = "read_file view=profile",
		  .grace_s = 60 },
		{ .shape = "files:100", .next = "read_file", .grace_s = 10 } } },
	{ 0 },
};
/* clang-format on */
