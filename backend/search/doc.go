// Package search finds passages: by words (BM25 over the analyzer's terms), by
// meaning (cosine of vectors), or by both. A store chooses candidates for the
// two legs; scoring, fusion and everything that decides the order happens here,
// in pure functions, so that every store ranks equally.
package search
