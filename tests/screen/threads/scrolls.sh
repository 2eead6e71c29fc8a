sjkc ttop --replay "$DATA/ttop/made.jsonl" --screen 80x14 --keys '<pgdn><show>G<show>g<wheeldown><wheeldown><show>kk'
