"""What Python's onnxruntime reaches alone: the yardstick for ingestion.

Started by bench/ingest with a file of chunks; embeds them all for every line on
standard input, in each of three usual ways, and answers with a line of JSON for
each way.
"""

import concurrent.futures
import json
import os
import pathlib
import resource
import sys
import time

import numpy as np
import onnxruntime
import tokenizers

DATA = pathlib.Path(os.environ.get("IBID_MODELS") or pathlib.Path(__file__).resolve().parent.parent / "data/models")

MODELS = {
    "minilm": {"pooling": "mean", "query": ""},
    "bge-small": {"pooling": "cls", "query": "Represent this sentence for searching relevant passages: "},
}


def load_tokenizer(model):
    tokenizer = tokenizers.Tokenizer.from_file(str(DATA / model / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def load_session(model, threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    return onnxruntime.InferenceSession(str(DATA / model / "model.onnx"), options, providers=["CPUExecutionProvider"])


def embed_batch(model, session, batch):
    """The unit vectors of several lists of ids, padded to the longest."""
    ids = np.zeros((len(batch), max(map(len, batch))), dtype=np.int64)
    mask = np.zeros_like(ids)
    for row, tokens in enumerate(batch):
        ids[row, : len(tokens)] = tokens
        mask[row, : len(tokens)] = 1
    (hidden,) = session.run(None, {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)})
    if MODELS[model]["pooling"] == "cls":
        vectors = hidden[:, 0]
    else:
        vectors = (hidden * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def embed(model, session, ids):
    return embed_batch(model, session, [ids])[0]


def ways(model, threads):
    """Each way embeds a list of texts with the given number of threads."""
    tokenizer = load_tokenizer(model)
    shared, single = load_session(model, threads), load_session(model, 1)
    pool = concurrent.futures.ThreadPoolExecutor(threads)

    def one(session):
        return lambda text: embed(model, session, tokenizer.encode(text).ids)

    def batches(texts, size=16):
        for i in range(0, len(texts), size):
            encoded = tokenizer.encode_batch(texts[i : i + size])
            yield from embed_batch(model, shared, [e.ids for e in encoded])

    return {
        "one text on a thread": lambda texts: list(pool.map(one(single), texts)),
        "one text on all threads": lambda texts: list(map(one(shared), texts)),
        "batches of 16 on all threads": lambda texts: list(batches(texts)),
    }


def main():
    model, threads, path = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    texts = json.loads(pathlib.Path(path).read_text("utf-8"))

    def measure(run, texts):
        wall, cpu = time.perf_counter(), time.process_time()
        vectors = run(texts)
        return time.perf_counter() - wall, time.process_time() - cpu, vectors

    found = ways(model, threads)
    for _ in sys.stdin:
        for way, run in found.items():
            wall, cpu, vectors = measure(run, texts)
            answer = {
                "way": way,
                "seconds": wall,
                "cpu": cpu,
                "max_rss": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
                "first": [float(x) for x in vectors[0]],
            }
            print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    sys.exit(main())
