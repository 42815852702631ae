// Package builtin embeds text in this process, with no key, server or network:
// small BERT models of int8 weights on ONNX Runtime.
//
// Texts are run one at a time: dynamic int8 scales depend on everything in a
// batch, so a vector of a batch would depend on its neighbours; and a batch is
// no faster. The runtime is a C library, loaded when the first text is
// embedded; a build without cgo has no built-in model and says so.
//
// Files are looked for in this order: the environment variables
// IBID_ONNXRUNTIME (the library's file) and IBID_MODELS (the folder that holds
// a folder for each model) when set; then, laid out as scripts/models.sh does
// (lib/, models/), beside the executable, in ../data from there (a checkout),
// and in Options.Dirs.
package builtin

import (
	"log/slog"
	"maps"
	"slices"

	"ibid/backend/corpus"
)

// Provider is the provider's name in corpus.Space.
const Provider = "builtin"

// Default is the model that Options.Model "" means.
const Default = "minilm"

// Options tell Open what to load. The zero value is the default model with a
// thread a core.
type Options struct {
	Model string // one of Models; "" means Default
	// Dirs are more folders with lib/ and models/, looked through last.
	Dirs []string
	// Threads is how many documents are embedded at once, one core each; 0
	// means as many as Go may use cores.
	Threads int
	Log     *slog.Logger // nil: no log
}

// Models returns the names of the models, in order.
func Models() []string { return slices.Sorted(maps.Keys(specs)) }

// pooling makes one vector of a text's token vectors.
type pooling string

const (
	mean pooling = "mean" // of all tokens, special ones included
	cls  pooling = "cls"  // the first token's
)

// spec is what a model's card says of it. The digests are those that
// scripts/models.sh installs: other weights would be another space.
type spec struct {
	dimensions int
	limit      int // tokens the model was trained on; MiniLM's position table is larger
	pooling    pooling
	query      string // put before queries
	format     string // corpus.Space.Format; changes with any of the above
	weights    string // SHA-256 of model.onnx
	tokenizer  string // SHA-256 of tokenizer.json
}

var specs = map[string]spec{
	"minilm": { // sentence-transformers/all-MiniLM-L6-v2
		dimensions: 384, limit: 256, pooling: mean, format: "int8-mean-1",
		weights:   "afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1",
		tokenizer: "da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0",
	},
	"bge-small": { // BAAI/bge-small-en-v1.5
		dimensions: 384, limit: 512, pooling: cls, format: "int8-cls-prefix-1",
		query:     "Represent this sentence for searching relevant passages: ",
		weights:   "6c9c6101a956d62dfb5e7190c538226c0c5bb9cb27b651234b6df063ee7dbfe4",
		tokenizer: "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
	},
}

func (s spec) space(model string) corpus.Space {
	return corpus.Space{Provider: Provider, Model: model, Dimensions: s.dimensions, Format: s.format}
}

// pool makes the text's vector of hidden, the token vectors one after another.
func (s spec) pool(hidden []float32) []float32 {
	v := make([]float32, s.dimensions)
	if s.pooling == cls {
		copy(v, hidden)
		return v
	}
	// The sum has the mean's direction, and length is normalised later.
	for ; len(hidden) >= len(v); hidden = hidden[len(v):] {
		for i := range v {
			v[i] += hidden[i]
		}
	}
	return v
}
