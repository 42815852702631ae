package service

import (
	"context"
	"path/filepath"

	"ibid/backend/corpus"
)

// Backup copies the library's database, while it is read and written, to a
// file that must not exist.
func (s *Service) Backup(ctx context.Context, path string) error {
	if err := s.audited(ctx, auditBackup, s.fault(ctx, "back up the library", s.backup(ctx, path))); err != nil {
		return err
	}
	s.keep(ctx, s.event(ctx, auditBackup, corpus.NoID))
	return nil
}

func (s *Service) backup(ctx context.Context, path string) error {
	if !filepath.IsAbs(path) {
		return invalid("%q is not an absolute path", path)
	}
	return s.Store.Backup(ctx, path)
}
