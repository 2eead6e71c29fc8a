/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mxdump: MBeans as one JSON document, {"beans": […]}.
 */
#ifndef CMD_JMX_MXDUMP_H
#define CMD_JMX_MXDUMP_H

#include "core/base/output.h"
#include "jmx_http/jmx.h"

/*
 * Writes the document, whole in any case.  ERROR_PARTIAL when not all MBeans
 * are in it, which it says itself; ERROR_OUTPUT.
 */
int mxdump_write(struct jmx *jmx, const char *const *names, size_t count,
		 struct output *out, struct error *err);

#endif
