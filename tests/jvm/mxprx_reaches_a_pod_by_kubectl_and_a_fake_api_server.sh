#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The same test with kubectl itself and a fake API server.
command -v kubectl >/dev/null || { echo 'no kubectl'; exit 77; }
kubectl_is_real=1
. tests/jvm/mxprx_reaches_a_pod_by_a_fake_kubectl.sh
