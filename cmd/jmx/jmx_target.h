/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jmx_target: the options of commands that connect to a JVM's MBeans, and the
 * connection that they describe.
 *
 * The user names a JVM by address (-s) or by pid (-p). sjkc reads a password
 * from a file, from SJKC_PASSWORD or from the terminal, never from an argument,
 * which every user of the machine can read.
 */
#ifndef CMD_JMX_JMX_TARGET_H
#define CMD_JMX_JMX_TARGET_H

#include "cmd/shared/command.h"
#include "core/jvm/jvm.h"
#include "jmx_http/jmx.h"
#include "jmx_http/target.h"

struct jmx_target_options {
	const char *socket, *pid;
	const char *url; /* of -u */
	const char *user, *password_file;
	const char *bearer_file, *http_proxy;
	struct option_list headers;
	struct tls_options tls;
	bool require_tls, force_address, force_hostname, force_port;
	int64_t timeout_ns;  /* -1: not given */
	bool warn_any_limit; /* no option: as in struct jmx_target */
};

/* clang-format off */
#define OPT_JMX_SOCKET(o) \
	OPT_STRING('s', "address", &(o)->socket, "<host>:<port>", \
		   "connect to this JMX port or JMX service URL", \
		   .aliases = "--socket", .excludes = "pid")
#define OPT_JMX_URL(o) \
	OPT_STRING('u', "url", &(o)->url, "<url>", \
		   "connect to the Jolokia agent at this URL", \
		   .excludes = "address|pid"), \
	OPT_STRING(0, "bearer-file", &(o)->bearer_file, "<file>", \
		   "with -u: read a bearer token from a file", \
		   .excludes = "user"), \
	OPT_LIST('H', "header", &(o)->headers, "<header>", \
		 "with -u: send this HTTP header: 'Name: value'", \
		 .single = true), \
	OPT_STRING(0, "http-proxy", &(o)->http_proxy, "<url>", \
		   "with -u: connect through this HTTP proxy")
/* Further options of every command with a JMX connection. */
#define OPT_JMX_LOGIN(o) \
	OPT_STRING(0, "user", &(o)->user, "<name>", \
		   "log in as this user, with a password"), \
	OPT_STRING(0, "password-file", &(o)->password_file, "<file>", \
		   "read the password from the first line of a file", \
		   .requires = "user"), \
	OPT_FLAG(0, "tls", &(o)->require_tls, \
		 "require TLS for all connections")
#define OPT_JMX_TLS(o) \
	OPT_STRING(0, "cacert", &(o)->tls.cacert, "<file>", \
		   "trust the certificates in a PEM file"), \
	OPT_STRING(0, "cert", &(o)->tls.cert, "<file>", \
		   "present the client certificate in a PEM file"), \
	OPT_STRING(0, "key", &(o)->tls.key, "<file>", \
		   "use the private key in a PEM file"), \
	OPT_STRING(0, "tls-server-name", &(o)->tls.server_name, "<name>", \
		   "require this name in the server's certificate"), \
	OPT_FLAG(0, "insecure", &(o)->tls.insecure, \
		 "accept any certificate")
#define OPT_JMX_FORCE(o) \
	OPT_FLAG(0, "force-address", &(o)->force_address, \
		 "use the host and port of -s for all connections"), \
	OPT_FLAG(0, "force-hostname", &(o)->force_hostname, \
		 "use the host of -s for all connections"), \
	OPT_FLAG(0, "force-port", &(o)->force_port, \
		 "use the port of -s for all connections")
#define OPT_JMX_TIMEOUT(o) \
	OPT_DURATION(0, "timeout", &(o)->timeout_ns, "<time>", \
		     "wait this long for a reply", .positive = true)
/* For .refusals: SJK reads the password from an argument. */
extern const struct refusal jmx_refusals[];
#define JMX_REFUSE_PASSWORD \
	{ "--password", "other users could read it; use --password-file, " \
			"SJKC_PASSWORD or the prompt" }
/* clang-format on */

/* Secrets, which come from files, the environment or the terminal. */
struct jmx_secrets {
	struct text password, bearer;
};

/* The connection that jmx_client_open() opens. */
struct jmx_client {
	struct jmx *jmx;
	struct jvm jvm; /* by_pid: the JVM */
	bool by_pid;
	struct jmx_secrets secrets; /* wiped by jmx_client_close() */
};

/*
 * Connects to the JVM of -s, -u or -p or, without them, of the first argument
 * (host:port, URL, or as target_open()); further arguments are rejected. With a
 * pid, it starts the local JMX connector if necessary and reports this on
 * stderr. ERROR_MISUSE, and as jmx_open(); call jmx_client_close() in any case.
 */
int jmx_client_open(struct jmx_client *t, const struct jmx_target_options *o,
		    int argc, char **argv, struct error *err);
void jmx_client_close(struct jmx_client *t);

/*
 * Fails with ERROR_PARTIAL if a limit of the Jolokia agent truncated a reply,
 * which was reported on stderr: a command calls this before it succeeds.
 */
int jmx_client_check_limits(struct error *err);

/*
 * Stores the URL of -u, or removes the first argument if it is an address, as
 * the address of -s. ERROR_MISUSE when options exclude each other.
 */
int jmx_take_address(struct jmx_target_options *o, int *argc, char ***argv,
		     struct error *err);

/* ERROR_MISUSE for options that this kind of address, RMI or HTTP, excludes. */
int jmx_check_address(const struct jmx_target_options *o, const char *address,
		      struct error *err);

/*
 * ERROR_MISUSE for options that require -s: a login, TLS, --force-….
 */
int jmx_check_by_pid(struct error *err);

/* For jmx_target.starting_agent and rmi_local_find(): reports it on stderr. */
void jmx_log_starting(const struct jvm *jvm);

/*
 * Returns the target with this address and these options; borrows the secrets.
 */
struct jmx_target jmx_target_of(const struct jmx_target_options *o,
				const struct jmx_secrets *secrets,
				const char *address);

/*
 * Reads the password and the token that the options require. Call
 * jmx_secrets_release() in any case.
 */
int jmx_secrets_read(struct jmx_secrets *s, const struct jmx_target_options *o,
		     struct error *err);
void jmx_secrets_release(struct jmx_secrets *s);

/* Reads the password that the options require; appends "" without --user. */
int jmx_password(const struct jmx_target_options *o, struct text *password,
		 struct error *err);

/*
 * Appends similar MBean names, as nearest_suggest() does. Returns false when no
 * name is similar, when bean is a pattern, and when the JVM does not reply.
 */
bool bean_hint(struct jmx *jmx, const char *bean, struct text *out);

#endif
