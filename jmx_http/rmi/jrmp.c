/* SPDX-License-Identifier: Apache-2.0 */
/* Writes messages of the RMI wire protocol, and parses greetings and returns.
 */
#include "jmx_http/rmi/jrmp.h"

#include "core/base/cursor.h"
#include "jmx_http/java/java_writer.h"

#include <string.h>

#define RETURN_HEAD 15 /* type and id, in block data */

const struct jrmp_id jrmp_registry = { { 0 } };
const struct jrmp_id jrmp_dgc = { { [7] = 2 } };

/* True if the bytes begin with the word, or are a prefix of it. */
static bool jrmp_begins_with(const void *bytes, size_t len, const char *word)
{
	size_t word_len = strlen(word);

	return memcmp(bytes, word, len < word_len ? len : word_len) == 0;
}

static enum jrmp_answer jrmp_read_greeting(struct cursor c,
					   struct jrmp_greeting *greeting)
{
	uint16_t len;
	const uint8_t *host;

	cursor_skip(&c, 1);
	len = cursor_u16(&c);
	if (len > JRMP_HOST_MAX)
		return JRMP_OTHER;
	host = cursor_bytes(&c, len);
	greeting->port = cursor_u32(&c);
	if (!cursor_ok(&c))
		return JRMP_SHORT;
	if (greeting->port > UINT16_MAX || memchr(host, 0, len))
		return JRMP_OTHER;
	memcpy(greeting->host, host, len);
	greeting->host[len] = '\0';
	greeting->len = cursor_offset(&c);
	return JRMP_GREETED;
}

enum jrmp_answer jrmp_read_answer(const void *bytes, size_t len,
				  struct jrmp_greeting *greeting)
{
	const uint8_t *b = bytes;

	if (!len)
		return JRMP_SHORT;
	if (b[0] == JRMP_ACK)
		return jrmp_read_greeting(cursor_over(bytes, len), greeting);
	if (b[0] == JRMP_NACK)
		return JRMP_REFUSED;
	/* The record of a TLS alert, RFC 8446, 5.1; the version is 3.x. */
	if (jrmp_begins_with(bytes, len, "\x15\3"))
		return len < 2 ? JRMP_SHORT : JRMP_TLS;
	if (jrmp_begins_with(bytes, len, "HTTP/"))
		return len < 5 ? JRMP_SHORT : JRMP_HTTP;
	return JRMP_OTHER;
}

void jrmp_add_hello(struct text *out)
{
	text_add(out, "JRMI\0\2", 6);
	text_putc(out, JRMP_STREAM);
}

/* The server ignores the content: sun.rmi.transport.tcp.TCPTransport. */
void jrmp_add_endpoint(struct text *out)
{
	java_write_u16(out, 4);
	text_puts(out, "sjkc");
	java_write_u32(out, 0);
}

void jrmp_add_ping(struct text *out) { text_putc(out, JRMP_PING); }

void jrmp_add_ack(struct text *out, const uint8_t id[JRMP_ACK_LEN])
{
	text_putc(out, JRMP_DGC_ACK);
	text_add(out, id, JRMP_ACK_LEN);
}

void jrmp_add_call(struct text *out, const struct jrmp_id *object,
		   int32_t operation, uint64_t hash)
{
	jrmp_add_call_with(out, object, operation, hash, NULL, 0);
}

void jrmp_add_call_with(struct text *out, const struct jrmp_id *object,
			int32_t operation, uint64_t hash,
			const void *primitives, uint8_t len)
{
	text_putc(out, JRMP_CALL);
	java_write_header(out);
	java_write_block(out, (uint8_t)(JRMP_ID_LEN + 4 + 8 + len));
	text_add(out, object->bytes, JRMP_ID_LEN);
	java_write_u32(out, (uint32_t)operation);
	java_write_u64(out, hash);
	text_add(out, primitives, len);
}

static enum java_status return_fail(struct jrmp_return *r, const char *what)
{
	r->wrong = what;
	return JAVA_WRONG;
}

static enum java_status return_read_tag(struct jrmp_return *r, struct cursor *c)
{
	uint8_t tag = cursor_u8(c);

	if (!cursor_ok(c))
		return JAVA_MORE;
	if (tag != JRMP_RETURN)
		return return_fail(r, "another message in place of a return");
	r->has_tag = true;
	return JAVA_DONE;
}

/* Reads the block data: type, id, and primitive values. */
static enum java_status return_read_head(struct jrmp_return *r,
					 const struct java_value *v)
{
	struct cursor c;
	uint8_t type;

	if (v->kind != JAVA_BLOCK || v->bytes.len < RETURN_HEAD)
		return return_fail(r, "a return without a head");
	c = cursor_over(v->bytes.at, v->bytes.len);
	type = cursor_u8(&c);
	memcpy(r->ack_id, cursor_bytes(&c, JRMP_ACK_LEN), JRMP_ACK_LEN);
	if (type != JRMP_RETURN_VALUE && type != JRMP_RETURN_EXCEPTION)
		return return_fail(r, "unknown return type");
	r->is_exception = type == JRMP_RETURN_EXCEPTION;
	r->primitive.at = v->bytes.at + RETURN_HEAD;
	r->primitive.len = cursor_left(&c);
	r->has_head = true;
	return JAVA_DONE;
}

static enum java_status return_read_stream(struct jrmp_return *r,
					   struct cursor *c)
{
	const struct java_value *v = NULL;
	size_t used;
	enum java_status status = java_stream_read(&r->stream, c->at,
						   cursor_left(c), &used, &v);

	cursor_skip(c, used);
	if (status == JAVA_WRONG)
		return return_fail(r, r->stream.wrong);
	if (status == JAVA_MORE)
		return status;
	r->is_aborted = status == JAVA_ABORTED;
	if (!r->has_head && !r->is_aborted)
		return return_read_head(r, v);
	if (v->kind == JAVA_BLOCK)
		return return_fail(r, "block data in place of a value");
	if ((r->is_exception || r->is_aborted) && v->kind != JAVA_OBJECT)
		return return_fail(r, "an exception that is no object");
	r->is_exception = r->is_exception || r->is_aborted;
	r->value = v;
	return JAVA_DONE;
}

static bool return_is_complete(const struct jrmp_return *r)
{
	return r->value || (r->has_head && r->is_void && !r->is_exception);
}

enum java_status jrmp_return_read(struct jrmp_return *r, const void *bytes,
				  size_t len, size_t *used)
{
	struct cursor c = cursor_over(bytes, len);
	enum java_status status = JAVA_DONE;

	*used = 0;
	if (r->wrong)
		return JAVA_WRONG;
	while (status == JAVA_DONE && !return_is_complete(r)) {
		status = r->has_tag ? return_read_stream(r, &c)
				    : return_read_tag(r, &c);
		*used = cursor_offset(&c);
	}
	return status;
}

void jrmp_return_release(struct jrmp_return *r)
{
	java_stream_release(&r->stream);
	*r = (struct jrmp_return){ 0 };
}
