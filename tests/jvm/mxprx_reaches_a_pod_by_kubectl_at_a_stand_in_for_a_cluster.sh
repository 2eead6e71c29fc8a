#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The same by kubectl itself, where there is one, at a stand-in for the API
# server that it asks.
command -v kubectl >/dev/null || { echo 'no kubectl'; exit 77; }
kubectl_is_real=1
. tests/jvm/mxprx_reaches_a_pod_by_a_stand_in_for_kubectl.sh
