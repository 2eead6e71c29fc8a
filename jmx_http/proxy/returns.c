/* SPDX-License-Identifier: Apache-2.0 */
/* Encodes the references of stubs. */
#include "jmx_http/proxy/returns.h"

#include "jmx_http/rmi/rmi_reply.h"

#include <string.h>

#define RETURN_TAG_LEN  1 /* before the stream: Java RMI Specification, 10.2 */

#define SHORT_BLOCK_MAX 255

/* The byte after the name of a UnicastRef2. */
#define WITHOUT_FACTORY 0
#define WITH_FACTORY    1

#define ENTRY           "jmxrmi"

/* No MBean server returns it by itself. */
static const struct java_shape ssl_factory = {
	.name = "javax.rmi.ssl.SslRMIClientSocketFactory",
	.suid = 0x8caab4bb8185250fu,
	.flags = JAVA_SERIALIZABLE,
};

static void returns_add_utf(struct text *out, const char *text)
{
	java_write_u16(out, (uint16_t)strlen(text));
	text_puts(out, text);
}

static void returns_add_block(struct text *out, const struct text *data)
{
	if (data->len <= SHORT_BLOCK_MAX) {
		java_write_block(out, (uint8_t)data->len);
	} else {
		text_putc(out, TC_BLOCKDATALONG);
		java_write_u32(out, (uint32_t)data->len);
	}
	text_add(out, data->bytes, data->len);
}

static void returns_add_endpoint(struct text *data,
				 const struct stub_target *to)
{
	returns_add_utf(data, to->host);
	java_write_u32(data, to->port);
}

static void returns_add_id(struct text *data, const struct stub *stub)
{
	text_add(data, stub->id.bytes, JRMP_ID_LEN);
	text_putc(data, stub->is_result);
}

static void returns_add_tls_reference(struct text *out, const struct stub *stub,
				      const struct stub_target *to)
{
	struct text data = { 0 };

	returns_add_utf(&data, "UnicastRef2");
	text_putc(&data, WITH_FACTORY);
	returns_add_endpoint(&data, to);
	returns_add_block(out, &data);
	java_write_object(out, &ssl_factory, JAVA_OF_RMI);
	text_clear(&data);
	returns_add_id(&data, stub);
	returns_add_block(out, &data);
	text_release(&data);
}

/* Encodes a reference as java.rmi.server.RemoteObject.writeObject(). */
static void returns_add_reference(struct text *out, const struct stub *stub,
				  const struct stub_target *to)
{
	struct text data = { 0 };

	if (to->is_tls) {
		returns_add_tls_reference(out, stub, to);
		return;
	}
	/* Keep the kind of a reference without a factory. */
	if (java_bytes_are(stub->reference, "UnicastRef2") &&
	    stub->end == stub->block_end) {
		returns_add_utf(&data, "UnicastRef2");
		text_putc(&data, WITHOUT_FACTORY);
	} else {
		returns_add_utf(&data, "UnicastRef");
	}
	returns_add_endpoint(&data, to);
	returns_add_id(&data, stub);
	returns_add_block(out, &data);
	text_release(&data);
}

static void returns_add_not_bound(struct text *out)
{
	const struct rmi_exception e = {
		.shape = &java_shape_not_bound_exception,
		.message = "the only name bound here is \"" ENTRY "\"",
	};

	rmi_reply_exception(out, &e);
}

void returns_add_lookup(struct text *out, const struct request *r,
			const struct stub *stub, const struct stub_target *to)
{
	if (!r->method->gives_stub) {
		rmi_reply_value(out);
		java_write_array(out, "[Ljava.lang.String;", 1, JAVA_OF_RMI);
		java_write_string(out, ENTRY, strlen(ENTRY));
	} else if (java_bytes_are(java_string_of(r->arguments[0]), ENTRY)) {
		rmi_reply_value(out);
		java_write_object(out, &java_shape_server_stub, JAVA_OF_RMI);
		returns_add_reference(out, stub, to);
		java_write_end(out);
	} else {
		returns_add_not_bound(out);
	}
}

void returns_rewrite(struct text *out, const char *bytes, size_t len,
		     const struct stub *stub, const struct stub_target *to)
{
	size_t rest = RETURN_TAG_LEN + stub->end;

	text_add(out, bytes, RETURN_TAG_LEN + stub->begin);
	returns_add_reference(out, stub, to);
	text_add(out, bytes + rest, len - rest);
}
