/* SPDX-License-Identifier: Apache-2.0 */
/*
 *	ask_jmx TARGET [OPTION...] COMMAND...
 *
 * Executes commands of a JMX client, all on one connection:
 *
 *	query=PATTERN	names, one per line; "" is all
 *	info=NAME	its attributes and operations
 *	get=NAME/A,B	attributes
 *	set=NAME/A=T:V	an attribute of a type to a value
 *	invoke=NAME/OP(T:V,T:V)
 *	count		the number of MBeans
 *	many=N		the same N times, in one run
 *	pipe=NAME/A,B	attributes of all MBeans that match, in one run; prints
 *			the number of replies
 *	changes=N/NAME/OP	reads and invocations alternately, in one run
 *	listen=NAME	subscribes to notifications
 *	fetch=MS	prints the notifications that arrive within MS
 *	sleep=MS wait=FILE version
 *	quiet loud	do not print values, or print them
 *	times		wall-clock time since the start, and CPU time
 *
 * Options: user=, password=, cacert=, cert=, key=, insecure, force-host,
 * force-port, timeout=MS.  T and V contain no comma.  After a failure, it
 * prints the error and executes the next command.  The exit status is the kind
 * of the last failure, or 0.
 */
#include "core/base/clock.h"
#include "core/base/safe_text.h"
#include "jmx_http/rmi/rmi_client.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static struct jmx *jmx;
static struct arena arena;
static struct error err;
static int64_t begun_ns;
static bool is_quiet;
static size_t replies, failures;

static void put_safe(const char *foreign)
{
	struct text t = { 0 };

	text_puts(&t, "");
	safe_text(&t, foreign, strlen(foreign));
	fputs(t.bytes, stdout);
	text_release(&t);
}

static void put_value(const struct value *v)
{
	struct json j;
	struct text t = { 0 };

	if (is_quiet)
		return;
	j = json_into(&t);
	value_json(&j, v);
	puts(t.bytes);
	text_release(&t);
}

static int put_reply(void *self, size_t index, const struct jmx_reply *reply,
		     struct error *e)
{
	size_t *next = self;

	(void)e;
	/* Replies arrive in the order of the requests. */
	if (index != (*next)++)
		printf("out of order: %zu\n", index);
	replies++;
	if (reply->failure) {
		failures++;
		printf("failed %d ", reply->kind);
		put_safe(reply->failure);
		putchar('\n');
	} else if (reply->value) {
		put_value(reply->value);
	}
	if (reply->info && !is_quiet) {
		printf("class ");
		put_safe(reply->info->class);
		for (size_t i = 0; i < reply->info->attribute_count; i++)
			printf("\nattribute %s %s",
			       reply->info->attributes[i].name,
			       reply->info->attributes[i].type);
		for (size_t i = 0; i < reply->info->operation_count; i++)
			printf("\noperation %s",
			       reply->info->operations[i].name);
		putchar('\n');
	}
	return 0;
}

static int run(const struct jmx_request *requests, size_t count)
{
	size_t next = 0;
	int status = jmx_run(jmx, requests, count, put_reply, &next, &err);

	if (status == 0 && next != count)
		printf("%zu replies of %zu\n", next, count);
	return status;
}

/* Returns the text before c, and moves *text behind c. */
static char *before(char **text, char c)
{
	char *word = *text, *end = strchr(word, c);

	if (end)
		*end++ = '\0';
	*text = end ? end : word + strlen(word);
	return word;
}

static size_t split(char *list, const char **words, size_t most)
{
	size_t count = 0;

	while (*list && count < most)
		words[count++] = before(&list, ',');
	return count;
}

/* "T:V" */
static const struct value *argument_of(const char *text, const char **type)
{
	char *copy = arena_copy(&arena, text, strlen(text));
	struct value *list;

	*type = before(&copy, ':');
	if (strcmp(copy, "null") == 0)
		return &value_null;
	if (**type != '[')
		return value_string(&arena, copy);
	list = value_new(&arena, VALUE_ARRAY, *type);
	list->list.at = arena_alloc(&arena, 64 * sizeof(*list->list.at));
	list->list.count = 0;
	while (*copy && list->list.count < 64)
		((const struct value **)list->list
			 .at)[list->list.count++] = value_string(&arena,
								 before(&copy,
									';'));
	return list;
}

static int do_query(char *text)
{
	const char *const *names;
	size_t count;

	if (jmx_query(jmx, *text ? text : NULL, &arena, &names, &count, &err))
		return -1;
	for (size_t i = 0; i < count && !is_quiet; i++) {
		put_safe(names[i]);
		putchar('\n');
	}
	printf("%zu names\n", count);
	return 0;
}

static int do_info(char *text)
{
	struct jmx_request q = { .verb = JMX_INFO, .object = text };

	return run(&q, 1);
}

static int do_get(char *text)
{
	const char *names[64];
	struct jmx_request q = { .verb = JMX_GET, .names = names };
	const struct value *v;

	q.object = before(&text, '/');
	q.name_count = split(text, names, 64);
	if (q.name_count != 1)
		return run(&q, 1);
	v = jmx_get(jmx, q.object, names[0], &arena, &err);
	if (v)
		put_value(v);
	return v ? 0 : -1;
}

static int do_set(char *text)
{
	const char *name, *type;
	const struct value *argument;
	struct jmx_request q = { .verb = JMX_SET,
				 .names = &name,
				 .name_count = 1,
				 .arguments = &argument,
				 .signature = &type,
				 .argument_count = 1 };

	q.object = before(&text, '/');
	name = before(&text, '=');
	argument = argument_of(text, &type);
	return run(&q, 1);
}

static int do_invoke(char *text)
{
	const char *name, *texts[8], *types[8];
	const struct value *arguments[8], *v;
	struct jmx_request q = { .verb = JMX_INVOKE,
				 .names = &name,
				 .name_count = 1,
				 .arguments = arguments,
				 .signature = types };
	char *end;

	q.object = before(&text, '/');
	name = before(&text, '(');
	end = strrchr(text, ')');
	if (end)
		*end = '\0';
	q.argument_count = split(text, texts, 8);
	for (size_t i = 0; i < q.argument_count; i++)
		arguments[i] = argument_of(texts[i], &types[i]);
	v = jmx_invoke(jmx, &q, &arena, &err);
	if (v)
		put_value(v);
	return v ? 0 : -1;
}

static int do_count(char *text)
{
	struct jmx_request q = { .verb = JMX_COUNT };

	(void)text;
	return run(&q, 1);
}

static int do_many(char *text)
{
	size_t count = strtoul(text, NULL, 10);
	struct jmx_request *q = calloc(count, sizeof(*q));
	int status;

	for (size_t i = 0; i < count; i++)
		q[i].verb = JMX_COUNT;
	status = run(q, count);
	free(q);
	return status;
}

static int do_pipe(char *text)
{
	const char *const *beans, *names[64];
	const char *pattern = before(&text, '/');
	size_t count, name_count = split(text, names, 64);
	struct jmx_request *q;
	int status;

	if (jmx_query(jmx, pattern, &arena, &beans, &count, &err))
		return -1;
	q = calloc(count + 1, sizeof(*q));
	for (size_t i = 0; i < count; i++)
		q[i] = (struct jmx_request){ .verb = JMX_GET,
					     .object = beans[i],
					     .names = names,
					     .name_count = name_count };
	replies = failures = 0;
	status = run(q, count);
	printf("%zu replies, %zu failures\n", replies, failures);
	free(q);
	return status;
}

static int do_changes(char *text)
{
	size_t count = strtoul(before(&text, '/'), NULL, 10);
	const char *object = before(&text, '/'), *const name = text;
	static const char *const uptime = "Uptime";
	struct jmx_request *q = calloc(count * 2 + 1, sizeof(*q));
	int status;

	for (size_t i = 0; i < count; i++) {
		q[i * 2] = (struct jmx_request){
			.verb = JMX_GET,
			.object = "java.lang:type=Runtime",
			.names = &uptime,
			.name_count = 1,
		};
		q[i * 2 + 1] = (struct jmx_request){ .verb = JMX_INVOKE,
						     .object = object,
						     .names = &name,
						     .name_count = 1 };
	}
	replies = failures = 0;
	status = run(q, count * 2);
	printf("%zu replies, %zu failures\n", replies, failures);
	free(q);
	return status;
}

static int do_listen(char *text) { return jmx_listen(jmx, text, &err); }

static int put_notification(void *self, const struct jmx_notification *n,
			    struct error *e)
{
	(void)self, (void)e;
	printf("notification ");
	put_safe(n->type);
	printf(" of ");
	put_safe(n->object);
	printf(" %" PRId64 " ", n->sequence);
	put_safe(n->message);
	putchar('\n');
	if (n->user_data)
		put_value(n->user_data);
	return 0;
}

static int do_fetch(char *text)
{
	return jmx_fetch(jmx, strtol(text, NULL, 10) * CLOCK_NS_PER_MS,
			 put_notification, NULL, &err);
}

static int do_sleep(char *text)
{
	usleep((useconds_t)strtoul(text, NULL, 10) * 1000);
	return 0;
}

/* Waits until the file exists. */
static int do_wait(char *text)
{
	puts("waiting");
	fflush(stdout);
	for (int i = 0; i < 600 && access(text, F_OK); i++)
		usleep(100000);
	return 0;
}

static int do_version(char *text)
{
	(void)text;
	put_safe(jmx->version);
	putchar('\n');
	return 0;
}

static int do_quiet(char *text)
{
	(void)text;
	is_quiet = true;
	return 0;
}

static int do_loud(char *text)
{
	(void)text;
	is_quiet = false;
	return 0;
}

static int do_times(char *text)
{
	struct rusage used;

	(void)text;
	getrusage(RUSAGE_SELF, &used);
	printf("times %.3f ms, CPU %.3f ms, %ld KiB\n",
	       (double)(clock_monotonic_ns() - begun_ns) / 1e6,
	       (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e3 +
		       (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) /
			       1e3,
	       used.ru_maxrss);
	return 0;
}

/* clang-format off */
static const struct {
	const char *name;
	int (*run)(char *text);
} deeds[] = {
	{ "query", do_query },     { "info", do_info },
	{ "get", do_get },         { "set", do_set },
	{ "invoke", do_invoke },   { "count", do_count },
	{ "many", do_many },       { "pipe", do_pipe },
	{ "changes", do_changes }, { "listen", do_listen },
	{ "fetch", do_fetch },     { "sleep", do_sleep },
	{ "wait", do_wait },
	{ "version", do_version }, { "quiet", do_quiet },
	{ "loud", do_loud },       { "times", do_times },
};
/* clang-format on */

static int do_deed(char *deed)
{
	char *text = deed, *name = before(&text, '=');

	for (size_t i = 0; i < sizeof(deeds) / sizeof(*deeds); i++)
		if (strcmp(deeds[i].name, name) == 0)
			return deeds[i].run(text);
	return fail(&err, ERROR_MISUSE, "%s: no deed", name);
}

static bool is_option(struct jmx_target *o, char *word)
{
	char *text = word, *name = strdup(word), *rest = name;
	bool is = true;

	before(&rest, '=');
	text += strlen(name) + (word[strlen(name)] == '=');
	if (strcmp(name, "user") == 0)
		o->credentials.user = text;
	else if (strcmp(name, "password") == 0)
		o->credentials.password = text;
	else if (strcmp(name, "cacert") == 0)
		o->tls.cacert = text;
	else if (strcmp(name, "cert") == 0)
		o->tls.cert = text;
	else if (strcmp(name, "key") == 0)
		o->tls.key = text;
	else if (strcmp(name, "insecure") == 0)
		o->tls.insecure = true;
	else if (strcmp(name, "force-host") == 0)
		o->force_host = true;
	else if (strcmp(name, "force-port") == 0)
		o->force_port = true;
	else if (strcmp(name, "timeout") == 0)
		o->timeout_ns = strtol(text, NULL, 10) * CLOCK_NS_PER_MS;
	else
		is = false;
	free(name);
	return is;
}

int main(int argc, char **argv)
{
	struct jmx_target options = { 0 };
	int status = 0, at = 2;

	if (argc < 2)
		return ERROR_MISUSE;
	begun_ns = clock_monotonic_ns();
	options.address = argv[1];
	while (at < argc && is_option(&options, argv[at]))
		at++;
	jmx = rmi_client_open(&options, &err);
	if (!jmx) {
		fprintf(stderr, "error %d: %s\n", err.kind, err.text);
		return (int)err.kind;
	}
	for (; at < argc; at++) {
		if (do_deed(argv[at])) {
			status = (int)err.kind;
			printf("error %d: ", err.kind);
			put_safe(err.text);
			putchar('\n');
		}
		fflush(stdout);
	}
	jmx_close(jmx);
	arena_release(&arena);
	return status;
}
