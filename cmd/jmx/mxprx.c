/* SPDX-License-Identifier: Apache-2.0 */
/* sjkc mxprx: lets JMX clients through to JVMs, each by one port. */
#include "cmd/commands.h"
#include "cmd/jmx/jmx_target.h"
#include "cmd/jmx/mxprx_print.h"
#include "cmd/jmx/proxy_target.h"
#include "cmd/log.h"
#include "cmd/open_files.h"
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/units.h"
#include "jmx_http/proxy/door.h"
#include "jmx_http/proxy/rmi_front.h"
#include "jmx_http/proxy/socks.h"

#include <inttypes.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

/* Its own, to two ports of a JVM, and something over. */
#define DESCRIPTORS_OF_CLIENT 4

#define RESOLVE_NS            (5 * CLOCK_NS_PER_S)

static struct {
	struct option_list sockets, pods, pids, binds, allow;
	const char *via, *namespace, *advertise, *tls_cert, *tls_key, *socks;
	uint64_t clients, clients_of_host;
	int64_t connect_ns, drain_ns;
	bool read_only, log;
	struct tls_options tls;
} opt = {
	.clients = 1024,
	.clients_of_host = 64,
	.connect_ns = 5 * CLOCK_NS_PER_S,
	.drain_ns = 30 * CLOCK_NS_PER_S,
};

static void say(void *self, const char *line)
{
	(void)self;
	log_info("%s", line);
}

/* [HOST:]PORT, where port 0 is any that is free. */
static int parse_bind(struct sockaddr_storage *to, const char *option,
		      const char *text, struct error *err)
{
	const char *colon = strrchr(text, ':');
	const char *port = colon ? colon + 1 : text;
	struct rmi_address address;
	struct error unused;
	struct text whole = { 0 };
	uint64_t number;
	int ret;

	if (units_count(port, &number, &unused) || number > UINT16_MAX)
		return misuse(err, "%s %s: a port is meant, or <host>:<port>",
			      option, text);
	/* The port that an address is parsed with cannot be 0. */
	text_printf(&whole, "%.*s:1", colon ? (int)(colon - text) : 9,
		    colon ? text : "127.0.0.1");
	ret = rmi_address_parse(&address, whole.bytes, err);
	text_release(&whole);
	if (ret || rmi_address_resolve(
			   &address,
			   clock_after(clock_monotonic_ns(), RESOLVE_NS), err))
		return fail_in(err, "%s", option);
	*to = address.list[0];
	((struct sockaddr_in *)to)->sin_port = htons((uint16_t)number);
	return 0;
}

/* What it means that others than this machine's users can connect. */
static int look_at_bind(const struct sockaddr_storage *local,
			const char *option, const char *bind, struct error *err)
{
	if (cidr_is_loopback(local))
		return 0;
	if (!opt.allow.count)
		return misuse(
			err,
			"%s %s lets others than this machine connect, and "
			"who can use JMX can run any code in the JVM; who "
			"may? --allow <network>",
			option, bind);
	log_info(
		"%s: whoever connects from the networks of --allow can do with "
		"the JVM what JMX can%s",
		bind,
		opt.read_only ? ", as far as it only reads"
			      : ": run any code, where it wants no password");
	return 0;
}

typedef struct dialer *target_fn(struct proxy_target *t, const char *name,
				 const struct proxy_target_options *o,
				 struct event_base *base, struct error *err);

static const struct {
	const struct option_list *names;
	target_fn *find;
} kinds[] = {
	{ &opt.sockets, proxy_target_socket },
	{ &opt.pods, proxy_target_pod },
	{ &opt.pids, proxy_target_process },
};

/* Calls it for each JVM that is named, until it fails. */
typedef int named_fn(void *self, target_fn *find, const char *name,
		     struct error *err);

static int for_each_jvm(named_fn *fn, void *self, struct error *err)
{
	for (size_t kind = 0; kind < sizeof(kinds) / sizeof(*kinds); kind++)
		for (size_t i = 0; i < kinds[kind].names->count; i++)
			if (fn(self, kinds[kind].find,
			       kinds[kind].names->values[i], err))
				return -1;
	return 0;
}

/* proxy_target_release() is due in any case. */
static int find_jvm(struct door *d, target_fn *find, const char *name,
		    struct upstream_options *jvm, struct proxy_target *target,
		    struct error *err)
{
	const struct proxy_target_options options = {
		.via = opt.via,
		.namespace = opt.namespace,
		.timeout_ns = RESOLVE_NS,
		.say = say,
	};

	jvm->dialer = find(target, name, &options, d->base, err);
	jvm->title = target->title.bytes;
	jvm->host = target->host.bytes;
	jvm->port = target->port;
	jvm->stub = target->has_stub ? &target->stub : NULL;
	return jvm->dialer ? 0 : -1;
}

struct adding {
	struct door *door;
	const char **bind;   /* the next */
	struct socks *socks; /* or NULL */
	struct sockaddr_storage socks_at;
};

static int add_front(void *self, target_fn *find, const char *name,
		     struct error *err)
{
	struct adding *a = self;
	const char *bind = *a->bind++;
	struct sockaddr_storage local;
	struct proxy_target target = { 0 };
	struct rmi_front_options front = {
		.bind = &local,
		.advertise_host = opt.advertise,
	};
	int port = -1;

	if (parse_bind(&local, "-b", bind, err) ||
	    look_at_bind(&local, "-b", bind, err))
		return -1;
	if (find_jvm(a->door, find, name, &front.jvm, &target, err) == 0)
		port = rmi_front_add(a->door, &front, err);
	proxy_target_release(&target);
	if (port < 0)
		return -1;
	return mxprx_print_usage(name, &local, (uint16_t)port, opt.advertise,
				 err);
}

static int add_to_socks(void *self, target_fn *find, const char *name,
			struct error *err)
{
	struct adding *a = self;
	struct proxy_target target = { 0 };
	struct upstream_options jvm = { 0 };
	int ret = find_jvm(a->door, find, name, &jvm, &target, err);

	if (ret == 0) {
		socks_add(a->socks, &jvm);
		ret = mxprx_print_socks_usage(&jvm, &a->socks_at, opt.advertise,
					      err);
	}
	proxy_target_release(&target);
	return ret;
}

static int listen_for_socks(struct adding *a, struct error *err)
{
	struct sockaddr_in *at = (struct sockaddr_in *)&a->socks_at;
	uint16_t port;

	if (parse_bind(&a->socks_at, "--socks", opt.socks, err) ||
	    look_at_bind(&a->socks_at, "--socks", opt.socks, err))
		return -1;
	a->socks = socks_new(a->door, &a->socks_at, &port, err);
	if (!a->socks)
		return fail_in(err, "--socks");
	/* It stands in the same place in both. */
	at->sin_port = htons(port);
	return for_each_jvm(add_to_socks, a, err);
}

/* As many as all clients may need, if that is allowed. */
static void allow_descriptors(void)
{
	uint64_t wanted = opt.clients * DESCRIPTORS_OF_CLIENT;
	uint64_t allowed = open_files_raise(wanted);

	if (allowed < wanted)
		log_detail("%" PRIu64 " files may be open, too few for "
			   "%" PRIu64 " clients",
			   allowed, opt.clients);
}

static int serve(const struct door_options *options, struct error *err)
{
	struct adding a = { .bind = opt.binds.values };
	int ret = 0;

	allow_descriptors();
	a.door = door_new(options, err);
	if (!a.door)
		return -1;
	if (opt.binds.count)
		ret = for_each_jvm(add_front, &a, err);
	if (ret == 0 && opt.socks)
		ret = listen_for_socks(&a, err);
	if (ret == 0)
		ret = door_run(a.door, err);
	door_free(a.door);
	return ret;
}

/* Both ways; to clients only where there is a certificate for it. */
static int serve_by_tls(struct door_options *options, struct error *err)
{
	int ret = -1;

	options->to_jvm = tls_client_context(&opt.tls, err);
	if (options->to_jvm && opt.tls_cert)
		options->to_client = tls_server_context(opt.tls_cert,
							opt.tls_key, err);
	if (options->to_jvm && !opt.tls_cert == !options->to_client)
		ret = serve(options, err);
	SSL_CTX_free(options->to_client);
	SSL_CTX_free(options->to_jvm);
	return ret;
}

static int parse_allowed(struct cidr **allowed, struct error *err)
{
	*allowed = xcalloc(opt.allow.count + 1, sizeof(**allowed));
	for (size_t i = 0; i < opt.allow.count; i++)
		if (cidr_parse(&(*allowed)[i], opt.allow.values[i], err))
			return fail_in(err, "--allow");
	return 0;
}

/* To whom the n-th -b belongs is clear only among those of one kind. */
static int check_targets(int argc, char **argv, struct error *err)
{
	const size_t kinds_given = (opt.sockets.count > 0) +
				   (opt.pods.count > 0) + (opt.pids.count > 0);
	const size_t count = opt.sockets.count + opt.pods.count +
			     opt.pids.count;

	if (argc)
		return misuse(err, "%s: -s says which JVM", argv[0]);
	if (!kinds_given)
		return misuse(err,
			      "no JVM given: use -s <host>:<port>, -p <pid> or "
			      "--kubectl <pod>:<port>");
	if (kinds_given > 1)
		return misuse(err, "-s, -p and --kubectl do not mix, since the "
				   "n-th -b is for the n-th JVM; run an mxprx "
				   "for each kind");
	if (opt.via && !opt.sockets.count)
		return misuse(err, "--via goes with -s");
	if (opt.namespace && !opt.pods.count)
		return misuse(err, "--namespace goes with --kubectl");
	if (opt.socks && opt.pids.count)
		return misuse(err, "--socks: by pid there is nothing but this "
				   "machine to connect to; -b <port>");
	if (opt.binds.count != count && (opt.binds.count || !opt.socks))
		return misuse(err, "as many -b are needed as there are JVMs");
	return 0;
}

static int check(int argc, char **argv, struct error *err)
{
	if (check_targets(argc, argv, err))
		return -1;
	if (opt.tls_key && !opt.tls_cert)
		return misuse(err, "--tls-key requires --tls-cert");
	if (!opt.clients || !opt.clients_of_host)
		return misuse(err, "no client could connect");
	return 0;
}

static int run(int argc, char **argv, struct error *err)
{
	struct door_options options = {
		.clients_max = (size_t)opt.clients,
		.clients_per_host_max = (size_t)opt.clients_of_host,
		.hello_ns = 5 * CLOCK_NS_PER_S,
		.connect_ns = opt.connect_ns,
		.shutdown_ns = opt.drain_ns,
		.read_only = opt.read_only,
		.allowed_count = opt.allow.count,
		.say = say,
		.call = opt.log ? mxprx_print_call : NULL,
	};
	struct cidr *allowed = NULL;
	int ret = check(argc, argv, err);

	if (ret == 0)
		ret = parse_allowed(&allowed, err);
	options.allowed = allowed;
	if (ret == 0)
		ret = serve_by_tls(&options, err);
	free(allowed);
	return ret;
}

/* clang-format off */
static const struct command_option options[] = {
	OPT_LIST('s', "socket", &opt.sockets, "<host>:<port>",
		 "where a JVM has its JMX port"),
	OPT_LIST('p', "pid", &opt.pids, "<pid>",
		 "a JVM on this machine, configured for JMX or not"),
	OPT_STRING(0, "via", &opt.via, "<command>",
		   "connect by a command for each connection"),
	OPT_LIST(0, "kubectl", &opt.pods, "<pod>:<port>",
		 "a pod's JMX port, by kubectl port-forward"),
	OPT_STRING(0, "namespace", &opt.namespace, "<name>", "that of the pod"),
	OPT_LIST('b', "bind", &opt.binds, "[<host>:]<port>",
		 "where clients connect; one for each JVM"),
	OPT_STRING(0, "socks", &opt.socks, "[<host>:]<port>",
		   "let Java programs through by SOCKS, as they are"),
	OPT_STRING(0, "advertise", &opt.advertise, "<host>",
		   "the name that clients know this machine by"),
	OPT_JMX_TLS(&opt),
	OPT_STRING(0, "tls-cert", &opt.tls_cert, "<file>",
		   "PEM: have clients speak TLS, and show them this"),
	OPT_STRING(0, "tls-key", &opt.tls_key, "<file>",
		   "PEM: its key"),
	OPT_LIST(0, "allow", &opt.allow, "<network>",
		 "who else may connect: 10.0.0.0/8"),
	OPT_FLAG(0, "read-only", &opt.read_only,
		 "pass on only calls that change nothing"),
	OPT_COUNT(0, "max-clients", &opt.clients, "<n>",
		  "connections at a time"),
	OPT_COUNT(0, "max-clients-of-host", &opt.clients_of_host, "<n>",
		  "those of one address"),
	OPT_FLAG(0, "log", &opt.log, "print a line for each call"),
	OPT_DURATION(0, "timeout", &opt.connect_ns, "<time>",
		     "how long a JVM may take to answer"),
	OPT_DURATION(0, "drain", &opt.drain_ns, "<time>",
		     "how long calls may go on at the end"),
	OPT_END,
};
/* clang-format on */

const struct command mxprx_command = {
	.name = "mxprx",
	.alias = "mprx",
	.synopsis = "mxprx [<options>] -s <host>:<port> -b [<host>:]<port>",
	.summary = "let JMX clients through to a JVM by one port",
	.group = "ask a JVM",
	.examples = "  sjkc mxprx -s 10.0.0.7:9010 -b 7777\n"
		    "  sjkc mxprx -s a:9010 -b 7001 -s b:9010 -b 7002 "
		    "--read-only\n"
		    "  sjkc mxprx -s 10.0.0.7:9010 -b 7777 "
		    "--via 'ssh -W {host}:{port} bastion'\n"
		    "  sjkc mxprx --kubectl web-0:9010 --namespace shop "
		    "-b 7777\n"
		    "  sjkc mxprx -p 4711 -b 7777   # a JVM without a JMX "
		    "port, in a container, too\n"
		    "  sjkc mxprx -s 10.0.0.7:9010 --socks 1080   # TLS "
		    "from end to end\n",
	.options = options,
	.run = run,
};
