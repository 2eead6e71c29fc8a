/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/rmi/rmi_server_methods.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/cursor.h"
#include "core/base/hash.h"
#include "jmx_http/java/java_from_value.h"
#include "jmx_http/java/java_to_value.h"
#include "jmx_http/rmi/rmi_reply.h"
#include "jmx_http/value/object_name.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

/* The time after which the description of an MBean is read again. */
#define BEAN_NS        (60 * CLOCK_NS_PER_S)

#define FETCH_MS_MAX   60000 /* as javax.management.remote.rmi of JDK 17 */

#define DELEGATE       "JMImplementation:type=MBeanServerDelegate"
#define DEFAULT_DOMAIN "DefaultDomain"

/* Exceptions */

static void server_throw_failure(struct rmi_server *s, const char *failure,
				 enum error_kind kind)
{
	enum jmx_method m = (enum jmx_method)(s->request.method - jmx_methods);

	text_clear(&s->out);
	rmi_reply_failure(&s->out, failure, kind,
			  m == JMX_GET_ATTRIBUTE || m == JMX_SET_ATTRIBUTE ||
				  m == JMX_INVOKE_OPERATION);
}

/* Arguments */

/* The text of a String argument, or NULL. */
static const char *server_text(struct rmi_server *s, const struct java_value *v)
{
	if (v->kind != JAVA_STRING)
		return NULL;
	return java_to_text(v->bytes, &s->arena).at;
}

/* The text of an ObjectName, or NULL. */
static const char *server_name(struct rmi_server *s, const struct java_value *v)
{
	const struct java_part *part = java_part_of(
		v, "javax.management.ObjectName");

	if (!part || !part->annotations.count)
		return NULL;
	return server_text(s, part->annotations.at[0]);
}

/* The texts of a String[]; null elements become "". */
static const char **server_texts(struct rmi_server *s,
				 const struct java_value *v, size_t *count)
{
	const char **texts;

	*count = v->kind == JAVA_ARRAY ? v->array.elements.count : 0;
	texts = arena_alloc(&s->arena, (*count + 1) * sizeof(*texts));
	for (size_t i = 0; i < *count; i++) {
		const char *text = server_text(s, v->array.elements.at[i]);

		texts[i] = text ? text : "";
	}
	return texts;
}

/*
 * Parses the stream in a MarshalledObject.  Returns its value, java_null for
 * null, or NULL and an exception.  The caller releases the stream.
 */
static const struct java_value *server_unmarshal(struct rmi_server *s,
						 const struct java_value *v,
						 struct java_stream *stream)
{
	const struct java_value *bytes = java_field_of(v, "objBytes");
	const struct java_value *value;
	size_t used;

	if (v->kind == JAVA_NULL || (bytes && bytes->kind == JAVA_NULL))
		return &java_null;
	stream->memory_max = REQUEST_MEMORY_MAX;
	if (!bytes || bytes->kind != JAVA_ARRAY || bytes->array.type != 'B' ||
	    java_stream_read(stream, bytes->array.raw, bytes->array.count,
			     &used, &value) != JAVA_DONE) {
		rmi_reply_throw(
			&s->out, &java_shape_illegal_argument_exception,
			"sjkc: the argument is not a serialized object");
		return NULL;
	}
	return value;
}

/* MBeans */

/* The reply to one request; texts and values are in the arena. */
struct single {
	const char *failure;
	enum error_kind kind;
	const struct value *value;
	const struct jmx_info *info;
	struct arena *arena;
};

static int single_take(void *self, size_t index, const struct jmx_reply *reply,
		       struct error *err)
{
	struct single *single = self;

	(void)index;
	(void)err;
	single->kind = reply->kind;
	if (reply->failure)
		single->failure = arena_copy(single->arena, reply->failure,
					     strlen(reply->failure));
	single->value = reply->value ? reply->value : &value_null;
	single->info = reply->info;
	return 0;
}

/* False, and an exception, if the connection or the request fails. */
static bool server_run(struct rmi_server *s, const struct jmx_request *q,
		       struct arena *keep, struct single *single)
{
	struct error err;
	int status;

	*single = (struct single){ .arena = &s->arena };
	s->jmx->keep = keep;
	status = jmx_run(s->jmx, q, 1, single_take, single, &err);
	s->jmx->keep = NULL;
	if (status)
		rmi_reply_error(&s->out, &err);
	else if (single->failure)
		server_throw_failure(s, single->failure, single->kind);
	return !status && !single->failure;
}

static void bean_release(struct bean *b)
{
	arena_release(&b->arena);
	free(b->name);
	*b = (struct bean){ 0 };
}

static struct bean *server_find_bean(struct rmi_server *s, const char *name)
{
	uint64_t hash = hash_bytes(name, strlen(name));

	for (size_t i = 0; i < BEANS_KEPT; i++)
		if (s->beans[i].hash == hash && s->beans[i].name &&
		    strcmp(s->beans[i].name, name) == 0)
			return &s->beans[i];
	return NULL;
}

/*
 * Throws InstanceNotFoundException if the MBean does not exist: Jolokia 1.x
 * fails a request to describe it with an IllegalArgumentException.
 */
static void server_throw_missing(struct rmi_server *s, const char *name)
{
	const struct jmx_request q = { .verb = JMX_QUERY, .object = name };
	struct single single = { .arena = &s->arena };
	struct error err;
	int status;

	s->jmx->keep = &s->arena;
	status = jmx_run(s->jmx, &q, 1, single_take, &single, &err);
	s->jmx->keep = NULL;
	if (status == 0 && !single.failure &&
	    single.value->kind == VALUE_ARRAY && !single.value->list.count)
		rmi_reply_throw(&s->out,
				&java_shape_instance_not_found_exception, name);
}

/* The description of an MBean; NULL, and an exception, if there is none. */
static const struct jmx_info *server_info(struct rmi_server *s,
					  const char *name)
{
	const struct jmx_request q = { .verb = JMX_INFO, .object = name };
	struct bean *b = server_find_bean(s, name);
	int64_t now_ns = clock_monotonic_ns();
	struct single single;

	if (b && now_ns - b->read_ns < BEAN_NS)
		return b->info;
	if (!b)
		b = &s->beans[s->bean_next++ % BEANS_KEPT];
	bean_release(b);
	if (!server_run(s, &q, &b->arena, &single)) {
		bean_release(b);
		if (single.failure)
			server_throw_missing(s, name);
		return NULL;
	}
	b->info = single.info;
	b->name = xstrdup(name);
	b->hash = hash_bytes(name, strlen(name));
	b->read_ns = now_ns;
	return b->info;
}

static const char *info_attribute_type(const struct jmx_info *info,
				       const char *name)
{
	for (size_t i = 0; info && i < info->attribute_count; i++)
		if (strcmp(info->attributes[i].name, name) == 0)
			return info->attributes[i].type;
	return "";
}

static bool operation_is(const struct jmx_feature *op, const char *name,
			 const char *const *signature, size_t count)
{
	if (strcmp(op->name, name) != 0 || op->parameter_count != count)
		return false;
	for (size_t i = 0; i < count; i++)
		if (strcmp(op->parameters[i].type, signature[i]) != 0)
			return false;
	return true;
}

static const struct jmx_feature *info_operation(const struct jmx_info *info,
						const char *name,
						const char *const *signature,
						size_t count)
{
	for (size_t i = 0; i < info->operation_count; i++)
		if (operation_is(&info->operations[i], name, signature, count))
			return &info->operations[i];
	return NULL;
}

/* Values */

static void server_return_boolean(struct rmi_server *s, bool value)
{
	text_clear(&s->out);
	rmi_reply_boolean(&s->out, value);
}

static void server_return_value(struct rmi_server *s, const struct value *v,
				const char *type)
{
	struct java_output o = rmi_reply_begin(&s->out);
	struct java_from_value f = { .output = &o, .arena = &s->arena };

	java_from_value(&f, v, type);
	java_output_release(&o);
}

/* RMIConnection: attributes */

static const struct value *member_value(const struct value *v, size_t index)
{
	return v->kind == VALUE_COMPOSITE && index < v->members.count
		       ? v->members.at[index].value
		       : &value_null;
}

static void server_get_attribute(struct rmi_server *s)
{
	const char *name = server_name(s, rmi_server_argument(s, 0));
	const char *attribute = server_text(s, rmi_server_argument(s, 1));
	const struct jmx_request q = {
		.verb = JMX_GET,
		.object = name,
		.names = &attribute,
		.name_count = 1,
	};
	const struct jmx_info *info;
	const struct value *v;
	struct single single;

	if (!name || !attribute) {
		rmi_reply_throw(&s->out, &java_shape_illegal_argument_exception,
				"sjkc: the MBean or the attribute is null");
		return;
	}
	info = server_info(s, name);
	if (!info || !server_run(s, &q, &s->arena, &single))
		return;
	v = member_value(single.value, 0);
	if (v->kind == VALUE_ERROR)
		server_throw_failure(s, v->text.at, jmx_value_error_kind(v));
	else
		server_return_value(s, v, info_attribute_type(info, attribute));
}

/* Writes an AttributeList of the attributes that could be read. */
static void server_return_attributes(struct rmi_server *s,
				     const struct jmx_info *info,
				     const char *const *names,
				     const struct value *const *values,
				     size_t count)
{
	struct java_output o = rmi_reply_begin(&s->out);
	struct java_from_value f = { .output = &o, .arena = &s->arena };
	uint32_t readable = 0;

	for (size_t i = 0; i < count; i++)
		readable += values[i]->kind != VALUE_ERROR;
	java_output_object(&o, &java_shape_attribute_list);
	java_write_u32(o.out, readable);
	java_write_block(o.out, 4);
	java_write_u32(o.out, readable);
	for (size_t i = 0; i < count; i++) {
		if (values[i]->kind == VALUE_ERROR)
			continue;
		java_output_object(&o, &java_shape_attribute);
		java_output_text(&o, names[i]);
		java_from_value(&f, values[i],
				info_attribute_type(info, names[i]));
	}
	java_write_end(o.out);
	java_output_release(&o);
}

static void server_get_attributes(struct rmi_server *s)
{
	struct jmx_request q = {
		.verb = JMX_GET,
		.object = server_name(s, rmi_server_argument(s, 0)),
	};
	const char **names = server_texts(s, rmi_server_argument(s, 1),
					  &q.name_count);
	const struct jmx_info *info;
	const struct value **values;
	struct single single;

	q.names = names;
	if (!q.object) {
		rmi_reply_throw(&s->out, &java_shape_illegal_argument_exception,
				"sjkc: the MBean is null");
		return;
	}
	info = server_info(s, q.object);
	if (!info || (q.name_count && !server_run(s, &q, &s->arena, &single)))
		return;
	values = arena_alloc(&s->arena, (q.name_count + 1) * sizeof(*values));
	for (size_t i = 0; i < q.name_count; i++)
		values[i] = member_value(single.value, i);
	server_return_attributes(s, info, names, values, q.name_count);
}

/* Sets one attribute; false, and an exception, if that fails. */
static bool server_set(struct rmi_server *s, const char *object,
		       const struct java_value *attribute, const char **name,
		       const struct value **value)
{
	const struct java_value *text = java_field_of(attribute, "name");
	struct jmx_request q = {
		.verb = JMX_SET,
		.object = object,
		.names = name,
		.name_count = 1,
		.arguments = value,
		.argument_count = 1,
	};
	struct single single;

	*name = text ? server_text(s, text) : NULL;
	*value = java_to_value(java_field_of(attribute, "value"), &s->arena);
	if (!object || !*name) {
		rmi_reply_throw(&s->out, &java_shape_illegal_argument_exception,
				"sjkc: the MBean or the attribute is null");
		return false;
	}
	return server_run(s, &q, &s->arena, &single);
}

static void server_set_attribute(struct rmi_server *s)
{
	const char *object = server_name(s, rmi_server_argument(s, 0)), *name;
	struct java_stream stream = { 0 };
	const struct java_value *attribute = server_unmarshal(
		s, rmi_server_argument(s, 1), &stream);
	const struct value *value;

	if (attribute && server_set(s, object, attribute, &name, &value))
		rmi_reply_void(&s->out);
	java_stream_release(&stream);
}

/* As an MBean server, returns the attributes that could be set. */
static void server_set_list(struct rmi_server *s, const char *object,
			    const struct java_value *list)
{
	const struct java_part *part = java_part_of(list,
						    "java.util.ArrayList");
	size_t most = part ? part->annotations.count : 0, count = 0;
	const char **names = arena_alloc(&s->arena,
					 (most + 1) * sizeof(*names));
	const struct value **values = arena_alloc(&s->arena,
						  (most + 1) * sizeof(*values));
	const struct jmx_info *info = object ? server_info(s, object) : NULL;

	if (object && !info)
		return;
	for (size_t i = 0; i < most; i++) {
		const struct java_value *one = part->annotations.at[i];

		if (java_is(one, "javax.management.Attribute") &&
		    server_set(s, object, one, &names[count], &values[count]))
			count++;
	}
	server_return_attributes(s, info, names, values, count);
}

static void server_set_attributes(struct rmi_server *s)
{
	const char *object = server_name(s, rmi_server_argument(s, 0));
	struct java_stream stream = { 0 };
	const struct java_value *list = server_unmarshal(
		s, rmi_server_argument(s, 1), &stream);

	if (list)
		server_set_list(s, object, list);
	java_stream_release(&stream);
}

/* RMIConnection: operations */

static void server_throw_no_operation(struct rmi_server *s, const char *name,
				      const char *const *signature,
				      size_t count)
{
	struct text message = { 0 };
	struct rmi_exception cause = {
		.shape = &java_shape_no_such_method_exception,
	};
	struct rmi_exception e = {
		.shape = &java_shape_reflection_exception,
		.cause = &cause,
	};

	text_printf(&message, "%s(", name);
	for (size_t i = 0; i < count; i++)
		text_printf(&message, "%s%s", i ? ", " : "", signature[i]);
	text_putc(&message, ')');
	cause.message = e.message = message.bytes;
	text_clear(&s->out);
	rmi_reply_exception(&s->out, &e);
	text_release(&message);
}

static void server_invoke_with(struct rmi_server *s, const char *object,
			       const char *name,
			       const struct java_value *arguments)
{
	struct jmx_request q = {
		.verb = JMX_INVOKE,
		.object = object,
		.names = &name,
		.name_count = 1,
	};
	const struct value **values;
	const char **signature = server_texts(s, rmi_server_argument(s, 3),
					      &q.argument_count);
	const struct jmx_info *info = server_info(s, object);
	const struct jmx_feature *op;
	struct single single;

	if (!info)
		return;
	op = info_operation(info, name, signature, q.argument_count);
	if (!op) {
		server_throw_no_operation(s, name, signature, q.argument_count);
		return;
	}
	if ((arguments->kind == JAVA_ARRAY ? arguments->array.elements.count
					   : 0) != q.argument_count) {
		server_throw_failure(
			s,
			"java.lang.IllegalArgumentException: "
			"sjkc: the signature has another number of "
			"parameters than there are arguments",
			ERROR_MISUSE);
		return;
	}
	values = arena_alloc(&s->arena,
			     (q.argument_count + 1) * sizeof(*values));
	for (size_t i = 0; i < q.argument_count; i++)
		values[i] = java_to_value(arguments->array.elements.at[i],
					  &s->arena);
	q.arguments = values;
	q.signature = signature;
	q.returns = op->type;
	if (server_run(s, &q, &s->arena, &single))
		server_return_value(s, single.value, op->type);
}

static void server_invoke(struct rmi_server *s)
{
	const char *object = server_name(s, rmi_server_argument(s, 0));
	const char *name = server_text(s, rmi_server_argument(s, 1));
	struct java_stream stream = { 0 };
	const struct java_value *arguments = server_unmarshal(
		s, rmi_server_argument(s, 2), &stream);

	if (arguments && (!object || !name))
		rmi_reply_throw(&s->out, &java_shape_illegal_argument_exception,
				"sjkc: the MBean or the operation is null");
	else if (arguments)
		server_invoke_with(s, object, name, arguments);
	java_stream_release(&stream);
}

/* RMIConnection: names */

/* Searches for names; false, and an exception, if that fails. */
static bool server_search(struct rmi_server *s, const char *pattern,
			  const char ***names, size_t *count)
{
	const struct jmx_request q = { .verb = JMX_QUERY, .object = pattern };
	struct single single;

	*count = 0;
	if (!server_run(s, &q, &s->arena, &single))
		return false;
	if (single.value->kind != VALUE_ARRAY) {
		rmi_reply_throw(&s->out, &java_shape_io_exception,
				"sjkc: the reply to a query is not a list");
		return false;
	}
	*names = arena_alloc(&s->arena,
			     (single.value->list.count + 1) * sizeof(**names));
	for (size_t i = 0; i < single.value->list.count; i++) {
		const char *name = value_text_of(single.value->list.at[i]);

		if (name)
			(*names)[(*count)++] = name;
	}
	return true;
}

/* As above, for the arguments of a query: a pattern and a QueryExp. */
static bool server_query(struct rmi_server *s, const char ***names,
			 size_t *count)
{
	struct java_stream stream = { 0 };
	const struct java_value *query = server_unmarshal(
		s, rmi_server_argument(s, 1), &stream);
	bool is_null = query && query->kind == JAVA_NULL;

	java_stream_release(&stream);
	if (!query)
		return false;
	if (!is_null) {
		rmi_reply_unsupported(&s->out, "a query with a QueryExp");
		return false;
	}
	return server_search(s, server_name(s, rmi_server_argument(s, 0)),
			     names, count);
}

static void server_query_names(struct rmi_server *s)
{
	struct java_output o;
	const char **names;
	size_t count;

	if (!server_query(s, &names, &count))
		return;
	o = rmi_reply_begin(&s->out);
	java_output_set(&o, (uint32_t)count);
	for (size_t i = 0; i < count; i++)
		java_output_object_name(&o, names[i]);
	java_write_end(o.out);
	java_output_release(&o);
}

static void server_write_instance(struct java_output *o, const char *name,
				  const char *class)
{
	java_output_object(o, &java_shape_object_instance);
	java_output_text(o, class);
	java_output_object_name(o, name);
}

/*
 * Returns the classes of several MBeans; NULL for an MBean that was
 * unregistered.
 */
struct classes {
	struct arena *arena;
	const char **list;
};

static int classes_take(void *self, size_t index, const struct jmx_reply *reply,
			struct error *err)
{
	struct classes *c = self;
	const char *class = reply->info ? reply->info->class : NULL;

	(void)err;
	c->list[index] = class ? arena_copy(c->arena, class, strlen(class))
			       : NULL;
	return 0;
}

static void server_query_mbeans(struct rmi_server *s)
{
	struct classes classes = { .arena = &s->arena };
	struct jmx_request *requests;
	struct java_output o;
	const char **names;
	size_t count;
	uint32_t found = 0;
	struct error err;
	int status;

	if (!server_query(s, &names, &count))
		return;
	requests = xcalloc(count + 1, sizeof(*requests));
	classes.list = arena_alloc(&s->arena,
				   (count + 1) * sizeof(*classes.list));
	for (size_t i = 0; i < count; i++)
		requests[i] = (struct jmx_request){ .verb = JMX_INFO,
						    .object = names[i] };
	status = jmx_run(s->jmx, requests, count, classes_take, &classes, &err);
	free(requests);
	if (status) {
		rmi_reply_error(&s->out, &err);
		return;
	}
	for (size_t i = 0; i < count; i++)
		found += classes.list[i] != NULL;
	o = rmi_reply_begin(&s->out);
	java_output_set(&o, found);
	for (size_t i = 0; i < count; i++)
		if (classes.list[i])
			server_write_instance(&o, names[i], classes.list[i]);
	java_write_end(o.out);
	java_output_release(&o);
}

/* The MBean of the first argument; NULL, and an exception, if there is none. */
static const struct jmx_info *server_info_of_argument(struct rmi_server *s,
						      const char **name)
{
	*name = server_name(s, rmi_server_argument(s, 0));
	if (*name)
		return server_info(s, *name);
	rmi_reply_throw(&s->out, &java_shape_illegal_argument_exception,
			"sjkc: the MBean is null");
	return NULL;
}

static void server_get_object_instance(struct rmi_server *s)
{
	const char *name;
	const struct jmx_info *info = server_info_of_argument(s, &name);
	struct java_output o;

	if (!info)
		return;
	o = rmi_reply_begin(&s->out);
	server_write_instance(&o, name, info->class);
	java_output_release(&o);
}

static void server_get_mbean_info(struct rmi_server *s)
{
	const char *name;
	const struct jmx_info *info = server_info_of_argument(s, &name);
	struct java_output o;

	if (!info)
		return;
	o = rmi_reply_begin(&s->out);
	java_from_info(&o, info);
	java_output_release(&o);
}

/* RMIConnection: the classes of MBeans */

/* clang-format off */
/* Interfaces of the JDK's own MBeans, which Jolokia 1.x does not list. */
static const struct {
	const char *domain, *type, *interface;
} platform_interfaces[] = {
	{ "java.lang", "ClassLoading", "ClassLoadingMXBean" },
	{ "java.lang", "Compilation", "CompilationMXBean" },
	{ "java.lang", "GarbageCollector", "GarbageCollectorMXBean" },
	{ "java.lang", "GarbageCollector", "MemoryManagerMXBean" },
	{ "java.lang", "GarbageCollector",
	  "com.sun.management.GarbageCollectorMXBean" },
	{ "java.lang", "Memory", "MemoryMXBean" },
	{ "java.lang", "MemoryManager", "MemoryManagerMXBean" },
	{ "java.lang", "MemoryPool", "MemoryPoolMXBean" },
	{ "java.lang", "OperatingSystem", "OperatingSystemMXBean" },
	{ "java.lang", "OperatingSystem",
	  "com.sun.management.OperatingSystemMXBean" },
	{ "java.lang", "OperatingSystem",
	  "com.sun.management.UnixOperatingSystemMXBean" },
	{ "java.lang", "Runtime", "RuntimeMXBean" },
	{ "java.lang", "Threading", "ThreadMXBean" },
	{ "java.lang", "Threading", "com.sun.management.ThreadMXBean" },
	{ "java.nio", "BufferPool", "BufferPoolMXBean" },
	{ "java.util.logging", "Logging", "PlatformLoggingMXBean" },
	{ "java.util.logging", "Logging", "java.util.logging.LoggingMXBean" },
	{ "com.sun.management", "HotSpotDiagnostic",
	  "com.sun.management.HotSpotDiagnosticMXBean" },
	{ "jdk.management.jfr", "FlightRecorder",
	  "jdk.management.jfr.FlightRecorderMXBean" },
};
/* clang-format on */

#define PLATFORM_PACKAGE "java.lang.management."

/* Short names in the table are those of PLATFORM_PACKAGE. */
static bool platform_is_interface(const char *interface, const char *class)
{
	size_t len = strlen(PLATFORM_PACKAGE);

	if (strchr(interface, '.'))
		return strcmp(interface, class) == 0;
	return strncmp(class, PLATFORM_PACKAGE, len) == 0 &&
	       (strcmp(class + len, interface) == 0 ||
		strcmp(class + len, "PlatformManagedObject") == 0);
}

/* Only HotSpot's MBeans have HotSpot's interfaces, and not all on Windows. */
static bool platform_may_have(const struct jmx_info *info, const char *class)
{
	if (strncmp(class, "com.sun.management.", 19) != 0)
		return true;
	if (strncmp(info->class, "sun.management.", 15) != 0 &&
	    strncmp(info->class, "com.sun.management.", 19) != 0)
		return false;
	return !strstr(class, ".Unix") ||
	       *info_attribute_type(info, "OpenFileDescriptorCount");
}

static bool platform_implements(const struct object_name *name,
				const char *class)
{
	const char *type = object_name_property(name, "type");
	size_t count = sizeof(platform_interfaces) /
		       sizeof(*platform_interfaces);

	for (size_t i = 0; type && i < count; i++)
		if (strcmp(platform_interfaces[i].domain, name->domain) == 0 &&
		    strcmp(platform_interfaces[i].type, type) == 0 &&
		    platform_is_interface(platform_interfaces[i].interface,
					  class))
			return true;
	return false;
}

static bool info_is_instance_of(const struct jmx_info *info, const char *text,
				const char *class)
{
	struct object_name name;
	bool is;

	if (strcmp(class, info->class) == 0 ||
	    strcmp(class, "java.lang.Object") == 0)
		return true;
	if (strcmp(class, "javax.management.NotificationBroadcaster") == 0 ||
	    strcmp(class, "javax.management.NotificationEmitter") == 0)
		return info->notification_count > 0;
	if (object_name_parse(&name, text, strlen(text), error_unused()))
		return false;
	is = platform_implements(&name, class) &&
	     platform_may_have(info, class);
	object_name_release(&name);
	return is;
}

static void server_is_instance_of(struct rmi_server *s)
{
	const char *name;
	const struct jmx_info *info = server_info_of_argument(s, &name);
	const char *class = server_text(s, rmi_server_argument(s, 1));

	if (info)
		server_return_boolean(
			s, class && info_is_instance_of(info, name, class));
}

static void server_is_registered(struct rmi_server *s)
{
	const char *name = server_name(s, rmi_server_argument(s, 0));
	const char **names;
	size_t count;

	if (!name)
		rmi_reply_throw(&s->out, &java_shape_illegal_argument_exception,
				"sjkc: the MBean is null");
	else if (server_search(s, name, &names, &count))
		server_return_boolean(s, count > 0);
}

static void server_get_mbean_count(struct rmi_server *s)
{
	const struct jmx_request q = { .verb = JMX_COUNT };
	struct single single;

	if (server_run(s, &q, &s->arena, &single))
		server_return_value(s, single.value, "java.lang.Integer");
}

static int domain_compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void server_get_domains(struct rmi_server *s)
{
	struct java_output o;
	const char **names;
	size_t count, domains = 0;

	if (!server_search(s, NULL, &names, &count))
		return;
	for (size_t i = 0; i < count; i++)
		names[i] = arena_copy(&s->arena, names[i],
				      strcspn(names[i], ":"));
	qsort(names, count, sizeof(*names), domain_compare);
	for (size_t i = 0; i < count; i++)
		if (!domains || strcmp(names[domains - 1], names[i]) != 0)
			names[domains++] = names[i];
	o = rmi_reply_begin(&s->out);
	java_output_strings(&o, names, domains);
	java_output_release(&o);
}

/*
 * Jolokia does not provide the default domain, which nearly no JVM changes.
 * Clients call this method to check the connection, so it reads an attribute.
 */
static void server_get_default_domain(struct rmi_server *s)
{
	static const char *const names[] = { "MBeanServerId" };
	const struct jmx_request q = {
		.verb = JMX_GET,
		.object = DELEGATE,
		.names = names,
		.name_count = 1,
	};
	struct single single;
	struct error err;

	single = (struct single){ .arena = &s->arena };
	if (jmx_run(s->jmx, &q, 1, single_take, &single, &err))
		rmi_reply_error(&s->out, &err);
	else
		rmi_reply_text(&s->out, DEFAULT_DOMAIN);
}

/* RMIConnection: notifications, which are unsupported */

static void server_add_listeners(struct rmi_server *s)
{
	const struct java_value *names = rmi_server_argument(s, 0);
	size_t count = names->kind == JAVA_ARRAY ? names->array.elements.count
						 : 0;
	struct java_output o;

	for (size_t i = 0; i < count; i++) {
		const char *name = server_name(s, names->array.elements.at[i]);

		if (name && !server_info(s, name))
			return;
	}
	o = rmi_reply_begin(&s->out);
	java_output_array(&o, "[Ljava.lang.Integer;", (uint32_t)count);
	for (size_t i = 0; i < count; i++) {
		java_output_object(&o, &java_shape_integer);
		java_write_u32(o.out, rmi_sessions_next(s->options->sessions));
	}
	java_output_release(&o);
}

/* Waits until the timeout, or until the client closes the connection. */
static void server_wait(struct rmi_server *s, int64_t timeout_ms)
{
	struct pollfd p = { .fd = s->fd, .events = POLLRDHUP };

	if (timeout_ms > FETCH_MS_MAX)
		timeout_ms = FETCH_MS_MAX;
	if (timeout_ms > 0)
		poll(&p, 1, (int)timeout_ms);
}

/* The primitive arguments: sequence number, maximum number, timeout in ms. */
static void server_fetch(struct rmi_server *s)
{
	struct cursor c = cursor_over(s->request.primitives.at,
				      s->request.primitives.len);
	int64_t sequence = (int64_t)cursor_u64(&c), timeout_ms;
	struct java_output o;

	cursor_skip(&c, 4);
	timeout_ms = (int64_t)cursor_u64(&c);
	/* A negative sequence number asks for the next one. */
	if (sequence >= 0)
		server_wait(s, timeout_ms);
	if (sequence < 0)
		sequence = 0;
	o = rmi_reply_begin(&s->out);
	java_output_object(&o, &java_shape_notification_result);
	java_write_u64(o.out, (uint64_t)sequence);
	java_write_u64(o.out, (uint64_t)sequence);
	java_output_array(&o, "[Ljavax.management.remote.TargetedNotification;",
			  0);
	java_output_release(&o);
}

void rmi_server_forget_beans(struct rmi_server *s)
{
	for (size_t i = 0; i < BEANS_KEPT; i++)
		bean_release(&s->beans[i]);
}

static void server_do_nothing(struct rmi_server *s) { rmi_reply_void(&s->out); }

rmi_server_fn *const rmi_server_methods[JMX_METHODS] = {
	[JMX_GET_ATTRIBUTE] = server_get_attribute,
	[JMX_GET_ATTRIBUTES] = server_get_attributes,
	[JMX_GET_DEFAULT_DOMAIN] = server_get_default_domain,
	[JMX_GET_DOMAINS] = server_get_domains,
	[JMX_GET_MBEAN_COUNT] = server_get_mbean_count,
	[JMX_GET_MBEAN_INFO] = server_get_mbean_info,
	[JMX_GET_OBJECT_INSTANCE] = server_get_object_instance,
	[JMX_IS_REGISTERED] = server_is_registered,
	[JMX_IS_INSTANCE_OF] = server_is_instance_of,
	[JMX_QUERY_NAMES] = server_query_names,
	[JMX_QUERY_MBEANS] = server_query_mbeans,
	[JMX_FETCH_NOTIFICATIONS] = server_fetch,
	[JMX_ADD_LISTENERS] = server_add_listeners,
	[JMX_REMOVE_LISTENERS] = server_do_nothing,
	[JMX_CLEAN] = server_do_nothing,
	[JMX_SET_ATTRIBUTE] = server_set_attribute,
	[JMX_SET_ATTRIBUTES] = server_set_attributes,
	[JMX_INVOKE_OPERATION] = server_invoke,
};
