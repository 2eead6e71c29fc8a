/* SPDX-License-Identifier: Apache-2.0 */
/*
 * secrets: what of an argument or a property is not to be shown.
 *
 * Told by names: password, passwd, pwd, passphrase, secret, token, credential,
 * key (but not keystore: that is a file).  A guess, on the side of caution.
 */
#ifndef CORE_JVM_SECRETS_H
#define CORE_JVM_SECRETS_H

#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>

#define SECRETS_MASK "***"

/* True when a value of that name is one. */
bool secrets_is_name(const char *name, size_t len);

/*
 * Appends an argument, its secrets masked: -Dname=value, --name=value, what
 * follows a --name without a value (before; or NULL), name=value between & ; ,
 * and the password of scheme://user:password@host.
 */
void secrets_add_arg(struct text *out, const char *before, const char *arg);

/* The same for the value of a property of that name. */
void secrets_add_value(struct text *out, const char *name, const char *value);

#endif
