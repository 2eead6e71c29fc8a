# SPDX-License-Identifier: Apache-2.0
# -e given again replaces the event of a recording, as in flame.
export TZ=UTC
sjkc prof -q -i "$DATA/jfr/ap-lock.jfr" -e lock -e park | head -n 1
sjkc flame -q -i "$DATA/jfr/ap-lock.jfr" -e lock -e park -o - \
	--output-format collapsed | awk '{ sum += $NF } END { print sum }'
