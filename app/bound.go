package app

import (
	"context"
	"errors"

	"ibid/backend/api"
)

// App is bound to the page as window.go.app.App: the service's methods, which a
// test compares with api.Service. A method waits until the library is open.
type App struct{ shell *shell }

// AddSource is the service's.
func (a *App) AddSource(r api.AddSourceRequest) (api.Source, error) {
	return call(a.shell, api.Service.AddSource, r)
}

// Apply is the service's.
func (a *App) Apply(r api.ApplyRequest) (api.Run, error) { return call(a.shell, api.Service.Apply, r) }

// Ask is the service's.
func (a *App) Ask(r api.AskRequest) (api.Answer, error) { return call(a.shell, api.Service.Ask, r) }

// Audit is the service's.
func (a *App) Audit(r api.AuditRequest) (api.AuditResponse, error) {
	return call(a.shell, api.Service.Audit, r)
}

// CancelRun is the service's.
func (a *App) CancelRun(r api.CancelRunRequest) (api.Run, error) {
	return call(a.shell, api.Service.CancelRun, r)
}

// ChangeSource is the service's.
func (a *App) ChangeSource(r api.ChangeSourceRequest) (api.Source, error) {
	return call(a.shell, api.Service.ChangeSource, r)
}

// Chunks is the service's.
func (a *App) Chunks(r api.ChunksRequest) (api.Chunks, error) {
	return call(a.shell, api.Service.Chunks, r)
}

// DeleteDocuments is the service's.
func (a *App) DeleteDocuments(r api.DeleteDocumentsRequest) (api.DeleteDocumentsResponse, error) {
	return call(a.shell, api.Service.DeleteDocuments, r)
}

// Diff is the service's.
func (a *App) Diff(r api.DiffRequest) (api.Diff, error) { return call(a.shell, api.Service.Diff, r) }

// Document is the service's.
func (a *App) Document(r api.DocumentRequest) (api.Document, error) {
	return call(a.shell, api.Service.Document, r)
}

// Folders is the service's.
func (a *App) Folders(r api.FoldersRequest) (api.FoldersResponse, error) {
	return call(a.shell, api.Service.Folders, r)
}

// GetConfig is the service's.
func (a *App) GetConfig(r api.GetConfigRequest) (api.Config, error) {
	return call(a.shell, api.Service.GetConfig, r)
}

// GetPlan is the service's.
func (a *App) GetPlan(r api.GetPlanRequest) (api.PlanPart, error) {
	return call(a.shell, api.Service.GetPlan, r)
}

// GetRun is the service's.
func (a *App) GetRun(r api.GetRunRequest) (api.Run, error) {
	return call(a.shell, api.Service.GetRun, r)
}

// Ingest is the service's.
func (a *App) Ingest(r api.IngestRequest) (api.IngestResponse, error) {
	return call(a.shell, api.Service.Ingest, r)
}

// Outcomes is the service's.
func (a *App) Outcomes(r api.OutcomesRequest) (api.OutcomesResponse, error) {
	return call(a.shell, api.Service.Outcomes, r)
}

// PauseRun is the service's.
func (a *App) PauseRun(r api.PauseRunRequest) (api.Status, error) {
	return call(a.shell, api.Service.PauseRun, r)
}

// Plan is the service's.
func (a *App) Plan(r api.PlanRequest) (api.Plan, error) { return call(a.shell, api.Service.Plan, r) }

// Problems is the service's.
func (a *App) Problems(r api.ProblemsRequest) (api.ProblemsResponse, error) {
	return call(a.shell, api.Service.Problems, r)
}

// RemoveSource is the service's.
func (a *App) RemoveSource(r api.RemoveSourceRequest) (api.RemoveSourceResponse, error) {
	return call(a.shell, api.Service.RemoveSource, r)
}

// Report is the service's.
func (a *App) Report(r api.ReportRequest) (api.Report, error) {
	return call(a.shell, api.Service.Report, r)
}

// ResumeRun is the service's.
func (a *App) ResumeRun(r api.PauseRunRequest) (api.Status, error) {
	return call(a.shell, api.Service.ResumeRun, r)
}

// Runs is the service's.
func (a *App) Runs(r api.RunsRequest) (api.RunsResponse, error) {
	return call(a.shell, api.Service.Runs, r)
}

// Search is the service's.
func (a *App) Search(r api.SearchRequest) (api.SearchResponse, error) {
	return call(a.shell, api.Service.Search, r)
}

// SetConfig is the service's.
func (a *App) SetConfig(r api.SetConfigRequest) (api.SetConfigResponse, error) {
	return call(a.shell, api.Service.SetConfig, r)
}

// Sources is the service's.
func (a *App) Sources(r api.SourcesRequest) (api.SourcesResponse, error) {
	return call(a.shell, api.Service.Sources, r)
}

// Status is the service's.
func (a *App) Status(r api.StatusRequest) (api.Status, error) {
	return call(a.shell, api.Service.Status, r)
}

// call calls a method of the open library. The context is the window's: a page
// cannot cancel a call, but closing the window does.
func call[Request, Response any](s *shell, method func(api.Service, context.Context, Request) (Response, error), r Request) (answer Response, err error) {
	err = s.within(func(ctx context.Context, lib Library) (err error) {
		answer, err = method(lib, ctx, r)
		return err
	})
	return answer, err
}

// wireError makes of an error what the page gets: an *api.Error as an object.
func wireError(err error) any {
	if fault, ok := errors.AsType[*api.Error](err); ok {
		return fault
	}
	return &api.Error{Code: api.CodeInternal, Message: "internal error"}
}
