# Sums up collapsed stack traces again, and compares each frame.
cat >1.txt <<'END'
main;run;a.A.x;a.A.y 120
main;run;a.A.x;a.A.x;b.B.z 31
main;run;b.B.z 7
main;gone 11
END
cat >2.txt <<'END'
main;run;a.A.x;a.A.y 90
main;run;a.A.x;a.A.x;b.B.z 230
main;run;new;new;new 5
main;run 1
END
sums() {
	awk -v file="$1" '{
		n = split($1, f, ";")
		split("", seen)
		for (i = 1; i <= n; i++)
			if (!seen[f[i]]++)
				total[f[i]] += $2
		self[f[n]] += $2
	}
	END {
		for (k in total) print "total", k, file, total[k]
		for (k in self) print "self", k, file, self[k]
	}' "$1"
}
{ sums 1.txt; sums 2.txt; } | awk '
	{ key[$1 "," $2]; sum[$1 "," $2, $3] = $4 }
	END { for (k in key)
		print k "," sum[k, "1.txt"] + 0 "," sum[k, "2.txt"] + 0 }' |
	sort >expected
sjkc diff --normalize none --csv 1.txt 2.txt |
	awk -F , 'NR > 1 { print $2 "," $3 "," $6 "," $7 }' | sort >actual
cmp expected actual && wc -l <actual
