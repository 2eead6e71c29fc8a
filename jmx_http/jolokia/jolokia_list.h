/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jolokia_list: descriptions of MBeans, as an agent of Jolokia 2.x lists them.
 */
#ifndef JMX_HTTP_JOLOKIA_JOLOKIA_LIST_H
#define JMX_HTTP_JOLOKIA_JOLOKIA_LIST_H

#include "jmx_http/jmx.h"

/*
 * Returns the description of an MBean, a composite of "op", "attr", "notif",
 * "class" and "desc", in the arena.  Texts are copied.  The operations of one
 * name are an array.
 */
const struct value *jolokia_list_bean(const struct jmx_info *info,
				      struct arena *a);

/*
 * Truncates a description below `levels` levels, as agents do: objects become
 * "1", arrays their JSON as text.  levels: 0 for no limit.  Returns v, or a
 * value in the arena that has parts of v.
 */
const struct value *jolokia_list_truncate(const struct value *v, int64_t levels,
					  struct arena *a);

#endif
