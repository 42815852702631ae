package service_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"

	"ibid/backend/corpus"
	"ibid/backend/plan"
)

type disk struct{}

func (disk) Probe(path string) (corpus.SourceKind, string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", "", err
	}
	if info.IsDir() {
		return corpus.SourceFolder, filepath.Clean(path), nil
	}
	return corpus.SourceFile, filepath.Clean(path), nil
}
func (disk) Check(corpus.Source) error { return nil }
func print1(info fs.FileInfo) corpus.Fingerprint {
	return corpus.Fingerprint{Size: info.Size(), ModTime: info.ModTime().UnixNano()}
}
func (disk) Scan(_ context.Context, s corpus.Source, places []string) (plan.Scan, error) {
	scan := plan.Scan{Source: s, Coverage: plan.Coverage{Places: places}}
	filepath.WalkDir(s.Root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(s.Root, path)
			rel = filepath.ToSlash(rel)
			info, _ := d.Info()
			if ok, _ := scan.Coverage.Covers(rel); ok {
				scan.Entries = append(scan.Entries, plan.Entry{Path: rel, Fingerprint: print1(info)})
			}
		}
		return nil
	})
	return scan, nil
}
func (disk) Read(_ context.Context, s corpus.Source, path string) ([]byte, corpus.Fingerprint, error) {
	full := filepath.Join(s.Root, path)
	b, err := os.ReadFile(full)
	if err != nil {
		return nil, corpus.Fingerprint{}, err
	}
	info, err := os.Stat(full)
	return b, print1(info), err
}
func (d disk) Hash(ctx context.Context, s corpus.Source, path string) (corpus.Hash, corpus.Fingerprint, error) {
	b, fp, err := d.Read(ctx, s, path)
	return corpus.HashBytes(b), fp, err
}
func (disk) Exists(_ context.Context, s corpus.Source, path string) (bool, error) {
	_, err := os.Stat(filepath.Join(s.Root, path))
	return err == nil, nil
}
