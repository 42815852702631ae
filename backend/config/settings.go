package config

// Settings are the values in force. It is a plain value: a copy is a snapshot
// that nobody changes.
type Settings struct {
	Embeddings string // name of a model in the registry
	Vectors    string // VectorsFollow or VectorsRequired
	Prices     string // of embedding, by model: see ParsePrices
	Threads    int    // for embedding; 0: one a core
	OCR        string // OCROff or OCRAuto
	Database   string // URL of a PostgreSQL database; "": the library's own file
	Search     Search
	Chunking   Chunking
	Limits     Limits
}

// Limits bound what the policy "limits" applies without asking.
type Limits struct {
	Removed float64 // share of a source's documents that a plan may remove, 0 to 1
	Tokens  int     // that a plan may embed
}

// Search are the defaults of a search.
type Search struct {
	K      int
	Mode   string  // hybrid, keyword, vector
	Fusion string  // convex, rrf
	Weight float64 // of the vector leg
}

// Chunking are the rules by kind of document.
type Chunking struct {
	Markdown  Rule
	Text      Rule // plain text
	Web       Rule // HTML
	Documents Rule // Word, OpenDocument text, RTF, PDF, EPUB, mail
	Slides    Rule // presentations
	Sheets    Rule // spreadsheets, CSV, TSV
	Code      Rule // source code, JSON, YAML, TOML
}

// Rule overrides how one kind of document is divided. The zero Target and a
// negative Overlap stand for the strategy's own.
type Rule struct {
	Strategy string // StrategyAuto or a strategy's name
	Target   int    // tokens
	Overlap  int    // tokens
}

// Values of Settings.Vectors.
const (
	VectorsFollow   = "follow"   // text is searchable at once, vectors follow
	VectorsRequired = "required" // a document is swapped only with all its vectors
)

// Values of Settings.OCR (B4).
const (
	OCROff  = "off"  // pages without text stay without
	OCRAuto = "auto" // tesseract reads them where it is installed
)

// StrategyAuto lets the kind of the document decide.
const StrategyAuto = "auto"

// Defaults returns the settings of a library that nobody configured.
func Defaults() Settings {
	own := Rule{Strategy: StrategyAuto, Overlap: -1}
	return Settings{
		Embeddings: DefaultModel,
		Vectors:    VectorsFollow,
		OCR:        OCROff,
		Search:     Search{K: 6, Mode: "hybrid", Fusion: "convex", Weight: .5},
		Chunking:   Chunking{Markdown: own, Text: own, Web: own, Documents: own, Slides: own, Sheets: own, Code: own},
		Limits:     Limits{Removed: .1, Tokens: 100_000},
	}
}
