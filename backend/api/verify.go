package api

// VerifyFormat is the version of Verification's JSON.
const VerifyFormat = 1

// VerifyRequest asks whether the library is what a fresh build would be.
type VerifyRequest struct {
	Sources []string `json:"sources,omitempty"` // ids, names or paths; none: all
	Sample  int      `json:"sample"`            // passages that are embedded anew
	All     bool     `json:"all,omitempty"`     // the sample is every passage
	Files   bool     `json:"files,omitempty"`   // read every file and make its document anew
}

// Verification is what was looked at and found. The library is what a fresh
// build would be as far as it was looked at if Findings is empty.
type Verification struct {
	FormatVersion int             `json:"format_version"`
	Library       string          `json:"library"`
	Revision      int64           `json:"revision"`
	Documents     int             `json:"documents"` // whose texts were compared with their passages
	Passages      int             `json:"passages"`
	Sampled       int             `json:"sampled"` // passages embedded anew
	Files         int             `json:"files"`   // documents made anew from their files
	Findings      []VerifyFinding `json:"findings"`
	More          int             `json:"more,omitempty"` // findings beyond the first 1,000
	Marked        int             `json:"marked"`         // documents that the next plan repairs
	Notes         []string        `json:"notes"`          // what could not be compared, and why
}

// VerifyFinding is a place where the library is not what it should be.
type VerifyFinding struct {
	// Code: file_damaged, file_index_damaged, source_missing, record_missing, record_damaged,
	// stray_rows, text_missing, passages_missing, passage_altered, terms_wrong, index_stray,
	// vector_missing, vector_index_wrong, statistics_wrong, fields_wrong,
	// location_wrong, vector_wrong, file_differs, file_changed, out_of_step.
	Code     string `json:"code"`
	Source   string `json:"source,omitempty"`   // id
	Path     string `json:"path,omitempty"`     // of the document; without one it is about the library
	Document string `json:"document,omitempty"` // id
	Passage  string `json:"passage,omitempty"`  // id
	Index    *int   `json:"index,omitempty"`    // of the passage in its document, from 0
	Count    int    `json:"count"`
	Detail   string `json:"detail,omitempty"`
	Means    string `json:"means"` // for answers
	Fix      string `json:"fix"`   // what to do
}
