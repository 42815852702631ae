// Package source knows the places where documents are: it walks folders by
// their ignore rules, tells what it has completely seen, and reads files.
//
// A scan lists and never opens a document. What it could not look at is a hole
// or makes the whole source unavailable; nothing follows about documents
// there, and what is absent elsewhere is gone. Names are kept as the
// file system lists them.
//
// No path given by a caller leads out of a source's root, by ".." or by links.
// Nothing is ever written.
package source
