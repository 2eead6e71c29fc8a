/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that an answer suggests; the server would accept each of them. */
#include "cmd/mcp/mcp.h"

#include <string.h>

enum { CALLS = 3 };

/*
 * Calls for the commands that causes name, and for the sources of the figures
 * of a file. The key is the beginning of a command without its target; a
 * command that is not here, such as doctor, has no tool.
 */
static const struct {
	const char *key, *calls;
} calls_of_leads[] = {
	{ "gc", "gc safepoints" },
	{ "hh", "histogram live|gc" },
	{ "jcmd Compiler", "profile" },
	{ "jcmd GC.finalizer_info", "histogram|threads|memory" },
	{ "jcmd VM.classloaders", "histogram|memory" },
	{ "mem", "memory" },
	{ "pauses", "read_file view=gc" },
	{ "probe 'FileInputStream",
	  "probe method=FileInputStream.<init> system stack above=0|threads" },
	{ "probe InetAddress",
	  "probe method=InetAddress.getAllByName system args above=100ms|"
	  "threads|profile event=offcpu" },
	{ "probe Throwable", "profile callers_of=Throwable.fillInStackTrace" },
	{ "prof -e alloc", "profile event=alloc|histogram|gc" },
	{ "prof -e lock", "profile event=lock|threads|profile event=offcpu" },
	{ "prof -e offcpu", "profile event=offcpu" },
	{ "prof", "profile" },
	{ "threads --count", "threads count=3|profile event=offcpu" },
	{ "threads --virtual", "threads virtual|profile event=offcpu" },
	{ "threads", "threads|profile event=offcpu" },
	{ "ttop", "profile" },
};

struct next {
	const struct mcp_answer *a;
	struct json *j;
	size_t begin; /* of the array */
	unsigned count;
	const char *target; /* name of an argument, and its value as JSON */
	struct text value;
};

/* The argument of a tool; that of kind ARG_NONE if there is none. */
static const struct mcp_arg *tool_arg(const struct mcp_tool *t,
				      struct line name)
{
	const struct mcp_arg *a = t->args;

	while (a->kind && !line_is(name, a->name))
		a++;
	return a;
}

/* Writes "name=value flag" and the target as an object. */
static void next_write_arguments(const struct next *n, struct text *out,
				 const struct mcp_tool *t, struct line words)
{
	struct json j = json_into(out);

	json_open_object(&j);
	if (n->target && tool_arg(t, mcp_line(n->target))->kind) {
		json_key(&j, n->target);
		mcp_put_raw(&j, "%s", n->value.bytes);
	}
	while (words.len) {
		struct line value = line_cut(&words, ' ');
		const struct mcp_arg *a = tool_arg(t, line_cut(&value, '='));

		json_key(&j, a->name);
		if (a->kind == ARG_FLAG)
			json_bool(&j, true);
		else if (a->kind == ARG_COUNT)
			mcp_put_raw(&j, "%.*s", (int)value.len, value.text);
		else
			json_string(&j, value.text, value.len);
	}
	json_close_object(&j);
}

/* Writes a call; returns false if the server would refuse it. */
static bool next_add_call(struct next *n, struct line call)
{
	struct line name = line_cut(&call, ' ');
	struct text out = { 0 };
	const struct mcp_tool *t = mcp_tools;
	struct mcp_values v;
	size_t head;
	bool is_accepted;

	while (t->name && !line_is(name, t->name))
		t++;
	text_printf(&out, "{\"tool\":\"%s\",\"arguments\":", t->name);
	head = out.len;
	next_write_arguments(n, &out, t, call);
	is_accepted = mcp_values_read(
			      &v, t, n->a->rules,
			      (struct line){ out.bytes + head, out.len - head },
			      error_unused()) == 0;
	mcp_values_release(&v);
	text_putc(&out, '}');
	if (is_accepted && !strstr(n->j->out->bytes + n->begin, out.bytes)) {
		mcp_put_raw(n->j, "%s", out.bytes);
		n->count++;
	}
	text_release(&out);
	return is_accepted;
}

/* Writes the first of the calls "a|b" that the server accepts. */
static void next_add(struct next *n, const char *calls)
{
	struct line rest = mcp_line(calls);

	while (n->count < CALLS && rest.len &&
	       !next_add_call(n, line_cut(&rest, '|')))
		;
}

/* The text of a lead, without the target of a command: "prof 7 -e lock". */
static void next_add_lead(struct next *n, struct text *lead)
{
	char *space = strchr(lead->bytes, ' ');
	size_t target = space ? strcspn(space + 1, " ") + 1 : 0;
	size_t count = sizeof(calls_of_leads) / sizeof(*calls_of_leads), i = 0;

	if (target)
		memmove(space, space + target, strlen(space + target) + 1);
	while (i < count && strncmp(lead->bytes, calls_of_leads[i].key,
				    strlen(calls_of_leads[i].key)) != 0)
		i++;
	if (i < count)
		next_add(n, calls_of_leads[i].calls);
}

/* A PID or a file is the target; other leads have rows of the table. */
static void next_follow(struct next *n, struct line lead)
{
	const struct mcp_variant *v = n->a->values->variant;
	struct json_reader r = json_reader_over(lead.text, lead.len);
	struct text text = { 0 };

	if (!lead.len)
		return;
	if (*lead.text == '"' && v->words) {
		text_puts(&text, "");
		json_read_text(&r, &text);
		next_add_lead(n, &text);
	} else {
		n->target = v->words ? "pid" : "path";
		text_clear(&n->value);
		text_add(&n->value, lead.text, lead.len);
		next_add(n, v->next);
	}
	text_release(&text);
}

/* The JVM of this call, or its file. */
static void next_set_target(struct next *n)
{
	static const char *const names[] = { "save", "after", "path", "pid" };
	const struct mcp_value *is = NULL;
	struct json j = json_into(&n->value);
	size_t i = 0;

	for (; i < 4 && !is; i++)
		is = mcp_values_find(n->a->values, names[i]);
	if (!is)
		return;
	n->target = is->text ? "path" : "pid";
	if (is->text)
		json_text(&j, is->text);
	else
		json_int(&j, is->number);
}

void mcp_next_write(struct json *j, const struct mcp_answer *a,
		    const struct mcp_leads *leads, bool has_rows)
{
	struct next n = { .a = a, .j = j };

	json_add_array(j, "next");
	n.begin = j->out->len;
	next_set_target(&n);
	for (size_t i = 0; i < leads->count; i++)
		next_follow(&n, leads->all[i]);
	if (!n.count && has_rows)
		next_add(&n, a->values->variant->next);
	json_close_array(j);
	text_release(&n.value);
}
