/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the causes that the remarks of a session name. */
#include "bpf/sampling/session.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct remark *remark_of(const struct profile *p, const char *what)
{
	for (size_t i = 0; i < p->remark_count; i++)
		if (strcmp(p->remarks[i].what, what) == 0)
			return &p->remarks[i];
	fail_msg("no remark: %s", what);
	return NULL;
}

static struct profile *losses_of(unsigned events,
				 const struct sampling_losses *l)
{
	const struct sampling_options o = { .events = events };
	struct profile *p = profile_new();
	struct sampling_shared s = { .o = &o, .profile = p };

	sampling_losses_add(&s, l);
	return p;
}

/* Each event becomes rarer by its own option. */
static void
advice_for_lost_samples_names_the_options_of_the_events(void **state)
{
	static const struct {
		unsigned events;
		const char *advice;
	} cases[] = {
		{ SAMPLING_CPU, "use a lower -F or --stack-bytes" },
		{ SAMPLING_OFFCPU,
		  "use a larger --min-blocked or a lower --stack-bytes" },
		{ SAMPLING_WALL, "use a larger --min-blocked, or a lower -F or "
				 "--stack-bytes" },
		{ SAMPLING_ALLOC,
		  "use a larger --alloc-interval or a lower --stack-bytes" },
		{ SAMPLING_LOCK, "use a lower --stack-bytes" },
	};
	const struct sampling_losses l = { .had.samples = 94,
					   .sampler.lost = 6 };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct profile *p = losses_of(cases[i].events, &l);
		const struct remark *r = remark_of(p, "samples lost");
		const char *use = strstr(r->first, "use ");

		assert_non_null(use);
		assert_string_equal(use, cases[i].advice);
		assert_int_equal(r->count, 6);
		assert_int_equal(r->of, 100);
		profile_free(p);
	}
}

static void names_lost_by_delays_have_their_own_cause(void **state)
{
	const struct sampling_losses l = { .had = { .unrecorded = 2,
						    .delayed = 3 } };
	struct profile *p = losses_of(SAMPLING_CPU, &l);
	const struct remark *r = remark_of(p, "names lost");

	(void)state;
	assert_int_equal(r->count, 2);
	assert_non_null(strstr(r->first, "buffer was full"));
	r = remark_of(p, "names lost by delays");
	assert_int_equal(r->count, 3);
	assert_non_null(strstr(r->first, "held the sjkc agent's lock"));
	assert_true(profile_is_partial(p));
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			advice_for_lost_samples_names_the_options_of_the_events),
		cmocka_unit_test(names_lost_by_delays_have_their_own_cause),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
