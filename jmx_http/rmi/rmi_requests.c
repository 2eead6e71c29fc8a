/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/rmi/rmi_requests.h"

#include "jmx_http/java/java_objects.h"
#include "jmx_http/value/object_name.h"

#include <string.h>

static const struct java_shape attribute = {
	.name = "javax.management.Attribute",
	.suid = 0x2279b907538b3b0e,
	.flags = JAVA_SERIALIZABLE,
	.fields = { { 'L', "name", "Ljava/lang/String;" },
		    { 'L', "value", "Ljava/lang/Object;" } },
};

typedef int add_fn(struct text *out, const struct jmx_request *q, size_t name,
		   struct error *err);

static int add_query(struct text *out, const struct jmx_request *q, size_t name,
		     struct error *err)
{
	(void)name, (void)err;
	java_write_object_name(out, q->object, JAVA_OF_RMI);
	java_write_null(out); /* no QueryExp */
	return 0;
}

static int add_info(struct text *out, const struct jmx_request *q, size_t name,
		    struct error *err)
{
	(void)name, (void)err;
	java_write_object_name(out, q->object, JAVA_OF_RMI);
	return 0;
}

static int add_get(struct text *out, const struct jmx_request *q, size_t name,
		   struct error *err)
{
	(void)err;
	java_write_object_name(out, q->object, JAVA_OF_RMI);
	if (name == RMI_WHOLE)
		java_write_strings(out, q->names, q->name_count, JAVA_OF_RMI);
	else
		java_write_text(out, q->names[name]);
	return 0;
}

static int write_argument(struct text *out, const struct jmx_request *q,
			  size_t i, struct error *err)
{
	if (java_write_value(out, q->arguments[i], q->signature[i], err))
		return fail_in(err, "argument %zu of %.100s", i + 1,
			       q->names[0]);
	return 0;
}

static int add_set(struct text *out, const struct jmx_request *q, size_t name,
		   struct error *err)
{
	struct text stream = { 0 };
	int status;

	(void)name;
	java_write_header(&stream);
	java_write_object(&stream, &attribute, JAVA_PLAIN);
	java_write_text(&stream, q->names[0]);
	status = write_argument(&stream, q, 0, err);
	java_write_object_name(out, q->object, JAVA_OF_RMI);
	java_write_marshalled(out, &stream);
	text_release(&stream);
	return status;
}

static int write_arguments(struct text *out, const struct jmx_request *q,
			   struct error *err)
{
	struct text stream = { 0 };
	int status = 0;

	java_write_header(&stream);
	java_write_array(&stream, "[Ljava.lang.Object;",
			 (uint32_t)q->argument_count, JAVA_PLAIN);
	for (size_t i = 0; status == 0 && i < q->argument_count; i++)
		status = write_argument(&stream, q, i, err);
	java_write_marshalled(out, &stream);
	text_release(&stream);
	return status;
}

static int add_invoke(struct text *out, const struct jmx_request *q,
		      size_t name, struct error *err)
{
	(void)name;
	java_write_object_name(out, q->object, JAVA_OF_RMI);
	java_write_text(out, q->names[0]);
	if (!q->argument_count) {
		java_write_null(out);
		java_write_null(out);
		return 0;
	}
	if (write_arguments(out, q, err))
		return -1;
	java_write_strings(out, q->signature, q->argument_count, JAVA_OF_RMI);
	return 0;
}

static int add_nothing(struct text *out, const struct jmx_request *q,
		       size_t name, struct error *err)
{
	(void)out, (void)q, (void)name, (void)err;
	return 0;
}

/* clang-format off */
static const struct {
	enum jmx_method method;
	add_fn *add;
	bool is_read;
} calls[] = {
	[JMX_QUERY] = { JMX_QUERY_NAMES, add_query, true },
	[JMX_INFO] = { JMX_GET_MBEAN_INFO, add_info, true },
	[JMX_GET] = { JMX_GET_ATTRIBUTES, add_get, true },
	[JMX_SET] = { JMX_SET_ATTRIBUTE, add_set, false },
	[JMX_INVOKE] = { JMX_INVOKE_OPERATION, add_invoke, false },
	[JMX_COUNT] = { JMX_GET_MBEAN_COUNT, add_nothing, true },
};
/* clang-format on */

/* A JVM would close the connection on one that is none. */
static int check_name(const struct jmx_request *q, struct error *err)
{
	struct object_name name;

	if (!q->object)
		return 0;
	if (object_name_parse(&name, q->object, strlen(q->object), err))
		return -1;
	object_name_release(&name);
	return 0;
}

int rmi_request_add(struct text *out, const struct jrmp_id *session,
		    const struct jmx_request *q, size_t name, struct error *err)
{
	if (check_name(q, err))
		return -1;
	jmx_add_call(out, session,
		     name == RMI_WHOLE ? calls[q->verb].method
				       : JMX_GET_ATTRIBUTE);
	if (calls[q->verb].add(out, q, name, err))
		return -1;
	java_write_null(out); /* for nobody but ourselves */
	return 0;
}

bool rmi_request_is_void(const struct jmx_request *q)
{
	return method_is_void(calls[q->verb].method);
}

bool rmi_request_is_read(const struct jmx_request *q)
{
	return calls[q->verb].is_read;
}
