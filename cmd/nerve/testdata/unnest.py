"""Answers questions with DuckDB, and reads the files of other answers back.

Standard input is a list of tables, each with its file of JSON lines, the type of its rows, and
questions: the SQL, and the Arrow and Parquet files that are to have the same rows, if they are there.
For each question comes a line with the rows of all three.
"""
import json
import os
import sys

import duckdb
import pyarrow.ipc
import pyarrow.parquet


def rows(table):
    return [list(row) for row in zip(*[c.to_pylist() for c in table.columns])]


for table in json.load(sys.stdin):
    db = duckdb.connect()
    db.sql(f"""CREATE TABLE t AS SELECT * FROM read_json('{table["file"]}',
        format='newline_delimited', columns={{'rid': 'BIGINT', 'e0': '{table["type"]}'}})""")
    for q in table["questions"]:
        answer = {"duckdb": [list(r) for r in db.sql(q["sql"]).fetchall()]}
        if os.path.exists(q["arrow"]):
            with pyarrow.ipc.open_stream(q["arrow"]) as stream:
                answer["arrow"] = rows(stream.read_all())
            answer["parquet"] = rows(pyarrow.parquet.read_table(q["parquet"]))
        print(json.dumps(answer))
