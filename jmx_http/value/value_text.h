/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value_text: how the parts of a value are spelled.
 *
 * Private to the value: what its JSON and its text share.
 */
#ifndef JMX_HTTP_VALUE_VALUE_TEXT_H
#define JMX_HTTP_VALUE_VALUE_TEXT_H

#include "core/base/text.h"
#include "jmx_http/value/value.h"

/*
 * Appends the shortest digits that are a VALUE_REAL's number again, which is a
 * float when its type says so; "NaN", "Infinity", "-Infinity" as Java has them.
 */
void value_add_real(struct text *out, const struct value *v);

/* Appends ms since 1970 as "2026-11-21T20:19:00.123Z", any of 64 bits. */
void value_add_date(struct text *out, int64_t ms);

/* True for the kinds whose value is .text. */
bool value_has_text(const struct value *v);

#endif
