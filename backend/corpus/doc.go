// Package corpus holds the nouns of the library: sources, documents, blocks,
// chunks, locations, hashes and ids. It performs no I/O and imports nothing
// but the standard library, so that every other room can speak of the same
// things.
//
// Texts are UTF-8; every byte offset is an offset into the extracted text that
// is stored with the document's revision.
package corpus
