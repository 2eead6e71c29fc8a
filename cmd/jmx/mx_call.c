/* SPDX-License-Identifier: Apache-2.0 */
/* Operations that are called. */
#include "cmd/jmx/mx.h"

#include "cmd/jmx/mx_operation.h"
#include "core/base/safe_text.h"

#include <string.h>

/* An MBean whose operation is to be called. */
struct call {
	struct mx *mx;
	const char *object;
	struct arena a;
	struct mx_operation operation;
	bool is_chosen;
	struct text *text;
	struct json *json; /* of an array; else NULL */
};

static int take_info(void *self, size_t index, const struct jmx_reply *reply,
		     struct error *err)
{
	struct call *c = self;
	const struct mx_options *o = c->mx->opt;

	(void)index;
	if (reply->failure) {
		mx_failed(c->mx, reply->kind, "%s: %s", c->object,
			  reply->failure);
		return 0;
	}
	if (mx_operation_choose(&c->operation, reply->info, o->operation,
				&o->arguments, &c->a, err))
		return fail_in(err, "%s", c->object);
	c->is_chosen = true;
	return 0;
}

static void put_json(struct call *c, const struct jmx_reply *reply)
{
	struct value error = { .kind = VALUE_ERROR, .type = "" };
	const struct value *v = reply->value ? reply->value : &value_null;
	struct json one = json_into(c->text), *j = c->json ? c->json : &one;

	if (reply->failure) {
		error.text.at = reply->failure;
		error.text.len = strlen(reply->failure);
		v = &error;
	}
	if (c->mx->opt->add_name) {
		json_open_object(j);
		json_key(j, "MBean");
		json_text(j, c->object);
		json_key(j, "Value");
	}
	value_json(j, v);
	if (c->mx->opt->add_name)
		json_close_object(j);
	text_putc(c->text, '\n');
}

static void put_text(struct call *c, const struct jmx_reply *reply)
{
	bool is_void = strcmp(c->operation.returns, "void") == 0;

	if (!c->mx->opt->quiet) {
		safe_text(c->text, c->object, strlen(c->object));
		text_putc(c->text, '\n');
	}
	if (is_void || !reply->value)
		return;
	value_print(c->text, reply->value, 0, c->mx->opt->width);
	text_putc(c->text, '\n');
}

static int take_value(void *self, size_t index, const struct jmx_reply *reply,
		      struct error *err)
{
	struct call *c = self;

	(void)index;
	if (c->mx->opt->json || c->json)
		put_json(c, reply);
	else if (!reply->failure)
		put_text(c, reply);
	if (reply->failure)
		mx_failed(c->mx, reply->kind, "%s: %s: %s", c->object,
			  c->operation.name, reply->failure);
	return mx_flush(c->mx, c->text, err);
}

static int call_one(struct call *c, struct error *err)
{
	struct jmx_request request = {
		.verb = JMX_INFO,
		.object = c->object,
	};

	c->mx->had++;
	if (jmx_run(c->mx->jmx, &request, 1, take_info, c, err))
		return -1;
	if (!c->is_chosen)
		return 0;
	request.verb = JMX_INVOKE;
	request.names = &c->operation.name;
	request.name_count = 1;
	request.arguments = c->operation.arguments;
	request.signature = c->operation.signature;
	request.argument_count = c->operation.count;
	return jmx_run(c->mx->jmx, &request, 1, take_value, c, err);
}

int mx_call(struct mx *m, struct error *err)
{
	struct text text = { 0 };
	struct json json = json_into(&text);
	bool array = m->opt->json_array;
	struct error unused;
	int ret = 0;

	if (array)
		json_open_array(&json);
	for (size_t i = 0; ret == 0 && i < m->count; i++) {
		struct call c = {
			.mx = m,
			.object = m->names[i],
			.text = &text,
			.json = array ? &json : NULL,
		};

		ret = call_one(&c, err);
		arena_release(&c.a);
	}
	if (array) {
		json_close_array(&json);
		text_putc(&text, '\n');
		if (mx_flush(m, &text, ret ? &unused : err))
			ret = -1;
	}
	text_release(&text);
	return ret;
}
