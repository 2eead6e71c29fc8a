/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/rmi/rmi_server.h"

#include "core/base/alloc.h"
#include "jmx_http/rmi/rmi_reply.h"
#include "jmx_http/rmi/rmi_server_methods.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#define READ_LEN   16384
#define HELLO_LEN  7 /* "JRMI", version, protocol */

#define LEASE_MS   INT64_C(3600000)
#define BYTES_KEPT ((size_t)1 << 20)

#define ENTRY      "jmxrmi"
#define HOST       "localhost"

/* The "jmxrmi" object; no JVM has such an object number. */
static const struct jrmp_id server_id = { "sjkcRMIS" };

/* Sessions, in memory that worker processes share */

struct session_entry {
	struct jrmp_id id;
	uint64_t used; /* order of last uses; 0: unused entry */
	struct rmi_credentials login;
};

struct rmi_sessions {
	pthread_mutex_t lock;
	uint64_t uses;
	uint32_t numbers;
	struct session_entry list[RMI_SESSIONS_MAX];
};

struct rmi_sessions *rmi_sessions_new(void)
{
	struct rmi_sessions *s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE,
				      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_t shared;

	if (s == MAP_FAILED)
		alloc_give_up(sizeof(*s));
	/* The entries contain passwords. */
	madvise(s, sizeof(*s), MADV_DONTDUMP);
	pthread_mutexattr_init(&shared);
	pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&shared, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&s->lock, &shared);
	pthread_mutexattr_destroy(&shared);
	return s;
}

void rmi_sessions_free(struct rmi_sessions *s)
{
	if (!s)
		return;
	explicit_bzero(s, sizeof(*s));
	munmap(s, sizeof(*s));
}

/* If the owner of the lock was killed, one entry may be incomplete. */
static void sessions_lock(struct rmi_sessions *s)
{
	if (pthread_mutex_lock(&s->lock) == EOWNERDEAD)
		pthread_mutex_consistent(&s->lock);
}

static void sessions_unlock(struct rmi_sessions *s)
{
	pthread_mutex_unlock(&s->lock);
}

static struct session_entry *sessions_entry(struct rmi_sessions *s,
					    const struct jrmp_id *id)
{
	for (size_t i = 0; i < RMI_SESSIONS_MAX; i++)
		if (s->list[i].used &&
		    memcmp(&s->list[i].id, id, sizeof(*id)) == 0)
			return &s->list[i];
	return NULL;
}

static struct session_entry *sessions_oldest(struct rmi_sessions *s)
{
	struct session_entry *oldest = &s->list[0];

	for (size_t i = 1; i < RMI_SESSIONS_MAX; i++)
		if (s->list[i].used < oldest->used)
			oldest = &s->list[i];
	return oldest;
}

struct jrmp_id rmi_sessions_add(struct rmi_sessions *s,
				const struct rmi_credentials *login)
{
	struct session_entry *new;
	struct jrmp_id id;

	/* A client that guessed an ObjID would have another client's login. */
	if (getrandom(id.bytes, sizeof(id.bytes), 0) !=
	    (ssize_t)sizeof(id.bytes))
		alloc_give_up(0);
	sessions_lock(s);
	new = sessions_oldest(s);
	new->used = 0;
	new->id = id;
	new->login = *login;
	new->used = ++s->uses;
	sessions_unlock(s);
	return id;
}

bool rmi_sessions_find(struct rmi_sessions *s, const struct jrmp_id *id,
		       struct rmi_credentials *login)
{
	struct session_entry *found;

	sessions_lock(s);
	found = sessions_entry(s, id);
	if (found) {
		found->used = ++s->uses;
		*login = found->login;
	}
	sessions_unlock(s);
	return found;
}

void rmi_sessions_remove(struct rmi_sessions *s, const struct jrmp_id *id)
{
	struct session_entry *found;

	sessions_lock(s);
	found = sessions_entry(s, id);
	if (found)
		explicit_bzero(found, sizeof(*found));
	sessions_unlock(s);
}

uint32_t rmi_sessions_next(struct rmi_sessions *s)
{
	uint32_t number;

	sessions_lock(s);
	number = ++s->numbers;
	sessions_unlock(s);
	return number;
}

/* The login of the session that calls */

static void login_clear(struct rmi_credentials *login)
{
	explicit_bzero(login, sizeof(*login));
}

static void server_disconnect(struct rmi_server *s)
{
	jmx_close(s->jmx);
	s->jmx = NULL;
	login_clear(&s->login);
	rmi_server_forget_beans(s);
}

static bool login_equals(const struct rmi_credentials *a,
			 const struct rmi_credentials *b)
{
	return a->has_credentials == b->has_credentials &&
	       strcmp(a->user, b->user) == 0 &&
	       strcmp(a->password, b->password) == 0;
}

/* Connects with a login, unless the server is connected with it. */
static bool server_connect(struct rmi_server *s,
			   const struct rmi_credentials *login)
{
	struct jmx_credentials credentials = {
		.user = login->user,
		.password = login->password,
	};
	struct error err;

	if (s->jmx && login_equals(&s->login, login))
		return true;
	server_disconnect(s);
	s->jmx = s->options->open(s->options->self,
				  login->has_credentials ? &credentials : NULL,
				  &err);
	if (!s->jmx)
		rmi_reply_error(&s->out, &err);
	else
		s->login = *login;
	return s->jmx;
}

static bool login_copy(char to[RMI_LOGIN_MAX], const struct java_value *v)
{
	if (v->kind != JAVA_STRING || v->bytes.len >= RMI_LOGIN_MAX)
		return false;
	memcpy(to, v->bytes.at, v->bytes.len);
	to[v->bytes.len] = '\0';
	return true;
}

/* The credentials are a String[] of user name and password, or null. */
static bool login_read(struct rmi_credentials *login,
		       const struct java_value *v)
{
	if (v->kind == JAVA_NULL)
		return true;
	login->has_credentials = true;
	return v->kind == JAVA_ARRAY && v->array.elements.count == 2 &&
	       login_copy(login->user, v->array.elements.at[0]) &&
	       login_copy(login->password, v->array.elements.at[1]);
}

static void server_new_client(struct rmi_server *s)
{
	struct rmi_credentials login = { 0 };
	struct jrmp_id id;

	if (s->options->takes_login &&
	    !login_read(&login, rmi_server_argument(s, 0))) {
		rmi_reply_throw(
			&s->out, &java_shape_security_exception,
			"sjkc: the credentials are not a user name and a "
			"password of at most 255 bytes");
	} else if (server_connect(s, &login)) {
		id = rmi_sessions_add(s->options->sessions, &login);
		text_clear(&s->out);
		rmi_reply_stub(&s->out, &java_shape_connection_stub, HOST,
			       RMI_SERVER_PORT, &id);
	}
	login_clear(&login);
}

/* javax.management.remote.JMXConnector.getConnectionId(): "rmi://host user id".
 */
static void server_get_connection_id(struct rmi_server *s)
{
	struct text id = { 0 };

	text_puts(&id, "rmi://" HOST "  ");
	for (size_t i = 0; i < 8; i++)
		text_printf(&id, "%02x", s->request.object.bytes[i]);
	rmi_reply_text(&s->out, id.bytes);
	text_release(&id);
}

static void server_close(struct rmi_server *s)
{
	rmi_sessions_remove(s->options->sessions, &s->request.object);
	rmi_reply_void(&s->out);
}

/* Registry and DGC */

static void server_get_version(struct rmi_server *s)
{
	rmi_reply_text(&s->out, "1.0 sjkc");
}

static void server_list(struct rmi_server *s)
{
	static const char *const names[] = { ENTRY };
	struct java_output o = rmi_reply_begin(&s->out);

	java_output_strings(&o, names, 1);
	java_output_release(&o);
}

static void server_lookup(struct rmi_server *s)
{
	if (!java_bytes_are(java_string_of(rmi_server_argument(s, 0)), ENTRY)) {
		rmi_reply_throw(&s->out, &java_shape_not_bound_exception,
				"sjkc: the only name bound here is \"" ENTRY
				"\"");
		return;
	}
	text_clear(&s->out);
	rmi_reply_stub(&s->out, &java_shape_server_stub, HOST, RMI_SERVER_PORT,
		       &server_id);
}

/*
 * Sessions do not depend on leases; with a long lease, clients rarely renew it.
 */
static void server_dirty(struct rmi_server *s)
{
	struct java_output o = rmi_reply_begin(&s->out);

	java_output_object(&o, &java_shape_lease);
	java_write_u64(o.out, (uint64_t)LEASE_MS);
	java_write_null(o.out); /* vmid */
	java_output_release(&o);
}

/* Calls */

/* The methods of registry, DGC, RMIServer and sessions. */
static rmi_server_fn *const server_methods[JMX_METHODS] = {
	[JMX_LIST] = server_list,
	[JMX_LOOKUP] = server_lookup,
	[JMX_DIRTY] = server_dirty,
	[JMX_NEW_CLIENT] = server_new_client,
	[JMX_GET_VERSION] = server_get_version,
	[JMX_GET_CONNECTION_ID] = server_get_connection_id,
	[JMX_CLOSE] = server_close,
};

/*
 * The last argument of most methods is a delegation subject, whose rights a
 * JVM would use instead of the client's.
 */
static bool server_has_subject(const struct rmi_server *s)
{
	size_t count = s->request.argument_count;

	return count && java_is(s->request.arguments[count - 1],
				"javax.security.auth.Subject");
}

/* Returns true if the call's session exists and is connected. */
static bool server_enter_session(struct rmi_server *s)
{
	enum jmx_method m = (enum jmx_method)(s->request.method - jmx_methods);
	struct rmi_credentials login = { 0 };
	bool is_open;

	if (!rmi_sessions_find(s->options->sessions, &s->request.object,
			       &login)) {
		rmi_reply_throw(&s->out, &java_shape_no_such_object_exception,
				"sjkc: the session has ended");
		return false;
	}
	is_open = m == JMX_CLOSE || m == JMX_GET_CONNECTION_ID ||
		  m == JMX_FETCH_NOTIFICATIONS || server_connect(s, &login);
	login_clear(&login);
	return is_open;
}

static void server_call(struct rmi_server *s)
{
	const struct method *m = s->request.method;
	size_t index = (size_t)(m - jmx_methods);
	rmi_server_fn *call = server_methods[index] ? server_methods[index]
						    : rmi_server_methods[index];

	if (m->interface == METHOD_OF_SERVER &&
	    memcmp(&s->request.object, &server_id, sizeof(server_id)) != 0)
		rmi_reply_throw(&s->out, &java_shape_no_such_object_exception,
				"sjkc: no such object");
	else if (m->interface == METHOD_OF_CONNECTION &&
		 !server_enter_session(s))
		return;
	else if (server_has_subject(s))
		rmi_reply_unsupported(&s->out, "subject delegation");
	else if (!call)
		rmi_reply_unsupported(&s->out, m->name);
	else
		call(s);
}

/* The connection */

static bool server_write(struct rmi_server *s, const void *bytes, size_t len)
{
	const char *at = bytes;

	while (len) {
		ssize_t sent = send(s->fd, at, len, MSG_NOSIGNAL);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent <= 0)
			return false;
		at += sent;
		len -= (size_t)sent;
	}
	return true;
}

/* Reads exactly len bytes. */
static bool server_read(struct rmi_server *s, void *bytes, size_t len)
{
	char *at = bytes;

	while (len) {
		ssize_t got = read(s->fd, at, len);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		at += got;
		len -= (size_t)got;
	}
	return true;
}

/* The greeting tells the client its address, which Java clients ignore. */
static bool server_greet(struct rmi_server *s)
{
	char hello[HELLO_LEN], name[JRMP_HOST_MAX + 4];
	struct text expected = { 0 }, greeting = { 0 };
	uint8_t len[2];
	bool is_hello;
	size_t name_len;

	jrmp_add_hello(&expected);
	is_hello = server_read(s, hello, sizeof(hello)) &&
		   memcmp(hello, expected.bytes, sizeof(hello)) == 0;
	text_release(&expected);
	if (!is_hello)
		return false;
	text_putc(&greeting, JRMP_ACK);
	java_write_u16(&greeting, (uint16_t)strlen(HOST));
	text_puts(&greeting, HOST);
	java_write_u32(&greeting, 0);
	is_hello = server_write(s, greeting.bytes, greeting.len) &&
		   server_read(s, len, sizeof(len));
	text_release(&greeting);
	if (!is_hello)
		return false;
	name_len = (size_t)len[0] << 8 | len[1];
	return name_len <= JRMP_HOST_MAX && server_read(s, name, name_len + 4);
}

static bool server_reply(struct rmi_server *s)
{
	const uint8_t ack = JRMP_PING_ACK;
	bool is_sent = true;

	text_clear(&s->out);
	if (s->request.kind == REQUEST_PING) {
		text_putc(&s->out, (char)ack);
	} else if (s->request.kind == REQUEST_CALL) {
		server_call(s);
		arena_release(&s->arena);
	}
	is_sent = server_write(s, s->out.bytes, s->out.len);
	/* Large replies are rare. */
	if (s->out.cap > BYTES_KEPT)
		text_release(&s->out);
	request_release(&s->request);
	return is_sent;
}

/* Only a session may send long messages. */
static void server_trust(struct rmi_server *s)
{
	struct rmi_credentials login;

	if (!s->request.has_head ||
	    s->request.method->interface != METHOD_OF_CONNECTION)
		return;
	if (rmi_sessions_find(s->options->sessions, &s->request.object, &login))
		request_trust(&s->request);
	login_clear(&login);
}

/* Parses bytes and replies to whole messages; false ends the connection. */
static bool server_take(struct rmi_server *s, const char *bytes, size_t len)
{
	while (len) {
		bool has_head = s->request.has_head;
		size_t part = has_head || len < REQUEST_HEAD_MAX
				      ? len
				      : REQUEST_HEAD_MAX;
		size_t used;
		enum request_status status = request_read(&s->request, bytes,
							  part, &used);

		bytes += used;
		len -= used;
		if (!has_head)
			server_trust(s);
		if (status == REQUEST_WHOLE && !server_reply(s))
			return false;
		if (status == REQUEST_ENDED || status == REQUEST_WRONG)
			return false;
	}
	return true;
}

void rmi_server_run(const struct rmi_server_options *options, int fd)
{
	struct rmi_server *s = xcalloc(1, sizeof(*s));
	char *bytes = xmalloc(READ_LEN);
	bool is_open;

	s->options = options;
	s->fd = fd;
	is_open = server_greet(s);
	while (is_open) {
		ssize_t got = read(fd, bytes, READ_LEN);

		if (got < 0 && errno == EINTR)
			continue;
		is_open = got > 0 && server_take(s, bytes, (size_t)got);
		/* The bytes may contain a password. */
		explicit_bzero(bytes, READ_LEN);
	}
	server_disconnect(s);
	request_release(&s->request);
	text_release(&s->out);
	arena_release(&s->arena);
	free(bytes);
	free(s);
}
