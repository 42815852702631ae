"""Recomputes the goldens of the built-in embedder with other people's code.

HuggingFace's tokenizers gives the ids for the texts in
backend/embed/wordpiece/testdata/golden.jsonl, and Python's onnxruntime, with
the pooling written anew from the models' cards, the vectors of
backend/embed/builtin/testdata/vectors.json. Run it through bench/run.sh golden.
"""

import json
import pathlib
import sys

import peer

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOKENS = ROOT / "backend/embed/wordpiece/testdata/golden.jsonl"
VECTORS = ROOT / "backend/embed/builtin/testdata/vectors.json"

TEXTS = [
    ("document", "The pump delivers twelve cubic metres an hour at three bar."),
    ("document", "Ändere nichts an der Konfiguration, bevor die Sicherung geschrieben ist."),
    ("query", "how much water does the pump deliver?"),
]


def main():
    tokenizer = peer.load_tokenizer("minilm")
    lines = [json.loads(line) for line in TOKENS.read_text("utf-8").splitlines()]
    for line in lines:
        line["ids"] = tokenizer.encode(line["text"]).ids
    TOKENS.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")

    golden = []
    for model in peer.MODELS:
        session, tokenizer = peer.load_session(model, 1), peer.load_tokenizer(model)
        for role, text in TEXTS:
            prefix = peer.MODELS[model]["query"] if role == "query" else ""
            vector = peer.embed(model, session, tokenizer.encode(prefix + text).ids)
            golden.append({"model": model, "role": role, "text": text, "vector": [round(float(x), 4) for x in vector]})
    VECTORS.write_text(json.dumps(golden, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    sys.exit(main())
