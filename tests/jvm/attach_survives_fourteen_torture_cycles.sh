# SPDX-License-Identifier: Apache-2.0
# A short run of `make torture-attach`.
sh tests/jvm/lib/torture_attach.sh "$1" 14
