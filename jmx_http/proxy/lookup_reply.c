/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/proxy/lookup_reply.h"

#include "jmx_http/java/java_writer.h"
#include "jmx_http/proxy/refusal.h"

#include <string.h>

#define NAME "jmxrmi"

static void add_class(struct text *out, const char *name, uint64_t suid,
		      int flags)
{
	text_putc(out, 'r'); /* TC_CLASSDESC */
	java_write_u16(out, (uint16_t)strlen(name));
	text_puts(out, name);
	java_write_u64(out, suid);
	text_putc(out, (char)flags);
	/* No fields; of RMI's streams: no location. */
	text_add(out, "\0\0px", 4);
}

/* As a JDK 17 writes javax.management.remote.rmi.RMIServerImpl_Stub. */
static void add_stub(struct text *out, const struct stub *stub,
		     const char *host, uint16_t port, enum rewrite_tls tls)
{
	text_putc(out, 's'); /* TC_OBJECT */
	add_class(out, "javax.management.remote.rmi.RMIServerImpl_Stub", 2,
		  JAVA_SERIALIZABLE);
	add_class(out, "java.rmi.server.RemoteStub", 0xe9fedcc98be1651au,
		  JAVA_SERIALIZABLE);
	add_class(out, "java.rmi.server.RemoteObject", 0xd361b4910c61331eu,
		  JAVA_SERIALIZABLE | JAVA_WRITE_METHOD);
	java_write_null(out);
	rewrite_reference(out, stub, host, port, tls);
	text_putc(out, 'x'); /* TC_ENDBLOCKDATA */
}

static void add_names(struct text *out)
{
	text_putc(out, 'u'); /* TC_ARRAY */
	add_class(out, "[Ljava.lang.String;", 0xadd256e7e91d7b47u,
		  JAVA_SERIALIZABLE);
	java_write_null(out);
	java_write_u32(out, 1);
	java_write_string(out, NAME, strlen(NAME));
}

void lookup_reply_write(struct text *out, const struct request *r,
			const struct stub *stub, const char *host,
			uint16_t port, enum rewrite_tls tls)
{
	if (!r->method->gives_stub) {
		refusal_add_head(out);
		add_names(out);
	} else if (java_bytes_are(java_string_of(r->arguments[0]), NAME)) {
		refusal_add_head(out);
		add_stub(out, stub, host, port, tls);
	} else {
		refusal_add(out, REFUSAL_NOT_BOUND,
			    "the only name here is \"" NAME "\"");
	}
}
