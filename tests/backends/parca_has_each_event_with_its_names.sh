# SPDX-License-Identifier: Apache-2.0
# Parca's query API returns the weights of each event by leaf as prof wrote them, of two
# runs of prof.  PARCA=HOST:PORT
sjkc=$1
scratch=$2
[ -n "${PARCA-}" ] || { echo 'PARCA=HOST:PORT is not set'; exit 77; }
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh
. tests/backends/lib.sh

"$sjkc" doctor --push "grpc://$PARCA" >"$scratch/doctor" || { cat "$scratch/doctor"; exit 1; }
grep -q '(Parca, pprof over gRPC)' "$scratch/doctor" || { cat "$scratch/doctor"; exit 1; }
backend_target || exit 1
backend_prof 0 "grpc://$PARCA" -e cpu,offcpu,wall,alloc,lock,gc --agent || exit 1
backend_agrees parca "$PARCA" || exit 1
# The next sjkc adds to the same series.
backend_prof 0 "grpc://$PARCA" -e cpu,gc --labels low || exit 1
backend_agrees parca "$PARCA"
