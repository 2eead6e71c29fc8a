/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/jolokia/jolokia_pull.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/json.h"
#include "jmx_http/jolokia/jolokia_protocol.h"

#include <stdlib.h>
#include <string.h>

#define PULL_INTERVAL_NS (250 * CLOCK_NS_PER_MS)
#define PULLS_MAX        100 /* in one POST */

struct jolokia_subscription {
	char *object;
	char *handle; /* NULL: not added */
};

static void command_add(struct text *out, const char *command,
			const char *client, const char *object)
{
	struct json j = json_into(out);

	json_open_object(&j);
	json_add_text(&j, "type", "notification");
	json_add_text(&j, "command", command);
	if (client) {
		json_add_text(&j, "client", client);
	}
	if (object) {
		json_add_text(&j, "mode", "pull");
		json_add_text(&j, "mbean", object);
	}
	json_close_object(&j);
}

/*
 * Sends a command; returns the response, for cJSON_Delete().  refused: the kind
 * of the error if the agent does not support the command.
 */
static cJSON *command_send(struct jolokia_pull *p, const char *command,
			   const char *object, enum error_kind refused,
			   struct error *err)
{
	struct text body = { 0 };
	struct arena a = { 0 };
	enum error_kind kind;
	const char *why;
	cJSON *json;

	command_add(&body, command, p->client, object);
	json = p->post(p->self, &body, true, err);
	why = json ? jolokia_failure(json, &a, &kind) : NULL;
	if (why) {
		fail(err, kind == ERROR_REFUSED ? refused : kind, "%s", why);
		cJSON_Delete(json);
		json = NULL;
	}
	arena_release(&a);
	text_release(&body);
	return json;
}

static char *command_copy_text(const cJSON *item)
{
	struct arena a = { 0 };
	const char *text = jolokia_json_text(item, &a).at;
	char *copy = text ? xstrdup(text) : NULL;

	arena_release(&a);
	return copy;
}

static void pull_forget_client(struct jolokia_pull *p)
{
	free(p->client);
	free(p->store);
	p->client = p->store = NULL;
	for (size_t i = 0; i < p->count; i++) {
		free(p->list[i].handle);
		p->list[i].handle = NULL;
	}
}

static int pull_register(struct jolokia_pull *p, struct error *err)
{
	const cJSON *value, *backend;
	cJSON *json;

	if (p->client)
		return 0;
	json = command_send(p, "register", NULL, ERROR_UNAVAILABLE, err);
	if (!json && err->kind == ERROR_UNAVAILABLE)
		fail_in(err, "notifications require Jolokia 2.x in the JVM");
	if (!json)
		return -1;
	value = jolokia_json_member(json, "value");
	backend = jolokia_json_member(value, "backend");
	p->client = command_copy_text(jolokia_json_member(value, "id"));
	p->store = command_copy_text(jolokia_json_member(
		jolokia_json_member(backend, "pull"), "store"));
	cJSON_Delete(json);
	if (p->client && p->store)
		return 0;
	return fail(err, ERROR_UNAVAILABLE,
		    "notifications are unavailable: the Jolokia agent does not "
		    "offer "
		    "the pull mode");
}

static int subscription_add(struct jolokia_pull *p,
			    struct jolokia_subscription *s, struct error *err)
{
	cJSON *json = command_send(p, "add", s->object, ERROR_REFUSED, err);

	if (!json)
		return fail_in(err, "listening to %.200s", s->object);
	s->handle = command_copy_text(jolokia_json_member(json, "value"));
	cJSON_Delete(json);
	if (!s->handle)
		return fail(err, ERROR_REFUSED,
			    "listening to %.200s: the Jolokia agent returned "
			    "no handle",
			    s->object);
	return 0;
}

static int subscription_new(struct jolokia_pull *p, const char *object,
			    struct error *err)
{
	struct jolokia_subscription s = { .object = xstrdup(object) };

	if (subscription_add(p, &s, err)) {
		free(s.object);
		return -1;
	}
	array_add(p->list, p->count, p->cap, s);
	return 0;
}

int jolokia_pull_listen(struct jolokia_pull *p, const char *object,
			struct error *err)
{
	return pull_register(p, err) ? -1 : subscription_new(p, object, err);
}

/* The agent has forgotten the client: it was restarted. */
static int pull_renew(struct jolokia_pull *p, struct error *err)
{
	pull_forget_client(p);
	p->has_missed = true;
	if (pull_register(p, err))
		return -1;
	for (size_t i = 0; i < p->count; i++)
		if (subscription_add(p, &p->list[i], err))
			return -1;
	return 0;
}

struct pulling {
	jmx_notification_fn *fn;
	void *self;
	size_t passed;
};

static int pulling_pass_lost(struct pulling *q, int64_t count,
			     struct error *err)
{
	const struct jmx_notification lost = {
		.object = "",
		.type = "sjkc.lost",
		.message = "notifications were lost",
		.sequence = count,
		.time_ms = clock_wall_ns() / CLOCK_NS_PER_MS,
	};

	q->passed++;
	return q->fn(q->self, &lost, err);
}

static int64_t pulling_integer(const cJSON *object, const char *name,
			       struct arena *a)
{
	return value_integer_of(
		jolokia_to_value(jolokia_json_member(object, name), "long", a),
		0);
}

static int pulling_pass(struct pulling *q, const struct jolokia_subscription *s,
			const cJSON *item, struct error *err)
{
	const cJSON *data = jolokia_json_member(item, "userData");
	struct arena a = { 0 };
	const struct value *source = jolokia_to_value(
		jolokia_json_member(item, "source"), "", &a);
	struct jmx_notification one = {
		.object = source->kind == VALUE_NAME ? source->text.at
						     : s->object,
		.type = jolokia_member_text(item, "type", "", &a),
		.message = jolokia_member_text(item, "message", "", &a),
		.sequence = pulling_integer(item, "sequenceNumber", &a),
		.time_ms = pulling_integer(item, "timeStamp", &a),
	};
	int status;

	if (data && !cJSON_IsNull(data))
		one.user_data = jolokia_to_value(data, "", &a);
	q->passed++;
	status = q->fn(q->self, &one, err);
	arena_release(&a);
	return status;
}

/* Null: the store has never had a notification for this subscription. */
static int pulling_take(struct pulling *q, const struct jolokia_subscription *s,
			const cJSON *response, struct error *err)
{
	const cJSON *value = jolokia_json_member(response, "value");
	const cJSON *item;
	struct arena a = { 0 };
	enum error_kind kind;
	const char *why = jolokia_failure(response, &a, &kind);
	int64_t lost = 0;
	int status = 0;

	if (why)
		status = fail(err, kind, "%s", why);
	else
		lost = pulling_integer(value, "dropped", &a);
	arena_release(&a);
	if (status == 0 && lost > 0)
		status = pulling_pass_lost(q, lost, err);
	lost = 0;
	cJSON_ArrayForEach(item, jolokia_json_member(value, "notifications"))
	{
		/* The agent's own limits replace items by texts. */
		if (!cJSON_IsObject(item))
			lost++;
		else if (status == 0)
			status = pulling_pass(q, s, item, err);
	}
	if (status == 0 && lost)
		status = pulling_pass_lost(q, lost, err);
	return status;
}

static int pull_add_request(struct text *body, const struct jolokia_pull *p,
			    const struct jolokia_subscription *s,
			    struct error *err)
{
	static const char *const name = "pull";
	static const char *const signature[] = { "java.lang.String",
						 "java.lang.String" };
	struct arena a = { 0 };
	const struct value *const arguments[] = {
		value_text(&a, VALUE_STRING, "java.lang.String", p->client,
			   strlen(p->client)),
		value_text(&a, VALUE_STRING, "java.lang.String", s->handle,
			   strlen(s->handle)),
	};
	const struct jmx_request q = {
		.verb = JMX_INVOKE,
		.object = p->store,
		.names = &name,
		.name_count = 1,
		.arguments = arguments,
		.signature = signature,
		.argument_count = 2,
	};
	int status;

	text_putc(body, ',');
	status = jolokia_add_request(body, &q, JOLOKIA_WHOLE, err);
	arena_release(&a);
	return status;
}

/*
 * Pulls the notifications of some subscriptions in one POST.  A store also
 * returns nothing for an unknown client, so a ping before the pulls proves that
 * the agent knows the client.  Returns 1 if it does not.
 */
static int pull_some(struct jolokia_pull *p, size_t first, size_t count,
		     struct pulling *q, struct error *err)
{
	struct text body = { 0 };
	struct arena a = { 0 };
	enum error_kind kind;
	const cJSON *one;
	cJSON *json = NULL;
	int status = 0;

	text_putc(&body, '[');
	command_add(&body, "ping", p->client, NULL);
	for (size_t i = 0; status == 0 && i < count; i++)
		status = pull_add_request(&body, p, &p->list[first + i], err);
	text_putc(&body, ']');
	if (status == 0 && !(json = p->post(p->self, &body, true, err)))
		status = -1;
	one = json && cJSON_IsArray(json) ? json->child : NULL;
	if (status == 0 && (!one || cJSON_GetArraySize(json) != (int)count + 1))
		status = fail(err, ERROR_REFUSED,
			      "the Jolokia agent did not answer each request");
	else if (status == 0 && jolokia_failure(one, &a, &kind))
		status = 1;
	for (size_t i = 0; status == 0 && i < count; i++)
		if ((one = one ? one->next : NULL))
			status = pulling_take(q, &p->list[first + i], one, err);
	cJSON_Delete(json);
	arena_release(&a);
	text_release(&body);
	return status;
}

static int pull_all(struct jolokia_pull *p, struct pulling *q,
		    struct error *err)
{
	int status = 0;

	for (size_t at = 0; status == 0 && at < p->count; at += PULLS_MAX) {
		size_t left = p->count - at;

		status = pull_some(p, at, left < PULLS_MAX ? left : PULLS_MAX,
				   q, err);
	}
	if (status == 1)
		status = pull_renew(p, err);
	if (status == 0 && p->has_missed) {
		p->has_missed = false;
		status = pulling_pass_lost(q, 0, err);
	}
	return status;
}

int jolokia_pull_fetch(struct jolokia_pull *p, int64_t timeout_ns,
		       jmx_notification_fn *fn, void *self, struct error *err)
{
	int64_t deadline_ns = clock_after(clock_monotonic_ns(), timeout_ns);
	struct pulling q = { .fn = fn, .self = self };
	int status = 0;

	while (status == 0 && !q.passed) {
		int64_t next_ns = p->pulled_ns + PULL_INTERVAL_NS;

		if (next_ns > deadline_ns) {
			clock_sleep_until(deadline_ns);
			break;
		}
		clock_sleep_until(next_ns);
		status = pull_all(p, &q, err);
		p->pulled_ns = clock_monotonic_ns();
	}
	return status;
}

void jolokia_pull_release(struct jolokia_pull *p)
{
	if (p->client)
		cJSON_Delete(command_send(p, "unregister", NULL, ERROR_REFUSED,
					  error_unused()));
	pull_forget_client(p);
	for (size_t i = 0; i < p->count; i++)
		free(p->list[i].object);
	free(p->list);
}
