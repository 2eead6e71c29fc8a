/* SPDX-License-Identifier: Apache-2.0 */
/* Encodes exceptions, and the references of stubs. */
#include "jmx_http/proxy/returns.h"

#include "jmx_http/java/java_writer.h"

#include <string.h>

/* Java RMI Specification, 10.2. */
#define MESSAGE_RETURN   0x51
#define RETURN_VALUE     1
#define RETURN_EXCEPTION 2
#define RETURN_TAG_LEN   1 /* before the stream */
#define RETURN_HEAD_LEN  (1 + JRMP_ACK_LEN)

/* java.io.ObjectStreamConstants */
#define TC_BLOCKDATALONG 0x7a
#define SHORT_BLOCK_MAX  255

/* The byte after the name of a UnicastRef2. */
#define WITHOUT_FACTORY 0
#define WITH_FACTORY    1

#define ENTRY           "jmxrmi"

/* clang-format off */
/* Class descriptors; serialVersionUIDs as JDK 17's serialver prints them. */
static const struct java_shape throwable = {
	.name = "java.lang.Throwable", .suid = 0xd5c635273977b8cbu,
	.flags = JAVA_SERIALIZABLE | JAVA_WRITE_METHOD,
	.fields = {
		{ 'L', "cause", "Ljava/lang/Throwable;" },
		{ 'L', "detailMessage", "Ljava/lang/String;" },
		{ '[', "stackTrace", "[Ljava/lang/StackTraceElement;" },
		{ 'L', "suppressedExceptions", "Ljava/util/List;" },
	},
};

#define SHAPE(id, class_name, number, above) \
	static const struct java_shape id = { \
		.name = (class_name), .suid = (number), \
		.flags = JAVA_SERIALIZABLE, .super = (above) }

SHAPE(exception, "java.lang.Exception", 0xd0fd1f3e1a3b1cc4u, &throwable);
SHAPE(runtime_exception, "java.lang.RuntimeException", 0x9e5f06470a3483e5u,
      &exception);
SHAPE(security_exception, "java.lang.SecurityException", 0x5f74dc826f65d637u,
      &runtime_exception);
SHAPE(io_exception, "java.io.IOException", 0x6c8073646525f0abu, &exception);
static const struct java_shape remote_exception = {
	.name = "java.rmi.RemoteException", .suid = 0xb88c9d4edee47a22u,
	.flags = JAVA_SERIALIZABLE, .super = &io_exception,
	.fields = { { 'L', "detail", "Ljava/lang/Throwable;" } },
};
SHAPE(connect_exception, "java.rmi.ConnectException", 0x437ecd31cad3515au,
      &remote_exception);
SHAPE(not_bound_exception, "java.rmi.NotBoundException", 0xe637f9a72d7c3afbu,
      &exception);

static const struct java_shape remote_object = {
	.name = "java.rmi.server.RemoteObject", .suid = 0xd361b4910c61331eu,
	.flags = JAVA_SERIALIZABLE | JAVA_WRITE_METHOD,
};
SHAPE(remote_stub, "java.rmi.server.RemoteStub", 0xe9fedcc98be1651au,
      &remote_object);
SHAPE(server_stub, "javax.management.remote.rmi.RMIServerImpl_Stub", 2,
      &remote_stub);
SHAPE(ssl_factory, "javax.rmi.ssl.SslRMIClientSocketFactory",
      0x8caab4bb8185250fu, NULL);
/* clang-format on */

static void returns_add_head(struct text *out, int type)
{
	static const uint8_t no_id[JRMP_ACK_LEN];

	text_putc(out, MESSAGE_RETURN);
	java_write_header(out);
	java_write_block(out, RETURN_HEAD_LEN);
	text_putc(out, (char)type);
	text_add(out, no_id, sizeof(no_id));
}

void returns_add_refusal(struct text *out, enum refusal_kind kind,
			 const char *message)
{
	static const struct java_shape *const shapes[] = {
		[REFUSAL_SECURITY] = &security_exception,
		[REFUSAL_UNREACHABLE] = &connect_exception,
		[REFUSAL_NOT_BOUND] = &not_bound_exception,
	};

	returns_add_head(out, RETURN_EXCEPTION);
	java_write_object(out, shapes[kind], JAVA_OF_RMI);
	java_write_null(out); /* cause */
	java_write_string(out, message, strlen(message));
	java_write_null(out); /* stackTrace */
	java_write_null(out); /* suppressedExceptions */
	java_write_end(out);
	if (kind == REFUSAL_UNREACHABLE)
		java_write_null(out); /* detail */
}

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

void returns_add_lookup(struct text *out, const struct request *r,
			const struct stub *stub, const struct stub_target *to)
{
	if (!r->method->gives_stub) {
		returns_add_head(out, RETURN_VALUE);
		java_write_array(out, "[Ljava.lang.String;", 1, JAVA_OF_RMI);
		java_write_string(out, ENTRY, strlen(ENTRY));
	} else if (java_bytes_are(java_string_of(r->arguments[0]), ENTRY)) {
		returns_add_head(out, RETURN_VALUE);
		java_write_object(out, &server_stub, JAVA_OF_RMI);
		returns_add_reference(out, stub, to);
		java_write_end(out);
	} else {
		returns_add_refusal(out, REFUSAL_NOT_BOUND,
				    "the only name bound here is \"" ENTRY
				    "\"");
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
