# SPDX-License-Identifier: Apache-2.0
# A near miss may be another tool's spelling of an option.
exec 2>&1
for option in -hist -histo:liv --histo --liv -hisot:live --top-numbr; do
	sjkc jmap "$option" 2147483647
done
sjkc jps -filter-descripton x
sjkc flame --min-widht 1 x
sjkc flame --minwidht 1 x
sjkc flame --aloc x
