// Package ingest plans re-indexing and applies plans. It looks at sources and
// asks [plan] what differs; it reads, extracts, divides, analyzes, embeds and
// commits, in bounded stages, one document at a time.
//
// What a run promises: readers see a document's old or new version,
// never a mix; a run that is killed at any instant leaves only whole documents
// behind, and the next plan goes on from there; no text is embedded twice. A
// new document is committed as soon as its text is read and its vectors
// follow; a changed one waits for its vectors, but not for ever.
package ingest
