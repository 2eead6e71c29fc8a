/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/jolokia/jolokia_client.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/hash.h"
#include "jmx_http/jmx_read.h"
#include "jmx_http/jolokia/jolokia_protocol.h"
#include "jmx_http/jolokia/jolokia_pull.h"
#include "jmx_http/jolokia/jolokia_response.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Requests of one POST: a slow attribute delays the following ones. */
#define BULK_MAX   100
#define BULK_PARTS 10 /* parts of a POST that failed */
/* Bytes of one POST; agents and proxies have limits of 1 MiB or more. */
#define BULK_BYTES ((size_t)512 << 10)

/* Number of kept descriptions, for the types of attributes. */
#define TYPES_KEPT  512

#define TYPES_BYTES ((size_t)256 << 10) /* of an MBean */

/* The type of an attribute that the agent's policy denies, whatever it sends */
#define DENIED_CLASS  "java.lang.SecurityException"

#define UNREGISTER_NS (3 * CLOCK_NS_PER_S)

struct kept_type {
	const char *name, *type;
};

/* The declared types of an MBean's attributes that JSON does not show. */
struct kept_bean {
	uint64_t hash; /* of its name */
	struct kept_type *types;
	size_t count;
	char *object; /* NULL: unused */
};

struct jolokia_client {
	struct jmx base;
	struct http_client *http;
	struct http_response response;
	struct text url, title, version, user;
	bool has_token;                    /* instead of a user */
	struct kept_bean kept[TYPES_KEPT]; /* the oldest is replaced */
	size_t kept_next;
	struct jolokia_pull pull;
	struct jolokia_agent agent; /* its limits; no texts */
	void (*warn_limit)(const char *option, int64_t limit);
};

/* One POST */

static int client_send(struct jolokia_client *c, const struct text *body,
		       bool is_once, struct error *err)
{
	struct http_response *r = &c->response;
	bool is_loop;

	if (jolokia_send(c->http, &c->url, body, is_once, c->base.timeout_ns, r,
			 &is_loop, err))
		return -1;
	if (is_loop)
		return jolokia_fail_redirect(r, true, err);
	return jolokia_check_response(r, c->user.len ? c->user.bytes : NULL,
				      c->has_token, err);
}

/*
 * Sends requests and parses the response, which the caller frees with
 * cJSON_Delete().
 */
static cJSON *client_post(void *self, const struct text *body, bool is_once,
			  struct error *err)
{
	struct jolokia_client *c = self;
	cJSON *json = NULL;

	if (client_send(c, body, is_once, err) == 0) {
		json = jolokia_json_parse(c->response.body.bytes,
					  c->response.body.len, err);
		if (!json)
			fail_in(err, "HTTP, but not Jolokia");
	}
	/* Large responses are rare. */
	if (c->response.body.cap > BULK_BYTES)
		text_release(&c->response.body);
	if (!json && is_once && c->response.status == 200 &&
	    !strstr(err->text, "may have executed"))
		fail_in(err, "the JVM may have executed the call");
	return json;
}

/* Types of attributes */

static void kept_release(struct kept_bean *k)
{
	free(k->object);
	free(k->types);
	*k = (struct kept_bean){ 0 };
}

/* Types without which a JSON value would be misread. */
static bool kept_is_useful(const char *type)
{
	return *type && strcmp(type, "java.lang.String") != 0 &&
	       strcmp(type, "javax.management.openmbean.CompositeData") != 0 &&
	       strlen(type) < 256;
}

static const struct kept_bean *kept_find(struct jolokia_client *c,
					 const char *object)
{
	uint64_t hash = hash_bytes(object, strlen(object));

	for (size_t i = 0; i < TYPES_KEPT; i++)
		if (c->kept[i].object && c->kept[i].hash == hash &&
		    strcmp(c->kept[i].object, object) == 0)
			return &c->kept[i];
	return NULL;
}

static void kept_add(struct jolokia_client *c, const char *object,
		     const struct jmx_info *info)
{
	struct kept_bean *k = (struct kept_bean *)kept_find(c, object);
	size_t bytes = 1, count = 0;
	char *at;

	if (!k)
		k = &c->kept[c->kept_next++ % TYPES_KEPT];
	kept_release(k);
	for (size_t i = 0; i < info->attribute_count; i++) {
		const struct jmx_feature *f = &info->attributes[i];

		if (!kept_is_useful(f->type))
			continue;
		bytes += sizeof(*k->types) + strlen(f->name) + strlen(f->type) +
			 2;
		count++;
	}
	if (bytes > TYPES_BYTES)
		return;
	k->hash = hash_bytes(object, strlen(object));
	k->object = xstrdup(object);
	k->types = xmalloc(bytes);
	at = (char *)(k->types + count);
	for (size_t i = 0; i < info->attribute_count; i++) {
		const struct jmx_feature *f = &info->attributes[i];

		if (!kept_is_useful(f->type))
			continue;
		k->types[k->count++] = (struct kept_type){
			at, at + strlen(f->name) + 1
		};
		at = stpcpy(stpcpy(at, f->name) + 1, f->type) + 1;
	}
}

static const char *kept_type(const struct kept_bean *k, const char *attribute)
{
	for (size_t i = 0; k && i < k->count; i++)
		if (strcmp(k->types[i].name, attribute) == 0)
			return k->types[i].type;
	return "";
}

/* Requests on their way to their replies */

/* A request, or an attribute of one that is requested alone. */
struct ask {
	size_t job, name; /* JOLOKIA_WHOLE */
};

struct job {
	const struct jmx_request *request;
	struct jmx_reply reply;
	const struct value **values; /* of JMX_GET, by name; NULL: missing */
};

/* Requests of one POST, and their replies. */
struct bulk {
	struct jolokia_client *client;
	struct arena *arena;
	struct job jobs[BULK_MAX];
	size_t count;
	struct ask *again; /* attributes to be requested alone */
	size_t again_count, again_cap;
};

static void job_fail(struct job *j, const char *why, enum error_kind kind)
{
	j->reply.failure = why;
	j->reply.kind = kind;
}

static void bulk_fail(struct bulk *b, const struct ask *ask, const char *why,
		      enum error_kind kind)
{
	struct job *j = &b->jobs[ask->job];

	if (j->values && ask->name != JOLOKIA_WHOLE)
		j->values[ask->name] = value_text(
			b->arena, VALUE_ERROR,
			kind == ERROR_PERMISSION ? DENIED_CLASS : "", why,
			strlen(why));
	else
		job_fail(j, why, kind);
}

static void bulk_ask_alone(struct bulk *b, size_t job, size_t name)
{
	array_add(b->again, b->again_count, b->again_cap,
		  (struct ask){ job, name });
}

static void bulk_take_attributes(struct bulk *b, const struct ask *ask,
				 const cJSON *value)
{
	struct job *j = &b->jobs[ask->job];
	const struct jmx_request *q = j->request;
	const struct kept_bean *types = kept_find(b->client, q->object);
	bool is_whole = ask->name == JOLOKIA_WHOLE;
	size_t first = is_whole ? 0 : ask->name;
	size_t end = is_whole ? q->name_count : first + 1;

	for (size_t i = first; i < end; i++) {
		const char *name = q->names[i];
		const cJSON *one = is_whole ? jolokia_json_member(value, name)
					    : value;

		if (is_whole && (!one || jolokia_is_replaced(one)))
			bulk_ask_alone(b, ask->job, i);
		else
			j->values[i] = jolokia_to_value(
				one, kept_type(types, name), b->arena);
	}
}

static void bulk_take_info(struct bulk *b, struct job *j, const cJSON *value)
{
	j->reply.info = jolokia_to_info(value, b->arena);
	if (j->reply.info)
		kept_add(b->client, j->request->object, j->reply.info);
	else
		job_fail(j, "the response describes no MBean", ERROR_REFUSED);
}

static void bulk_take_names(struct bulk *b, struct job *j, const cJSON *value)
{
	const struct value *names = jolokia_to_names(value, b->arena);

	if (!names)
		job_fail(j, "the response lists no names", ERROR_REFUSED);
	else if (j->request->verb == JMX_COUNT)
		j->reply.value = value_integer(b->arena, "int",
					       (int64_t)names->list.count);
	else
		j->reply.value = names;
}

/*
 * One attribute may fail a whole request for attributes: in an agent of 1.x by
 * a StackOverflowError, in one of 2.x by a value that it cannot convert.
 */
static bool bulk_is_repeated(struct bulk *b, const struct ask *ask,
			     enum error_kind kind)
{
	struct job *j = &b->jobs[ask->job];

	if (j->request->verb != JMX_GET || ask->name != JOLOKIA_WHOLE ||
	    kind == ERROR_NO_TARGET || kind == ERROR_PERMISSION)
		return false;
	for (size_t i = 0; i < j->request->name_count; i++)
		bulk_ask_alone(b, ask->job, i);
	return true;
}

static void client_warn_limit(struct jolokia_client *c, const char *option)
{
	c->warn_limit(option, strcmp(option, "maxObjects") == 0
				      ? c->agent.max_objects
				      : c->agent.max_collection);
	c->warn_limit = NULL; /* once */
}

static void client_check_limits(struct jolokia_client *c, const cJSON *value,
				bool is_list)
{
	const char *option = c->warn_limit ? jolokia_limit_reached(
						     value, is_list, &c->agent)
					   : NULL;

	if (option)
		client_warn_limit(c, option);
}

static void bulk_take(struct bulk *b, const struct ask *ask,
		      const cJSON *response)
{
	struct job *j = &b->jobs[ask->job];
	const cJSON *value = jolokia_json_member(response, "value");
	enum error_kind kind;
	const char *why = jolokia_failure(response, b->arena, &kind);

	if (why) {
		if (!bulk_is_repeated(b, ask, kind))
			bulk_fail(b, ask, why, kind);
		return;
	}
	client_check_limits(b->client, value, j->request->verb == JMX_INFO);
	switch (j->request->verb) {
	case JMX_GET:
		bulk_take_attributes(b, ask, value);
		break;
	case JMX_INFO:
		bulk_take_info(b, j, value);
		break;
	case JMX_QUERY:
	case JMX_COUNT:
		bulk_take_names(b, j, value);
		break;
	case JMX_SET:
		break;
	case JMX_INVOKE:
		j->reply.value = jolokia_to_value(value, j->request->returns,
						  b->arena);
		break;
	}
}

static bool bulk_is_once(const struct bulk *b, const struct ask *asks,
			 size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!jolokia_is_read(b->jobs[asks[i].job].request->verb))
			return true;
	return false;
}

/* Drops invalid requests; returns the number of the others. */
static size_t bulk_add_requests(struct bulk *b, struct ask *asks, size_t count,
				struct text *body)
{
	size_t kept = 0;

	text_putc(body, '[');
	for (size_t i = 0; i < count; i++) {
		const struct job *j = &b->jobs[asks[i].job];
		size_t before = body->len;
		struct error err;

		text_puts(body, kept ? "," : "");
		if (jolokia_add_request(body, j->request, asks[i].name, &err) ==
		    0) {
			asks[kept++] = asks[i];
			continue;
		}
		body->len = before;
		bulk_fail(b, &asks[i],
			  arena_copy(b->arena, err.text, strlen(err.text)),
			  err.kind);
	}
	text_putc(body, ']');
	return kept;
}

static int bulk_run(struct bulk *b, struct ask *asks, size_t count,
		    struct error *err);

/*
 * One request made the agent fail all of them.  Finds it by sending smaller
 * parts, each request at most three times, because some requests take long.
 */
static int bulk_divide(struct bulk *b, struct ask *asks, size_t count,
		       struct error *err)
{
	size_t part = count > BULK_PARTS ? count / BULK_PARTS : 1;

	for (size_t at = 0; at < count; at += part)
		if (bulk_run(b, asks + at,
			     count - at < part ? count - at : part, err))
			return -1;
	return 0;
}

/* One response for all requests is a failure of the agent itself. */
static int bulk_take_failure(struct bulk *b, struct ask *asks, size_t count,
			     const cJSON *json, bool is_once, struct error *err)
{
	enum error_kind kind = ERROR_REFUSED;
	const char *why = jolokia_failure(json, b->arena, &kind);

	if (count > 1 && !is_once)
		return bulk_divide(b, asks, count, err);
	if (!why)
		why = "the Jolokia agent did not answer each request";
	for (size_t i = 0; i < count; i++)
		if (!bulk_is_repeated(b, &asks[i], kind))
			bulk_fail(b, &asks[i], why, kind);
	return 0;
}

static int bulk_take_all(struct bulk *b, struct ask *asks, size_t count,
			 const cJSON *json, bool is_once, struct error *err)
{
	const cJSON *one = json->child;

	if (!cJSON_IsArray(json) || (size_t)cJSON_GetArraySize(json) != count)
		return bulk_take_failure(b, asks, count, json, is_once, err);
	for (size_t i = 0; i < count; i++, one = one->next)
		bulk_take(b, &asks[i], one);
	return 0;
}

/*
 * Sends the requests, in one POST if possible.  Each recursion divides their
 * number.
 */
static int bulk_run(struct bulk *b, struct ask *asks, size_t count,
		    struct error *err)
{
	struct text body = { 0 };
	bool is_once = bulk_is_once(b, asks, count);
	cJSON *json = NULL;
	int status = 0;

	count = bulk_add_requests(b, asks, count, &body);
	if (count > 1 && body.len > BULK_BYTES) {
		status = bulk_divide(b, asks, count, err);
	} else if (count) {
		json = client_post(b->client, &body, is_once, err);
		if (json)
			status = bulk_take_all(b, asks, count, json, is_once,
					       err);
		else if (err->sys == EMSGSIZE && count > 1 && !is_once)
			status = bulk_divide(b, asks, count, err);
		else
			status = -1;
	}
	cJSON_Delete(json);
	text_release(&body);
	return status;
}

static size_t bulk_begin(const struct jmx_request *q)
{
	/* If an attribute is requested alone, its failure has the reason. */
	return q->verb == JMX_GET && q->name_count == 1 ? 0 : JOLOKIA_WHOLE;
}

static int bulk_run_all(struct bulk *b, struct error *err)
{
	struct ask asks[BULK_MAX];
	struct ask *again;
	size_t count;
	int status;

	for (size_t i = 0; i < b->count; i++)
		asks[i] = (struct ask){ i, bulk_begin(b->jobs[i].request) };
	status = bulk_run(b, asks, b->count, err);
	/* A single request is not repeated. */
	again = b->again;
	count = b->again_count;
	b->again = NULL;
	b->again_count = b->again_cap = 0;
	for (size_t i = 0; status == 0 && i < count; i += BULK_MAX)
		status = bulk_run(b, again + i,
				  count - i < BULK_MAX ? count - i : BULK_MAX,
				  err);
	free(again);
	return status;
}

static void job_begin(struct bulk *b, struct job *j,
		      const struct jmx_request *q)
{
	size_t size = q->name_count * sizeof(*j->values);

	*j = (struct job){ .request = q };
	if (q->verb == JMX_GET)
		j->values = memset(arena_alloc(b->arena, size), 0, size);
}

static void job_finish(struct bulk *b, struct job *j)
{
	const struct jmx_request *q = j->request;
	struct value_member *members;
	struct value *v;

	if (!j->values || j->reply.failure)
		return;
	members = arena_alloc(b->arena, q->name_count * sizeof(*members));
	for (size_t i = 0; i < q->name_count; i++) {
		/* The caller's names may not live as long. */
		members[i].name = arena_copy(b->arena, q->names[i],
					     strlen(q->names[i]));
		members[i].value = j->values[i] ? j->values[i] : &value_null;
	}
	v = value_new(b->arena, VALUE_COMPOSITE, "");
	v->members.at = members;
	v->members.count = q->name_count;
	j->reply.value = v;
}

static int bulk_hand_on(struct bulk *b, size_t first, jmx_reply_fn *fn,
			void *self, struct error *err)
{
	for (size_t i = 0; i < b->count; i++) {
		job_finish(b, &b->jobs[i]);
		if (fn(self, first + i, &b->jobs[i].reply, err))
			return -1;
	}
	return 0;
}

static int client_run(struct jmx *j, const struct jmx_request *requests,
		      size_t count, jmx_reply_fn *fn, void *self,
		      struct error *err)
{
	struct jolokia_client *c = (struct jolokia_client *)j;
	struct bulk *b = xcalloc(1, sizeof(*b));
	struct arena own = { 0 };
	int status = 0;

	b->client = c;
	b->arena = j->keep ? j->keep : &own;
	for (size_t at = 0; status == 0 && at < count; at += b->count) {
		b->count = count - at < BULK_MAX ? count - at : BULK_MAX;
		for (size_t i = 0; i < b->count; i++)
			job_begin(b, &b->jobs[i], &requests[at + i]);
		status = bulk_run_all(b, err);
		if (status)
			fail_in(err, "%s", c->title.bytes);
		else
			status = bulk_hand_on(b, at, fn, self, err);
		arena_release(&own);
	}
	free(b->again);
	free(b);
	return status;
}

static int client_listen(struct jmx *j, const char *object, struct error *err)
{
	struct jolokia_client *c = (struct jolokia_client *)j;

	if (jolokia_pull_listen(&c->pull, object, err))
		return fail_in(err, "%s", c->title.bytes);
	return 0;
}

static int client_fetch(struct jmx *j, int64_t timeout_ns,
			jmx_notification_fn *fn, void *self, struct error *err)
{
	struct jolokia_client *c = (struct jolokia_client *)j;

	if (jolokia_pull_fetch(&c->pull, timeout_ns, fn, self, err))
		return fail_in(err, "%s", c->title.bytes);
	return 0;
}

static void client_close(struct jmx *j)
{
	struct jolokia_client *c = (struct jolokia_client *)j;

	if (c->base.timeout_ns > UNREGISTER_NS)
		c->base.timeout_ns = UNREGISTER_NS;
	jolokia_pull_release(&c->pull);
	for (size_t i = 0; i < TYPES_KEPT; i++)
		kept_release(&c->kept[i]);
	http_client_free(c->http);
	http_response_release(&c->response);
	text_release(&c->url);
	text_release(&c->title);
	text_release(&c->version);
	text_release(&c->user);
	free(c);
}

static const struct jmx_ops client_ops = {
	.name = "jolokia",
	.run = client_run,
	.listen = client_listen,
	.fetch = client_fetch,
	.close = client_close,
};

/*
 * Sends the first requests, to the path with or without a "/" at its end.  If
 * neither is an agent's, *err is that of the given URL.
 */
static cJSON *client_post_first(struct jolokia_client *c,
				const struct text *body, struct error *err)
{
	cJSON *json = client_post(c, body, false, err);
	struct text other = { 0 }, given;
	struct error unused = { 0 };

	if (json || c->response.status != 404 ||
	    !jolokia_add_other_slash(&other, c->url.bytes))
		return json;
	given = c->url;
	c->url = other;
	json = client_post(c, body, false, &unused);
	if (!json && c->response.status == 404) {
		other = c->url;
		c->url = given;
	} else {
		other = given;
		if (!json) {
			*err = unused;
			fail_in(err, "HTTP 404, and at %s", c->url.bytes);
		}
	}
	text_release(&other);
	return json;
}

/*
 * Reads the versions of the agent and of the JVM, which also proves that the
 * server is an agent.
 */
static int client_begin(struct jolokia_client *c, struct error *err)
{
	static const char requests
		[] = "[{\"type\":\"version\"},{\"type\":\"read\",\"mbean\":"
		     "\"java.lang:type=Runtime\",\"attribute\":"
		     "\"SystemProperties\",\"path\":\"java.runtime.version\"}]";
	struct text body = { 0 };
	struct jolokia_agent agent;
	struct arena a = { 0 };
	const cJSON *first, *second;
	cJSON *json;
	int status = -1;

	text_puts(&body, requests);
	json = client_post_first(c, &body, err);
	first = cJSON_IsArray(json) ? json->child : json;
	second = cJSON_IsArray(json) && first ? first->next : NULL;
	if (json) {
		const char *version = jolokia_member_text(second, "value", "",
							  &a);
		enum error_kind kind;
		const char *why;

		text_puts(&c->version, version);
		if (jolokia_to_agent(jolokia_json_member(first, "value"),
				     &agent, &a)) {
			c->agent.max_collection = agent.max_collection;
			c->agent.max_objects = agent.max_objects;
			status = 0;
		} else if ((why = jolokia_failure(first, &a, &kind)))
			fail(err, kind, "%s%s", why,
			     strstr(why, "Origin null")
				     ? "; use -H 'Origin: http://localhost'"
				     : "");
		else
			fail(err, ERROR_NO_TARGET,
			     "HTTP and JSON, but not Jolokia");
	}
	cJSON_Delete(json);
	text_release(&body);
	arena_release(&a);
	return status;
}

static bool host_is_loopback(const char *host)
{
	struct in_addr four;

	if (strcasecmp(host, "localhost") == 0 || strcmp(host, "::1") == 0)
		return true;
	return inet_pton(AF_INET, host, &four) == 1 &&
	       ntohl(four.s_addr) >> 24 == 127;
}

static int client_check_secrecy(const struct jmx_target *target,
				const struct http_url *url, struct error *err)
{
	if (url->is_tls)
		return 0;
	if (target->require_tls)
		return fail(err, ERROR_MISUSE,
			    "--tls requires a URL of https://");
	if ((target->credentials.user || target->http.bearer) &&
	    target->warn_clear && !host_is_loopback(url->host))
		target->warn_clear(url->host, url->port);
	return 0;
}

struct jmx *jolokia_client_open(const struct jmx_target *target,
				struct error *err)
{
	struct jolokia_client *c = xcalloc(1, sizeof(*c));
	struct http_url url;
	const char *user = target->credentials.user;

	c->base.ops = &client_ops;
	c->pull.post = client_post;
	c->pull.self = c;
	c->base.timeout_ns = target->timeout_ns ? target->timeout_ns
						: JMX_TIMEOUT_NS;
	text_puts(&c->url, target->address);
	text_puts(&c->title, target->title ? target->title : target->address);
	text_puts(&c->version, "");
	text_puts(&c->user, user ? user : "");
	c->has_token = target->http.bearer;
	c->warn_limit = target->warn_limit;
	if (http_url_parse(&url, target->address, err) ||
	    client_check_secrecy(target, &url, err))
		goto failed;
	c->http = http_client_new(target, err);
	if (!c->http)
		goto failed;
	if (client_begin(c, err)) {
		fail_in(err, "%s", c->title.bytes);
		goto failed;
	}
	if (target->warn_any_limit && c->agent.max_collection)
		client_warn_limit(c, "maxCollectionSize");
	else if (target->warn_any_limit && c->agent.max_objects)
		client_warn_limit(c, "maxObjects");
	c->base.title = c->title.bytes;
	c->base.version = c->version.bytes;
	return &c->base;
failed:
	client_close(&c->base);
	return NULL;
}
