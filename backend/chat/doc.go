// Package chat answers questions from the library, every claim with its
// evidence. Without a language model an answer is extractive: sentences of the
// documents, word for word, chosen because together they cover the question.
// Where nothing supports an answer it says so in one fixed sentence.
//
// Choosing, assembling and checking are pure; only Answerer reads a store.
package chat
