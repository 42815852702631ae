package worker

import (
	"bytes"
	"strings"
	"testing"
)

// What a process that went mad writes is an error, never more memory than a
// frame may have; what was written is read again.
func FuzzFrame(f *testing.F) {
	var frame bytes.Buffer
	if err := writeFrame(&frame, response{Fault: "x", Kind: faultLimit}, strings.NewReader("text")); err != nil {
		f.Fatal(err)
	}
	f.Add(frame.Bytes(), "name", "body")
	f.Add([]byte("\x00\x00\x00\x00\x00\x00\x00\x01\xff\xff\xff\xff\xff\xff\xff\xffx"), "", "")
	const most = 1 << 16
	f.Fuzz(func(t *testing.T, data []byte, name, body string) {
		var head response
		var text strings.Builder
		if err := readFrame(bytes.NewReader(data), most, &head, &text); err == nil && text.Len() > most {
			t.Errorf("%d bytes", text.Len())
		}
		if len(name)+len(body) > most/2 {
			return
		}
		var written bytes.Buffer
		want := request{Name: name, Careful: true}
		if err := writeFrame(&written, want, strings.NewReader(body)); err != nil {
			t.Fatal(err)
		}
		var got request
		text.Reset()
		if err := readFrame(&written, most, &got, &text); err != nil || got != want || text.String() != body {
			t.Errorf("%+v with %q, %v", got, text.String(), err)
		}
	})
}
