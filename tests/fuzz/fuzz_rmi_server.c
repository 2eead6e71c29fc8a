/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes what a JMX client sends to rmi_server, and the JSON of an agent's
 * values.  The first byte selects whether the requests fail; the next two are
 * the length of the JSON; the client's bytes follow.  Each reply must be
 * complete and valid.
 */
#include "jmx_http/rmi/request.h"
#include "tests/fuzz/rmi_server_client.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SENT_MAX 65536
#define PONG     0x53
/* Bytes that stand for the ObjID of the session in a client's messages. */
#define SESSION                                                                \
	"\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa"                         \
	"\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa"

/* True if the return is void or a primitive value, in the head of the reply. */
static bool has_no_object(const struct method *m)
{
	return strchr("VZ", strchr(m->descriptor, ')')[1]);
}

/* Replaces SESSION by the ObjID of the session. */
static void enter_session(struct text *sent, const struct jrmp_id *id)
{
	char *at;

	while (sent->len &&
	       (at = memmem(sent->bytes, sent->len, SESSION, JRMP_ID_LEN)))
		memcpy(at, id->bytes, JRMP_ID_LEN);
}

/* Returns the length of the reply to a request, 0 if it is cut. */
static size_t check_reply(const struct request *r, const char *bytes,
			  size_t len)
{
	struct jrmp_return reply = { 0 };
	enum java_status status;
	size_t used = 0;

	if (r->kind == REQUEST_PING && len)
		return bytes[0] == PONG ? 1 : (abort(), 0);
	reply.is_void = has_no_object(r->method);
	status = jrmp_return_read(&reply, bytes, len, &used);
	if (status == JAVA_WRONG)
		abort();
	jrmp_return_release(&reply);
	return status == JAVA_DONE ? used : 0;
}

/* The last reply is cut if the socket's buffer is full. */
static void check_replies(const struct text *sent, const struct text *heard)
{
	size_t at = 0, replied = 0;

	while (at < sent->len && replied < heard->len) {
		struct request r = { 0 };
		enum request_status status;
		size_t used, len = 1;

		request_trust(&r);
		status = request_read(&r, sent->bytes + at, sent->len - at,
				      &used);
		/* The server replies only to whole messages. */
		if (status != REQUEST_WHOLE)
			abort();
		if (r.kind != REQUEST_DGC_ACK) {
			len = check_reply(&r, heard->bytes + replied,
					  heard->len - replied);
			replied += len;
		}
		request_release(&r);
		at += used;
		if (!len)
			return;
	}
	if (replied < heard->len)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct client_mbeans mbeans = { .kind = ERROR_REFUSED };
	struct rmi_server_options options = {
		.open = client_open,
		.self = &mbeans,
		.takes_login = true,
	};
	struct rmi_credentials login = { 0 };
	struct text sent = { 0 }, heard = { 0 };
	struct jrmp_id id;
	size_t len;

	if (size < 3 || size > SENT_MAX)
		return 0;
	len = (size_t)data[1] << 8 | data[2];
	if (len > size - 3)
		len = size - 3;
	mbeans.json = (const char *)data + 3;
	mbeans.json_len = len;
	if (data[0] & 1)
		mbeans.failure = "java.lang.IllegalStateException: why";
	if (data[0] & 2)
		mbeans.lost = "cut";
	options.sessions = rmi_sessions_new();
	id = rmi_sessions_add(options.sessions, &login);
	text_add(&sent, data + 3 + len, size - 3 - len);
	enter_session(&sent, &id);
	client_talk(&options, &sent, &heard);
	check_replies(&sent, &heard);
	text_release(&sent);
	text_release(&heard);
	rmi_sessions_free(options.sessions);
	return 0;
}
