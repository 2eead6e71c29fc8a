# Omit the formats: each new reader adds one.
sjkc flame --help | sed "s,auto|.*,auto|…,; /^        .*|collapsed$/d"
