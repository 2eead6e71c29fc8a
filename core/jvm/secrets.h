/* SPDX-License-Identifier: Apache-2.0 */
/*
 * secrets: masks secrets in arguments and properties.
 *
 * Secrets are recognized by names: password, passwd, pwd, passphrase, secret,
 * token, credential, key (but not keystore, which is a file). This is a guess
 * that errs on the side of masking.
 */
#ifndef CORE_JVM_SECRETS_H
#define CORE_JVM_SECRETS_H

#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>

#define SECRETS_MASK "***"

/* True when a value with this name is a secret. */
bool secrets_is_name(const char *name, size_t len);

/*
 * Appends an argument with its secrets masked: -Dname=value, --name=value, the
 * argument after a --name without a value (before is the preceding argument or
 * NULL), name=value between & ; , and the password of
 * scheme://user:password@host.
 */
void secrets_add_arg(struct text *out, const char *before, const char *arg);

/* The same for the value of a property. */
void secrets_add_value(struct text *out, const char *name, const char *value);

#endif
