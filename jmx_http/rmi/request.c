/* SPDX-License-Identifier: Apache-2.0 */
/* Parses calls by the method table, within the limits of the client. */
#include "jmx_http/rmi/request.h"

#include "core/base/alloc.h"
#include "core/base/cursor.h"

#include <string.h>

#define HEAD_LEN (JRMP_ID_LEN + 4 + 8)

bool request_is_dgc(const struct jrmp_id *id)
{
	static const struct jrmp_id dgc = { { 0, 0, 0, 0, 0, 0, 0, 2 } };

	return memcmp(id, &dgc, sizeof(dgc)) == 0;
}

static enum request_status request_fail(struct request *r, const char *what)
{
	r->wrong = what;
	return REQUEST_WRONG;
}

static const struct method *request_find_method(const struct jrmp_id *object,
						int32_t operation,
						uint64_t hash)
{
	if (memcmp(object, &jrmp_registry, sizeof(*object)) == 0)
		return method_find(METHOD_OF_REGISTRY, operation, hash);
	if (request_is_dgc(object))
		return method_find(METHOD_OF_DGC, operation, hash);
	return operation == -1 ? method_find_jmx(hash) : NULL;
}

/* Reads the head: object, operation, hash, and primitive arguments. */
static enum request_status request_read_head(struct request *r,
					     const struct java_value *v)
{
	struct cursor c;
	int32_t operation;
	uint64_t hash;

	if (v->kind != JAVA_BLOCK || v->bytes.len < HEAD_LEN)
		return request_fail(r,
				    "the client sent a call without a header");
	c = cursor_over(v->bytes.at, v->bytes.len);
	memcpy(r->object.bytes, cursor_bytes(&c, JRMP_ID_LEN), JRMP_ID_LEN);
	operation = (int32_t)cursor_u32(&c);
	hash = cursor_u64(&c);
	r->method = request_find_method(&r->object, operation, hash);
	if (!r->method)
		return request_fail(
			r,
			"the client called a method that is not part of JMX");
	if (cursor_left(&c) != r->method->primitives)
		return request_fail(
			r, "the client sent a call with wrong arguments");
	r->primitives = (struct java_bytes){ v->bytes.at + HEAD_LEN,
					     cursor_left(&c) };
	r->has_head = true;
	return REQUEST_MORE;
}

static enum request_status request_read_argument(struct request *r,
						 const struct java_value *v)
{
	char wanted = r->method->arguments[r->argument_count];
	bool fits = wanted == 'o'
			    ? v->kind != JAVA_BLOCK
			    : v->kind == JAVA_BLOCK &&
				      v->bytes.len == (size_t)(wanted - '0');

	if (!fits)
		return request_fail(
			r, "the client sent a call with wrong arguments");
	r->arguments[r->argument_count++] = v;
	return REQUEST_MORE;
}

static enum request_status request_read_call(struct request *r)
{
	const struct java_value *v = NULL;
	enum request_status status = REQUEST_MORE;
	enum java_status got;
	size_t used;

	while (status == REQUEST_MORE) {
		if (r->has_head && !r->method->arguments[r->argument_count])
			return REQUEST_WHOLE;
		got = java_stream_read(&r->stream, r->bytes.bytes + r->used,
				       r->bytes.len - r->used, &used, &v);
		r->used += used;
		if (got == JAVA_MORE)
			return REQUEST_MORE;
		if (got == JAVA_WRONG)
			return request_fail(r, r->stream.wrong);
		if (got == JAVA_ABORTED)
			return REQUEST_ENDED;
		status = r->has_head ? request_read_argument(r, v)
				     : request_read_head(r, v);
	}
	return status;
}

static enum request_status request_begin(struct request *r, uint8_t tag)
{
	r->used = 1;
	r->stream.memory_max = REQUEST_EARLY_MEMORY_MAX;
	switch (tag) {
	case JRMP_CALL:
		r->kind = REQUEST_CALL;
		return REQUEST_MORE;
	case JRMP_PING:
		r->kind = REQUEST_PING;
		return REQUEST_WHOLE;
	case JRMP_DGC_ACK:
		r->kind = REQUEST_DGC_ACK;
		return REQUEST_MORE;
	default:
		return request_fail(
			r, "the client sent an unknown kind of message");
	}
}

static enum request_status request_continue(struct request *r)
{
	enum request_status status = REQUEST_MORE;

	if (r->kind == REQUEST_NONE && r->bytes.len)
		status = request_begin(r, (uint8_t)r->bytes.bytes[0]);
	if (status != REQUEST_MORE)
		return status;
	if (r->kind == REQUEST_CALL)
		return request_read_call(r);
	if (r->kind == REQUEST_NONE || r->bytes.len < 1 + JRMP_ACK_LEN)
		return REQUEST_MORE;
	r->used = 1 + JRMP_ACK_LEN;
	return REQUEST_WHOLE;
}

void request_trust(struct request *r)
{
	r->is_trusted = true;
	r->stream.memory_max = REQUEST_MEMORY_MAX;
}

bool request_is_login(const struct request *r)
{
	return r->method && r->method->is_login;
}

size_t request_memory(const struct request *r)
{
	return r->bytes.cap + r->message.cap + r->stream.arena.total;
}

static const char *request_length_objection(const struct request *r)
{
	if (r->is_trusted)
		return r->bytes.len > REQUEST_BYTES_MAX
			       ? "the client's message is larger than 16 MiB"
			       : NULL;
	return r->bytes.len > REQUEST_EARLY_BYTES_MAX
		       ? "the client's message is larger than 48 KiB, the "
			 "limit before a login"
		       : NULL;
}

enum request_status request_read(struct request *r, const void *bytes,
				 size_t len, size_t *used)
{
	size_t before = r->bytes.len;
	enum request_status status;

	*used = 0;
	if (r->wrong)
		return REQUEST_WRONG;
	/* A growing buffer would leave copies of the password in memory. */
	if (request_is_login(r))
		array_reserve(r->bytes.bytes, r->bytes.cap,
			      REQUEST_EARLY_BYTES_MAX + len);
	text_add(&r->bytes, bytes, len);
	status = request_continue(r);
	*used = len;
	if (status == REQUEST_MORE && request_length_objection(r))
		return request_fail(r, request_length_objection(r));
	if (status == REQUEST_WHOLE) {
		/* The rest belongs to the next message. */
		*used = r->used - before;
		r->bytes.len = r->used;
	}
	return status;
}

void request_release(struct request *r)
{
	if (request_is_login(r)) {
		if (r->bytes.cap)
			explicit_bzero(r->bytes.bytes, r->bytes.cap);
		if (r->message.cap)
			explicit_bzero(r->message.bytes, r->message.cap);
		arena_wipe(&r->stream.arena);
	}
	java_stream_release(&r->stream);
	text_release(&r->bytes);
	text_release(&r->message);
	*r = (struct request){ 0 };
}

static uint64_t request_integer_field(const struct java_value *object,
				      const char *name)
{
	const struct java_value *v = java_field_of(object, name);

	return v && v->kind == JAVA_INTEGER ? (uint64_t)v->integer : 0;
}

static void id_put(uint8_t *to, uint64_t value, size_t len)
{
	while (len--) {
		to[len] = (uint8_t)value;
		value >>= 8;
	}
}

void request_uid(const struct java_value *v, uint8_t bytes[14])
{
	id_put(bytes, request_integer_field(v, "unique"), 4);
	id_put(bytes + 4, request_integer_field(v, "time"), 8);
	id_put(bytes + 12, request_integer_field(v, "count"), 2);
}

/* Encodes the ObjID as java.rmi.server.ObjID.write(). */
void request_object_id(const struct java_value *v, struct jrmp_id *id)
{
	id_put(id->bytes, request_integer_field(v, "objNum"), 8);
	request_uid(java_field_of(v, "space"), id->bytes + 8);
}

bool request_dgc_id(const struct request *r, size_t *at, struct jrmp_id *id)
{
	const struct java_value *list = r->argument_count ? r->arguments[0]
							  : NULL;

	if (!list || list->kind != JAVA_ARRAY ||
	    *at >= list->array.elements.count)
		return false;
	request_object_id(list->array.elements.at[(*at)++], id);
	return true;
}
