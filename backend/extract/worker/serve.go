package worker

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"ibid/backend/extract"
)

// Main is the life of a worker process: it reads documents with the extractors
// of routes until its standard input ends, and returns the exit code. It limits
// its own memory, as a backstop for the process that watches it.
func Main(routes []extract.Route) int {
	limitSelf()
	debug.SetMaxStack(maxStack)
	out := os.Stdout
	os.Stdout = os.Stderr // whatever a library prints stays out of the frames
	// The parent is gone, or does not care any more: nor does what runs.
	ended := func() { os.Exit(0) }
	if err := serve(os.Stdin, out, extract.NewRegistry(routes...), ended); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// maxStack bounds the stack in bytes, so that endless recursion is known as such
// before it has filled the memory.
const maxStack = 64 << 20

// input is a request with its bytes.
type input struct {
	request
	data []byte
}

// serve answers requests in turn. ended is called when the input ends, even
// while a document is being read.
func serve(in io.Reader, out io.Writer, registry *extract.Registry, ended func()) error {
	requests := make(chan input)
	failed := make(chan error, 1)
	go func() {
		defer close(requests)
		r := bufio.NewReader(in)
		for {
			var next input
			var data bytes.Buffer
			if err := readFrame(r, maxRequest, &next.request, &data); err != nil {
				if !errors.Is(err, io.EOF) {
					failed <- err
				}
				ended()
				return
			}
			next.data = data.Bytes()
			requests <- next
		}
	}()
	for next := range requests {
		accept := func() {
			// If it cannot be said, the answer cannot be given either.
			_ = writeFrame(out, response{Risk: true}, strings.NewReader(""))
		}
		answer := read(registry, next, accept)
		text, blocks := "", 0
		if answer.Document != nil {
			text, answer.Document.Text = answer.Document.Text, ""
			blocks = len(answer.Document.Blocks)
		}
		var body content = strings.NewReader(text)
		if answer.Picture != nil {
			body, answer.Picture.PNG = bytes.NewReader(answer.Picture.PNG), nil
		}
		if err := writeFrame(out, answer, body); err != nil {
			return err
		}
		if next.Prepare || len(next.data)+len(text)+blockSize*blocks > returnAbove {
			next.data, text, answer = nil, "", response{}
			debug.FreeOSMemory()
		}
	}
	select {
	case err := <-failed:
		return err
	default:
		return nil
	}
}

// returnAbove is the size of a document in bytes after which memory is given
// back at once: the process may be idle for long.
const returnAbove = 8 << 20

// blockSize is about what a block takes in memory.
const blockSize = 256

// maxRequest bounds a document in bytes.
const maxRequest = 4 << 30

// read reads one document; a panic is the document's fault. accept is called
// before risks.
func read(registry *extract.Registry, in input, accept func()) (answer response) {
	defer func() {
		if p := recover(); p != nil {
			answer = response{Fault: fmt.Sprintf("extractor panicked: %v", p)}
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), in.Time)
	defer cancel()
	e := registry.Extractor(in.Name, in.Type)
	if e == nil {
		return response{Fault: "not read by this program's worker", Kind: faultUnsupported}
	}
	if in.Prepare {
		return prepare(ctx, e)
	}
	if in.Page > 0 {
		return draw(ctx, e, in)
	}
	if !in.Careful {
		ctx = extract.WithRisk(ctx, accept)
	}
	doc, err := e.Extract(ctx, extract.Input{Name: in.Name, Type: in.Type, Data: in.data})
	if err == nil {
		return response{Document: doc}
	}
	return failure(ctx, err)
}

func prepare(ctx context.Context, e extract.Extractor) response {
	if p, ok := e.(extract.Preparer); ok {
		if err := p.Prepare(ctx); err != nil {
			return failure(ctx, err)
		}
	}
	return response{}
}

func draw(ctx context.Context, e extract.Extractor, in input) response {
	r, ok := e.(extract.Renderer)
	if !ok {
		return response{Fault: "pages of this type are not shown", Kind: faultUnsupported}
	}
	p, err := r.Render(ctx, extract.Input{Name: in.Name, Type: in.Type, Data: in.data}, in.Page, in.Width)
	if err != nil {
		return failure(ctx, err)
	}
	return response{Picture: p}
}

func failure(ctx context.Context, err error) response {
	if ctx.Err() != nil {
		return response{Kind: faultTime}
	}
	for kind, is := range shared {
		if is != nil && errors.Is(err, is) {
			return response{Fault: err.Error(), Kind: fault(kind)}
		}
	}
	return response{Fault: err.Error()}
}
