/* SPDX-License-Identifier: Apache-2.0 */
/*
 *	local_jmx PID look | find | start
 *
 * Finds a JVM's local JMX connector: "look" without a request to the JVM,
 *"find" with one if necessary, "start" also starts it.  Prints it and connects
 *to it. The exit status is the kind of the error.
 */
#include "core/base/clock.h"
#include "core/base/safe_text.h"
#include "jmx_http/rmi/rmi_connection.h"
#include "jmx_http/rmi/rmi_local.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIMEOUT_NS (20 * CLOCK_NS_PER_S)

static void put_text(const char *name, const struct text *foreign)
{
	struct text t = { 0 };

	text_puts(&t, "");
	safe_text(&t, foreign->bytes ? foreign->bytes : "", foreign->len);
	printf("%s=%s\n", name, t.bytes);
	text_release(&t);
}

static void put(const struct rmi_local *l)
{
	put_text("url", &l->url);
	printf("port=%u started=%d\n", l->port, l->was_started);
	if (l->has_remote)
		printf("remote_port=%u authenticate=%d ssl=%d registry_ssl=%d "
		       "need_client_auth=%d\n",
		       l->remote_port, l->authenticate, l->ssl, l->registry_ssl,
		       l->need_client_auth);
	put_text("remote_url", &l->remote_url);
	put_text("properties", &l->properties);
}

/* Connects, and prints the peer and the kind of its reply. */
static int greet(const struct jvm *jvm, uint16_t port, struct error *err)
{
	struct net_address a = { .host = "10.255.255.254", .port = port };
	int64_t deadline_ns = clock_monotonic_ns() + TIMEOUT_NS;
	struct dialer *d = local_dialer_new(NULL, jvm, LOCAL_LOOPBACK, err);
	struct rmi_connection c = { 0 };
	struct rmi_transport *t;
	enum rmi_answer answer;
	int ret = -1;

	t = d ? rmi_transport_dial(d, &a, deadline_ns, err) : NULL;
	if (t) {
		struct text peer = { 0 };

		net_address_add(&peer, &t->peer);
		put_text("peer", &peer);
		text_release(&peer);
		rmi_connection_init(&c, t);
		ret = rmi_connection_greet(&c, deadline_ns, &answer, err);
		if (ret == 0)
			puts("greeted");
		rmi_connection_close(&c);
	}
	dialer_free(d);
	return ret;
}

static void starting(const struct jvm *jvm) { (void)jvm; }

int main(int argc, char **argv)
{
	struct rmi_local l = { 0 };
	struct jvm jvm = { .pidfd = -1 };
	struct error err = { 0 };
	int ret;

	if (argc != 3)
		return ERROR_MISUSE;
	ret = jvm_open_java(&jvm, (pid_t)strtol(argv[1], NULL, 10), &err);
	if (ret == 0 && strcmp(argv[2], "look") == 0)
		ret = rmi_local_look(&l, &jvm, &err);
	else if (ret == 0)
		ret = rmi_local_find(&l, &jvm,
				     strcmp(argv[2], "start") ? NULL : starting,
				     TIMEOUT_NS, &err);
	if (ret == 0)
		put(&l);
	if (ret == 0 && l.port)
		ret = greet(&jvm, l.port, &err);
	if (ret)
		fprintf(stderr, "%s\n", err.text);
	rmi_local_release(&l);
	jvm_close(&jvm);
	return ret ? (int)err.kind : 0;
}
