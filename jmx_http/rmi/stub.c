/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the reference that java.rmi.server.RemoteObject writes. */
#include "jmx_http/rmi/stub.h"

#include "core/base/cursor.h"

#include <string.h>

/* UnicastRef2: the byte after the class name. */
enum {
	STUB_WITHOUT_FACTORY = 0,
	STUB_WITH_FACTORY = 1,
};

static struct java_bytes stub_read_utf(struct cursor *c)
{
	uint16_t len = cursor_u16(c);
	const uint8_t *bytes = cursor_bytes(c, len);

	if (!bytes)
		return (struct java_bytes){ "", 0 };
	return (struct java_bytes){ (const char *)bytes, len };
}

/* False for an invalid endpoint. */
static bool stub_read_endpoint(struct cursor *c, struct stub *stub)
{
	struct java_bytes host = stub_read_utf(c);
	uint32_t port = cursor_u32(c);

	if (!cursor_ok(c) || host.len > JRMP_HOST_MAX || !port ||
	    port > UINT16_MAX || memchr(host.at, 0, host.len))
		return false;
	stub->names_no_host = !host.len;
	if (stub->names_no_host)
		host = (struct java_bytes){ STUB_LOOPBACK,
					    strlen(STUB_LOOPBACK) };
	memcpy(stub->host, host.at, host.len);
	stub->host[host.len] = '\0';
	stub->port = (uint16_t)port;
	return true;
}

static bool stub_read_id(struct cursor *c, struct stub *stub)
{
	const uint8_t *id = cursor_bytes(c, JRMP_ID_LEN);

	stub->is_result = cursor_u8(c) != 0;
	if (!cursor_ok(c) || cursor_left(c))
		return false;
	memcpy(stub->id.bytes, id, JRMP_ID_LEN);
	return true;
}

/* The factory is an object of any class between two blocks of data. */
static bool stub_read_factory(const struct java_list *written,
			      struct stub *stub, struct cursor *c)
{
	if (cursor_left(c) || written->count != 3 ||
	    written->at[2]->kind != JAVA_BLOCK)
		return false;
	stub->factory = java_class_name_of(written->at[1]);
	stub->end = written->at[2]->block.end;
	*c = cursor_over(written->at[2]->bytes.at, written->at[2]->bytes.len);
	return written->at[1]->kind == JAVA_OBJECT ||
	       written->at[1]->kind == JAVA_NULL;
}

static bool stub_read_reference(const struct java_list *written,
				struct stub *stub)
{
	struct cursor c;
	uint8_t format = STUB_WITHOUT_FACTORY;

	if (!written->count || written->at[0]->kind != JAVA_BLOCK)
		return false;
	c = cursor_over(written->at[0]->bytes.at, written->at[0]->bytes.len);
	stub->reference = stub_read_utf(&c);
	if (java_bytes_are(stub->reference, "UnicastRef2"))
		format = cursor_u8(&c);
	else if (!java_bytes_are(stub->reference, "UnicastRef"))
		return false;
	if (format > STUB_WITH_FACTORY || !stub_read_endpoint(&c, stub))
		return false;
	stub->begin = written->at[0]->block.begin;
	stub->block_end = written->at[0]->block.end;
	stub->end = stub->block_end;
	if (format == STUB_WITH_FACTORY &&
	    !stub_read_factory(written, stub, &c))
		return false;
	return stub_read_id(&c, stub);
}

int stub_of(const struct java_value *v, struct stub *stub, struct error *err)
{
	static const char remote_object[] = "java.rmi.server.RemoteObject";
	const struct java_part *part = java_part_of(v, remote_object);

	*stub = (struct stub){
		.class = java_class_name_of(v),
		.factory = { "", 0 },
	};
	/* A dynamic stub has its reference in its invocation handler. */
	if (!part)
		part = java_part_of(java_field_of(v, "h"), remote_object);
	if (!part)
		return fail(
			err, ERROR_REFUSED,
			"the reply is not a stub but '%.*s'",
			(int)(stub->class.len < 200 ? stub->class.len : 200),
			stub->class.at);
	if (!stub_read_reference(&part->annotations, stub))
		return fail(err, ERROR_REFUSED,
			    "the stub has a reference of an unknown kind");
	return 0;
}
