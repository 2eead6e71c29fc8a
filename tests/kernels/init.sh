#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The first process of a machine that runs checks.sh and ends.  What that prints
# is on the second serial line, what the kernel says on the first.
export PATH=/bin HOME=/
for at in proc:/proc sysfs:/sys devtmpfs:/dev securityfs:/sys/kernel/security \
	tmpfs:/tmp; do
	mount -t "${at%%:*}" none "${at#*:}"
done
ip link set lo up
sh /checks.sh >/dev/ttyS1 2>&1
poweroff -f
