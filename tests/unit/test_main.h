/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Included before each unit test.  The Makefile defines main as a macro, so
 * that all tests can be in one program (unit_tests.c).
 */
#ifndef TESTS_UNIT_TEST_MAIN_H
#define TESTS_UNIT_TEST_MAIN_H

int main(void);

#endif
