package service

import (
	"context"
	"io"
	"log/slog"
	"time"

	"ibid/backend/api"
	"ibid/backend/config"
	"ibid/backend/corpus"
	"ibid/backend/embed"
	"ibid/backend/events"
	"ibid/backend/ingest"
	"ibid/backend/source/watch"
	"ibid/backend/store"
)

// Parts are what a Service works with.
type Parts struct {
	Store  store.Store // stays open after Close
	Config *config.Config
	Files  Files
	// Extract reads documents.
	Extract ingest.Extractor
	// Render shows their pages; nil: none.
	Render Renderer
	// OpenModel opens a model of the registry that is not "none". The service
	// calls it when a request first needs the model and closes what it returns.
	OpenModel func(ctx context.Context, m config.Model, threads int) (embed.Embedder, error)
	Library   string // where the library is, without credentials
	Version   string // of the program
	Holder    string // names this process to others who want the writer role
	Trigger   string // what asks, in the words of events; "" is api.TriggerCLI
	Log       *slog.Logger
}

// Files is what the service asks of the places where sources are.
type Files interface {
	ingest.Files
	watch.Files
	// Probe looks at what a person names as a source: its kind and its clean,
	// absolute root. Errors say why it cannot be one: corpus.ErrInvalid,
	// corpus.ErrUnavailable, fs.ErrNotExist or fs.ErrPermission.
	Probe(path string) (corpus.SourceKind, string, error)
	// Path returns the absolute path of a document's file. Errors wrap
	// fs.ErrNotExist if the file is gone, corpus.ErrUnavailable if its source
	// cannot be reached.
	Path(s corpus.Source, path string) (string, error)
	// View opens a document for viewing, and tells when it was changed last.
	// Errors are those of Path and of ingest.Files.
	View(ctx context.Context, s corpus.Source, path string) (io.ReadSeekCloser, time.Time, error)
	// Check validates a source's rules before it is stored: corpus.ErrInvalid
	// names the glob that is none.
	Check(s corpus.Source) error
	// Complete lists some folders whose paths begin with prefix, as a person
	// types it.
	Complete(ctx context.Context, prefix string) ([]string, error)
}

// Service is every use case. Its methods may be called from several goroutines.
type Service struct {
	Parts
	models    *models
	searchers searchers
	plans     *plans
	runs      *runs
	turns     *turns
	watch     *watchState
	interest  *interest
	sights    sights
	pictures  pictures
	broker    *events.Broker
	end       context.CancelFunc // of the runs' life
}

var _ api.Service = (*Service)(nil)

// New returns a service; Close ends it.
func New(p Parts) *Service {
	if p.Log == nil {
		p.Log = slog.New(slog.DiscardHandler)
	}
	life, end := context.WithCancel(context.Background())
	broker := events.New()
	return &Service{
		Parts: p, models: newModels(p.OpenModel), plans: newPlans(),
		runs: newRuns(life, broker), turns: newTurns(), watch: newWatchState(), interest: newInterest(), broker: broker, end: end,
	}
}

// Close ends Watch, cancels all runs, waits for them, ends the subscriptions and closes
// the models. Calls after it fail or answer from the store. It is idempotent.
func (s *Service) Close() error {
	s.watch.close()
	s.runs.close()
	s.end()
	s.broker.Close()
	return s.models.close()
}

// fault is Fault with this service's log; nil stays nil.
func (s *Service) fault(ctx context.Context, doing string, err error) error {
	if err == nil {
		return nil
	}
	return Fault(ctx, s.Log, doing, err)
}

// ingester returns what plans and applies under the given settings, with the
// model opened.
func (s *Service) ingester(ctx context.Context, set config.Settings) (*ingest.Ingester, error) {
	model, err := config.FindModel(set.Embeddings)
	if err != nil {
		return nil, err
	}
	embedder, err := s.models.get(ctx, model, set.Threads)
	if err != nil {
		return nil, err
	}
	return s.ingesterOf(ctx, set, model, embedder)
}

// ingesterOf is ingester for a model that is open; the embedder is nil for none.
func (s *Service) ingesterOf(ctx context.Context, set config.Settings, model config.Model, embedder embed.Embedder) (*ingest.Ingester, error) {
	economy, err := s.economy(ctx, set, model, embedder)
	if err != nil {
		return nil, err
	}
	sources, err := s.allSources(ctx)
	if err != nil {
		return nil, err
	}
	return ingest.New(ingest.Parts{
		Store: s.Store, Files: s.Files, Extract: s.Extract, Embedder: embedder,
		Rules:   newDividing(set.Chunking, sources).rules,
		Economy: economy, Log: s.Log,
	}), nil
}

// Subscribe returns a feed of all events from now on. They are hints: GetRun is
// the truth.
func (s *Service) Subscribe() *Feed { return &Feed{s.broker.Subscribe()} }

// Feed is a stream of events, read by one goroutine at a time.
type Feed struct{ sub *events.Subscription }

// Next waits for the next event. It returns events.ErrClosed when the service
// or the feed was closed, events.ErrLagged when too much was missed to go on.
func (f *Feed) Next(ctx context.Context) (api.Event, error) {
	e, err := f.sub.Next(ctx)
	if err != nil {
		return api.Event{}, err
	}
	return wireEvent(e)
}

// Close ends the feed.
func (f *Feed) Close() { f.sub.Close() }

func now() time.Time { return time.Now().UTC() }
