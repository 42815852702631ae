// Package web knows sources that are web addresses: a page or file, a sitemap,
// or a list of addresses. A document's path is its normalised address.
//
// Looking at such a source asks for each of its addresses, with the validators
// of the last time (RFC 9110, section 13), so that an unchanged page costs a
// short answer. An answer counts only if it is complete: its length, its
// encoding's end and checksum are verified before anything is said about it.
// A page that answers 404 or 410 is gone; one that does not answer, answers
// with another error or asks to wait is there, only not now, and nothing of
// it is removed.
//
// Pages are fetched by their addresses alone: no credentials, no cookies, no
// scripts. robots.txt is obeyed (RFC 9309), and so is a server that asks to
// wait; two requests at a time go to one host. Addresses of this machine and
// its networks are refused when the connection is made, after the name was
// resolved, at every redirect, unless the source allows them and the process
// serves nobody else.
package web
