/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory_server: an RMI server that sends bytes from memory, and a client that
 * has a whole session with it.
 *
 * The server ignores what the client sends: each connection receives its bytes
 * and then ends.  A fuzzer and unit tests share it, so it is in a header.
 */
#ifndef TESTS_FUZZ_MEMORY_SERVER_H
#define TESTS_FUZZ_MEMORY_SERVER_H

#include "core/base/alloc.h"
#include "core/base/json.h"
#include "jmx_http/net/rmi_transport.h"
#include "jmx_http/rmi/rmi_client.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MEMORY_CONNECTIONS_MAX 8

/* The bytes of each connection, in order; further connections are refused. */
struct memory_server {
	struct dialer base;
	struct {
		const uint8_t *at;
		size_t len;
	} connections[MEMORY_CONNECTIONS_MAX];
	size_t count, next;
	size_t step;    /* maximum number of bytes per read; 0 = no maximum */
	bool is_silent; /* at the end, reads time out instead of ending */
	size_t asked;   /* number of bytes that the client sent */
	bool is_unseen; /* values are not printed */
};

struct memory_transport {
	struct rmi_transport base;
	struct memory_server *server;
	const uint8_t *at;
	size_t left;
};

static ssize_t memory_read(struct rmi_transport *t, void *bytes, size_t len,
			   int64_t deadline_ns, struct error *err)
{
	struct memory_transport *m = (struct memory_transport *)t;
	size_t step = m->server->step;

	(void)deadline_ns;
	if (!m->left && m->server->is_silent) {
		errno = ETIMEDOUT;
		return fail_sys(err, ERROR_REFUSED, "cannot read");
	}
	if (step && len > step)
		len = step;
	if (len > m->left)
		len = m->left;
	if (len)
		memcpy(bytes, m->at, len);
	m->at += len;
	m->left -= len;
	return (ssize_t)len;
}

static int memory_write(struct rmi_transport *t, const void *bytes, size_t len,
			int64_t deadline_ns, struct error *err)
{
	struct memory_transport *m = (struct memory_transport *)t;

	(void)bytes, (void)deadline_ns, (void)err;
	m->server->asked += len;
	return 0;
}

static void memory_close(struct rmi_transport *t) { free(t); }

static const struct rmi_transport_kind memory_kind = {
	.read = memory_read,
	.write = memory_write,
	.close = memory_close,
};

static struct rmi_transport *memory_dial(struct dialer *d,
					 struct net_address *a,
					 int64_t deadline_ns, struct error *err)
{
	struct memory_server *s = (struct memory_server *)d;
	struct memory_transport *m;

	(void)a, (void)deadline_ns;
	if (s->next >= s->count) {
		fail(err, ERROR_NO_TARGET, "nobody is there any more");
		return NULL;
	}
	m = xcalloc(1, sizeof(*m));
	m->base.kind = &memory_kind;
	m->server = s;
	m->at = s->connections[s->next].at;
	m->left = s->connections[s->next++].len;
	return &m->base;
}

static const struct dialer_ops memory_ops = { .connect = memory_dial };

/* The result of the session. */
struct memory_talk {
	size_t replies, failures, notes;
	bool is_open;
	struct error err; /* why it ended early, or of kind ERROR_NONE */
	size_t shown;     /* length of the printed values, in bytes */
	bool is_unseen;
};

static void memory_show(struct memory_talk *talk, const struct value *v)
{
	struct text out = { 0 };
	struct json j = json_into(&out);

	if (talk->is_unseen)
		return;
	value_json(&j, v);
	value_print(&out, v, 4, 40);
	value_cell(&out, v);
	talk->shown += out.len;
	text_release(&out);
}

static size_t memory_lengths(const struct jmx_feature *f, size_t count)
{
	size_t len = 0;

	for (size_t i = 0; i < count; i++) {
		len += strlen(f[i].name) + strlen(f[i].type) +
		       strlen(f[i].description) + (size_t)f[i].impact;
		for (size_t p = 0; p < f[i].parameter_count; p++)
			len += strlen(f[i].parameters[p].name) +
			       strlen(f[i].parameters[p].type);
	}
	return len;
}

static int memory_take(void *self, size_t index, const struct jmx_reply *reply,
		       struct error *err)
{
	struct memory_talk *talk = self;
	const struct jmx_info *info = reply->info;

	(void)index, (void)err;
	talk->replies++;
	if (reply->failure) {
		talk->failures++;
		if (!reply->kind)
			abort();
		talk->shown += strlen(reply->failure);
		return 0;
	}
	if (reply->value)
		memory_show(talk, reply->value);
	if (info)
		talk->shown += strlen(info->class) + strlen(info->description) +
			       memory_lengths(info->attributes,
					      info->attribute_count) +
			       memory_lengths(info->operations,
					      info->operation_count) +
			       memory_lengths(info->notifications,
					      info->notification_count);
	return 0;
}

#define MEMORY_RUNTIME "java.lang:type=Runtime"
#define MEMORY_COMMAND "com.sun.management:type=DiagnosticCommand"

static const char *const memory_names[] = { "VmName", "Uptime", "Nothing",
					    "SystemProperties" };
static const char *const memory_verbose[] = { "Verbose" };
static const char *const memory_version[] = { "vmVersion" };
static const struct value memory_true = { .kind = VALUE_BOOLEAN,
					  .type = "boolean",
					  .integer = 1 };
static const struct value *const memory_arguments[] = { &memory_true };
static const char *const memory_signature[] = { "boolean" };

/* One request of each kind; the recorded session has the replies to them. */
static const struct jmx_request memory_requests[] = {
	{ .verb = JMX_COUNT },
	{ .verb = JMX_QUERY, .object = "java.lang:*" },
	{ .verb = JMX_INFO, .object = MEMORY_RUNTIME },
	{ .verb = JMX_GET,
	  .object = MEMORY_RUNTIME,
	  .names = memory_names,
	  .name_count = 4 },
	{ .verb = JMX_INVOKE,
	  .object = MEMORY_COMMAND,
	  .names = memory_version,
	  .name_count = 1 },
	{ .verb = JMX_SET,
	  .object = "java.lang:type=Memory",
	  .names = memory_verbose,
	  .name_count = 1,
	  .arguments = memory_arguments,
	  .signature = memory_signature,
	  .argument_count = 1 },
	{ .verb = JMX_INFO, .object = "nobody:type=Here" },
};

enum { MEMORY_REQUESTS = sizeof(memory_requests) / sizeof(*memory_requests) };

static int memory_note(void *self, const struct jmx_notification *n,
		       struct error *err)
{
	struct memory_talk *talk = self;

	(void)err;
	talk->shown += strlen(n->object) + strlen(n->type) + strlen(n->message);
	if (n->user_data)
		memory_show(talk, n->user_data);
	talk->notes++;
	return 0;
}

/* Fetches notifications for two seconds, which some sessions have. */
static void memory_listen(struct jmx *jmx, struct memory_talk *talk)
{
	struct error err = { 0 };

	if (jmx_listen(jmx, "sjkc.test:type=Ticker", &err) == 0)
		jmx_fetch(jmx, 2000000000, memory_note, talk, &err);
}

/* Sends all requests, reads a single value, and closes the connection. */
static void memory_converse(struct jmx *jmx, struct memory_talk *talk)
{
	struct error single = { 0 };
	struct arena a = { 0 };
	const struct value *v;

	if (jmx_run(jmx, memory_requests, MEMORY_REQUESTS, memory_take, talk,
		    &talk->err) == 0) {
		v = jmx_get(jmx, MEMORY_RUNTIME, "InputArguments", &a, &single);
		if (v)
			memory_show(talk, v);
		else if (!single.kind || !single.text[0])
			abort();
		memory_listen(jmx, talk);
	}
	arena_release(&a);
	jmx_close(jmx);
}

static struct memory_talk memory_talk_to(struct memory_server *s)
{
	struct jmx_target reached = {
		.address = "127.0.0.1:9010",
		.dialer = &s->base,
	};
	struct memory_talk talk = { .is_unseen = s->is_unseen };
	struct jmx *jmx;

	s->base.ops = &memory_ops;
	jmx = rmi_client_open(&reached, &talk.err);
	talk.is_open = jmx != NULL;
	if (jmx)
		memory_converse(jmx, &talk);
	/* A failure must have a reason. */
	if (!talk.is_open && (!talk.err.kind || !talk.err.text[0]))
		abort();
	return talk;
}

#endif
