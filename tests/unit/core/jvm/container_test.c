/* SPDX-License-Identifier: Apache-2.0 */
#include "core/jvm/container.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define HEX16   "0123456789abcdef"
#define HEX64   HEX16 HEX16 HEX16 HEX16
#define OTHER16 "fedcba9876543210"
#define OTHER64 OTHER16 OTHER16 OTHER16 OTHER16

static void ids_of_containers_and_pods_are_found(void **state)
{
	static const struct {
		const char *cgroup, *id, *pod_uid;
	} rows[] = {
		{ "0::/\n", "", "" },
		{ "0::/user.slice/user-0.slice\n", "", "" },
		{ "0::/docker/" HEX64 "\n", HEX64, "" },
		{ "0::/system.slice/docker-" HEX64 ".scope\n", HEX64, "" },
		{ "0::/../cri-containerd-" HEX64 ".scope/app\n", HEX64, "" },
		{ "0::/kubepods.slice/kubepods-pod6f9c1c6e_0b5f_4ae8_9f0e_"
		  "3f7c1a2b3c4d.slice/crio-" HEX64 ".scope/container\n",
		  HEX64, "6f9c1c6e-0b5f-4ae8-9f0e-3f7c1a2b3c4d" },
		{ "11:memory:/kubepods/burstable/pod6f9c1c6e-0b5f-4ae8-9f0e-"
		  "3f7c1a2b3c4d/" HEX64 "\n0::/\n",
		  HEX64, "6f9c1c6e-0b5f-4ae8-9f0e-3f7c1a2b3c4d" },
		{ "9:cpu:/ecs/demo/" HEX16 HEX16 "/" HEX16 HEX16
		  "-1234567890\n",
		  HEX16 HEX16 "-1234567890", "" },
		{ "0::/ecs/" HEX16 HEX16 "-12x\n", "", "" },
		{ "0::/ecs/" HEX16 HEX16 "-\n", "", "" },
		{ "0::/x/" HEX64 "0\n", "", "" },
		{ "0::/kubepods-pod6f9c1c6e_0b5f_4ae8_9f0e_3f7c1a2b3c4d.slice:"
		  "cri-containerd:" HEX64 "\n",
		  HEX64, "6f9c1c6e-0b5f-4ae8-9f0e-3f7c1a2b3c4d" },
		/* The outermost container, and that of a pod in a node. */
		{ "0::/docker/" HEX64 "/docker/" OTHER64 "\n", HEX64, "" },
		{ "0::/docker/" OTHER64 "/kubelet/kubepods/pod6f9c1c6e-0b5f-"
		  "4ae8-9f0e-3f7c1a2b3c4d/" HEX64 "/docker/" OTHER64 "\n",
		  HEX64, "6f9c1c6e-0b5f-4ae8-9f0e-3f7c1a2b3c4d" },
		/* Groups that everyone may make. */
		{ "0::/x/" HEX64 "\n", "", "" },
		{ "0::/user.slice/docker-" HEX64 ".scope\n", "", "" },
		{ "0::/../user.slice/kubepods/pod6f9c1c6e-0b5f-4ae8-9f0e-"
		  "3f7c1a2b3c4d/" HEX64 "\n",
		  "", "" },
		{ "0::/x/" HEX16 HEX16 "\n", "", "" },
		{ "0::/podcast/pod1234\n", "", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct container c = { 0 };

		container_parse(&c, rows[i].cgroup, strlen(rows[i].cgroup),
				NULL);
		assert_string_equal(c.id, rows[i].id);
		assert_string_equal(c.pod_uid, rows[i].pod_uid);
	}
}

/* User 1000 owns a group of a user session, and root owns all others. */
static bool group_owner(void *self, const char *controllers,
			size_t controllers_len, const char *path,
			size_t path_len, uid_t *uid)
{
	(void)self, (void)controllers;
	*uid = memmem(path, path_len, "user", 4) ? 1000 : 0;
	return controllers_len == 0;
}

static void group_of_a_user_names_no_container(void **state)
{
	static const char other[] = "0::/user.slice/docker/" HEX64
				    "\n0::/docker/" OTHER64 "\n";
	static const char pod[] = "0::/user/kubepods/pod6f9c1c6e-0b5f-4ae8-"
				  "9f0e-3f7c1a2b3c4d/" HEX64 "\n";
	static const char root[] = "0::/a/b/docker/" HEX64 "\n";
	const struct container_groups groups = { .owner = group_owner };
	struct container c = { 0 };

	(void)state;
	assert_false(container_parse(&c, pod, strlen(pod), &groups));
	assert_string_equal(c.id, "");
	assert_string_equal(c.pod_uid, "");
	assert_true(container_parse(&c, other, strlen(other), &groups));
	assert_string_equal(c.id, OTHER64);
	assert_true(container_parse(&c, root, strlen(root), &groups));
	assert_string_equal(c.id, HEX64);
}

static void log_of_another_pod_names_no_container(void **state)
{
	const struct container c = { .id = HEX64, .pod_uid = HEX16 HEX16 };

	(void)state;
	assert_true(container_owns_log(
		&c, "/var/log/pods/prod_shop-7_" HEX16 HEX16 "/web/0.log"));
	assert_false(container_owns_log(
		&c, "/var/log/pods/prod_shop-7_" HEX16 OTHER16 "/web/0.log"));
	assert_false(container_owns_log(
		&c, "/var/log/pods/prod_shop-7_0" HEX16 HEX16 "/web/0.log"));
	assert_false(container_owns_log(&c, "/none"));
	assert_false(container_owns_log(&(struct container){ .id = HEX64 },
					"/var/log/pods/a_b_/"));
}

static void group_is_found_by_its_inode(void **state)
{
	static const char *const directories[] = {
		"a", "a/b", "docker", "docker/" HEX64, "docker/" HEX64 "/init",
	};
	char top[] = "/tmp/sjkc-groups-XXXXXX", path[256];
	struct container c = { 0 };
	struct stat st;
	char *found;

	(void)state;
	assert_non_null(mkdtemp(top));
	for (size_t i = 0; i < 5; i++) {
		snprintf(path, sizeof(path), "%s/%s", top, directories[i]);
		assert_int_equal(mkdir(path, 0700), 0);
	}
	assert_int_equal(stat(path, &st), 0);
	found = container_find(top, st.st_ino);
	assert_string_equal(found, "0::/docker/" HEX64 "/init\n");
	assert_true(container_parse(&c, found, strlen(found), NULL));
	assert_string_equal(c.id, HEX64);
	free(found);
	assert_int_equal(stat(top, &st), 0);
	assert_null(container_find(top, st.st_ino));
	assert_null(container_find(top, 1));
	assert_null(container_find("/no/such/directory", 1));
	for (size_t i = 5; i-- > 0;) {
		snprintf(path, sizeof(path), "%s/%s", top, directories[i]);
		rmdir(path);
	}
	rmdir(top);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids_of_containers_and_pods_are_found),
		cmocka_unit_test(group_is_found_by_its_inode),
		cmocka_unit_test(group_of_a_user_names_no_container),
		cmocka_unit_test(log_of_another_pod_names_no_container),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
