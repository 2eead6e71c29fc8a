/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the significance of changes, with simulated recordings. */
#include "render/profile/diff.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define TRIALS 2000

static uint64_t state;

/* Returns a random number below 1 (xorshift64*). */
static double draw(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (double)((state * 0x2545F4914F6CDD1DULL) >> 11) /
	       (double)(1ULL << 53);
}

/*
 * Fills a recording of 15 parts: in each, `ticks` moments with a sample of
 * `burst` equal samples at this rate.
 */
static void simulate(struct noise_sum *s, float *parts, double rate, int ticks,
		     int burst)
{
	*s = (struct noise_sum){ .parts = parts };
	for (size_t i = 0; i < SIDE_PARTS; i++) {
		parts[i] = 0;
		for (int k = 0; k < ticks; k++)
			parts[i] += draw() < rate ? (float)burst : 0;
		s->value += (double)parts[i];
	}
	s->samples = s->value;
}

static struct noise_base base_of_time(double seconds, size_t parts)
{
	struct noise_base b = { .value = seconds, .part_count = parts };

	for (size_t i = 0; i < parts; i++)
		b.parts[i] = seconds / (double)parts;
	return b;
}

/* Returns the proportion of trials with a probability below 5%. */
static double reports(double before, double after, int burst, size_t parts)
{
	struct noise_base bases[2] = { base_of_time(30, parts),
				       base_of_time(30, parts) };
	int found = 0;

	state = 88172645463325252ULL;
	for (int i = 0; i < TRIALS; i++) {
		float lanes[2][SIDE_PARTS];
		struct noise_sum sums[2];

		simulate(&sums[0], lanes[0], before, 100, burst);
		simulate(&sums[1], lanes[1], after, 100, burst);
		found += noise_probability(sums, bases) < 0.05;
	}
	return (double)found / TRIALS;
}

static void equal_rates_are_seldom_significant(void **unused)
{
	(void)unused;
	assert_true(reports(0.05, 0.05, 1, SIDE_PARTS) < 0.05);
	assert_true(reports(0.02, 0.02, 1, 0) < 0.06);
}

static void samples_in_bursts_are_seldom_significant(void **unused)
{
	(void)unused;
	assert_true(reports(0.05, 0.05, 10, SIDE_PARTS) < 0.06);
	/* Without parts, the test takes the samples as independent. */
	assert_true(reports(0.05, 0.05, 10, 0) > 0.3);
}

static void rate_half_as_high_again_is_significant(void **unused)
{
	(void)unused;
	assert_true(reports(0.20, 0.30, 1, SIDE_PARTS) > 0.95);
	assert_true(reports(0.20, 0.30, 1, 0) > 0.95);
}

static void few_samples_have_no_probability(void **unused)
{
	float parts[SIDE_PARTS] = { 0 };
	struct noise_base bases[2] = { base_of_time(30, 0),
				       base_of_time(30, 0) };
	struct noise_sum sums[2] = { { 9, 9, parts }, { 0, 0, parts } };

	(void)unused;
	assert_true(isnan(noise_probability(sums, bases)));
	sums[1] = (struct noise_sum){ 1, 1, parts };
	assert_false(isnan(noise_probability(sums, bases)));
	bases[1].value = 0;
	assert_true(isnan(noise_probability(sums, bases)));
}

static void equal_values_have_probability_one(void **unused)
{
	float parts[SIDE_PARTS] = { 0 };
	struct noise_base bases[2] = {
		{ .value = 50, .samples = 50, .has_sums = true },
		{ .value = 70, .samples = 70, .has_sums = true },
	};
	struct noise_sum sums[2] = { { 50, 50, parts }, { 70, 70, parts } };

	(void)unused;
	assert_true(noise_probability(sums, bases) == 1);
}

static void probability_is_that_of_students_distribution(void **unused)
{
	/* |t| of 2.048 with 28 degrees of freedom has a probability of 5%. */
	struct noise_base bases[2] = { base_of_time(15, SIDE_PARTS),
				       base_of_time(15, SIDE_PARTS) };
	float parts[2][SIDE_PARTS];
	struct noise_sum sums[2] = { { 0, 0, parts[0] }, { 0, 0, parts[1] } };
	/*
	 * Half the sum of the squared differences between neighbors is
	 * 26.5 * 600^2, and the variance of a side 1 / (14 * 15) of it. This
	 * is the root of the sum of both variances.
	 */
	const double deviation = 301.4251862;
	const double t = 2.048407;

	(void)unused;
	for (size_t i = 0; i < SIDE_PARTS; i++) {
		double spread = i == 14 ? 0 : i % 2 ? -600 : 600;

		parts[0][i] = (float)(1000 + spread);
		parts[1][i] = (float)(1000 + spread);
	}
	for (size_t i = 0; i < SIDE_PARTS; i++) {
		parts[1][i] += (float)(t * deviation);
		sums[0].value += (double)parts[0][i];
		sums[1].value += (double)parts[1][i];
	}
	sums[0].samples = sums[0].value;
	sums[1].samples = sums[1].value;
	assert_true(fabs(noise_probability(sums, bases) - 0.05) < 0.0005);
}

static void threshold_limits_false_discoveries(void **unused)
{
	/* The example of Benjamini and Hochberg (1995), section 3.3. */
	static const double p[] = { 0.0001, 0.0004, 0.0019, 0.0095, 0.0201,
				    0.0278, 0.0298, 0.0344, 0.0459, 0.3240,
				    0.4262, 0.5719, 0.6528, 0.7590, 1.0 };
	const double none[] = { 0.5, (double)NAN };

	(void)unused;
	assert_true(noise_threshold(p, 15) == 0.0095);
	assert_true(noise_threshold(none, 2) < 0);
	assert_true(noise_threshold(none, 0) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_rates_are_seldom_significant),
		cmocka_unit_test(samples_in_bursts_are_seldom_significant),
		cmocka_unit_test(rate_half_as_high_again_is_significant),
		cmocka_unit_test(few_samples_have_no_probability),
		cmocka_unit_test(equal_values_have_probability_one),
		cmocka_unit_test(probability_is_that_of_students_distribution),
		cmocka_unit_test(threshold_limits_false_discoveries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
