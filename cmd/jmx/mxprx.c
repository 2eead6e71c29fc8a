/* SPDX-License-Identifier: Apache-2.0 */
/* sjkc mxprx: lets JMX clients reach a JVM through one port. */
#include "cmd/commands.h"
#include "cmd/jmx/jmx_target.h"
#include "cmd/jmx/mxprx.h"
#include "cmd/jmx/password.h"
#include "cmd/shared/log.h"
#include "cmd/shared/open_files.h"
#include "core/base/alloc.h"
#include "core/base/base64.h"
#include "core/base/clock.h"
#include "core/base/output.h"
#include "core/base/safe_text.h"
#include "core/base/units.h"
#include "jmx_http/net/address.h"
#include "jmx_http/proxy/door.h"
#include "jmx_http/proxy/http_front.h"
#include "jmx_http/proxy/rmi_front.h"
#include "jmx_http/proxy/socks.h"
#include "jmx_http/proxy/upstream.h"

#include <inttypes.h>
#include <limits.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* Per client: its connection, two connections to the JVM, and one spare. */
#define DESCRIPTORS_OF_CLIENT 4

#define RESOLVE_NS            (5 * CLOCK_NS_PER_S)
#define HOST_LEN              256

/* Defaults of --timeout: to connect, and for an agent's response. */
#define CONNECT_NS (5 * CLOCK_NS_PER_S)
#define START_NS   (30 * CLOCK_NS_PER_S) /* of the local JMX connector */
#define REPLY_NS   (60 * CLOCK_NS_PER_S)

static struct {
	struct option_list addresses, pods, pids, urls, binds, allow;
	struct option_list hosts, origins, targets, metrics;
	struct jmx_target_options login; /* for agents, and for --http */
	const char *http;
	const char *bearer_file;
	const char *proxy_command, *advertise, *tls_cert, *tls_key, *socks;
	const char *namespace, *context, *kubeconfig;
	uint64_t clients, clients_per_host;
	int64_t timeout_ns; /* 0: not given */
	int64_t shutdown_ns;
	bool read_only, log, require_tls, deadlocks, rmi;
	const char *log_format; /* text or json */
	struct tls_options tls;
} opt = {
	.clients = 1024,
	.clients_per_host = 64,
	.shutdown_ns = 30 * CLOCK_NS_PER_S,
	.log_format = "text",
};

static int64_t mxprx_connect_ns(void)
{
	return opt.timeout_ns ? opt.timeout_ns : CONNECT_NS;
}

/* Starting the local JMX connector of a JVM is slow, and happens once. */
static int64_t mxprx_attach_ns(void)
{
	return opt.pids.count && !opt.timeout_ns ? START_NS
						 : mxprx_connect_ns();
}

static int64_t mxprx_reply_ns(void)
{
	return opt.timeout_ns ? opt.timeout_ns : REPLY_NS;
}

static struct proxy_place mxprx_place(const struct sockaddr_storage *bound,
				      int port)
{
	return (struct proxy_place){
		.bound = bound,
		.port = (uint16_t)port,
		.host = opt.advertise,
	};
}

static void mxprx_say(void *self, const char *line)
{
	(void)self;
	log_info("%s", line);
}

/* Parses [HOST:]PORT; port 0 is allowed. */
static int mxprx_parse_bind(struct sockaddr_storage *to, const char *option,
			    const char *text, struct error *err)
{
	if (net_address_parse_bind(
		    to, text, clock_after(clock_monotonic_ns(), RESOLVE_NS),
		    err))
		return fail_in(err, "%s", option);
	return 0;
}

/* Other machines may connect only with --allow, and after a warning. */
static int mxprx_check_bind(const struct sockaddr_storage *local,
			    const char *option, const char *bind,
			    struct error *err)
{
	if (cidr_is_loopback(local))
		return 0;
	if (!opt.allow.count)
		return misuse(
			err,
			"%s %s lets other machines connect, and a JMX client "
			"can run any code in the JVM; use --allow <network>",
			option, bind);
	log_info("%s: clients in the networks of --allow can %s", bind,
		 opt.read_only ? "read everything that JMX offers"
			       : "run any code in the JVM unless it requires "
				 "a password");
	return 0;
}

/* The agents of -u */

static struct proxy_target_options mxprx_target_options(void)
{
	return (struct proxy_target_options){
		.proxy_command = opt.proxy_command,
		.namespace = opt.namespace,
		.context = opt.context,
		.kubeconfig = opt.kubeconfig,
		.timeout_ns = opt.pids.count ? mxprx_attach_ns() : RESOLVE_NS,
		.report = mxprx_say,
	};
}

/*
 * Sets the Authorization header for the agent, or leaves it empty.  A password
 * for another machine should not cross the network in clear.
 */
static int mxprx_authorize(const struct proxy_url *u,
			   const struct dialer *dialer, struct text *header,
			   struct error *err)
{
	struct text secret = { 0 }, both = { 0 };
	int ret = 0;

	if (opt.bearer_file) {
		ret = password_read(opt.bearer_file, &secret, err);
		text_puts(header, "Bearer ");
		text_puts(header, secret.bytes ? secret.bytes : "");
	} else if (opt.login.user) {
		ret = jmx_password(&opt.login, &secret, err);
		text_printf(&both, "%s:%s", opt.login.user,
			    secret.bytes ? secret.bytes : "");
		text_puts(header, "Basic ");
		base64_add(header, both.bytes, both.len);
	}
	if (ret == 0 && header->len &&
	    header->bytes[strcspn(header->bytes, "\r\n")])
		ret = misuse(err, "--bearer-file: the token contains a "
				  "newline");
	if (ret == 0 && header->len && !u->is_tls &&
	    upstream_crosses_network(dialer, u->host.bytes))
		log_always("warning: sending the password to %s without TLS; "
			   "anyone on the network can read it; use an https "
			   "URL",
			   u->authority.bytes);
	password_release(&secret);
	password_release(&both);
	return ret;
}

static struct dialer *mxprx_dial_agent(struct door *d, struct proxy_url *u,
				       struct error *err)
{
	const struct proxy_target_options options = mxprx_target_options();
	struct proxy_target pod = { 0 };
	struct dialer *dialer;

	if (opt.pids.count)
		return proxy_url_dialer_in_jvm(opt.pids.values[0], d->base,
					       err);
	if (!opt.pods.count)
		return proxy_url_dialer(u, &options, d->base, err);
	dialer = proxy_target_pod(&pod, opt.pods.values[0], &options, d->base,
				  err);
	u->port = pod.port;
	proxy_target_release(&pod);
	return dialer;
}

/* Call proxy_url_release() in any case, and wipe the header. */
static int mxprx_find_agent(struct door *d, const char *url,
			    struct proxy_url *u, struct text *header,
			    struct http_target_options *agent,
			    struct error *err)
{
	if (proxy_url_parse(u, url, err))
		return -1;
	if (opt.require_tls && !u->is_tls)
		return misuse(err, "--tls requires an https URL: -u %s", url);
	if (!u->name.len && opt.urls.count > 1)
		return misuse(err,
			      "with several -u, each agent needs a name: "
			      "-u <name>=%s",
			      url);
	*agent = (struct http_target_options){
		.name = u->name.len ? u->name.bytes : NULL,
		.title = u->title.bytes,
		.authority = u->authority.bytes,
		.host = u->host.bytes,
		.path = u->path.bytes ? u->path.bytes : "",
		.is_tls = u->is_tls,
		.dialer = mxprx_dial_agent(d, u, err),
	};
	agent->port = u->port;
	if (!agent->dialer || mxprx_authorize(u, agent->dialer, header, err))
		return -1;
	agent->authorization = header->len ? header->bytes : NULL;
	agent->bearer_file = opt.bearer_file;
	agent->renew_bearer = opt.bearer_file ? password_renew : NULL;
	return 0;
}

static int mxprx_check_names(const struct http_target_options *agents,
			     size_t count, struct error *err)
{
	for (size_t i = 0; i < count; i++)
		for (size_t j = i + 1; j < count; j++)
			if (strcmp(agents[i].name, agents[j].name) == 0)
				return misuse(err,
					      "-u: two agents have the name "
					      "'%s'",
					      agents[i].name);
	return 0;
}

/*
 * Adds the port for the agents.  This machine's name is allowed in Host headers
 * where clients use it.
 */
static int mxprx_listen_for_agents(struct door *d,
				   struct http_front_options *front,
				   struct error *err)
{
	const char **hosts = xcalloc(opt.hosts.count + 2, sizeof(*hosts));
	size_t count = opt.hosts.count;
	char name[HOST_LEN] = "";
	int port;

	if (count)
		memcpy(hosts, opt.hosts.values, count * sizeof(*hosts));
	if (opt.advertise)
		hosts[count++] = opt.advertise;
	if (net_address_is_any(front->bind) &&
	    gethostname(name, sizeof(name) - 1) == 0)
		hosts[count++] = name;
	front->hosts = (struct http_names){ hosts, count };
	front->origins = (struct http_names){ opt.origins.values,
					      opt.origins.count };
	front->jolokia_targets = (struct http_names){ opt.targets.values,
						      opt.targets.count };
	port = http_front_add(d, front, err);
	free(hosts);
	return port;
}

static struct metrics_options mxprx_metrics(void)
{
	return (struct metrics_options){
		.chosen = opt.metrics.values,
		.chosen_count = opt.metrics.count,
		.deadlocks = opt.deadlocks,
	};
}

/*
 * Returns the dialer of the workers that read an agent's metrics; NULL if only
 * another dialer reaches the agent.
 */
static struct dialer *mxprx_dial_metrics(struct door *d, struct proxy_bridge *b,
					 const char *url)
{
	struct jmx_target_options o = {
		.tls = opt.tls,
		.timeout_ns = mxprx_connect_ns(),
	};
	const char *equals = strchr(url, '=');

	if (opt.pids.count || opt.pods.count || opt.proxy_command)
		return NULL;
	/* Without "name=". */
	if (equals && equals < strchr(url, ':'))
		url = equals + 1;
	proxy_bridge_to_agent(b, url, &o);
	b->metrics = mxprx_metrics();
	return proxy_bridge_dialer(b, d->base);
}

/* What mxprx serves. */
struct serving {
	struct door *door;
	struct sockaddr_storage local; /* of --http or -b */
	struct proxy_bridge bridge;    /* of --http or --rmi */
	struct dialer *workers;        /* of bridge, until a front owns it */
	struct proxy_bridge *agents;   /* the metrics of each -u */
	struct dialer **metrics;       /* of agents, as workers */
};

static int mxprx_add_agents(struct serving *s, struct error *err)
{
	struct proxy_place place;
	struct door *d = s->door;
	size_t count = opt.urls.count;
	struct http_target_options *agents = xcalloc(count, sizeof(*agents));
	struct proxy_url *urls = xcalloc(count, sizeof(*urls));
	struct text header = { 0 };
	struct http_front_options front = {
		.bind = &s->local,
		.targets = agents,
		.target_count = count,
		.reply_ns = mxprx_reply_ns(),
		.checks_agents = true,
	};
	int ret = 0, port;
	bool is_taken = false; /* the dialers */
	size_t found = 0;

	for (; ret == 0 && found < count; found++)
		ret = mxprx_find_agent(d, opt.urls.values[found], &urls[found],
				       &header, &agents[found], err);
	if (ret == 0)
		ret = mxprx_check_names(agents, count, err);
	for (size_t i = 0; ret == 0 && i < count; i++) {
		agents[i].metrics = s->metrics[i];
		s->metrics[i] = NULL;
	}
	if (ret == 0) {
		is_taken = true;
		port = mxprx_listen_for_agents(d, &front, err);
		place = mxprx_place(&s->local, port);
		ret = port < 0 ? -1
			       : proxy_print_agents(agents, count, &place,
						    opt.tls_cert, err);
	}
	for (size_t i = 0; i < found; i++) {
		if (!is_taken)
			dialer_free(agents[i].dialer);
		proxy_url_release(&urls[i]);
	}
	password_release(&header);
	free(agents);
	free(urls);
	return ret;
}

/* Prepares for the JVM of -s or -p, which HTTP clients reach. */
static int mxprx_open_jvm(struct serving *s, struct error *err)
{
	struct jmx_target_options o = opt.login;

	o.socket = opt.addresses.count ? opt.addresses.values[0] : NULL;
	o.pid = opt.pids.count ? opt.pids.values[0] : NULL;
	o.tls = opt.tls;
	o.require_tls = opt.require_tls && o.socket;
	o.timeout_ns = mxprx_attach_ns();
	if (proxy_bridge_open(&s->bridge, &o, err))
		return -1;
	s->bridge.target.timeout_ns = mxprx_connect_ns();
	s->bridge.metrics = mxprx_metrics();
	return 0;
}

static int mxprx_add_bridge(struct serving *s, struct error *err)
{
	struct proxy_place place;
	struct http_target_options agent = {
		.authority = "localhost",
		.host = "localhost",
		.path = "",
		.serves_metrics = true,
		.title = s->bridge.title,
		.dialer = s->workers,
	};
	struct http_front_options front = {
		.bind = &s->local,
		.targets = &agent,
		.target_count = 1,
	};
	int port;

	s->workers = NULL;
	port = mxprx_listen_for_agents(s->door, &front, err);
	if (port < 0)
		return -1;
	place = mxprx_place(&s->local, port);
	return proxy_print_agents(&agent, 1, &place, opt.tls_cert, err);
}

/* Prepares for the agent of -u, which RMI clients reach. */
static int mxprx_open_agent(struct serving *s, struct error *err)
{
	struct jmx_target_options o = opt.login;

	o.url = opt.urls.values[0];
	o.bearer_file = opt.bearer_file;
	o.tls = opt.tls;
	o.require_tls = opt.require_tls;
	o.timeout_ns = mxprx_reply_ns();
	return proxy_bridge_open_agent(&s->bridge, &o, err);
}

static int mxprx_add_rmi_bridge(struct serving *s, struct error *err)
{
	struct proxy_place place;
	struct rmi_front_options front = {
		.bind = &s->local,
		.advertise_host = opt.advertise,
		.jvm = { .host = "localhost",
			 .port = RMI_SERVER_PORT,
			 .title = s->bridge.title,
			 .dialer = s->workers },
	};
	int port;

	s->workers = NULL;
	port = rmi_front_add(s->door, &front, err);
	if (port < 0)
		return -1;
	place = mxprx_place(&s->local, port);
	return proxy_print_usage(s->bridge.title, &place, err);
}

/*
 * Starts the processes that start workers, before the private key of --tls-key
 * is in memory.
 */
static int mxprx_start_workers(struct serving *s, struct error *err)
{
	const char *option = opt.http ? "--http" : "-b";
	const char *bind = opt.http ? opt.http : opt.binds.values[0];

	if (mxprx_parse_bind(&s->local, option, bind, err) ||
	    mxprx_check_bind(&s->local, option, bind, err))
		return -1;
	for (size_t i = 0; !opt.rmi && i < opt.urls.count; i++)
		s->metrics[i] = mxprx_dial_metrics(s->door, &s->agents[i],
						   opt.urls.values[i]);
	if ((opt.rmi && mxprx_open_agent(s, err)) ||
	    (opt.http && mxprx_open_jvm(s, err)))
		return -1;
	if (opt.rmi || opt.http)
		s->workers = proxy_bridge_dialer(&s->bridge, s->door->base);
	return 0;
}

/* The JVMs of the command line */

typedef struct dialer *target_fn(struct proxy_target *t, const char *name,
				 const struct proxy_target_options *o,
				 struct event_base *base, struct error *err);

static const struct {
	const struct option_list *names;
	target_fn *find;
} kinds[] = {
	{ &opt.addresses, proxy_target_socket },
	{ &opt.pods, proxy_target_pod },
	{ &opt.pids, proxy_target_process },
};

/* Called for each JVM of the command line, until a call fails. */
typedef int named_fn(void *self, target_fn *find, const char *name,
		     struct error *err);

static int mxprx_for_each_jvm(named_fn *fn, void *self, struct error *err)
{
	for (size_t kind = 0; kind < sizeof(kinds) / sizeof(*kinds); kind++)
		for (size_t i = 0; i < kinds[kind].names->count; i++)
			if (fn(self, kinds[kind].find,
			       kinds[kind].names->values[i], err))
				return -1;
	return 0;
}

/* Call proxy_target_release() in any case. */
static int mxprx_find_jvm(struct door *d, target_fn *find, const char *name,
			  struct upstream_options *jvm,
			  struct proxy_target *target, struct error *err)
{
	const struct proxy_target_options options = mxprx_target_options();

	jvm->dialer = find(target, name, &options, d->base, err);
	jvm->title = target->title.bytes;
	jvm->host = target->host.bytes;
	jvm->port = target->port;
	jvm->stub = target->has_stub ? &target->stub : NULL;
	return jvm->dialer ? 0 : -1;
}

struct adding {
	struct door *door;
	const char **bind;   /* of the next JVM */
	struct socks *socks; /* or NULL */
	struct sockaddr_storage socks_at;
};

static int mxprx_add_front(void *self, target_fn *find, const char *name,
			   struct error *err)
{
	struct proxy_place place;
	struct adding *a = self;
	const char *bind = *a->bind++;
	struct sockaddr_storage local;
	struct proxy_target target = { 0 };
	struct rmi_front_options front = {
		.bind = &local,
		.advertise_host = opt.advertise,
	};
	int port = -1;

	if (mxprx_parse_bind(&local, "-b", bind, err) ||
	    mxprx_check_bind(&local, "-b", bind, err))
		return -1;
	if (mxprx_find_jvm(a->door, find, name, &front.jvm, &target, err) == 0)
		port = rmi_front_add(a->door, &front, err);
	proxy_target_release(&target);
	if (port < 0)
		return -1;
	place = mxprx_place(&local, port);
	return proxy_print_usage(name, &place, err);
}

static int mxprx_add_to_socks(void *self, target_fn *find, const char *name,
			      struct error *err)
{
	struct proxy_place place;
	struct adding *a = self;
	struct proxy_target target = { 0 };
	struct upstream_options jvm = { 0 };
	int ret = mxprx_find_jvm(a->door, find, name, &jvm, &target, err);

	if (ret == 0) {
		socks_add(a->socks, &jvm);
		place = mxprx_place(
			&a->socks_at,
			ntohs(((struct sockaddr_in *)&a->socks_at)->sin_port));
		ret = proxy_print_socks_usage(&jvm, &place, err);
	}
	proxy_target_release(&target);
	return ret;
}

static int mxprx_listen_for_socks(struct adding *a, struct error *err)
{
	struct sockaddr_in *at = (struct sockaddr_in *)&a->socks_at;
	uint16_t port;

	if (mxprx_parse_bind(&a->socks_at, "--socks", opt.socks, err) ||
	    mxprx_check_bind(&a->socks_at, "--socks", opt.socks, err))
		return -1;
	a->socks = socks_new(a->door, &a->socks_at, &port, err);
	if (!a->socks)
		return fail_in(err, "--socks");
	/* The port of IPv4 and IPv6 has the same offset. */
	at->sin_port = htons(port);
	return mxprx_for_each_jvm(mxprx_add_to_socks, a, err);
}

/* Raises the limit of open files as far as all clients may need. */
static void mxprx_raise_descriptors(void)
{
	uint64_t wanted = opt.clients * DESCRIPTORS_OF_CLIENT;
	uint64_t allowed = open_files_raise(wanted);

	if (allowed < wanted)
		log_detail("the limit of %" PRIu64 " open files is too low for "
			   "%" PRIu64 " clients",
			   allowed, opt.clients);
}

/* Creates the TLS contexts; clients need TLS only with a certificate. */
static int mxprx_load_tls(struct door_options *options, struct error *err)
{
	options->to_jvm = tls_client_context(&opt.tls, err);
	if (!options->to_jvm)
		return -1;
	if (opt.tls_cert)
		options->to_client = tls_server_context(opt.tls_cert,
							opt.tls_key, err);
	return !opt.tls_cert == !options->to_client ? 0 : -1;
}

static int mxprx_add_fronts(struct serving *s, struct error *err)
{
	struct adding a = { .door = s->door, .bind = opt.binds.values };
	int ret = 0;

	if (opt.rmi)
		ret = mxprx_add_rmi_bridge(s, err);
	else if (opt.urls.count)
		ret = mxprx_add_agents(s, err);
	else if (opt.binds.count)
		ret = mxprx_for_each_jvm(mxprx_add_front, &a, err);
	if (ret == 0 && opt.socks)
		ret = mxprx_listen_for_socks(&a, err);
	if (ret == 0 && opt.http)
		ret = mxprx_add_bridge(s, err);
	return ret;
}

static int mxprx_serve(const struct door_options *options, struct error *err)
{
	struct serving s = {
		.agents = xcalloc(opt.urls.count + 1, sizeof(*s.agents)),
		.metrics = xcalloc(opt.urls.count + 1, sizeof(*s.metrics)),
	};
	struct door_options *own = NULL;
	int ret = -1;

	mxprx_raise_descriptors();
	s.door = door_new(options, err);
	if (s.door) {
		own = &s.door->options;
		ret = 0;
	}
	if (ret == 0 && (opt.urls.count || opt.http))
		ret = mxprx_start_workers(&s, err);
	if (ret == 0)
		ret = mxprx_load_tls(own, err);
	if (ret == 0)
		ret = mxprx_add_fronts(&s, err);
	if (ret == 0)
		ret = door_run(s.door, err);
	for (size_t i = 0; i < opt.urls.count; i++)
		dialer_free(s.metrics[i]);
	dialer_free(s.workers);
	if (own) {
		SSL_CTX *to_client = own->to_client, *to_jvm = own->to_jvm;

		door_free(s.door);
		SSL_CTX_free(to_client);
		SSL_CTX_free(to_jvm);
	}
	proxy_bridge_close(&s.bridge);
	free(s.agents);
	free(s.metrics);
	return ret;
}

static int mxprx_parse_allowed(struct cidr **allowed, struct error *err)
{
	*allowed = xcalloc(opt.allow.count + 1, sizeof(**allowed));
	for (size_t i = 0; i < opt.allow.count; i++)
		if (cidr_parse(&(*allowed)[i], opt.allow.values[i], err))
			return fail_in(err, "--allow");
	return 0;
}

static int mxprx_check_agents(struct error *err)
{
	if (opt.rmi && (opt.urls.count != 1 ||
			strncasecmp(opt.urls.values[0], "http", 4) != 0))
		return misuse(err, "--rmi requires a single -u <url>, without "
				   "a name");
	if (opt.pids.count + opt.pods.count > 1 ||
	    (opt.proxy_command && opt.pids.count + opt.pods.count))
		return misuse(err, "-u can be combined with one of -p, "
				   "--kubectl and --proxy-command, which "
				   "connects to the Jolokia agent");
	if (opt.urls.count > 1 && opt.pids.count + opt.pods.count)
		return misuse(err, "-p and --kubectl require a single -u");
	if (opt.urls.count > 1 && (opt.login.user || opt.bearer_file))
		return misuse(err, "--user and --bearer-file require a single "
				   "-u: each agent would get the password");
	if (opt.binds.count != 1)
		return misuse(err, "-u requires one -b [<host>:]<port>; "
				   "several agents share it");
	return 0;
}

static int mxprx_check_targets(int argc, char **argv, struct error *err)
{
	const size_t kinds_given = (opt.addresses.count > 0) +
				   (opt.pods.count > 0) + (opt.pids.count > 0);
	const size_t count = opt.addresses.count + opt.pods.count +
			     opt.pids.count;

	if (argc)
		return misuse(err,
			      "unexpected argument '%s'; use -s "
			      "<host>:<port> to name a JVM",
			      argv[0]);
	for (size_t i = 0; i < opt.metrics.count; i++)
		if (metrics_check(opt.metrics.values[i], err))
			return fail_in(err, "--metrics '%s'",
				       opt.metrics.values[i]);
	if (opt.urls.count)
		return mxprx_check_agents(err);
	if (opt.require_tls && opt.pids.count)
		return misuse(err, "--tls does not work with -p: the local JMX "
				   "connector does not speak TLS");
	if (!kinds_given)
		return misuse(err,
			      "no JVM given: use -s <host>:<port>, -p <pid>, "
			      "--kubectl <pod>:<port> or -u <url>");
	if (kinds_given > 1)
		return misuse(err, "-s, -p and --kubectl cannot be combined: "
				   "the n-th -b belongs to the n-th JVM; run "
				   "one mxprx for each");
	if (opt.http && count != 1)
		return misuse(err, "--http requires a single -s <host>:<port> "
				   "or -p <pid>");
	if (!opt.binds.count && !opt.socks && !opt.http)
		return misuse(err, "no port for clients: use -b "
				   "[<host>:]<port>, --http or --socks");
	if (opt.binds.count != count &&
	    (opt.binds.count || (!opt.socks && !opt.http)))
		return misuse(err,
			      "use -b once for each JVM (JVMs: %zu, -b: %zu)",
			      count, opt.binds.count);
	return 0;
}

static int mxprx_run(int argc, char **argv, struct error *err)
{
	struct door_options options = {
		.clients_max = (size_t)opt.clients,
		.clients_per_host_max = (size_t)opt.clients_per_host,
		.hello_ns = 5 * CLOCK_NS_PER_S,
		.connect_ns = mxprx_connect_ns(),
		.shutdown_ns = opt.shutdown_ns,
		.read_only = opt.read_only,
		.tls_required = opt.require_tls,
		.allowed_count = opt.allow.count,
		.report = mxprx_say,
		.call = opt.log ? proxy_print_call : NULL,
	};
	struct cidr *allowed = NULL;
	int ret;

	log_set_json(strcmp(opt.log_format, "json") == 0);
	ret = mxprx_check_targets(argc, argv, err);
	if (ret == 0)
		ret = mxprx_parse_allowed(&allowed, err);
	options.allowed = allowed;
	if (ret == 0)
		ret = mxprx_serve(&options, err);
	free(allowed);
	return ret;
}

/* clang-format off */
static const struct command_option options[] = {
	OPT_HEADING("target"),
	OPT_LIST('s', "address", &opt.addresses, "<host>:<port>",
		 "connect to this JMX port of a JVM", .aliases = "--socket"),
	OPT_LIST('p', "pid", &opt.pids, "<pid>",
		 "connect to a JVM on this machine"),
	OPT_LIST('u', "url", &opt.urls, "[<name>=]<url>",
		 "forward HTTP to the Jolokia agent at this URL",
		 .excludes = "address|http|socks"),
	OPT_LIST(0, "kubectl", &opt.pods, "<pod>:<port>",
		 "connect to a pod by kubectl port-forward",
		 .excludes = "http"),
	OPT_STRING(0, "namespace", &opt.namespace, "<name>",
		   "use this namespace for --kubectl",
		   .requires = "kubectl"),
	OPT_STRING(0, "context", &opt.context, "<name>",
		   "use this context of the kubeconfig for --kubectl",
		   .requires = "kubectl"),
	OPT_STRING(0, "kubeconfig", &opt.kubeconfig, "<file>",
		   "use this kubeconfig for --kubectl",
		   .requires = "kubectl"),
	OPT_STRING(0, "proxy-command", &opt.proxy_command, "<command>",
		   "run a command for each connection to the JVM",
		   .aliases = "--via", .requires = "address|url",
		   .excludes = "http"),
	OPT_JMX_TLS(&opt),
	OPT_STRING(0, "user", &opt.login.user, "<name>",
		   "log in to the JVM of --http or agent of -u",
		   .requires = "url|http"),
	OPT_STRING(0, "password-file", &opt.login.password_file, "<file>",
		   "read the password of --user from a file",
		   .requires = "user"),
	OPT_STRING(0, "bearer-file", &opt.bearer_file, "<file>",
		   "send the token in this file to the agent of -u",
		   .requires = "url", .excludes = "user"),
	OPT_DURATION(0, "timeout", &opt.timeout_ns, "<time>",
		     "wait this long for the JVM (default: 5s; -u: 1m)"),
	OPT_HEADING("clients"),
	OPT_LIST('b', "bind", &opt.binds, "[<host>:]<port>",
		 "listen at this address; repeat it for each JVM"),
	OPT_FLAG(0, "rmi", &opt.rmi,
		 "serve the agent of -u to JMX clients over RMI",
		 .requires = "url",
		 .excludes = "pid|kubectl|proxy-command|allow-host|"
			     "allow-origin|allow-target|metrics|"
			     "metrics-deadlocks"),
	OPT_STRING(0, "http", &opt.http, "[<host>:]<port>",
		   "serve the JVM's MBeans by Jolokia's protocol"),
	OPT_STRING(0, "socks", &opt.socks, "[<host>:]<port>",
		   "run a SOCKS 5 server at this address",
		   .excludes = "pid"),
	OPT_STRING(0, "advertise", &opt.advertise, "<host>",
		   "send clients to this host name"),
	OPT_FLAG(0, "tls", &opt.require_tls,
		 "require TLS from clients and to the JVM",
		 .requires = "tls-cert"),
	OPT_STRING(0, "tls-cert", &opt.tls_cert, "<file>",
		   "require TLS of clients, with this certificate"),
	OPT_STRING(0, "tls-key", &opt.tls_key, "<file>",
		   "read the key of --tls-cert from a PEM file",
		   .requires = "tls-cert"),
	OPT_LIST(0, "allow", &opt.allow, "<network>",
		 "accept clients from this network: 10.0.0.0/8"),
	OPT_LIST(0, "allow-host", &opt.hosts, "<name>",
		 "accept HTTP requests that use this host name",
		 .requires = "url|http"),
	OPT_LIST(0, "allow-origin", &opt.origins, "<origin>",
		 "accept requests of web pages from this origin",
		 .requires = "url|http"),
	OPT_LIST(0, "allow-target", &opt.targets, "<url>",
		 "let clients make the agent connect to this URL",
		 .requires = "url"),
	OPT_FLAG(0, "read-only", &opt.read_only,
		 "forward only calls that change nothing"),
	OPT_COUNT(0, "max-clients", &opt.clients, "<n>",
		  "limit the number of connections", .positive = true),
	OPT_COUNT(0, "max-clients-per-host", &opt.clients_per_host, "<n>",
		  "limit the connections per address",
		  .aliases = "--max-clients-of-host", .positive = true),
	OPT_DURATION(0, "shutdown-timeout", &opt.shutdown_ns, "<time>",
		     "wait this long for running calls",
		     .aliases = "--drain"),
	OPT_HEADING("output"),
	OPT_LIST(0, "metrics", &opt.metrics, "<name>[:<attribute>,…]",
		 "add the numbers of these MBeans to /metrics",
		 .single = true, .requires = "url|http"),
	OPT_FLAG(0, "metrics-deadlocks", &opt.deadlocks,
		 "count deadlocked threads in /metrics",
		 .requires = "url|http"),
	OPT_FLAG(0, "log", &opt.log, "print a line for each call"),
	OPT_CHOICE(0, "log-format", &opt.log_format, "text|json",
		   "print messages as text or JSON"),
	OPT_END,
};
/* clang-format on */

const struct command mxprx_command = {
	.name = "mxprx",
	.alias = "mprx",
	.synopsis = "mxprx [<options>] -s|-p|-u|--kubectl <jvm> -b <port>",
	.summary = "connect JMX clients to a JVM through one port",
	.group = "JMX",
	.examples = "  sjkc mxprx -s 10.0.0.7:9010 -b 7777\n"
		    "  sjkc mxprx -s a:9010 -b 7001 -s b:9010 -b 7002 "
		    "--read-only\n"
		    "  sjkc mxprx -s 10.0.0.7:9010 -b 7777 \\\n"
		    "    --proxy-command 'ssh -W {host}:{port} bastion'\n"
		    "  sjkc mxprx --kubectl web-0:9010 --namespace shop "
		    "-b 7777\n"
		    "  sjkc mxprx -p 4711 -b 7777   # a JVM without a JMX "
		    "port, even in a container\n"
		    "  sjkc mxprx -s 10.0.0.7:9010 --socks 1080   # TLS "
		    "from end to end\n"
		    "  sjkc mxprx -u https://10.0.0.7:8778/jolokia -b 9000 "
		    "--user admin\n"
		    "  sjkc mxprx -u http://localhost/jolokia "
		    "--kubectl web-0:8778 -b 9000\n"
		    "  sjkc mxprx -u http://10.0.0.7:8778/jolokia -b 7777 "
		    "--rmi   "
		    "# for VisualVM\n"
		    "  sjkc mxprx -p 4711 --http 9100   # metrics at "
		    "/metrics\n",
	.options = options,
	.run = mxprx_run,
};
