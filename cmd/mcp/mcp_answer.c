/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers of tools: the JSON document of a command is written again with fewer
 * elements and shorter strings until the answer fits. Strings of a JVM are
 * foreign: they are bounded, and stay inside JSON strings.
 */
#include "cmd/mcp/mcp.h"

#include "core/base/alloc.h"
#include "core/base/ascii.h"

#include <stdlib.h>
#include <string.h>

enum {
	LEVELS = 12,         /* nesting of an answer; deeper values are null */
	TEXT_MAX = 200,      /* bytes of a string */
	STACK_MAX = 12,      /* frames of a thread */
	USUAL_ELEMENTS = 10, /* of an array that the shape does not name */
	CUTS = 12,           /* arrays whose cuts are listed */
	SQUEEZES = 40,
	PASSES = 8,
	LAST = PASSES - 1
};

struct cut {
	struct line name; /* of an array */
	size_t shown, total;
};

struct level {
	bool is_array;
	struct line name;
	size_t limit, shown, at; /* of an array; at: elements so far */
	unsigned pass;
	struct line conditions; /* of passes */
	struct json_reader start;
};

struct rewriter {
	const struct mcp_answer *a;
	struct json_reader r;
	struct json *j;
	struct line shape;
	unsigned squeeze; /* 0: as the shape says */
	struct level levels[LEVELS];
	unsigned depth;
	struct cut cuts[CUTS];
	size_t cut_count;
	struct cut counted; /* the first array of the shape */
	bool has_counted;
	/* The pass of each element of an array that has passes. */
	uint8_t *passes;
	size_t pass_count, pass_cap;
	struct line *stacks; /* elements of the top-level array "stacks" */
	unsigned *stack_users;
	size_t stack_count, stack_cap;
	struct mcp_leads leads;
};

static bool lines_are_equal(struct line a, struct line b)
{
	return a.len == b.len && memcmp(a.text, b.text, a.len) == 0;
}

/* True for an unknown or empty value. */
static bool raw_is_nothing(struct line raw)
{
	return line_is(raw, "null") || line_is(raw, "false") ||
	       line_is(raw, "[]") || line_is(raw, "{}") || line_is(raw, "\"\"");
}

/* The member of an object, as it is written; empty if there is none. */
static struct line raw_member(struct line object, struct line name)
{
	struct json_reader r = json_reader_over(object.text, object.len);
	struct line key;

	for (bool in = mcp_peek(&r) == '{' && json_enter_object(&r);
	     in && json_next_member(&r, &key);) {
		if (lines_are_equal(key, name))
			return mcp_read_raw(&r);
		json_skip(&r);
	}
	return (struct line){ 0 };
}

/* An integer member of an object; -1 if there is none. */
static int64_t raw_int(struct line object, const char *name)
{
	struct line raw = raw_member(object, mcp_line(name));

	return raw.len ? strtoll(raw.text, NULL, 10) : -1;
}

/* ---- shapes ---- */

/* A word of a shape, "key:limit@conditions" or "-key". */
struct shape_word {
	unsigned behind; /* number of words from it to the end; 0: no word */
	bool is_omitted;
	struct line limit, conditions;
};

static struct shape_word shape_find(struct line shape, struct line key)
{
	struct shape_word w = { 0 };

	while (shape.len) {
		struct line limit = line_cut(&shape, ' ');
		struct line name = line_cut(&limit, ':');
		bool is_omitted = *name.text == '-';

		name.text += is_omitted;
		name.len -= is_omitted;
		if (w.behind) {
			w.behind++;
		} else if (lines_are_equal(name, key)) {
			w.behind = 1;
			w.is_omitted = is_omitted;
			w.conditions = limit;
			w.limit = line_cut(&w.conditions, '@');
		}
	}
	return w;
}

/* The later an array is in the shape, the earlier it is cut. */
static size_t shape_limit(const struct rewriter *w, struct line key)
{
	struct shape_word word = shape_find(w->shape, key);
	size_t limit = word.limit.len ? strtoul(word.limit.text, NULL, 10)
				      : USUAL_ELEMENTS;
	unsigned shift;

	if (w->a->values->limit > MCP_ANSWER)
		limit = limit * w->a->values->limit / MCP_ANSWER;
	shift = w->squeeze > word.behind ? (w->squeeze - word.behind + 1) / 2
					 : 0;
	return shift < 16 ? limit >> shift : 0;
}

/* ---- passes ---- */

/* True if "a", "a.b" or "a=value" is true of an element. */
static bool condition_matches(struct line condition, struct line element)
{
	struct line value = condition;
	struct line inner = line_cut(&value, '=');
	struct line raw = raw_member(element, line_cut(&inner, '.'));

	if (inner.len)
		raw = raw_member(raw, inner);
	if (value.len)
		return raw.len == value.len + 2 &&
		       memcmp(raw.text + 1, value.text, value.len) == 0;
	return raw.len && !raw_is_nothing(raw);
}

/*
 * The first of the conditions that an element satisfies. Of elements with one
 * stack, only the first is preferred, and those of the first condition.
 */
static unsigned rewriter_pass(struct rewriter *w, struct line conditions,
			      struct line element)
{
	struct line stack = raw_member(element, mcp_line("stack"));
	size_t i = stack.len && is_digit(*stack.text)
			   ? strtoul(stack.text, NULL, 10)
			   : SIZE_MAX;
	bool is_repeated = i < w->stack_count && w->stack_users[i]++;

	for (unsigned pass = 0; conditions.len; pass++)
		if (condition_matches(line_cut(&conditions, ','), element))
			return is_repeated && pass ? LAST : pass;
	return LAST;
}

static void rewriter_find_passes(struct rewriter *w, struct line conditions)
{
	struct json_reader r = w->r;

	w->pass_count = 0;
	while (json_next_element(&r)) {
		unsigned pass = rewriter_pass(w, conditions, mcp_read_raw(&r));

		array_add(w->passes, w->pass_count, w->pass_cap, (uint8_t)pass);
	}
}

/* Finds the stacks of thread dumps, to which threads refer by index. */
static void rewriter_find_stacks(struct rewriter *w)
{
	struct line document = { w->a->document, w->a->len };
	struct line stacks = raw_member(document, mcp_line("stacks"));
	struct json_reader r = json_reader_over(stacks.text, stacks.len);

	for (bool in = mcp_peek(&r) == '[' && json_enter_array(&r);
	     in && json_next_element(&r);)
		array_add(w->stacks, w->stack_count, w->stack_cap,
			  mcp_read_raw(&r));
	w->stack_users = xcalloc(w->stack_count, sizeof(*w->stack_users));
}

/* ---- values ---- */

static void rewriter_text(struct rewriter *w, struct text *text)
{
	size_t most = TEXT_MAX >> w->squeeze / 16;

	if (text->len > most) {
		while (most &&
		       ((unsigned char)text->bytes[most] & 0xc0) == 0x80)
			most--;
		text->len = most;
		text_puts(text, "…");
	}
	json_string(w->j, text->bytes, text->len);
}

/* Five digits are enough, but no exponents. */
static void rewriter_fraction(struct rewriter *w, double value)
{
	if (value > -99999 && value < 99999)
		mcp_put_raw(w->j, "%.5g", value);
	else if (value > -1e15 && value < 1e15)
		mcp_put_raw(w->j, "%.0f", value);
	else
		json_double(w->j, value);
}

/* Writes a string, a short number, true, false or null. */
static void rewriter_scalar(struct rewriter *w, struct json_reader *r)
{
	struct text text = { 0 };
	struct line raw;

	text_puts(&text, "");
	if (mcp_peek(r) == '"') {
		json_read_text(r, &text);
		rewriter_text(w, &text);
		text_release(&text);
		return;
	}
	raw = mcp_read_raw(r);
	text_add(&text, raw.text, raw.len);
	if (line_is(raw, "true") || line_is(raw, "false"))
		json_bool(w->j, *raw.text == 't');
	else if (!raw.len || line_is(raw, "null"))
		json_null(w->j);
	else if (memchr(raw.text, '.', raw.len))
		rewriter_fraction(w, strtod(text.bytes, NULL));
	else
		json_number(w->j, text.bytes);
	text_release(&text);
}

/* Writes the frames of a thread in place of the index of its stack. */
static void rewriter_stack(struct rewriter *w, size_t i)
{
	struct json_reader r = json_reader_over(w->stacks[i].text,
						w->stacks[i].len);
	size_t frames = 0, most = STACK_MAX >> w->squeeze / 8;

	json_add_array(w->j, "stack");
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
}

/* ---- the walk ---- */

static void rewriter_note_array(struct rewriter *w, struct line name,
				size_t shown, size_t total)
{
	struct cut *c = w->cuts;

	if (w->depth == 1 && lines_are_equal(name, w->counted.name)) {
		w->counted.total += total;
		w->has_counted = true;
	}
	if (shown >= total)
		return;
	while (c < w->cuts + w->cut_count && !lines_are_equal(c->name, name))
		c++;
	if (c == w->cuts + CUTS)
		return;
	if (c == w->cuts + w->cut_count)
		w->cuts[w->cut_count++] = (struct cut){ name, 0, 0 };
	c->shown += shown;
	c->total += total;
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
	w->depth++;
	*l = (struct level){ .is_array = first == '[', .name = key };
	if (!l->is_array) {
		json_enter_object(&w->r);
		json_open_object(w->j);
		return;
	}
	json_enter_array(&w->r);
	json_open_array(w->j);
	l->limit = shape_limit(w, key);
	l->start = w->r;
	l->conditions = shape_find(w->shape, key).conditions;
	if (l->conditions.len)
		rewriter_find_passes(w, l->conditions);
}

/* Counts the elements of an array that is not written. */
static void rewriter_skip_array(struct rewriter *w, struct line key)
{
	size_t count = 0;

	for (bool in = json_enter_array(&w->r); in && json_next_element(&w->r);
	     count++)
		json_skip(&w->r);
	rewriter_note_array(w, key, 0, count);
}

/* True if a member is not written: it is empty, or the shape omits it. */
static bool rewriter_omits(const struct rewriter *w, struct line key)
{
	const struct level *l = &w->levels[w->depth - 1];
	struct json_reader ahead = w->r;
	struct line raw = mcp_read_raw(&ahead);

	if (shape_find(w->shape, key).is_omitted || line_is(raw, "null") ||
	    line_is(raw, "\"\""))
		return true;
	return w->depth > 1 &&
	       (raw_is_nothing(raw) ||
		(line_is(l->name, "states") && line_is(raw, "0")));
}

/* Members of elements of which mcp_next_write() makes calls. */
static void rewriter_keep_lead(struct rewriter *w, struct line key)
{
	struct line array = w->levels[2].name;
	struct json_reader ahead = w->r;
	struct mcp_leads *l = &w->leads;

	if (l->count < MCP_LEADS &&
	    ((line_is(array, "causes") && line_is(key, "next")) ||
	     (line_is(array, "figures") && line_is(key, "source")) ||
	     (line_is(array, "jvms") && line_is(key, "pid")) ||
	     (line_is(array, "files") && line_is(key, "name"))))
		l->all[l->count++] = mcp_read_raw(&ahead);
}

static void rewriter_member(struct rewriter *w, struct line key)
{
	char name[64] = "";
	size_t stack;

	memcpy(name, key.text, key.len < 63 ? key.len : 63);
	stack = strtoul(w->r.at, NULL, 10);
	if (w->depth == 3)
		rewriter_keep_lead(w, key);
	if (rewriter_omits(w, key)) {
		json_skip(&w->r);
	} else if (line_is(key, "stack") && is_digit(mcp_peek(&w->r)) &&
		   stack < w->stack_count) {
		json_skip(&w->r);
		rewriter_stack(w, stack);
	} else if (mcp_peek(&w->r) == '[' && !shape_limit(w, key)) {
		rewriter_skip_array(w, key);
	} else {
		json_foreign_key(w->j, name);
		rewriter_value(w, key);
	}
}

/* list_jvms lists only the JVMs that the server may reach. */
static bool element_is_allowed(const struct rewriter *w, const struct level *l)
{
	struct json_reader ahead = w->r;
	struct line jvm;

	if (w->depth != 2 || !line_is(l->name, "jvms"))
		return true;
	jvm = mcp_read_raw(&ahead);
	return mcp_rules_allow_jvm(w->a->rules, (pid_t)raw_int(jvm, "pid"),
				   (uid_t)raw_int(jvm, "uid"));
}

static void rewriter_element(struct rewriter *w, struct level *l)
{
	bool is_now = !l->conditions.len ||
		      (l->at < w->pass_count && w->passes[l->at] == l->pass);

	if (!element_is_allowed(w, l)) {
		json_skip(&w->r);
		return;
	}
	l->at++;
	if (is_now && l->shown < l->limit) {
		l->shown++;
		rewriter_value(w, l->name);
	} else {
		json_skip(&w->r);
	}
}

/* Writes the document as an object. */
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
		} else if (l->conditions.len && ++l->pass < PASSES) {
			w->r = l->start;
			l->at = 0;
		} else {
			json_close_array(w->j);
			w->depth--;
			rewriter_note_array(w, l->name, l->shown, l->at);
		}
	}
	free(w->passes);
	free(w->stacks);
	free(w->stack_users);
}

/* ---- answers ---- */

static void answer_add_left_out(struct json *j, const struct rewriter *w)
{
	const struct mcp_variant *v = w->a->values->variant;
	unsigned lacks = v->uses & ~w->a->rules->allowed;
	struct text text = { 0 };

	if (!w->cut_count && !lacks && w->squeeze < SQUEEZES && !w->r.failed)
		return;
	json_add_array(j, "left_out");
	if (w->squeeze == SQUEEZES)
		json_text(j, "the whole document");
	else if (w->r.failed)
		json_text(j, "the whole document, which is not valid JSON");
	for (size_t i = 0; i < w->cut_count; i++) {
		const struct cut *c = &w->cuts[i];

		text_clear(&text);
		text_printf(&text, "%.*s: %zu of %zu shown",
			    c->name.len < 40 ? (int)c->name.len : 40,
			    c->name.text, c->shown, c->total);
		json_text(j, text.bytes);
	}
	if ((w->cut_count || w->squeeze == SQUEEZES) &&
	    w->a->values->limit < MCP_ANSWER_MAX)
		json_text(j, "for more, call again with a larger limit, at "
			     "most 40000");
	for (unsigned i = 0; i < MCP_RIGHTS; i++)
		if (lacks >> i & 1)
			json_text(j, v->without[i]);
	json_close_array(j);
	text_release(&text);
}

static void answer_add_summary(struct json *j, const struct rewriter *w)
{
	const struct mcp_values *v = w->a->values;
	struct text text = { 0 };

	text_puts(&text, v->tool->title);
	if (w->has_counted)
		text_printf(&text, "; %.*s: %zu", (int)w->counted.name.len,
			    w->counted.name.text, w->counted.total);
	json_add_text(j, "summary", text.bytes);
	for (size_t i = 0; v->tool->args[i].kind; i++)
		if (v->all[i].is_given && v->tool->args[i].kind >= ARG_FILE)
			json_add_text(j, v->tool->args[i].name, v->all[i].text);
	text_release(&text);
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
		.shape = mcp_line(a->values->variant->shape),
		.squeeze = squeeze,
	};

	w.counted.name = (struct line){ w.shape.text,
					strcspn(w.shape.text, ":") };
	if (a->len && squeeze < SQUEEZES)
		rewriter_run(&w);
	json_open_object(&j);
	answer_add_summary(&j, &w);
	/* Without the braces. */
	if (body.len > 2 && *body.bytes == '{' && !w.r.failed) {
		text_putc(out, ',');
		text_add(out, body.bytes + 1, body.len - 2);
	}
	answer_add_left_out(&j, &w);
	json_add_array(&j, "messages");
	text_add(out, a->messages->bytes, a->messages->len);
	json_close_array(&j);
	mcp_next_write(&j, a, &w.leads, w.has_counted || !a->len);
	json_close_object(&j);
	text_release(&body);
}

static void content_write(struct json *j, const struct text *text)
{
	json_add_array(j, "content");
	json_open_object(j);
	json_add_text(j, "type", "text");
	json_add_string(j, "text", text->bytes, text->len);
	json_close_object(j);
	json_close_array(j);
}

static void answer_write_line(struct text *out, const struct mcp_answer *a,
			      unsigned squeeze)
{
	struct text document = { 0 };
	struct json j = mcp_result_open(out, a->id, a->is_modern);

	answer_write_document(&document, a, squeeze);
	content_write(&j, &document);
	json_key(&j, "structuredContent");
	mcp_put_raw(&j, "%s", document.bytes);
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
	if (messages->len)
		text_printf(&all, "\nmessages: [%s]", messages->bytes);
	content_write(&j, &all);
	json_add_bool(&j, "isError", true);
	mcp_result_close(&j, is_modern);
	text_release(&all);
}
