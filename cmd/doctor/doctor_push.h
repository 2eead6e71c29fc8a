/* SPDX-License-Identifier: Apache-2.0 */
/* doctor_push: checks that a backend takes requests, for `doctor --push`. */
#ifndef CMD_DOCTOR_DOCTOR_PUSH_H
#define CMD_DOCTOR_DOCTOR_PUSH_H

#include "cmd/shared/push_options.h"

#include <stdbool.h>

/*
 * Sends a request without profiles as `prof --push` would with these options,
 * and prints each step with its time. Fails if the backend does not take the
 * request: ERROR_NO_TARGET for an unknown host, ERROR_PERMISSION for a missing
 * login, else ERROR_REFUSED.
 */
int doctor_push(const struct push_options *o, bool json, struct error *err);

#endif
