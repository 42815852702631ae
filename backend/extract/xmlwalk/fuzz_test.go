package xmlwalk

import (
	"bytes"
	"context"
	"errors"
	"testing"
)

var errDepth = errors.New("deeper than allowed")

// Whatever the bytes are, a walk ends, below the depth that it allows, and
// tells the same twice.
func FuzzWalk(f *testing.F) {
	f.Add([]byte(`<?xml version="1.0" encoding="utf-8"?><a b="c"><d>e</d>f<!-- g --></a>`))
	f.Add([]byte(`<!DOCTYPE a [<!ENTITY b "cccc">]><a>&b;</a>`))
	f.Add([]byte("\xff\xfe<\x00a\x00/\x00>\x00"))
	f.Add([]byte(`<?xml version="1.0" encoding="windows-1252"?><a><![CDATA[` + "\xe4" + `]]></a>`))
	walk := func(data []byte) (elements int, err error) {
		err = Walk(context.Background(), bytes.NewReader(data), func(w *Walker, _ Element) error {
			var into func(Element) error
			into = func(e Element) error {
				elements++
				if w.Depth() > MaxDepth {
					return errDepth
				}
				if elements%3 == 0 {
					_, err := w.Text()
					return err
				}
				if elements%5 == 0 {
					return nil // what is not read is skipped
				}
				e.Attr("b")
				return w.Children(into)
			}
			return w.Children(into)
		})
		return elements, err
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		n, err := walk(data)
		if errors.Is(err, errDepth) {
			t.Error(err)
		}
		if again, err2 := walk(data); again != n || (err == nil) != (err2 == nil) {
			t.Errorf("%d elements, %v; then %d, %v", n, err, again, err2)
		}
	})
}
