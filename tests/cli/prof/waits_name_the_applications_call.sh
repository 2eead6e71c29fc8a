# The rows of the table of waits and the idle threads add up to all samples.
recording=$DATA/jfr/ap3-wall.jfr
sjkc prof -q -e wall --show waits -n 12 -i "$recording"
echo '-- with idle threads'
sjkc prof -q -e wall --show waits -n 3 --idle -i "$recording"
sjkc prof -q -e wall --json -n 0 -i "$recording" >all.json
python3 - <<'EOF'
import json
report = json.load(open('all.json'))['reports'][0]
total = lambda row: next(v for k, v in row.items() if k in ('total', 'total_samples'))
waits = sum(total(row) for row in report['waits'])
idle = next(v for k, v in report.items() if k in ('idle', 'idle_samples'))
print('all samples are there:', waits + idle == total(report))
EOF
