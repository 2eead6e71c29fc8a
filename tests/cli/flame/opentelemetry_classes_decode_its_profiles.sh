# make setup unpacks the classes, if the distribution has them.
classes=$DATA/../../build/otlp/usr/lib/python3/dist-packages
for input in jfr/ap-lock.jfr otlp/load-timestamps.pb; do
	sjkc flame -q -o out.otlp "$DATA/$input" &&
		PYTHONPATH=$classes /usr/bin/python3 \
			"$DATA/../tools/otlp_check.py" --official out.otlp || exit
done
