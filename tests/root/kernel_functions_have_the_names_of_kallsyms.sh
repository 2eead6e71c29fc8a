# SPDX-License-Identifier: Apache-2.0
# The kernel names an address with one of the names in /proc/kallsyms, at the
# start of a function and within it, and gives an unused address no name.  BPF
# programs are omitted, because they are loaded and unloaded at any time.
scratch=$2

grep -q '^f' /proc/kallsyms || { echo 'addresses are hidden'; exit 77; }
tr '\t' ' ' </proc/kallsyms >"$scratch/symbols"
# Some functions, by their first address.
awk '$2 ~ /^[tTwW]$/ && $1 ~ /^f/ && $4 != "[bpf]" && NR % 41 == 0 {
		print $1
	}' \
	"$scratch/symbols" >"$scratch/begins"
"$TOOLS/name_kernel" <"$scratch/begins" >"$scratch/named" || exit 1
count=$(wc -l <"$scratch/named")
[ "$count" -gt 500 ] || { echo "$count functions"; exit 1; }
wrong=$(awk 'NR == FNR { name = $3 ($4 ? " " $4 : ""); is[$1, name] = 1; next }
	!(($1, $2 ($3 ? " " $3 : "")) in is)' "$scratch/symbols" "$scratch/named")
[ -z "$wrong" ] || { echo "not in kallsyms:"; echo "$wrong" | head; exit 1; }

echo ffffffffff000001 | "$TOOLS/name_kernel" >"$scratch/none"
[ "$(cat "$scratch/none")" = 'ffffffffff000001 -' ] ||
	{ cat "$scratch/none"; exit 1; }
# Functions are aligned to 16 bytes.
begin=$(awk '$3 == "vfs_read" { print $1 }' "$scratch/symbols")
within=${begin%?}8
echo "$within" | "$TOOLS/name_kernel" | grep -qx "$within vfs_read"
