/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A client of rmi_server whose bytes are in memory, and MBeans whose values are
 * JSON.  A fuzzer and unit tests share it, so it is in a header.
 */
#ifndef TESTS_FUZZ_RMI_SERVER_CLIENT_H
#define TESTS_FUZZ_RMI_SERVER_CLIENT_H

#include "core/base/alloc.h"
#include "jmx_http/jolokia/jolokia_json.h"
#include "jmx_http/rmi/rmi_server.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define CLIENT_HELLO "JRMI\0\2K"
#define CLIENT_FROM  "\0\1c\0\0\0\0"

/* Each MBean has these attributes, A0 and so on, and operations O0 and so on.
 */
static const char *const client_types[] = {
	"int",
	"long",
	"double",
	"float",
	"char",
	"byte",
	"short",
	"boolean",
	"java.lang.Integer",
	"java.lang.String",
	"java.util.Date",
	"java.math.BigInteger",
	"java.math.BigDecimal",
	"javax.management.ObjectName",
	"java.util.List",
	"java.util.Set",
	"java.util.Map",
	"javax.management.openmbean.CompositeData",
	"javax.management.openmbean.TabularData",
	"[Ljavax.management.openmbean.CompositeData;",
	"[J",
	"[[I",
	"[D",
	"[Ljava.lang.String;",
	"java.lang.Object",
	"unknown.Type",
	"",
	"void",
};

#define CLIENT_TYPES (sizeof(client_types) / sizeof(*client_types))

struct client_mbeans {
	struct jmx jmx;
	/* JSON of every value; NULL: null. */
	const char *json;
	size_t json_len;
	const char *failure;  /* of each request but INFO and QUERY, or NULL */
	const char *lost;     /* the connection fails with this reason */
	enum error_kind kind; /* of both */
	/* Counted by the MBeans. */
	size_t opens, requests;
	bool had_login;
	char user[RMI_LOGIN_MAX], password[RMI_LOGIN_MAX];
};

static const struct value *client_value(const struct client_mbeans *m,
					const char *type, struct arena *a)
{
	struct error err;
	cJSON *item = m->json ? jolokia_json_parse(m->json, m->json_len, &err)
			      : NULL;
	const struct value *v = jolokia_to_value(item, type, a);

	cJSON_Delete(item);
	return v;
}

static const struct jmx_info *client_info(struct arena *a)
{
	static const struct jmx_feature parameter = { .name = "p0",
						      .type = "int",
						      .description = "" };
	static const struct jmx_feature notification = { .name = "N",
							 .type = "a, b",
							 .description = "n" };
	struct jmx_feature *attributes = arena_alloc(
		a, CLIENT_TYPES * sizeof(*attributes));
	struct jmx_feature *operations = arena_alloc(
		a, CLIENT_TYPES * sizeof(*operations));
	struct jmx_info *info = arena_alloc(a, sizeof(*info));

	for (size_t i = 0; i < CLIENT_TYPES; i++) {
		char name[] = { 'A', (char)('A' + i), '\0' };

		attributes[i] = (struct jmx_feature){
			.name = arena_copy(a, name, 2),
			.type = client_types[i],
			.description = "",
			.readable = true,
		};
		name[0] = 'O';
		operations[i] = (struct jmx_feature){
			.name = arena_copy(a, name, 2),
			.type = client_types[i],
			.description = "",
			.parameters = &parameter,
			.parameter_count = i % 2,
		};
	}
	*info = (struct jmx_info){
		.class = "C",
		.description = "",
		.attributes = attributes,
		.attribute_count = CLIENT_TYPES,
		.operations = operations,
		.operation_count = CLIENT_TYPES,
		.notifications = &notification,
		.notification_count = 1,
	};
	return info;
}

static const char *client_type(const char *attribute)
{
	size_t i = strlen(attribute) == 2 ? (size_t)(attribute[1] - 'A')
					  : CLIENT_TYPES;

	return i < CLIENT_TYPES ? client_types[i] : "";
}

static const struct value *client_get(const struct client_mbeans *m,
				      const struct jmx_request *q,
				      struct arena *a)
{
	struct value *v = value_new(a, VALUE_COMPOSITE, "");
	struct value_member *at = arena_alloc(a, (q->name_count + 1) *
							 sizeof(*at));

	for (size_t i = 0; i < q->name_count; i++)
		at[i] = (struct value_member){
			q->names[i],
			client_value(m, client_type(q->names[i]), a)
		};
	v->members.at = at;
	v->members.count = q->name_count;
	return v;
}

static const struct value *client_query(struct arena *a)
{
	struct value *v = value_new(a, VALUE_ARRAY, "");
	const struct value **list = arena_alloc(
		a, 2 * sizeof(const struct value *));

	list[0] = value_string(a, "java.lang:type=Memory");
	list[1] = value_string(a, "a:type=B");
	v->list.at = list;
	v->list.count = 2;
	return v;
}

static int client_run(struct jmx *j, const struct jmx_request *requests,
		      size_t count, jmx_reply_fn *fn, void *self,
		      struct error *err)
{
	struct client_mbeans *m = (struct client_mbeans *)j;
	int ret = 0;

	for (size_t i = 0; i < count && ret == 0; i++) {
		const struct jmx_request *q = &requests[i];
		struct jmx_reply reply = { .kind = m->kind };
		struct arena own = { 0 }, *a = j->keep ? j->keep : &own;

		m->requests++;
		if (m->lost)
			return (fail)(err, m->kind, "%s", m->lost);
		if (q->verb == JMX_INFO)
			reply.info = client_info(a);
		else if (q->verb == JMX_QUERY)
			reply.value = client_query(a);
		else if (m->failure)
			reply.failure = m->failure;
		else if (q->verb == JMX_GET)
			reply.value = client_get(m, q, a);
		else
			reply.value = client_value(m, q->returns, a);
		ret = fn(self, i, &reply, err);
		arena_release(&own);
	}
	return ret;
}

/* The MBeans outlive the connection. */
static void client_close(struct jmx *j) { (void)j; }

static const struct jmx_ops client_ops = {
	.name = "memory",
	.run = client_run,
	.close = client_close,
};

static struct jmx *client_open(void *self, const struct jmx_credentials *login,
			       struct error *err)
{
	struct client_mbeans *m = self;

	m->opens++;
	m->had_login = login != NULL;
	if (login) {
		/* Both are shorter than RMI_LOGIN_MAX. */
		memcpy(m->user, login->user, strlen(login->user) + 1);
		memcpy(m->password, login->password,
		       strlen(login->password) + 1);
	}
	if (login && strcmp(login->password, "wrong") == 0) {
		(fail)(err, ERROR_PERMISSION, "wrong password");
		return NULL;
	}
	m->jmx = (struct jmx){ .ops = &client_ops,
			       .title = "memory",
			       .version = "" };
	return &m->jmx;
}

/*
 * Sends messages, which begin after the client's greeting, and appends what the
 * server sends after its own.
 */
static void client_talk(const struct rmi_server_options *options,
			const struct text *messages, struct text *heard)
{
	/* The server must not wait for a client that does not read. */
	static const struct timeval no_wait = { .tv_usec = 1000 };
	static const int size = 1 << 20;
	static const char hello[] = CLIENT_HELLO CLIENT_FROM;
	const size_t greeting = 1 + 2 + strlen("localhost") + 4;
	struct text sent = { 0 };
	char buffer[4096];
	int fds[2];
	ssize_t got;

	text_add(&sent, hello, sizeof(hello) - 1);
	text_add(&sent, messages->bytes, messages->len);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds) ||
	    setsockopt(fds[1], SOL_SOCKET, SO_SNDTIMEO, &no_wait,
		       sizeof(no_wait)) ||
	    setsockopt(fds[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size)) ||
	    setsockopt(fds[1], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size)) ||
	    send(fds[0], sent.bytes, sent.len, MSG_DONTWAIT) < 0)
		abort();
	shutdown(fds[0], SHUT_WR);
	rmi_server_run(options, fds[1]);
	close(fds[1]);
	while ((got = read(fds[0], buffer, sizeof(buffer))) > 0)
		text_add(heard, buffer, (size_t)got);
	close(fds[0]);
	text_release(&sent);
	if (heard->len < greeting)
		abort();
	memmove(heard->bytes, heard->bytes + greeting, heard->len - greeting);
	heard->len -= greeting;
}

#endif
