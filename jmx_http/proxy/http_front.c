/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/proxy/http_front.h"

#include "core/base/alloc.h"
#include "jmx_http/proxy/http_session.h"

#include <stdlib.h>
#include <string.h>

static void http_target_init(struct http_target *t, struct door *d,
			     const struct http_target_options *o)
{
	*t = (struct http_target){
		.name = xstrdup(o->name ? o->name : HTTP_FRONT_PATH),
		.title = xstrdup(o->title),
		.authority = xstrdup(o->authority),
		.host = xstrdup(o->host),
		.path = xstrdup(o->path),
		.authorization = o->authorization ? xstrdup(o->authorization)
						  : NULL,
	};
	t->agent = (struct http_agent){
		.title = t->title,
		.tls_host = t->host,
		.dialer = o->dialer,
		.port = o->port,
		.base = d->base,
		.tls = o->is_tls ? d->options.to_jvm : NULL,
		.connect_ns = d->options.connect_ns,
	};
	t->renew_bearer = o->renew_bearer;
	t->bearer_file = o->bearer_file ? xstrdup(o->bearer_file) : NULL;
	t->metrics = t->agent;
	t->metrics.dialer = o->metrics;
	t->metrics.tls = NULL;
	t->serves_metrics = o->serves_metrics;
}

static void http_target_forget_login(struct http_target *t)
{
	if (t->authorization)
		explicit_bzero(t->authorization, strlen(t->authorization));
	free(t->authorization);
	t->authorization = NULL;
}

static void http_target_release(struct http_target *t)
{
	http_agent_release(&t->agent);
	http_agent_release(&t->metrics);
	dialer_free(t->metrics.dialer);
	dialer_free(t->agent.dialer);
	free(t->name);
	free(t->title);
	free(t->authority);
	free(t->host);
	free(t->path);
	free(t->bearer_file);
	http_target_forget_login(t);
}

bool http_target_renew_login(struct http_target *t, struct error *err)
{
	struct text header = { 0 };
	bool is_new = false;

	text_puts(&header, "Bearer ");
	if (t->renew_bearer(t->bearer_file, &header, err) == 0) {
		is_new = strcmp(header.bytes, t->authorization) != 0 &&
			 !strpbrk(header.bytes, "\r\n");
		*err = (struct error){ 0 };
	}
	if (is_new) {
		http_target_forget_login(t);
		t->authorization = xstrdup(header.bytes);
		t->login++;
	}
	explicit_bzero(header.bytes, header.cap);
	text_release(&header);
	return is_new;
}

static struct http_names http_names_copy(struct http_names from)
{
	const char **names = xcalloc(from.count + 1, sizeof(*names));

	for (size_t i = 0; i < from.count; i++)
		names[i] = xstrdup(from.names[i]);
	return (struct http_names){ names, from.count };
}

static void http_names_release(struct http_names *n)
{
	for (size_t i = 0; i < n->count; i++)
		free((char *)n->names[i]);
	free((const char **)n->names);
}

static void http_front_free(struct door_front *front)
{
	struct http_front *f = (struct http_front *)front;

	for (size_t i = 0; i < f->target_count; i++)
		http_target_release(&f->targets[i]);
	http_names_release(&f->hosts);
	http_names_release(&f->origins);
	http_names_release(&f->jolokia_targets);
	free(f->targets);
	free(f->title);
	free(f);
}

static const struct door_front_ops http_front_ops = {
	.begin = http_session_begin,
	.drain = http_session_drain,
	.free_client = http_session_free,
	.free = http_front_free,
};

int http_front_add(struct door *d, const struct http_front_options *o,
		   struct error *err)
{
	struct http_front *f = xcalloc(1, sizeof(*f));
	int port;

	f->targets = xcalloc(o->target_count, sizeof(*f->targets));
	for (size_t i = 0; i < o->target_count; i++)
		http_target_init(&f->targets[i], d, &o->targets[i]);
	f->target_count = o->target_count;
	f->reply_ns = o->reply_ns;
	f->hosts = http_names_copy(o->hosts);
	f->origins = http_names_copy(o->origins);
	f->jolokia_targets = http_names_copy(o->jolokia_targets);
	f->rules = (struct jolokia_rules){
		.read_only = d->options.read_only,
		.targets = f->jolokia_targets.names,
		.target_count = f->jolokia_targets.count,
	};
	f->title = xstrdup(o->target_count == 1 ? o->targets->title : "HTTP");
	f->front = (struct door_front){ .ops = &http_front_ops,
					.title = f->title };
	port = door_listen(d, &f->front, o->bind, err);
	if (port < 0)
		http_front_free(&f->front);
	return port;
}
