/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/proxy/rewrite.h"

#include "jmx_http/java/java_writer.h"

#include <string.h>

#define RETURN_TAG 1 /* what stands before the stream */

/* java.io.ObjectStreamConstants */
#define TC_BLOCKDATALONG 0x7a
#define SHORT_BLOCK_MAX  255

/* UnicastRef2, what follows its name. */
#define WITHOUT_FACTORY 0
#define WITH_FACTORY    1

static void add_utf(struct text *out, const char *bytes, size_t len)
{
	java_write_u16(out, (uint16_t)len);
	text_add(out, bytes, len);
}

static void add_block(struct text *out, const struct text *data)
{
	if (data->len <= SHORT_BLOCK_MAX) {
		java_write_block(out, (uint8_t)data->len);
	} else {
		text_putc(out, TC_BLOCKDATALONG);
		java_write_u32(out, (uint32_t)data->len);
	}
	text_add(out, data->bytes, data->len);
}

static void add_endpoint(struct text *data, const char *host, uint16_t port)
{
	add_utf(data, host, strlen(host));
	java_write_u32(data, port);
}

static void add_id(struct text *data, const struct stub *stub)
{
	text_add(data, stub->id.bytes, JRMP_ID_LEN);
	text_putc(data, stub->is_result);
}

/* An object without fields, as JDK 17 writes it. */
static void add_factory(struct text *out)
{
	static const char factory[] = "javax.rmi.ssl.SslRMIClientSocketFactory";

	text_add(out, "sr", 2); /* TC_OBJECT, TC_CLASSDESC */
	add_utf(out, factory, sizeof(factory) - 1);
	java_write_u64(out, 0x8caab4bb8185250fu);
	/* Serializable, no fields, no annotation, no class above. */
	text_add(out, "\2\0\0pxp", 6);
}

static void add_with_factory(struct text *out, const struct stub *stub,
			     const char *host, uint16_t port)
{
	struct text data = { 0 };

	add_utf(&data, "UnicastRef2", 11);
	text_putc(&data, WITH_FACTORY);
	add_endpoint(&data, host, port);
	add_block(out, &data);
	add_factory(out);
	text_clear(&data);
	add_id(&data, stub);
	add_block(out, &data);
	text_release(&data);
}

void rewrite_reference(struct text *out, const struct stub *stub,
		       const char *host, uint16_t port, enum rewrite_tls tls)
{
	struct text data = { 0 };

	if (tls == REWRITE_TLS) {
		add_with_factory(out, stub, host, port);
		return;
	}
	/* Where there was no factory, the kind of reference stays. */
	if (java_bytes_are(stub->reference, "UnicastRef2") &&
	    stub->end == stub->block_end) {
		add_utf(&data, "UnicastRef2", 11);
		text_putc(&data, WITHOUT_FACTORY);
	} else {
		add_utf(&data, "UnicastRef", 10);
	}
	add_endpoint(&data, host, port);
	add_id(&data, stub);
	add_block(out, &data);
	text_release(&data);
}

void rewrite_return(struct text *out, const char *bytes, size_t len,
		    const struct stub *stub, const char *host, uint16_t port,
		    enum rewrite_tls tls)
{
	size_t behind = RETURN_TAG + stub->end;

	text_add(out, bytes, RETURN_TAG + stub->begin);
	rewrite_reference(out, stub, host, port, tls);
	text_add(out, bytes + behind, len - behind);
}
