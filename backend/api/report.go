package api

// ReportRequest asks how well documents were read: all, a source's, or one.
type ReportRequest struct {
	Source string `json:"source,omitempty"` // id, name or path
	Path   string `json:"path,omitempty"`   // in the source; absolute without one
	// All lists documents without remarks, too.
	All   bool `json:"all,omitempty"`
	Limit int  `json:"limit,omitempty"` // of listed documents; default 500, at most 10,000
}

// Report is how well the documents of the library were read.
type Report struct {
	Documents   int               `json:"documents"` // looked at
	Unreadable  int               `json:"unreadable"`
	Partial     int               `json:"partial"`  // read, but not all of it
	Remarked    int               `json:"remarked"` // read, with remarks
	Pages       int               `json:"pages"`
	NoTextPages int               `json:"no_text_pages"` // they need OCR
	Rows        int               `json:"rows"`          // of sheets
	Hidden      int               `json:"hidden"`        // characters of hidden text left out
	Encodings   []EncodingCount   `json:"encodings"`     // other than UTF-8, the most frequent first
	Readings    []DocumentReading `json:"readings"`      // the worst first, then by source and path
	Listed      int               `json:"listed"`        // that there are to list, before the limit
}

// EncodingCount counts documents by the encoding that was found.
type EncodingCount struct {
	Encoding  string `json:"encoding"`
	Documents int    `json:"documents"`
}

// DocumentReading is how well one document was read.
type DocumentReading struct {
	Document   string `json:"document"`
	Source     string `json:"source"`
	SourceName string `json:"source_name"`
	Path       string `json:"path"`
	Type       string `json:"type"`
	// State is "unreadable" (Error says why), "partial", "remarks" or "clean".
	State   string  `json:"state"`
	Error   string  `json:"error,omitempty"`
	Chunks  int     `json:"chunks"` // that the library answers with
	Reading Reading `json:"reading"`
}

// Reading is how well a file could be read.
type Reading struct {
	Encoding    string   `json:"encoding,omitempty"` // as found, when not UTF-8
	Pages       int      `json:"pages,omitempty"`
	NoTextPages []int    `json:"no_text_pages,omitempty"` // they need OCR
	Garble      float64  `json:"garble,omitempty"`        // 0 clean … 1 unreadable
	Rows        int      `json:"rows,omitempty"`          // of sheets, as read
	RowsKept    int      `json:"rows_kept,omitempty"`     // that stand in passages; only of a single document
	Hidden      int      `json:"hidden,omitempty"`        // characters of hidden text left out
	Notes       []string `json:"notes,omitempty"`         // truncations and fallbacks, in words
	// Missing is what of it cannot be found, in words.
	Missing []string `json:"missing,omitempty"`
}
