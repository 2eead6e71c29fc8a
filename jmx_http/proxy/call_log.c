/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/proxy/call_log.h"

#include "core/base/clock.h"

#define CALL_LOG_TEXT_MAX 512 /* bytes of a name */

static void call_log_add_text(struct text *to, struct policy_text t)
{
	if (t.len)
		text_add(to, t.at,
			 t.len < CALL_LOG_TEXT_MAX ? t.len : CALL_LOG_TEXT_MAX);
}

void call_log_begin(struct call_log *l, const struct policy_call *c,
		    size_t request_len)
{
	call_log_release(l);
	l->method = c->method;
	l->request_len = request_len;
	l->begin_ns = clock_monotonic_ns();
	l->end_ns = l->begin_ns;
	call_log_add_text(&l->object, c->object);
	call_log_add_text(&l->member, c->member);
	if (c->member_count > 1)
		text_printf(&l->member, " and %zu more", c->member_count - 1);
}

void call_log_add(struct call_log *l, size_t len)
{
	if (!l->method)
		return;
	l->len += len;
	l->end_ns = clock_monotonic_ns();
}

bool call_log_is_over(const struct call_log *l, int64_t since_ns)
{
	return l->method && (l->len || l->refused) && l->end_ns <= since_ns;
}

void call_log_fill(const struct call_log *l, struct proxy_call *call)
{
	call->method = l->method;
	call->object = l->object.bytes ? l->object.bytes : "";
	call->member = l->member.bytes ? l->member.bytes : "";
	call->refused = l->refused ? l->refused : "";
	call->is_exception = l->is_exception;
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
