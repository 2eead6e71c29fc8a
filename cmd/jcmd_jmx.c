/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/jcmd_jmx.h"

#include "cmd/command.h"
#include "cmd/jcmd_refusal.h"
#include "cmd/reply_print.h"

#include <stdlib.h>
#include <string.h>

static const char bean[] = "com.sun.management:type=DiagnosticCommand";
static const char strings[] = "[Ljava.lang.String;";

/* A command on its way. */
struct asking {
	const char *line;
	size_t len; /* of the command in it */
	struct text operation;
	bool is_known, takes_arguments;
	struct text *help; /* what it answers is kept there; NULL: printed */
};

static bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
static bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

void jcmd_jmx_operation(struct text *out, const char *command, size_t len)
{
	bool first = true, raise = false;

	for (size_t i = 0; i < len; i++) {
		char c = command[i];

		if (c == '.' || c == '_') {
			first = false;
			raise = true;
			continue;
		}
		if (raise && is_lower(c))
			c = (char)(c - 'a' + 'A');
		else if (!raise && first && is_upper(c))
			c = (char)(c - 'A' + 'a');
		raise = false;
		text_putc(out, c);
	}
}

static int take_info(void *self, size_t index, const struct jmx_reply *reply,
		     struct error *err)
{
	struct asking *a = self;

	(void)index;
	if (reply->failure)
		return fail(err, reply->kind, "%s", reply->failure);
	for (size_t i = 0; i < reply->info->operation_count; i++) {
		const struct jmx_feature *f = &reply->info->operations[i];

		if (strcmp(f->name, a->operation.bytes) != 0)
			continue;
		a->is_known = true;
		a->takes_arguments = f->parameter_count > 0;
		if (!a->takes_arguments && a->line[a->len])
			return misuse(err, "%.*s takes no arguments",
				      (int)a->len, a->line);
		return 0;
	}
	return 0;
}

static int take_answer(void *self, size_t index, const struct jmx_reply *reply,
		       struct error *err)
{
	const struct asking *a = self;
	const struct value *v = reply->value;

	(void)index;
	if (reply->failure)
		return fail(err, reply->kind, "%s", reply->failure);
	if (!v || v->kind != VALUE_STRING)
		return fail(err, ERROR_REFUSED, "the result is not a string");
	if (!a->help)
		return reply_put(v->text.at, v->text.len, err);
	text_add(a->help, v->text.at, v->text.len);
	return 0;
}

/*
 * The arguments go as one: the JVM puts them behind the command, a blank
 * between each, and reads the line anew.
 */
static int invoke(struct jmx *jmx, struct asking *a, struct error *err)
{
	struct arena arena = { 0 };
	const char *behind = a->line + a->len + (a->line[a->len] == ' ');
	const struct value *one = value_string(&arena, behind);
	struct value *list = value_new(&arena, VALUE_ARRAY, strings);
	const struct value *argument = list;
	const char *signature = strings;
	const char *operation = a->operation.bytes;
	const struct jmx_request request = {
		.verb = JMX_INVOKE,
		.object = bean,
		.names = &operation,
		.name_count = 1,
		.arguments = &argument,
		.signature = &signature,
		.argument_count = a->takes_arguments,
	};
	int ret;

	list->list.at = &one;
	list->list.count = *behind != '\0';
	ret = jmx_run(jmx, &request, 1, take_answer, a, err);
	arena_release(&arena);
	return ret;
}

/* "sjkc jcmd -s 10.0.0.7:9010 help" */
static char *help_command(const struct jmx *jmx)
{
	struct text how = { 0 };

	text_printf(&how, "sjkc jcmd -s %s help", jmx->title);
	return how.bytes;
}

static int unknown(struct jmx *jmx, const char *line, struct error *err)
{
	struct text help = { 0 };
	struct asking a = { .line = "help",
			    .len = strlen("help"),
			    .takes_arguments = true,
			    .help = &help };
	char *how = help_command(jmx);
	struct error unused;

	text_puts(&a.operation, a.line);
	invoke(jmx, &a, &unused);
	err->kind = ERROR_NO_TARGET;
	jcmd_refusal_unknown(jmx->title, line, &help, how, err);
	text_release(&a.operation);
	text_release(&help);
	free(how);
	return -1;
}

static int run(struct jmx *jmx, struct asking *a, struct error *err)
{
	char *how;

	if (invoke(jmx, a, err) == 0)
		return 0;
	how = help_command(jmx);
	fail_in(err, "%s", jmx->title);
	jcmd_refusal_plain(a->line, how, err);
	free(how);
	return -1;
}

int jcmd_jmx(struct jmx *jmx, const char *line, struct error *err)
{
	const struct jmx_request info = { .verb = JMX_INFO, .object = bean };
	struct asking a = { .line = line, .len = strcspn(line, " ") };
	int ret;

	text_puts(&a.operation, "");
	jcmd_jmx_operation(&a.operation, line, a.len);
	ret = jmx_run(jmx, &info, 1, take_info, &a, err);
	if (ret)
		fail_in(err, "%s", jmx->title);
	else
		ret = a.is_known ? run(jmx, &a, err) : unknown(jmx, line, err);
	text_release(&a.operation);
	return ret;
}
