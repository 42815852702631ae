// Package boot is the composition root: it reads the settings and chooses the
// implementations that the service works with. It alone imports stores, models
// and extractors.
package boot

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"

	"ibid/backend/api"
	"ibid/backend/config"
	"ibid/backend/corpus"
	"ibid/backend/embed"
	"ibid/backend/embed/builtin"
	"ibid/backend/embed/hash"
	"ibid/backend/service"
	"ibid/backend/source"
	"ibid/backend/source/web"
	"ibid/backend/store"
	"ibid/backend/store/postgres"
	"ibid/backend/store/sqlite"
)

// Options say which library to open.
type Options struct {
	// Library is the library's folder; "": $IBID_LIBRARY, else the platform's
	// data folder.
	Library string
	// Settings override the file and the environment, by key: those of the
	// command line, such as "database".
	Settings map[string]string
	Version  string // of the program
	// Serving tells that others than the person at this machine may add sources:
	// web pages in private networks are refused.
	Serving bool
	// Trigger is what asks, in the words of events; "": api.TriggerCLI.
	Trigger string
	// Worker is the command line of a process that reads documents (see
	// WorkerCommand); nil: they are read in this process.
	Worker []string
	// Getenv reads the environment; nil: os.Getenv.
	Getenv func(string) string
	Log    *slog.Logger // nil: none
}

// Library is an open library.
type Library struct {
	*service.Service
	store   store.Store
	readers func() error // closes them
	pages   *web.Pages
}

// Open opens a library, making it if there is none. It loads no model: what
// needs one does so when it is first asked. Errors are *api.Error.
func Open(ctx context.Context, o Options) (*Library, error) {
	o = o.complete()
	lib, err := open(ctx, o)
	if err != nil {
		return nil, service.Fault(ctx, o.Log, "open the library", err)
	}
	return lib, nil
}

func (o Options) complete() Options {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	return o
}

func (o Options) environment() config.Environment {
	return config.Environment{OS: runtime.GOOS, Getenv: o.Getenv}
}

func open(ctx context.Context, o Options) (*Library, error) {
	folder, conf, err := o.configure()
	if err != nil {
		return nil, err
	}
	database := conf.Settings().Database
	st, err := openStore(ctx, database, folder, corpus.LocalTenant, o.Log)
	switch {
	case err != nil && database != "":
		fault := service.Fault(ctx, o.Log, "open the library", err)
		if fault.Hint == "" && fault.Code != api.CodeCanceled {
			fault.Hint = "The database is the one of --database, IBID_DATABASE_URL or the setting; without one the library is a file: ibid config set database ''"
		}
		return nil, fault
	case err != nil:
		return nil, err
	}
	return assemble(o, conf, st, where(folder, conf)), nil
}

// SetDatabase saves where the library is and opens nothing, so that a database
// that cannot be opened does not keep anyone from naming another. Errors are *api.Error.
func SetDatabase(ctx context.Context, o Options, address string) (api.SetConfigResponse, error) {
	o = o.complete()
	_, conf, err := o.configure()
	if err != nil {
		return api.SetConfigResponse{}, service.Fault(ctx, o.Log, "read the settings", err)
	}
	return service.SetUnopened(ctx, o.Log, conf, api.SetConfigRequest{Key: "database", Value: address})
}

// Where tells where the library of the options is: its folder, or its database
// without credentials. It opens nothing.
func Where(o Options) (string, error) {
	folder, conf, err := o.complete().configure()
	if err != nil {
		return "", err
	}
	return where(folder, conf), nil
}

func where(folder string, conf *config.Config) string {
	if database := conf.Settings().Database; database != "" {
		return config.Redact(database)
	}
	return folder
}

// configure finds the library's folder and reads its settings.
func (o Options) configure() (folder string, conf *config.Config, err error) {
	folder, err = config.LibraryFolder(o.Library, o.environment())
	if err != nil {
		return "", nil, err
	}
	conf, err = config.Load(config.Options{Folder: folder, Getenv: o.Getenv, Flags: o.Settings})
	return folder, conf, err
}

// assemble puts a library together; where it is, is only said.
func assemble(o Options, conf *config.Config, st store.Store, where string) *Library {
	files, known := source.New(), ledger{st}
	files.Sources = known.Sources
	if conf.Settings().Database == "" {
		files.Library = filepath.Join(where, databaseName)
	}
	pages := web.New(web.Options{Library: known, Private: !o.Serving, Version: o.Version})
	cache := config.CacheFolder(o.environment())
	if cache == "" && conf.Settings().Database == "" {
		cache = filepath.Join(where, "cache")
	}
	read := newReaders(o.Worker, cache, conf.Settings().OCR, o.Log)
	return &Library{
		Service: service.New(service.Parts{
			Store: st, Config: conf, Files: source.Places{Inside: &source.Inside{Files: files, Open: inside, Known: known.At}, Web: pages}, Extract: read.extract, Render: read.render,
			OpenModel: opener(o.environment(), o.Log), Library: where, Version: o.Version, Trigger: o.Trigger,
			Holder: fmt.Sprintf("ibid, process %d", os.Getpid()), Log: o.Log,
		}),
		store: st, readers: read.close, pages: pages,
	}
}

// Close cancels what runs, waits for it and closes everything.
func (l *Library) Close() error {
	err := l.Service.Close()
	l.pages.Close()
	return errors.Join(err, l.readers(), l.store.Close())
}

// databaseName is the embedded store's file in the library's folder.
const databaseName = "library.db"

// openStore chooses the store.
func openStore(ctx context.Context, database, folder string, tenant corpus.ID, log *slog.Logger) (store.Store, error) {
	if database != "" {
		return postgres.Open(ctx, postgres.Options{URL: database, Tenant: tenant, ManageSchema: true, Log: log})
	}
	return sqlite.Open(ctx, sqlite.Options{Path: filepath.Join(folder, databaseName), Tenant: tenant, Log: log})
}

// opener chooses the embedding model.
func opener(env config.Environment, log *slog.Logger) func(context.Context, config.Model, int) (embed.Embedder, error) {
	return func(ctx context.Context, m config.Model, threads int) (embed.Embedder, error) {
		switch m.Provider {
		case builtin.Provider:
			var dirs []string
			if data, err := config.DataFolder(env); err == nil { // without one, the other places remain
				dirs = append(dirs, data)
			}
			return builtin.Open(ctx, builtin.Options{Model: m.Model, Dirs: dirs, Threads: threads, Log: log})
		case hash.Provider:
			return hash.New(0)
		}
		return nil, fmt.Errorf("%w: embedding provider %q", corpus.ErrUnsupported, m.Provider)
	}
}
