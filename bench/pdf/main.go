//go:build unix

// Command pdf compares how many pages of PDF documents ibid reads in a second
// with what go-pdfium alone does: the plain text of each page, without places,
// order, paragraphs or notes. Both read the same documents by turns in one
// process, each with the machine code at hand, and CPU time is what counts, so
// that other work on the machine changes little.
//
//	pdf [-least 0.7] [-rounds 5] FOLDER…
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"golang.org/x/sys/unix"

	"ibid/backend/extract"
	"ibid/backend/extract/pdf"
)

func main() {
	least := flag.Float64("least", 0, "fail when the ratio is below")
	rounds := flag.Int("rounds", 5, "how often each reads all documents")
	flag.Parse()
	ratio, err := run(context.Background(), *rounds, flag.Args())
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	case ratio < *least:
		fmt.Fprintf(os.Stderr, "bench: the ratio %.2f is below %.2f\n", ratio, *least)
		os.Exit(1)
	}
}

func run(ctx context.Context, rounds int, folders []string) (float64, error) {
	files, err := documents(folders)
	if err != nil {
		return 0, err
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return 0, err
	}
	dir = filepath.Join(dir, "ibid", "pdfium")
	bare, err := openBare(ctx, dir)
	if err != nil {
		return 0, err
	}
	defer bare.Close()
	ours := pdf.Routes(pdf.Options{Cache: dir})[0].Extractor
	pages := 0
	// A first reading warms both, and leaves out what either cannot read.
	files = slices.DeleteFunc(files, func(data []byte) bool {
		n, err := readBare(bare, data)
		if err != nil || n == 0 {
			return true
		}
		if _, err := ours.Extract(ctx, extract.Input{Type: extract.TypePDF, Data: data}); err != nil {
			return true
		}
		pages += n
		return false
	})
	if pages == 0 {
		return 0, fmt.Errorf("no PDF documents that can be read in %s", strings.Join(folders, ", "))
	}
	var ourTime, bareTime time.Duration
	for range rounds {
		for _, data := range files {
			start := cpu()
			if _, err := readBare(bare, data); err != nil {
				return 0, err
			}
			middle := cpu()
			if _, err := ours.Extract(ctx, extract.Input{Type: extract.TypePDF, Data: data}); err != nil {
				return 0, err
			}
			bareTime += middle - start
			ourTime += cpu() - middle
		}
	}
	speed := func(d time.Duration) float64 { return float64(rounds*pages) / d.Seconds() }
	ratio := speed(ourTime) / speed(bareTime)
	out := os.Stdout
	fmt.Fprintf(out, "%d documents, %d pages, %d rounds\n", len(files), pages, rounds)
	fmt.Fprintf(out, "go-pdfium, text alone   %7.1f pages per CPU second\n", speed(bareTime))
	fmt.Fprintf(out, "ibid                    %7.1f pages per CPU second\n", speed(ourTime))
	fmt.Fprintf(out, "ratio                   %7.2f\n", ratio)
	return ratio, nil
}

// documents reads the PDF files below folders.
func documents(folders []string) ([][]byte, error) {
	var list [][]byte
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.EqualFold(filepath.Ext(path), ".pdf") {
				return err
			}
			data, err := os.ReadFile(path)
			list = append(list, data)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

func openBare(ctx context.Context, dir string) (pdfium.Pool, error) {
	cache, err := wazero.NewCompilationCacheWithDir(dir)
	if err != nil {
		return nil, err
	}
	return webassembly.Init(webassembly.Config{
		Context: ctx, MaxIdle: 1, MaxTotal: 1, FSConfig: wazero.NewFSConfig(),
		RuntimeConfig: wazero.NewRuntimeConfig().WithCompilationCache(cache).
			WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling),
	})
}

// readBare reads the text of all pages and counts them.
func readBare(pool pdfium.Pool, data []byte) (pages int, err error) {
	lib, err := pool.GetInstance(time.Minute)
	if err != nil {
		return 0, err
	}
	defer lib.Close()
	doc, err := lib.OpenDocument(&requests.OpenDocument{FileReader: bytes.NewReader(data), FileReaderSize: int64(len(data))})
	if err != nil {
		return 0, err
	}
	count, err := lib.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: doc.Document})
	if err != nil {
		return 0, err
	}
	for i := range count.PageCount {
		page := requests.Page{ByIndex: &requests.PageByIndex{Document: doc.Document, Index: i}}
		if _, err := lib.GetPageText(&requests.GetPageText{Page: page}); err != nil {
			return i, err
		}
	}
	return count.PageCount, nil
}

// cpu is the CPU time of this process.
func cpu() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
