// Package eval measures retrieval: datasets in BEIR's format, the metrics, and
// a runner that asks any search function. A document is retrieved where its
// best passage is.
package eval
