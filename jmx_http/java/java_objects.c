/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/java/java_objects.h"

#include <string.h>

static const struct java_shape object_name = {
	.name = "javax.management.ObjectName",
	.suid = 0x0f03a71beb6d15cf,
	.flags = JAVA_SERIALIZABLE | JAVA_WRITE_METHOD,
};

static const struct java_shape marshalled_object = {
	.name = "java.rmi.MarshalledObject",
	.suid = 0x7cbd1e97ed63fc3e,
	.flags = JAVA_SERIALIZABLE,
	.fields = { { 'I', "hash", NULL },
		    { '[', "locBytes", "[B" },
		    { '[', "objBytes", "[B" } },
};

void java_write_text(struct text *out, const char *utf8)
{
	if (utf8)
		java_write_string(out, utf8, strlen(utf8));
	else
		java_write_null(out);
}

void java_write_object_name(struct text *out, const char *name,
			    enum java_dialect dialect)
{
	if (!name) {
		java_write_null(out);
		return;
	}
	java_write_object(out, &object_name, dialect);
	java_write_text(out, name);
	java_write_end(out);
}

void java_write_strings(struct text *out, const char *const *strings,
			size_t count, enum java_dialect dialect)
{
	java_write_array(out, "[Ljava.lang.String;", (uint32_t)count, dialect);
	for (size_t i = 0; i < count; i++)
		java_write_text(out, strings[i]);
}

/* The hash is of no meaning to who receives it. */
void java_write_marshalled(struct text *out, const struct text *stream)
{
	java_write_object(out, &marshalled_object, JAVA_OF_RMI);
	java_write_u32(out, 0);
	java_write_null(out);
	java_write_array(out, "[B", (uint32_t)stream->len, JAVA_OF_RMI);
	text_add(out, stream->bytes, stream->len);
}
