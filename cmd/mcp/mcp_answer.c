/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers of tools: the JSON document of a command is written again with fewer
 * elements and shorter strings until the answer fits. Strings of a JVM are
 * foreign: they are bounded, and stay inside JSON strings.
 */
#include "cmd/mcp/mcp.h"

#include "core/base/alloc.h"
#include "core/base/ascii.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	LEVELS = 12,         /* nesting of an answer; deeper values are null */
	TEXT_MAX = 200,      /* bytes of a string */
	STACK_MAX = 12,      /* frames of a thread */
	USUAL_ELEMENTS = 10, /* of an array that the shape does not name */
	CUTS = 12,           /* arrays whose cuts are listed */
	SQUEEZES = 40,
	NEXT_WORDS = 16,
	PASSES = 8
};

struct cut {
	char name[32];
	size_t shown, total;
};

struct level {
	bool is_array;
	char name[32];
	size_t limit, shown, at; /* of an array; at: elements so far */
	unsigned pass;
	bool has_passes;
	struct json_reader start;
};

struct rewriter {
	const struct mcp_answer *a;
	struct json_reader r;
	struct json *j;
	const char *shape;
	unsigned squeeze; /* 0: as the shape says */
	struct level levels[LEVELS];
	unsigned depth;
	struct cut cuts[CUTS];
	size_t cut_count;
	size_t counted; /* elements of the array of the summary */
	bool has_counted;
	/* Of an array with passes: the pass of each element. */
	uint8_t *passes;
	size_t pass_count, pass_cap;
	struct line *stacks; /* elements of the top-level array "stacks" */
	unsigned *stack_users;
	size_t stack_count, stack_cap;
};

static bool raw_is_nothing(struct line raw)
{
	return line_is(raw, "null") || line_is(raw, "false") ||
	       line_is(raw, "[]") || line_is(raw, "{}");
}

/* ---- shapes ---- */

/* Finds "key:" or "-key" in a shape; *rank is its place, 0 the first. */
static const char *shape_find(const char *shape, char mark, struct line key,
			      unsigned *rank)
{
	struct line rest = { shape, strlen(shape) };

	for (*rank = 0; rest.len; ++*rank) {
		struct line word = line_cut(&rest, ' ');
		bool is_omission = *word.text == '-';

		if (is_omission != (mark == '-'))
			continue;
		word.text += is_omission;
		word.len -= is_omission;
		if (word.len >= key.len &&
		    memcmp(word.text, key.text, key.len) == 0 &&
		    (is_omission ? word.len == key.len
				 : word.text[key.len] == ':'))
			return word.text + key.len + !is_omission;
	}
	return NULL;
}

/* The later an array is in the shape, the earlier it is cut. */
static size_t shape_limit(const struct rewriter *w, struct line key)
{
	static const char none[] = "";
	unsigned rank, all;
	const char *number = shape_find(w->shape, ':', key, &rank);
	size_t limit = number ? (size_t)strtoul(number, NULL, 10)
			      : USUAL_ELEMENTS;

	shape_find(w->shape, ':', (struct line){ none, 0 }, &all);
	if (!number)
		rank = all;
	/* Larger answers have more rows, unless the shape wants none. */
	if (w->a->values->limit > MCP_ANSWER)
		limit = limit * w->a->values->limit / MCP_ANSWER;
	if (w->squeeze + rank <= all)
		return limit;
	rank = (w->squeeze + rank - all + 1) / 2;
	return rank < 16 ? limit >> rank : 0;
}

/* ---- passes ---- */

/* Returns the condition "a" or "b=c" of the pass, or an empty line. */
static bool pass_matches(struct line conditions, const struct line *key,
			 struct line raw, unsigned *pass)
{
	for (unsigned i = 0; conditions.len; i++) {
		struct line value = line_cut(&conditions, ',');
		struct line name = line_cut(&value, '=');

		if (name.len != key->len ||
		    memcmp(name.text, key->text, name.len) != 0)
			continue;
		if (value.len ? raw.len == value.len + 2 &&
					memcmp(raw.text + 1, value.text,
					       value.len) == 0
			      : !raw_is_nothing(raw)) {
			*pass = i < *pass ? i : *pass;
			return true;
		}
	}
	return false;
}

/*
 * The pass of the element that comes next; of those with one stack, only the
 * first is preferred.
 */
static unsigned rewriter_pass(struct rewriter *w, struct line conditions,
			      struct json_reader r)
{
	unsigned pass = PASSES - 1;
	struct line key;

	if (mcp_peek(&r) != '{' || !json_enter_object(&r))
		return pass;
	while (json_next_member(&r, &key)) {
		struct line raw = mcp_read_raw(&r);
		size_t stack;

		pass_matches(conditions, &key, raw, &pass);
		if (!line_is(key, "stack") || !raw.len || !is_digit(*raw.text))
			continue;
		stack = strtoul(raw.text, NULL, 10);
		if (stack < w->stack_count && w->stack_users[stack]++)
			return PASSES - 1;
	}
	return pass;
}

static void rewriter_find_passes(struct rewriter *w, struct level *l,
				 struct line key)
{
	unsigned rank;
	const char *at = shape_find(w->shape, ':', key, &rank);
	struct json_reader r = w->r;
	struct line conditions;

	at = at ? at + strspn(at, "0123456789") : "";
	if (*at != '@')
		return;
	conditions = (struct line){ at + 1, strcspn(at + 1, " ") };
	l->has_passes = true;
	w->pass_count = 0;
	while (json_next_element(&r)) {
		unsigned pass = rewriter_pass(w, conditions, r);

		array_add(w->passes, w->pass_count, w->pass_cap, (uint8_t)pass);
		json_skip(&r);
	}
}

/* Finds the stacks of thread dumps, to which threads refer by index. */
static void rewriter_find_stacks(struct rewriter *w)
{
	struct json_reader r = w->r;
	struct line key;

	if (mcp_peek(&r) != '{' || !json_enter_object(&r))
		return;
	while (json_next_member(&r, &key)) {
		if (!line_is(key, "stacks") || mcp_peek(&r) != '[') {
			json_skip(&r);
			continue;
		}
		json_enter_array(&r);
		while (json_next_element(&r))
			array_add(w->stacks, w->stack_count, w->stack_cap,
				  mcp_read_raw(&r));
	}
	w->stack_users = xcalloc(w->stack_count, sizeof(*w->stack_users));
}

/* ---- values ---- */

static size_t rewriter_text_max(const struct rewriter *w)
{
	return w->squeeze < 12 ? TEXT_MAX : w->squeeze < 24 ? 100 : 40;
}

static void rewriter_text(const struct rewriter *w, struct json *j,
			  const char *bytes, size_t len)
{
	size_t most = rewriter_text_max(w);
	struct text cut = { 0 };

	if (len <= most) {
		json_string(j, bytes, len);
		return;
	}
	while (most && ((unsigned char)bytes[most] & 0xc0) == 0x80)
		most--;
	text_add(&cut, bytes, most);
	text_puts(&cut, "…");
	json_string(j, cut.bytes, cut.len);
	text_release(&cut);
}

/* Writes a string, a number with at most five digits, true, false or null. */
static void rewriter_scalar(struct rewriter *w, struct json_reader *r)
{
	struct text text = { 0 };
	struct line raw;

	if (mcp_peek(r) == '"') {
		json_read_text(r, &text);
		rewriter_text(w, w->j, text.len ? text.bytes : "", text.len);
		text_release(&text);
		return;
	}
	raw = mcp_read_raw(r);
	text_add(&text, raw.text, raw.len);
	if (strpbrk(text.bytes, ".eE") && !strpbrk(text.bytes, "tfn")) {
		double value = strtod(text.bytes, NULL);

		text_clear(&text);
		text_printf(&text, "%.5g", value);
	}
	if (line_is(raw, "true") || line_is(raw, "false"))
		json_bool(w->j, *raw.text == 't');
	else if (!raw.len || line_is(raw, "null"))
		json_null(w->j);
	else
		json_number(w->j, text.bytes);
	text_release(&text);
}

/* Writes the frames of a thread in place of the index of its stack. */
static bool rewriter_stack(struct rewriter *w)
{
	struct line raw = mcp_read_raw(&w->r);
	size_t i = strtoul(raw.text, NULL, 10);
	struct json_reader r;
	size_t frames = 0, most = STACK_MAX >> w->squeeze / 6;

	if (i >= w->stack_count)
		return false;
	json_add_array(w->j, "stack");
	r = json_reader_over(w->stacks[i].text, w->stacks[i].len);
	for (bool in = json_enter_array(&r); in && json_next_element(&r);) {
		if (frames++ < most && mcp_peek(&r) == '"')
			rewriter_scalar(w, &r);
		else
			json_skip(&r);
	}
	json_close_array(w->j);
	if (frames > most)
		json_add_uint(w->j, "frames_omitted", frames - most);
	if (w->stack_users[i] > 1)
		json_add_uint(w->j, "threads_with_this_stack",
			      w->stack_users[i]);
	return true;
}

/* ---- the walk ---- */

static void rewriter_note_cut(struct rewriter *w, const char *name,
			      size_t shown, size_t total)
{
	struct cut *c = w->cuts;

	while (c < w->cuts + w->cut_count && strcmp(c->name, name) != 0)
		c++;
	if (c == w->cuts + CUTS)
		return;
	if (c == w->cuts + w->cut_count) {
		*c = (struct cut){ 0 };
		snprintf(c->name, sizeof(c->name), "%s", name);
		w->cut_count++;
	}
	c->shown += shown;
	c->total += total;
}

static bool rewriter_is_counted(const struct rewriter *w, const char *name)
{
	return w->depth == 1 && strcmp(name, w->a->values->tool->counts) == 0;
}

static void rewriter_end_array(struct rewriter *w)
{
	struct level *l = &w->levels[w->depth - 1];

	json_close_array(w->j);
	w->depth--;
	if (l->at > l->shown)
		rewriter_note_cut(w, l->name, l->shown, l->at);
	if (rewriter_is_counted(w, l->name)) {
		w->counted = l->at;
		w->has_counted = true;
	}
}

/* Enters the array or object that comes next, or writes a scalar. */
static void rewriter_value(struct rewriter *w, struct line key)
{
	char first = mcp_peek(&w->r);
	struct level *l = &w->levels[w->depth];

	if (first != '{' && first != '[') {
		rewriter_scalar(w, &w->r);
		return;
	}
	if (w->depth == LEVELS) {
		json_skip(&w->r);
		json_null(w->j);
		return;
	}
	*l = (struct level){ .is_array = first == '[' };
	snprintf(l->name, sizeof(l->name), "%.*s", (int)key.len, key.text);
	if (l->is_array) {
		json_enter_array(&w->r);
		json_open_array(w->j);
		l->limit = shape_limit(w, key);
		l->start = w->r;
		rewriter_find_passes(w, l, key);
	} else {
		json_enter_object(&w->r);
		json_open_object(w->j);
	}
	w->depth++;
}

/* Counts the elements of an array that is not written. */
static size_t array_count(struct json_reader r)
{
	size_t count = 0;

	for (bool in = json_enter_array(&r); in && json_next_element(&r);) {
		json_skip(&r);
		count++;
	}
	return count;
}

/* True if a member is not written: unknown, empty, or not of the shape. */
static bool rewriter_omits(struct rewriter *w, struct line key)
{
	struct json_reader ahead = w->r;
	struct line raw = mcp_read_raw(&ahead);
	bool is_named;
	unsigned rank;

	if (line_is(raw, "null") || shape_find(w->shape, '-', key, &rank))
		return true;
	is_named = w->depth == 1 && raw.len && *raw.text == '[';
	return !is_named && (line_is(raw, "[]") || line_is(raw, "{}"));
}

static void rewriter_member(struct rewriter *w, struct line key)
{
	char name[64];
	size_t count;

	if (rewriter_omits(w, key)) {
		json_skip(&w->r);
		return;
	}
	if (line_is(key, "stack") && is_digit(mcp_peek(&w->r)) &&
	    rewriter_stack(w))
		return;
	snprintf(name, sizeof(name), "%.*s", (int)key.len, key.text);
	if (mcp_peek(&w->r) == '[' && !shape_limit(w, key)) {
		count = array_count(w->r);
		if (count)
			rewriter_note_cut(w, name, 0, count);
		if (rewriter_is_counted(w, name)) {
			w->counted = count;
			w->has_counted = true;
		}
		json_skip(&w->r);
		return;
	}
	json_foreign_key(w->j, name);
	rewriter_value(w, key);
}

/* list_jvms lists only the JVMs that the server may reach. */
static bool element_is_allowed(const struct rewriter *w, struct json_reader r)
{
	struct line key;
	int64_t pid = 0;

	if (strcmp(w->a->values->tool->counts, "jvms") != 0 || w->depth != 2)
		return true;
	for (bool in = json_enter_object(&r);
	     in && json_next_member(&r, &key);) {
		if (line_is(key, "pid"))
			pid = json_read_int(&r);
		else
			json_skip(&r);
	}
	return mcp_rules_check_jvm(w->a->rules, (pid_t)pid, error_unused()) ==
	       0;
}

static void rewriter_element(struct rewriter *w, struct level *l)
{
	struct line key = { l->name, strlen(l->name) };
	bool is_later = l->has_passes && w->passes[l->at] != l->pass;

	if (!element_is_allowed(w, w->r)) {
		json_skip(&w->r);
		return;
	}
	l->at++;
	if (is_later || l->shown >= l->limit) {
		json_skip(&w->r);
		return;
	}
	l->shown++;
	rewriter_value(w, key);
}

/* Writes the members of the document into an object. */
static void rewriter_run(struct rewriter *w)
{
	struct line key = { "", 0 };

	rewriter_find_stacks(w);
	rewriter_value(w, key);
	while (w->depth && !w->r.failed) {
		struct level *l = &w->levels[w->depth - 1];

		if (!l->is_array && json_next_member(&w->r, &key)) {
			rewriter_member(w, key);
		} else if (!l->is_array) {
			json_close_object(w->j);
			w->depth--;
		} else if (json_next_element(&w->r)) {
			rewriter_element(w, l);
		} else if (l->has_passes && ++l->pass < PASSES &&
			   l->shown < l->limit) {
			w->r = l->start;
			l->at = 0;
		} else {
			rewriter_end_array(w);
		}
	}
}

static void rewriter_release(struct rewriter *w)
{
	free(w->passes);
	free(w->stacks);
	free(w->stack_users);
}

/* ---- the next call ---- */

static const struct {
	const char *command, *tool;
} tools_of_commands[] = {
	{ "prof", "profile" },  { "hh", "histogram" },    { "gc", "gc" },
	{ "probe", "probe" },   { "threads", "threads" }, { "mem", "memory" },
	{ "vminfo", "memory" },
};

/* Appends an option as an argument of the tool, if the tool has it. */
static void next_add_option(struct json *j, const struct mcp_tool *t,
			    const char *word, char **rest)
{
	const char *name = strcmp(word, "-e") == 0 ? "event" : word + 2;
	const char *value;

	for (const struct mcp_arg *a = t->args; a->kind; a++) {
		if (strcmp(a->name, name) != 0)
			continue;
		if (a->kind == ARG_FLAG) {
			json_add_bool(j, name, true);
			return;
		}
		value = strsep(rest, " ");
		json_key(j, name);
		if (value && a->kind == ARG_COUNT)
			json_number(j, value);
		else
			json_text(j, value);
	}
}

/* Appends a command, "prof 4711 -e lock", as the call of a tool. */
static void next_add_call(struct json *j, const struct text *command)
{
	char *copy = xstrdup(command->bytes), *rest = copy, *word;
	const struct mcp_tool *t = NULL;
	size_t arguments = 0;

	word = strsep(&rest, " ");
	for (size_t i = 0;
	     i < sizeof(tools_of_commands) / sizeof(*tools_of_commands); i++)
		if (strcmp(tools_of_commands[i].command, word) == 0)
			t = mcp_tool_find(tools_of_commands[i].tool);
	if (t && rest && is_digit(*rest)) {
		json_add_object(j, "next_call");
		json_add_text(j, "tool", t->name);
		json_add_object(j, "arguments");
		while ((word = strsep(&rest, " "))) {
			size_t len = strlen(word);

			if (*word == '-')
				next_add_option(j, t, word, &rest);
			else if (arguments++ == 0)
				json_add_int(j, "pid", strtol(word, NULL, 10));
			else if (len > 2 && *word == '\'')
				json_add_string(j, "method", word + 1, len - 2);
			else
				json_add_text(j, "method", word);
		}
		json_close_object(j);
		json_close_object(j);
	}
	free(copy);
}

/* Of the first cause of `why` that names a command. */
static void next_add(struct json *j, const char *document, size_t len)
{
	struct json_reader r = json_reader_over(document, len);
	struct text command = { 0 };
	struct line key;

	for (bool in = json_enter_object(&r);
	     in && json_next_member(&r, &key);) {
		if (!line_is(key, "causes") || mcp_peek(&r) != '[') {
			json_skip(&r);
			continue;
		}
		json_enter_array(&r);
		while (json_next_element(&r)) {
			bool is_object = json_enter_object(&r);

			while (is_object && json_next_member(&r, &key)) {
				if (line_is(key, "next") && !command.len)
					json_read_text(&r, &command);
				else
					json_skip(&r);
			}
		}
	}
	if (command.len)
		next_add_call(j, &command);
	text_release(&command);
}

/* ---- answers ---- */

static void answer_add_summary(struct json *j, const struct rewriter *w)
{
	const struct mcp_tool *t = w->a->values->tool;
	struct text text = { 0 };

	if (!w->has_counted)
		text_printf(&text, "%s", t->title);
	else
		text_printf(&text, "%s: %zu", t->counts, w->counted);
	json_add_text(j, "summary", text.bytes);
	text_release(&text);
}

static void answer_add_left_out(struct json *j, const struct rewriter *w)
{
	const struct mcp_values *v = w->a->values;
	struct text text = { 0 };

	if (!w->cut_count && !(v->variant->uses & ~w->a->rules->allowed))
		return;
	json_add_array(j, "left_out");
	for (size_t i = 0; i < w->cut_count; i++) {
		text_clear(&text);
		text_printf(&text, "%s: %zu of %zu shown", w->cuts[i].name,
			    w->cuts[i].shown, w->cuts[i].total);
		json_string(j, text.bytes, text.len);
	}
	if (w->cut_count && v->limit < MCP_ANSWER_MAX)
		json_text(j, "for more, call again with a larger limit, at "
			     "most 40000");
	if (v->variant->uses & ~w->a->rules->allowed)
		json_text(j, v->variant->without);
	json_close_array(j);
	text_release(&text);
}

static void answer_add_file_names(struct json *j, const struct mcp_values *v)
{
	for (size_t i = 0; v->tool->args[i].kind; i++)
		if (v->all[i].is_given &&
		    (v->tool->args[i].kind == ARG_FILE ||
		     v->tool->args[i].kind == ARG_NEW_FILE))
			json_add_text(j, v->tool->args[i].name, v->all[i].text);
}

/* Writes the document with a squeeze, and the server's members around it. */
static void answer_write_document(struct text *out, const struct mcp_answer *a,
				  unsigned squeeze)
{
	struct text body = { 0 };
	struct json inner = json_into(&body), j = json_into(out);
	struct rewriter w = {
		.a = a,
		.r = json_reader_over(a->document, a->len),
		.j = &inner,
		.shape = a->values->variant->shape,
		.squeeze = squeeze,
	};

	if (a->len && squeeze < SQUEEZES)
		rewriter_run(&w);
	json_open_object(&j);
	answer_add_summary(&j, &w);
	answer_add_file_names(&j, a->values);
	if (body.len > 2 && !w.r.failed) {
		text_putc(out, ',');
		text_add(out, body.bytes + 1, body.len - 2);
	}
	answer_add_left_out(&j, &w);
	if (a->messages->len) {
		json_add_array(&j, "messages");
		text_add(out, a->messages->bytes, a->messages->len);
		json_close_array(&j);
	}
	next_add(&j, a->document, a->len);
	json_add_text(&j, "next", a->values->tool->next);
	json_close_object(&j);
	rewriter_release(&w);
	text_release(&body);
}

static void answer_write_line(struct text *out, const struct mcp_answer *a,
			      unsigned squeeze)
{
	struct text document = { 0 };
	struct json j = mcp_result_open(out, a->id, a->is_modern);

	answer_write_document(&document, a, squeeze);
	json_add_array(&j, "content");
	json_open_object(&j);
	json_add_text(&j, "type", "text");
	json_add_string(&j, "text", document.bytes, document.len);
	json_close_object(&j);
	json_close_array(&j);
	json_key(&j, "structuredContent");
	mcp_put_raw(&j, document.bytes);
	json_add_bool(&j, "isError", false);
	mcp_result_close(&j, a->is_modern);
	text_release(&document);
}

void mcp_answer_write(struct text *out, const struct mcp_answer *a)
{
	unsigned least = 0, most = SQUEEZES;
	size_t before = out->len;

	while (least < most) {
		/* Most answers fit at once. */
		unsigned middle = least ? (least + most) / 2 : 0;

		answer_write_line(out, a, middle);
		if (out->len - before <= a->values->limit)
			most = middle;
		else
			least = middle + 1;
		out->len = before;
	}
	answer_write_line(out, a, most);
}

void mcp_refusal_write(struct text *out, const struct text *id, bool is_modern,
		       const char *text, const struct text *messages)
{
	struct json j = mcp_result_open(out, id, is_modern);
	struct text all = { 0 };

	text_puts(&all, text);
	if (messages && messages->len) {
		text_puts(&all, "\nmessages: [");
		text_add(&all, messages->bytes, messages->len);
		text_putc(&all, ']');
	}
	json_add_array(&j, "content");
	json_open_object(&j);
	json_add_text(&j, "type", "text");
	json_add_string(&j, "text", all.bytes, all.len);
	json_close_object(&j);
	json_close_array(&j);
	json_add_bool(&j, "isError", true);
	mcp_result_close(&j, is_modern);
	text_release(&all);
}
