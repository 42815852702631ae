package corpus

// Bounds of what one request may bring, checked before anything is read
// or written. Characters are Unicode code points. Documents of folders stream
// and are bounded by the limits of reading files instead.
const (
	MaxIngestDocuments  = 1_000
	MaxIngestCharacters = 50_000_000 // texts of a request together
	MaxIngestChunks     = 10_000     // passages that a request makes
	MaxTextCharacters   = 10_000_000 // of one document
	MaxChunkCharacters  = 1_000_000
	MaxQueryCharacters  = 16_384
	MaxHits             = 100
	MaxDimensions       = 65_536 // of a vector, in whatever store
	MaxMetadataFields   = 64
	MaxMetadataValues   = 100 // in a list
	MaxFilterFields     = 64
	MaxFilterValues     = 100 // of one membership
)

// Bounds of what a document of a folder may be divided into. Beyond them it
// would take more memory than all else, and have more index terms than a
// document may, or hardly any.
const (
	MaxBlocks = 500_000 // as extracted, and with those that questions and clauses make
	MaxUnits  = 4 << 20 // lines, sentences, words of long lines
)
