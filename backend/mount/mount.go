// Package mount tells on what kind of file system a folder is, as far as that
// decides how it can be used: locks do not hold and changes are not announced
// over a network.
package mount
