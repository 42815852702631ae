package source

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"ibid/backend/corpus"
)

// opened is a file with what is inside.
type opened struct {
	source      corpus.ID
	path        string
	fingerprint corpus.Fingerprint
	content     corpus.Hash
	items       []Item
}

// Bounds of what is kept of the file that was opened last: its documents are
// read one after another.
const (
	keptItems = 64 << 20 // bytes
	maxInside = 1000     // documents inside of one file
)

// container returns the file that a path leads into, "" if it is a path of the
// disk.
func (in *Inside) container(s corpus.Source, p string) string {
	if in.Open == nil {
		return ""
	}
	for _, c := range corpus.Containers(p) {
		if info, err := stat(s, c); err == nil && info.Mode().IsRegular() {
			return c
		}
	}
	return ""
}

// open reads a file and lists what is inside, or remembers that.
func (in *Inside) open(ctx context.Context, s corpus.Source, p string) (opened, error) {
	in.mu.Lock()
	last := in.last
	in.mu.Unlock()
	if last.source == s.ID && last.path == p && last.fingerprint.Settled() {
		if info, err := stat(s, p); err == nil {
			now := fingerprint(info)
			now.HashedAt = last.fingerprint.HashedAt
			if now == last.fingerprint {
				return last, nil
			}
		}
	}
	data, fp, err := in.Files.Read(ctx, s, p)
	if err != nil {
		return opened{}, err
	}
	o := opened{source: s.ID, path: p, fingerprint: fp, content: corpus.HashBytes(data)}
	if o.items, err = in.items(ctx, path.Base(p), data, 1); err != nil {
		return opened{}, err
	}
	size := 0
	for _, item := range o.items {
		size += len(item.Data)
	}
	if size <= keptItems {
		in.mu.Lock()
		in.last = o
		in.mu.Unlock()
	}
	return o, nil
}

// items lists what is inside, and inside of that.
func (in *Inside) items(ctx context.Context, name string, data []byte, depth int) ([]Item, error) {
	list, err := in.Open(ctx, name, data)
	if err != nil {
		return nil, err
	}
	for _, item := range slices.Clone(list) {
		if !corpus.IsContainer(item.Name) || depth == maxNesting || len(list) >= maxInside {
			continue
		}
		deeper, err := in.items(ctx, path.Base(item.Name), item.Data, depth+1)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			continue // it is a document nevertheless, which says what is wrong with it
		}
		for _, d := range deeper[:min(len(deeper), maxInside-len(list))] {
			list = append(list, Item{item.Name + "/" + d.Name, d.Data})
		}
	}
	return list, nil
}

// Read implements what Files.Read does, for documents inside of files as well.
func (in *Inside) Read(ctx context.Context, s corpus.Source, p string) ([]byte, corpus.Fingerprint, error) {
	c := in.container(s, p)
	if c == "" {
		return in.Files.Read(ctx, s, p)
	}
	o, err := in.open(ctx, s, c)
	if err != nil {
		return nil, corpus.Fingerprint{}, err
	}
	for _, item := range o.items {
		if c+"/"+item.Name == p {
			return slices.Clone(item.Data), itemPrint(o.fingerprint, item), nil
		}
	}
	return nil, corpus.Fingerprint{}, fmt.Errorf("read %s: %w", p, fs.ErrNotExist)
}

// Hash is Read without keeping the bytes.
func (in *Inside) Hash(ctx context.Context, s corpus.Source, p string) (corpus.Hash, corpus.Fingerprint, error) {
	if in.container(s, p) == "" {
		return in.Files.Hash(ctx, s, p)
	}
	data, fp, err := in.Read(ctx, s, p)
	if err != nil {
		return corpus.Hash{}, fp, err
	}
	return corpus.HashBytes(data), fp, nil
}

// Exists implements what Files.Exists does, for documents inside of files as
// well.
func (in *Inside) Exists(ctx context.Context, s corpus.Source, p string) (bool, error) {
	if in.container(s, p) == "" {
		return in.Files.Exists(ctx, s, p)
	}
	_, _, err := in.Read(ctx, s, p)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Path returns the path of the file that has the document inside: that is what
// programs can open.
func (in *Inside) Path(s corpus.Source, p string) (string, error) {
	if c := in.container(s, p); c != "" {
		p = c
	}
	return in.Files.Path(s, p)
}
