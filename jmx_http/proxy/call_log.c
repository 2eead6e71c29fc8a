/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/proxy/call_log.h"

#include "core/base/clock.h"
#include "jmx_http/proxy/policy.h"

#include <string.h>

/* A return: its tag, four bytes of the stream, block data of 15, its type. */
#define TYPE_AT          7
#define RETURN_EXCEPTION 2

#define TEXT_MAX         512 /* of a name that is said */

static void add(struct text *to, struct java_bytes bytes)
{
	text_clear(to);
	text_add(to, bytes.at, bytes.len < TEXT_MAX ? bytes.len : TEXT_MAX);
}

/* An attribute or operation; of several, the first and how many. */
static void add_member(struct text *to, const struct java_value *v)
{
	add(to, java_string_of(v));
	if (v->kind != JAVA_ARRAY || !v->array.elements.count)
		return;
	add(to, java_string_of(v->array.elements.at[0]));
	if (v->array.elements.count > 1)
		text_printf(to, " and %zu more", v->array.elements.count - 1);
}

void call_log_begin(struct call_log *l, const struct request *r)
{
	const struct method *m = r->method;

	call_log_release(l);
	l->method = m;
	l->request_len = r->bytes.len;
	l->begin_ns = clock_monotonic_ns();
	l->end_ns = l->begin_ns;
	if (m->object >= 0)
		add(&l->object, policy_object_name(r->arguments[m->object]));
	if (m->member >= 0)
		add_member(&l->member, r->arguments[m->member]);
}

void call_log_more(struct call_log *l, size_t len)
{
	if (!l->method)
		return;
	l->len += len;
	l->end_ns = clock_monotonic_ns();
}

void call_log_bytes(struct call_log *l, const void *bytes, size_t len)
{
	if (l->len < sizeof(l->head)) {
		size_t left = sizeof(l->head) - (size_t)l->len;

		memcpy(l->head + l->len, bytes, len < left ? len : left);
	}
	call_log_more(l, len);
}

bool call_log_is_over(const struct call_log *l, int64_t since_ns)
{
	return l->method && (l->len || l->refused) && l->end_ns <= since_ns;
}

void call_log_fill(const struct call_log *l, struct proxy_call *call)
{
	call->method = l->method->name;
	call->object = l->object.bytes ? l->object.bytes : "";
	call->member = l->member.bytes ? l->member.bytes : "";
	call->refused = l->refused ? l->refused : "";
	call->is_exception = l->len > TYPE_AT &&
			     l->head[TYPE_AT] == RETURN_EXCEPTION;
	call->request_len = l->request_len;
	call->len = l->len;
	call->ns = l->end_ns - l->begin_ns;
}

void call_log_release(struct call_log *l)
{
	text_release(&l->object);
	text_release(&l->member);
	*l = (struct call_log){ 0 };
}
