package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"

	"ibid/backend/api"
)

// routes are the service's methods by name; a test compares them with
// api.Service.
func (s *Server) routes() map[string]http.Handler {
	v := s.opt.Service
	return map[string]http.Handler{
		"AddSource":       method(v.AddSource),
		"Apply":           method(v.Apply),
		"Ask":             method(v.Ask),
		"Audit":           method(v.Audit),
		"CancelRun":       method(v.CancelRun),
		"ChangeSource":    method(v.ChangeSource),
		"Chunks":          method(v.Chunks),
		"DeleteDocuments": method(v.DeleteDocuments),
		"Diff":            method(v.Diff),
		"Document":        method(v.Document),
		"Folders":         method(v.Folders),
		"GetConfig":       method(v.GetConfig),
		"GetPlan":         method(v.GetPlan),
		"GetRun":          method(v.GetRun),
		"Ingest":          bounded(api.MaxIngestBytes, v.Ingest),
		"Outcomes":        method(v.Outcomes),
		"PauseRun":        method(v.PauseRun),
		"Plan":            method(v.Plan),
		"Problems":        method(v.Problems),
		"RemoveSource":    method(v.RemoveSource),
		"Report":          method(v.Report),
		"ResumeRun":       method(v.ResumeRun),
		"Runs":            method(v.Runs),
		"Search":          method(v.Search),
		"SetConfig":       method(v.SetConfig),
		"Sources":         method(v.Sources),
		"Status":          method(v.Status),
	}
}

// method decodes the request, calls the service and encodes its answer.
func method[Request, Response any](call func(context.Context, Request) (Response, error)) http.Handler {
	return bounded(MaxBody, call)
}

// bounded is method for requests of another size.
func bounded[Request, Response any](limit int64, call func(context.Context, Request) (Response, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request Request
		if err := decode(w, r, limit, &request); err != nil {
			writeError(w, err)
			return
		}
		response, err := call(r.Context(), request)
		if err != nil {
			writeError(w, err)
			return
		}
		writeJSON(w, http.StatusOK, response)
	})
}

func decode(w http.ResponseWriter, r *http.Request, limit int64, into any) error {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return &api.Error{Code: api.CodeInvalid, Message: "the request's content type is not application/json"}
	}
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, limit))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(into)
	if err == nil {
		if _, extra := decoder.Token(); !errors.Is(extra, io.EOF) {
			err = errors.New("more than one JSON value")
		}
	}
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return &api.Error{Code: api.CodeLimit, Message: fmt.Sprintf("the request is larger than %d MiB", limit>>20)}
	case err != nil:
		return &api.Error{Code: api.CodeInvalid, Message: "the request is not what this endpoint takes: " + err.Error()}
	}
	return nil
}

// codeUnauthorized is the transport's own: the service knows no tokens.
const codeUnauthorized = "unauthorized"

func writeError(w http.ResponseWriter, err error) {
	var fault *api.Error
	if !errors.As(err, &fault) {
		fault = &api.Error{Code: api.CodeInternal, Message: "internal error"}
	}
	status := api.HTTPStatus(fault.Code)
	if fault.Code == codeUnauthorized {
		status = http.StatusUnauthorized
	}
	writeJSON(w, status, fault)
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client is gone: nobody to tell
}
