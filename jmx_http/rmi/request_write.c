/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the message of a client again, from its values.
 *
 * A JVM that fails while it reads an argument replies with an exception, and
 * takes the next byte for the beginning of another message
 * (sun.rmi.transport.tcp.TCPTransport.handleMessages).  It can fail at each
 * object, string and array, for instance because a serial filter rejects it or
 * memory is exhausted.  The next byte is never that of a call, because only
 * three kinds of foreign bytes remain:
 *
 *	strings              50 AC, the first bytes of a call, are not UTF-8
 *	MarshalledObject     the JVM reads the array at once or not at all, and
 *	                     no message begins with the first byte, AC
 *	numbers, ObjID       at most 22 bytes in a row, fewer than a call has
 *
 * A number or a string may begin like a ping or an acknowledgement, which
 * skips 14 bytes, so a JVM that failed may go on at later bytes.  Only the
 * length of an array can continue 50 AC ED, before the bytes of a
 * MarshalledObject.  The first descriptor of a MarshalledObject in the message
 * ends each such chain: it has more than 14 bytes without the first byte of a
 * message.
 */
#include "core/base/alloc.h"
#include "jmx_http/java/java_shapes.h"
#include "jmx_http/java/java_writer.h"
#include "jmx_http/rmi/request.h"

#include <string.h>

/* Beyond the limits of received messages, for the writer's own bytes. */
#define SPARE_LEN     4096
#define OBJECT_LEN    512 /* a small object with its descriptors */

#define VMID_LEN_MAX  16 /* bytes of an address in a VMID; JVMs write 8 */
#define STREAM_HEADER "\xac\xed\0\5"

#define OTHER_CLASS                                                            \
	"the call contains an object of a class that JMX methods do not use"

struct writer {
	struct java_output to;
	size_t max;
	const char *wrong;
};

static void writer_fail(struct writer *w, const char *why)
{
	if (!w->wrong)
		w->wrong = why;
}

/* False if len further bytes exceed the limit. */
static bool writer_has_room(struct writer *w, size_t len)
{
	if (w->to.out->len + len > w->max)
		writer_fail(w, "the call is too large without references to "
			       "its repeated objects");
	return !w->wrong;
}

static bool value_is(const struct java_value *v, const struct java_shape *shape)
{
	return v->kind == JAVA_OBJECT &&
	       java_bytes_are(v->object.class->name, shape->name);
}

static void write_string(struct writer *w, const struct java_value *v)
{
	if (v->kind != JAVA_STRING)
		writer_fail(w, OTHER_CLASS);
	else if (writer_has_room(w, v->bytes.len) &&
		 !java_output_modified(&w->to, v->bytes))
		writer_fail(w, "the call contains a string that is not "
			       "modified UTF-8");
}

/* ObjectName.writeObject() writes only the text of the name. */
static const struct java_value *name_text(const struct java_value *v)
{
	const struct java_part *part = java_part_of(
		v, java_shape_object_name.name);

	return part && part->annotations.count ? part->annotations.at[0]
					       : &java_null;
}

struct java_bytes request_object_name(const struct java_value *v)
{
	return java_string_of(name_text(v));
}

static void write_object_name(struct writer *w, const struct java_value *v)
{
	if (!value_is(v, &java_shape_object_name)) {
		writer_fail(w, OTHER_CLASS);
		return;
	}
	java_output_object(&w->to, &java_shape_object_name);
	write_string(w, name_text(v));
	java_write_end(w->to.out);
}

const struct java_value *request_marshalled(const struct java_value *v)
{
	const struct java_value *bytes = java_field_of(v, "objBytes");

	if (!value_is(v, &java_shape_marshalled) || !bytes)
		return NULL;
	if (bytes->kind == JAVA_NULL)
		return bytes;
	return bytes->kind == JAVA_ARRAY && bytes->array.type == 'B' &&
			       bytes->array.count > strlen(STREAM_HEADER) &&
			       memcmp(bytes->array.raw, STREAM_HEADER, 4) == 0
		       ? bytes
		       : NULL;
}

static void write_bytes(struct writer *w, const struct java_array *a)
{
	if (!writer_has_room(w, a->count))
		return;
	java_output_array(&w->to, "[B", (uint32_t)a->count);
	text_add(w->to.out, a->raw, a->count);
}

/*
 * Receivers ignore the hash, and by default the code bases in locBytes
 * (java.rmi.server.useCodebaseOnly).
 */
static void write_marshalled(struct writer *w, const struct java_value *v)
{
	const struct java_value *bytes = request_marshalled(v);

	if (!bytes) {
		writer_fail(w, OTHER_CLASS);
		return;
	}
	java_output_object(&w->to, &java_shape_marshalled);
	java_write_u32(w->to.out, 0);
	java_write_null(w->to.out);
	if (bytes->kind == JAVA_NULL)
		java_write_null(w->to.out);
	else
		write_bytes(w, &bytes->array);
}

static void write_subject(struct writer *w, const struct java_value *v)
{
	(void)v;
	writer_fail(w, "the proxy does not support delegation subjects");
}

static void write_integer(struct writer *w, const struct java_value *v)
{
	const struct java_value *value = java_field_of(v, "value");

	if (!value_is(v, &java_shape_integer) || !value || value->type != 'I') {
		writer_fail(w, OTHER_CLASS);
		return;
	}
	java_output_object(&w->to, &java_shape_integer);
	java_write_u32(w->to.out, (uint32_t)value->integer);
}

/* bytes: unique (4), time (8), count (2), in the order of an ObjID. */
static void write_uid_bytes(struct writer *w, const uint8_t *bytes)
{
	java_output_object(&w->to, &java_shape_uid);
	text_add(w->to.out, bytes + 12, 2);
	text_add(w->to.out, bytes + 4, 8);
	text_add(w->to.out, bytes, 4);
}

static void write_object_id(struct writer *w, const struct java_value *v)
{
	struct jrmp_id id;

	if (!value_is(v, &java_shape_object_id)) {
		writer_fail(w, OTHER_CLASS);
		return;
	}
	request_object_id(v, &id);
	java_output_object(&w->to, &java_shape_object_id);
	text_add(w->to.out, id.bytes, 8);
	write_uid_bytes(w, id.bytes + 8);
}

static void write_vmid(struct writer *w, const struct java_value *v)
{
	const struct java_value *address = java_field_of(v, "addr");
	const struct java_value *uid = java_field_of(v, "uid");
	uint8_t bytes[14];

	if (!value_is(v, &java_shape_vmid) || !address ||
	    address->kind != JAVA_ARRAY || address->array.type != 'B' ||
	    address->array.count > VMID_LEN_MAX || !uid ||
	    !value_is(uid, &java_shape_uid)) {
		writer_fail(w, OTHER_CLASS);
		return;
	}
	request_uid(uid, bytes);
	java_output_object(&w->to, &java_shape_vmid);
	write_bytes(w, &address->array);
	write_uid_bytes(w, bytes);
}

static void write_object(struct writer *w, const char *type,
			 const struct java_value *v);

static void write_lease(struct writer *w, const struct java_value *v)
{
	const struct java_value *value = java_field_of(v, "value");
	const struct java_value *vmid = java_field_of(v, "vmid");

	if (!value_is(v, &java_shape_lease) || !value || value->type != 'J' ||
	    !vmid) {
		writer_fail(w, OTHER_CLASS);
		return;
	}
	java_output_object(&w->to, &java_shape_lease);
	java_write_u64(w->to.out, (uint64_t)value->integer);
	write_object(w, "Ljava/rmi/dgc/VMID;", vmid);
}

/*
 * Only Strings: older JVMs create other objects before they check the password
 * (CVE-2016-3427).
 */
static void write_credentials(struct writer *w, const struct java_value *v)
{
	bool is_array = v->kind == JAVA_ARRAY;

	write_object(w, is_array ? "[Ljava/lang/String;" : "Ljava/lang/String;",
		     v);
	if (w->wrong)
		w->wrong = "credentials must be a user name and a password";
}

/* Arguments of methods; the types of arrays are the same without '['. */
/* clang-format off */
static const struct {
	const char *type;
	void (*write)(struct writer *w, const struct java_value *v);
} writers[] = {
	{ "Ljavax/management/ObjectName;", write_object_name },
	{ "Ljava/lang/String;", write_string },
	{ "Ljavax/security/auth/Subject;", write_subject },
	{ "Ljava/rmi/MarshalledObject;", write_marshalled },
	{ "Ljava/lang/Integer;", write_integer },
	{ "Ljava/lang/Object;", write_credentials }, /* of newClient() */
	{ "Ljava/rmi/server/ObjID;", write_object_id },
	{ "Ljava/rmi/dgc/Lease;", write_lease },
	{ "Ljava/rmi/dgc/VMID;", write_vmid },
};
/* clang-format on */

static void write_array(struct writer *w, const char *type,
			const struct java_value *v)
{
	size_t len = strcspn(type, ";") + 1;
	char name[64] = { 0 };

	for (size_t i = 0; i < len && i + 1 < sizeof(name); i++)
		name[i] = type[i] == '/' ? '.' : type[i];
	if (v->kind != JAVA_ARRAY ||
	    !java_bytes_are(v->array.class->name, name)) {
		writer_fail(w, OTHER_CLASS);
		return;
	}
	java_output_array(&w->to, name, (uint32_t)v->array.count);
	for (size_t i = 0; !w->wrong && i < v->array.count; i++)
		write_object(w, type + 1, v->array.elements.at[i]);
}

/* Writes an object of the type that a descriptor begins with. */
static void write_object(struct writer *w, const char *type,
			 const struct java_value *v)
{
	size_t i = 0, count = sizeof(writers) / sizeof(*writers);

	if (!writer_has_room(w, OBJECT_LEN))
		return;
	if (v->kind == JAVA_NULL) {
		java_write_null(w->to.out);
		return;
	}
	if (type[0] == '[') {
		write_array(w, type, v);
		return;
	}
	while (i < count &&
	       strncmp(type, writers[i].type, strlen(writers[i].type)) != 0)
		i++;
	if (i < count)
		writers[i].write(w, v);
	else
		writer_fail(w, OTHER_CLASS);
}

static void write_block(struct writer *w, struct java_bytes bytes)
{
	java_write_block(w->to.out, (uint8_t)bytes.len);
	text_add(w->to.out, bytes.at, bytes.len);
}

static void write_call(struct writer *w, const struct request *r)
{
	const struct method *m = r->method;
	const char *type = m->descriptor + 1;

	jrmp_add_call_with(w->to.out, &r->object, m->operation, m->hash,
			   r->primitives.at, (uint8_t)r->primitives.len);
	for (size_t i = 0; !w->wrong && i < r->argument_count; i++) {
		const struct java_value *v = r->arguments[i];

		if (v->kind == JAVA_BLOCK) {
			write_block(w, v->bytes);
			continue;
		}
		type += strcspn(type, "L[");
		write_object(w, type, v);
		type = strchr(type, ';') + 1;
	}
}

void request_write(struct request *r)
{
	struct writer w = {
		.to = { .out = &r->message, .dialect = JAVA_OF_RMI },
		.max = (r->is_trusted ? REQUEST_BYTES_MAX
				      : REQUEST_EARLY_BYTES_MAX) +
		       SPARE_LEN,
	};

	if (r->kind != REQUEST_CALL) {
		text_add(&r->message, r->bytes.bytes, r->bytes.len);
		return;
	}
	/* The values have copies of all bytes. */
	if (request_is_login(r))
		explicit_bzero(r->bytes.bytes, r->bytes.cap);
	text_release(&r->bytes);
	/* A growing buffer would leave copies of a password in memory. */
	array_reserve(r->message.bytes, r->message.cap,
		      request_is_login(r) ? w.max + 1 : r->used + OBJECT_LEN);
	write_call(&w, r);
	java_output_release(&w.to);
	r->objection = w.wrong;
	if (w.wrong)
		text_clear(&r->message);
}
