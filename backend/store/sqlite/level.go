package sqlite

import "slices"

// large is the class of what is merged no more.
const large = -1

// sizeClass is 0 below fanout, then grows by one with each factor of fanout.
func sizeClass(size, fanout int) int {
	class := 0
	for size /= fanout; size > 0; size /= fanout {
		class++
	}
	return class
}

// mergeable decides like a log-structured merge tree how many of the last
// parts are to become one, 0 for none: those up to a class of which there are
// fanout.
func mergeable[T any](parts []T, class func(T) int, fanout int) int {
	for level := 0; ; level++ {
		n, of := 0, 0
		for _, p := range slices.Backward(parts) {
			c := class(p)
			if c == large || c > level {
				break
			}
			if n++; c == level {
				of++
			}
		}
		if of >= fanout {
			return n
		}
		if n == len(parts) || class(parts[len(parts)-1-n]) == large {
			return 0
		}
	}
}
