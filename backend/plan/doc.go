// Package plan decides what a re-index has to do: which documents, which
// passages, why and at what price. It is pure: no I/O, no clock, no
// randomness; equal input gives equal plans on every machine.
//
// Two levels share one function, [Plan]. [Documents] compares what a
// scan saw with what the ledger knows; [Chunks] compares a document's stored
// passages with those its file has now. [Diff] shows the latter to a person.
// A [Reindex] is a value: it can be read, cut down, saved and applied later.
package plan
