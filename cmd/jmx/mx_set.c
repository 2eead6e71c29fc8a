/* SPDX-License-Identifier: Apache-2.0 */
/* mx --set: sets an attribute of MBeans. */
#include "cmd/jmx/mx.h"

#include "cmd/jmx/mx_fields.h"
#include "core/base/safe_text.h"
#include "jmx_http/value/argument.h"

#include <string.h>

/* One attribute of one MBean to set. */
struct setting {
	struct mx *mx;
	const char *object;
	struct arena a;
	const struct value *value;
	const char *type;
	bool is_done;
};

static const struct jmx_feature *set_find_attribute(const struct jmx_info *info,
						    const char *name)
{
	for (size_t i = 0; i < info->attribute_count; i++) {
		if (strcmp(info->attributes[i].name, name) == 0)
			return &info->attributes[i];
	}
	return NULL;
}

static void set_fail_no_attribute(struct setting *s,
				  const struct jmx_info *info)
{
	const char *name = s->mx->opt->fields.values[0];
	struct text hint = { 0 };

	mx_attribute_hint(info, name, &hint);
	mx_failed(s->mx, ERROR_NO_TARGET, "%s: there is no attribute '%s'%s",
		  s->object, name, hint.bytes);
	text_release(&hint);
}

/* An invalid value is a usage error and ends mx, other failures do not. */
static int set_take_info(void *self, size_t index,
			 const struct jmx_reply *reply, struct error *err)
{
	struct setting *s = self;
	const struct mx_options *o = s->mx->opt;
	const char *name = o->fields.values[0];
	const struct jmx_feature *attribute;

	(void)index;
	if (reply->failure) {
		mx_failed(s->mx, reply->kind, "%s: %s", s->object,
			  reply->failure);
		return 0;
	}
	attribute = set_find_attribute(reply->info, name);
	if (!attribute) {
		set_fail_no_attribute(s, reply->info);
	} else if (!attribute->writable) {
		mx_failed(s->mx, ERROR_MISUSE, "%s: '%s' is read-only",
			  s->object, name);
	} else {
		s->type = arena_copy(&s->a, attribute->type,
				     strlen(attribute->type));
		s->value = argument_parse(attribute->type, o->value, &s->a,
					  err);
		return s->value ? 0 : fail_in(err, "%s: %s", s->object, name);
	}
	return 0;
}

static int set_take_result(void *self, size_t index,
			   const struct jmx_reply *reply, struct error *err)
{
	struct setting *s = self;

	(void)index;
	(void)err;
	s->is_done = !reply->failure;
	if (reply->failure)
		mx_failed(s->mx, reply->kind, "%s: %s: %s", s->object,
			  s->mx->opt->fields.values[0], reply->failure);
	return 0;
}

static int set_one(struct setting *s, struct error *err)
{
	struct jmx_request request = {
		.verb = JMX_INFO,
		.object = s->object,
		.names = s->mx->opt->fields.values,
		.name_count = 1,
	};
	struct text line = { 0 };
	int ret;

	s->mx->had++;
	if (jmx_run(s->mx->jmx, &request, 1, set_take_info, s, err))
		return -1;
	if (!s->value)
		return 0;
	request.verb = JMX_SET;
	request.arguments = &s->value;
	request.signature = &s->type;
	request.argument_count = 1;
	if (jmx_run(s->mx->jmx, &request, 1, set_take_result, s, err))
		return -1;
	if (!s->is_done || s->mx->opt->quiet)
		return 0;
	safe_text_puts(&line, s->object);
	text_putc(&line, '\n');
	ret = mx_flush(s->mx, &line, err);
	text_release(&line);
	return ret;
}

int mx_set(struct mx *m, struct error *err)
{
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < m->count; i++) {
		struct setting s = { .mx = m, .object = m->names[i] };

		ret = set_one(&s, err);
		arena_release(&s.a);
	}
	return ret;
}
