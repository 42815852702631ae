package source

import (
	"context"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"ibid/backend/corpus"
	"ibid/backend/plan"
)

// Item is a document inside of a file.
type Item struct {
	Name string // relative to the file, slash separated; no two are equal
	Data []byte
}

// Inside is Files where a file that has documents inside is a folder as well: a
// message's attachment is at "mail.eml/invoice.pdf". So it is planned, indexed,
// moved and removed by the rules that hold for files in folders, together with
// the message. No other file can be at such a path, since a folder cannot have
// a file's name.
//
// A document inside has the fingerprint of its file, but for the size. What is
// inside is listed again when the file has another one, or when the ledger has
// not all of it.
type Inside struct {
	*Files
	// Open lists what is inside of a file of that name; nil: nothing is.
	Open func(ctx context.Context, name string, data []byte) ([]Item, error)
	// Known returns the ledger's records at places of a source and below.
	Known func(ctx context.Context, source corpus.ID, places []string) ([]corpus.Document, error)

	mu   sync.Mutex
	last opened
}

// openAtOnce is how many files are opened at a time: what is inside of them is
// in memory.
const openAtOnce = 2

// maxNesting is how deep containers are looked into: messages attached to
// messages.
const maxNesting = 3

// Scan implements what Files.Scan does. A file whose inside cannot be listed is
// a hole: nothing follows about the documents in it.
func (in *Inside) Scan(ctx context.Context, s corpus.Source, places []string) (plan.Scan, error) {
	asked, err := cleanPlaces(places)
	if err != nil {
		return plan.Scan{Source: s}, err
	}
	files := make([]string, len(asked))
	for i, p := range asked {
		if files[i] = in.container(s, p); files[i] == "" {
			files[i] = p
		}
	}
	scan, err := in.Files.Scan(ctx, s, files)
	if err != nil || scan.Unavailable != "" {
		return scan, err
	}
	if err := in.expand(ctx, &scan); err != nil {
		return plan.Scan{Source: s}, err
	}
	scan.Coverage.Places = asked
	scan.Entries = slices.DeleteFunc(scan.Entries, func(e plan.Entry) bool {
		seen, hole := scan.Coverage.Covers(e.Path)
		return !seen && hole == ""
	})
	slices.SortFunc(scan.Entries, func(a, b plan.Entry) int { return strings.Compare(a.Path, b.Path) })
	return scan, nil
}

// expand adds what is inside of the files of a scan.
func (in *Inside) expand(ctx context.Context, scan *plan.Scan) error {
	var files []*plan.Entry
	for i := range scan.Entries {
		if e := &scan.Entries[i]; e.Problem == plan.NoProblem && corpus.IsContainer(e.Path) {
			files = append(files, e)
		}
	}
	if len(files) == 0 || in.Open == nil {
		return nil
	}
	globs, err := NewGlobs(scan.Source)
	if err != nil {
		return err
	}
	known, err := in.known(ctx, scan, files)
	if err != nil {
		return err
	}
	found, failed := make([][]plan.Entry, len(files)), make([]error, len(files))
	g, within := errgroup.WithContext(ctx)
	g.SetLimit(openAtOnce)
	for i, e := range files {
		g.Go(func() error {
			found[i], failed[i] = in.list(within, scan.Source, e, known[e.Path])
			return within.Err()
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for i, e := range files {
		if failed[i] != nil {
			if scan.Coverage.Holes == nil {
				scan.Coverage.Holes = map[string]string{}
			}
			scan.Coverage.Holes[e.Path] = "what is inside cannot be listed: " + unwrapPath(failed[i]).Error()
		}
	}
	for _, entries := range found { // only now: files points into the slice
		for _, e := range entries {
			if globs.Wanted(e.Path) {
				scan.Entries = append(scan.Entries, e)
			}
		}
	}
	return nil
}

// known returns the ledger's records of files and of what is inside, by file.
func (in *Inside) known(ctx context.Context, scan *plan.Scan, files []*plan.Entry) (map[string][]corpus.Document, error) {
	places := []string{""}
	if !slices.Contains(scan.Coverage.Places, "") {
		places = nil
		for _, e := range files {
			places = append(places, e.Path)
		}
	}
	list, err := in.Known(ctx, scan.Source.ID, places)
	if err != nil {
		return nil, err
	}
	out := make(map[string][]corpus.Document, len(files))
	for _, e := range files {
		out[e.Path] = nil
	}
	for _, d := range list {
		for _, p := range append(corpus.Containers(d.Path), d.Path) {
			if at, is := out[p]; is {
				out[p] = append(at, d)
				break
			}
		}
	}
	return out, nil
}

// list returns what is inside of a file, and fills in the file's hash where
// that took reading it.
func (in *Inside) list(ctx context.Context, s corpus.Source, e *plan.Entry, known []corpus.Document) ([]plan.Entry, error) {
	if settled(e, known) {
		var out []plan.Entry
		for _, d := range known {
			if d.Path != e.Path {
				out = append(out, plan.Entry{Path: d.Path, Fingerprint: d.Fingerprint})
			}
		}
		return out, nil
	}
	o, err := in.open(ctx, s, e.Path)
	if err != nil {
		return nil, err
	}
	e.Content, e.Fingerprint = o.content, o.fingerprint
	var out []plan.Entry
	for _, item := range o.items {
		out = append(out, plan.Entry{
			Path: e.Path + "/" + item.Name, Fingerprint: itemPrint(o.fingerprint, item), Content: corpus.HashBytes(item.Data),
		})
	}
	return out, nil
}

// settled reports whether the ledger knows all that is inside of a file that
// has not changed: as many documents as the file, and each container inside,
// says to have.
func settled(e *plan.Entry, known []corpus.Document) bool {
	inside := make(map[string]int, len(known)) // by what has them directly
	var file *corpus.Document
	for i := range known {
		d := &known[i]
		if d.Content.IsZero() || !d.Fingerprint.Settled() {
			return false
		}
		if d.Path == e.Path {
			file = d
			continue
		}
		if d.Fingerprint.ModTime != e.Fingerprint.ModTime || d.Fingerprint.ChangeTime != e.Fingerprint.ChangeTime ||
			d.Fingerprint.Inode != e.Fingerprint.Inode {
			return false
		}
		in := corpus.Containers(d.Path)
		inside[in[len(in)-1]]++
	}
	for _, d := range known {
		if inside[d.Path] != d.Report.Attachments {
			return false
		}
		delete(inside, d.Path)
	}
	if file == nil || len(inside) > 0 {
		return false
	}
	seen := e.Fingerprint
	seen.HashedAt = file.Fingerprint.HashedAt
	return seen == file.Fingerprint
}

// itemPrint is the fingerprint of a document inside of a file.
func itemPrint(file corpus.Fingerprint, item Item) corpus.Fingerprint {
	file.Size = int64(len(item.Data))
	return file
}
