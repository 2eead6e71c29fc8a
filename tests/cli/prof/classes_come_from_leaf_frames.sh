# awk computes the same from the leaf frames of "root;caller;class weight".
recording=$DATA/jfr/ap-lock.jfr
sjkc flame -q -e lock --total -o - --output-format collapsed -i "$recording" |
	awk '{
		weight = $NF
		sub(/ [0-9]+$/, "")
		count = split($0, frames, ";")
		sum[frames[count]] += weight
	} END {
		for (class in sum)
			printf "%s,%.0f\n", class, sum[class]
	}' | sort >awk.txt
sjkc prof -q -e lock --csv --show classes -i "$recording" | tail -n +2 |
	cut -d, -f3,4 | sort >prof.txt
cmp awk.txt prof.txt && cat prof.txt
echo '-- of park, the class that was parked on'
sjkc prof -q -e park --csv --show classes -i "$recording"
echo '-- without the class'
sjkc prof -q -e lock --csv --show classes --no-class -i "$recording"
sjkc flame -q -e lock --no-class -o - --output-format collapsed \
	-i "$recording" | grep -c ';java.lang.Object ' || :
