package pdf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/klippa-app/go-pdfium"
	pdfiumerrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"ibid/backend/corpus"
)

// memoryPages bounds pdfium's memory for one document, in pages of 64 KiB.
const memoryPages = 256 << 20 >> 16

// engine is pdfium's code, ready to run. It starts with the first document.
type engine struct {
	cache string

	once sync.Once
	pool pdfium.Pool
	err  error
}

// start makes the machine code, or finds it in the cache.
func (e *engine) start() error {
	e.once.Do(func() {
		conf := wazero.NewRuntimeConfig().
			WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling).
			WithMemoryLimitPages(memoryPages)
		if e.cache != "" {
			// Without a cache it only takes longer.
			if cache, err := wazero.NewCompilationCacheWithDir(e.cache); err == nil {
				conf = conf.WithCompilationCache(cache)
			}
		}
		e.pool, e.err = webassembly.Init(webassembly.Config{
			Context:       withMemory(context.Background()),
			MaxIdle:       1,
			MaxTotal:      maxDocuments,
			FSConfig:      wazero.NewFSConfig(), // without one it would see all files
			RuntimeConfig: conf,
			Stdout:        io.Discard,
			Stderr:        io.Discard,
		})
	})
	if e.err != nil {
		return fmt.Errorf("%w: start pdfium: %w", corpus.ErrUnavailable, e.err)
	}
	return nil
}

// maxDocuments is how many documents are open at once; more wait.
const maxDocuments = 16

// document is an open document with an instance of pdfium of its own.
type document struct {
	engine   *engine
	data     []byte
	lib      pdfium.Pdfium
	ref      references.FPDF_DOCUMENT
	declared int // pages, by the document
}

// open opens a document. It is to be closed.
func (e *engine) open(data []byte) (*document, error) {
	if err := e.start(); err != nil {
		return nil, err
	}
	d := &document{engine: e, data: data}
	if err := d.load(); err != nil {
		return nil, err
	}
	return d, nil
}

// load opens the document in a new instance of pdfium.
func (d *document) load() error {
	lib, err := d.engine.pool.GetInstance(time.Minute)
	if err != nil {
		return fmt.Errorf("%w: start pdfium: %w", corpus.ErrUnavailable, err)
	}
	d.lib = lib
	if err := d.loadInto(); err != nil {
		d.close()
		return err
	}
	return nil
}

func (d *document) loadInto() error {
	opened, err := d.lib.OpenDocument(&requests.OpenDocument{
		FileReader: bytes.NewReader(d.data), FileReaderSize: int64(len(d.data)),
	})
	switch {
	case trapped(err):
		return trap(err)
	case errors.Is(err, pdfiumerrors.ErrPassword):
		return ErrPassword
	case errors.Is(err, pdfiumerrors.ErrSecurity):
		return fmt.Errorf("its kind of encryption is %w", corpus.ErrUnsupported)
	case err != nil:
		return errors.New("it is no readable PDF; the file is damaged")
	}
	d.ref = opened.Document
	count, err := d.lib.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: d.ref})
	if err != nil {
		return fmt.Errorf("count pages: %w", err)
	}
	d.declared = count.PageCount
	return nil
}

// close gives back the instance with all that belongs to it.
func (d *document) close() { _ = d.lib.Close() } // nothing is left that could be lost

// trapped reports whether pdfium gave up: the instance is of no use any more.
func trapped(err error) bool {
	return err != nil && (strings.Contains(err.Error(), "wasm error") || strings.Contains(err.Error(), "panic occurred"))
}

// trap names what pdfium does not tell apart: it ends where its memory or its
// stack is used up, or where a document gets it into a state that cannot be.
func trap(err error) error {
	reason, _, _ := strings.Cut(err.Error(), "\n")
	_, reason, _ = strings.Cut(reason, "wasm error: ")
	switch {
	case strings.Contains(reason, "unreachable"), strings.Contains(reason, "out of bounds"):
		return fmt.Errorf("%w: it needs more than %d MiB of memory or is made to break readers", corpus.ErrLimit, memoryPages>>4)
	case strings.Contains(reason, "stack overflow"):
		return fmt.Errorf("%w: it nests too deeply for the reader's stack", corpus.ErrLimit)
	}
	return fmt.Errorf("pdfium gave up: %s", reason)
}
