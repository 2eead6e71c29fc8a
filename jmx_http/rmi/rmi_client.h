/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rmi_client: JMX over RMI.
 *
 * A client logs in, keeps the connection alive while it is used seldom (a call
 * a minute: the JVM ends a session after two), and logs in again when the JVM
 * was restarted.  It renews the session's lease while it is open, as servers
 * other than the JVM's own agent require it.
 */
#ifndef JMX_HTTP_RMI_RMI_CLIENT_H
#define JMX_HTTP_RMI_RMI_CLIENT_H

#include "jmx_http/jmx.h"
#include "jmx_http/target.h"

/*
 * Connects; jmx_close() is due.  NULL and *err: ERROR_NO_TARGET when nothing
 * listens; ERROR_PERMISSION when the JVM demands a password, or another one;
 * ERROR_REFUSED; ERROR_MISUSE for an invalid address.
 */
struct jmx *rmi_client_open(const struct jmx_target *target, struct error *err);

#endif
