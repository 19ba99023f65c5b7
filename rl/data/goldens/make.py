"""Writes the Parquet files of the tests, as the `datasets` library would: python make.py (needs pyarrow)."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

here = Path(__file__).parent


def row(n, split):
    return {
        "data_source": "openai/gsm8k" if n % 3 else "sums",
        "prompt": [{"role": "user", "content": f"What is {n} + {n}?"}],
        "env_class": "gsm8k",
        "reward_spec": {"method": "rule", "ground_truth": str(2 * n)},
        "extra_info": {"split": split, "index": n, "level": n % 4, "answer": f"{n} + {n} = {2 * n}\n#### {2 * n}"},
        "made": n * 2**40,  # a 64-bit integer
        "picture": b"\x00\x01",
    }


train = pa.Table.from_pylist([row(n, "train") for n in range(1, 13)])
test = pa.Table.from_pylist([row(n, "test") for n in range(101, 105)])
# Two row groups and a file compressed in another way, as files of the hub are.
pq.write_table(train.slice(0, 8), here / "hub/data/train-00000-of-00002.parquet", row_group_size=5, compression="snappy")
pq.write_table(train.slice(8), here / "hub/data/train-00001-of-00002.parquet", compression="zstd")
pq.write_table(test, here / "hub/data/test-00000-of-00001.parquet", compression="gzip")
