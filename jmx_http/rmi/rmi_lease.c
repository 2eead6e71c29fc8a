/* SPDX-License-Identifier: Apache-2.0 */
/* Encodes java.rmi.dgc.DGC.dirty() calls. */
#include "jmx_http/rmi/rmi_lease.h"

#include "core/base/clock.h"
#include "jmx_http/java/java_writer.h"
#include "jmx_http/rmi/methods.h"

#include <string.h>
#include <sys/random.h>

#define LEASE_MS 600000 /* java.rmi.dgc.leaseValue's default */

/* bytes: unique (4), time (8), count (2), in the order of an ObjID. */
static void lease_write_uid(struct text *out, const uint8_t *bytes)
{
	java_write_object(out, &java_shape_uid, JAVA_OF_RMI);
	text_add(out, bytes + 12, 2);
	text_add(out, bytes + 4, 8);
	text_add(out, bytes, 4);
}

bool rmi_lease_is_due(const struct rmi_lease *l, unsigned login)
{
	return l->login != login ||
	       clock_monotonic_ns() - l->taken_ns >= l->renew_ns;
}

void rmi_lease_request(struct rmi_lease *l, unsigned login,
		       const struct jrmp_id *session, struct text *out)
{
	/* A random VMID distinguishes all clients of the JVM. */
	if (!l->login && (getrandom(l->address, sizeof(l->address), 0) < 0 ||
			  getrandom(l->uid, sizeof(l->uid), 0) < 0))
		memset(l->uid, 1, sizeof(l->uid));
	l->login = login;
	l->taken_ns = clock_monotonic_ns();
	l->renew_ns = RMI_LEASE_RENEW_NS;
	jmx_add_call(out, &jrmp_dgc, JMX_DIRTY);
	java_write_array(out, "[Ljava.rmi.server.ObjID;", 1, JAVA_OF_RMI);
	java_write_object(out, &java_shape_object_id, JAVA_OF_RMI);
	text_add(out, session->bytes, 8);
	lease_write_uid(out, session->bytes + 8);
	java_write_block(out, 8);
	java_write_u64(out, ++l->sequence);
	java_write_object(out, &java_shape_lease, JAVA_OF_RMI);
	java_write_u64(out, LEASE_MS);
	java_write_object(out, &java_shape_vmid, JAVA_OF_RMI);
	java_write_array(out, "[B", sizeof(l->address), JAVA_OF_RMI);
	text_add(out, l->address, sizeof(l->address));
	lease_write_uid(out, l->uid);
}

void rmi_lease_read(struct rmi_lease *l, const struct java_value *v)
{
	const struct java_value *ms = java_field_of(v, "value");

	if (java_is(v, java_shape_lease.name) && ms &&
	    ms->kind == JAVA_INTEGER && ms->integer > 0 &&
	    ms->integer / 2 < RMI_LEASE_RENEW_NS / CLOCK_NS_PER_MS)
		l->renew_ns = ms->integer / 2 * CLOCK_NS_PER_MS;
}
