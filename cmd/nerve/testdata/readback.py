"""Prints the rows of Arrow and Parquet files as pyarrow and duckdb read them, as JSON lines."""
import json
import sys

import duckdb
import pyarrow.ipc
import pyarrow.parquet


def plain(value):
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, list):
        return [plain(v) for v in value]
    if value is not None and type(value).__name__ == "Timestamp":
        return value.value
    return value


def rows(table):
    names = table.column_names
    columns = []
    for c in table.columns:
        if str(c.type).startswith(("timestamp", "duration")):
            c = c.cast("int64")
        columns.append([plain(v) for v in c.to_pylist()])
    return [dict(zip(names, row)) for row in zip(*columns)]


def show(table):
    for row in rows(table):
        print(json.dumps(row, ensure_ascii=False, sort_keys=True))


reader, file = sys.argv[1:]
if reader == "arrow":
    with pyarrow.ipc.open_stream(file) as stream:
        show(stream.read_all())
elif reader == "parquet":
    show(pyarrow.parquet.read_table(file))
else:
    show(duckdb.sql(f"SELECT * FROM read_parquet('{file}')").to_arrow_table())
