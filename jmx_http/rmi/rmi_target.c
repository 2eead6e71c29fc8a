/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/base64.h"
#include "jmx_http/rmi/rmi_client.h"

#include <string.h>
#include <strings.h>

/* java.rmi.registry.Registry.REGISTRY_PORT, of a URL that has none. */
#define REGISTRY_PORT 1099

#define ENTRY         "jmxrmi"

static int not_a_url(const char *url, const char *why, struct error *err)
{
	return fail(err, ERROR_MISUSE,
		    "%.200s: %s; service:jmx:rmi:///jndi/rmi://<host>:<port>/"
		    "jmxrmi is meant",
		    url, why);
}

/* Skips the word in any case, as JMXServiceURL does; NULL when it is not it. */
static const char *after(const char *text, const char *word)
{
	size_t len = strlen(word);

	return strncasecmp(text, word, len) == 0 ? text + len : NULL;
}

/* "host:port", "host" or "", of len bytes. */
static int parse_authority(struct rmi_address *a, const char *at, size_t len,
			   struct error *err)
{
	struct text whole = { 0 };
	const char *last;
	int status;

	text_add(&whole, at, len);
	if (!len)
		text_puts(&whole, "localhost");
	last = strrchr(whole.bytes, ':');
	if (!last || strchr(last, ']'))
		text_printf(&whole, ":%d", REGISTRY_PORT);
	status = rmi_address_parse(a, whole.bytes, err);
	text_release(&whole);
	return status;
}

/* "//host:port/entry", what follows "/jndi/rmi:". */
static int parse_jndi(struct rmi_target *t, const char *url, const char *rest,
		      struct error *err)
{
	size_t len;

	rest = after(rest, "//");
	if (!rest)
		return not_a_url(url, "it does not say where a registry is",
				 err);
	len = strcspn(rest, "/");
	if (!rest[len] || !rest[len + 1])
		return not_a_url(url, "it names no entry of a registry", err);
	text_puts(&t->entry, rest + len + 1);
	return parse_authority(&t->address, rest, len, err);
}

/* The stub may be followed by what is not of base64: ";attributes". */
static int parse_stub(struct rmi_target *t, const char *url, const char *rest,
		      struct error *err)
{
	if (!base64_read(&t->stub, rest, strcspn(rest, ";")) || !t->stub.len)
		return not_a_url(url, "its stub is not base64", err);
	return 0;
}

static int parse_url(struct rmi_target *t, const char *url, struct error *err)
{
	const char *rest = after(url, "service:jmx:rmi://"), *path, *found;

	if (!rest)
		return not_a_url(url, "not a URL of JMX over RMI", err);
	/* The host in front is where a server is made; clients skip it. */
	path = rest + strcspn(rest, "/;");
	found = after(path, "/jndi/rmi:");
	if (found)
		return parse_jndi(t, url, found, err);
	found = after(path, "/stub/");
	if (found)
		return parse_stub(t, url, found, err);
	return not_a_url(url, "it has neither /jndi/rmi: nor /stub/", err);
}

int rmi_target_parse(struct rmi_target *t, const char *target,
		     struct error *err)
{
	int status;

	*t = (struct rmi_target){ 0 };
	if (after(target, "service:")) {
		status = parse_url(t, target, err);
	} else {
		text_puts(&t->entry, ENTRY);
		status = rmi_address_parse(&t->address, target, err);
	}
	if (status)
		rmi_target_release(t);
	return status;
}

void rmi_target_release(struct rmi_target *t)
{
	text_release(&t->entry);
	text_release(&t->stub);
	*t = (struct rmi_target){ 0 };
}
