package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"ibid/backend/api"
	"ibid/backend/corpus"
)

// heartbeat keeps proxies from closing a quiet stream.
const heartbeat = 15 * time.Second

// stream is one response of server-sent events (WHATWG HTML, 9.2).
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

func newStream(w http.ResponseWriter) *stream {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	s := &stream{w: w, control: http.NewResponseController(w)}
	_ = s.control.Flush() // the client sees at once that it is connected
	return s
}

// send writes one event; data is JSON and therefore one line.
func (s *stream) send(id, kind string, data any) error {
	body, err := json.Marshal(data)
	if err != nil {
		return fmt.Errorf("send event: %w", err)
	}
	var b strings.Builder
	if id != "" {
		b.WriteString("id: " + id + "\n")
	}
	if kind != "" {
		b.WriteString("event: " + kind + "\n")
	}
	fmt.Fprintf(&b, "data: %s\n\n", body)
	return s.write(b.String())
}

func (s *stream) write(text string) error {
	if _, err := s.w.Write([]byte(text)); err != nil {
		return fmt.Errorf("send event: %w", err)
	}
	if err := s.control.Flush(); err != nil {
		return fmt.Errorf("send event: %w", err)
	}
	return nil
}

// events pushes all events. An id is "run:seq"; Last-Event-ID (or ?after=)
// replays what that run published since. What other runs published meanwhile a
// client reads with GetRun: pushed events are hints.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	feed := s.opt.Subscribe() // before the replay, so that nothing falls between
	defer feed.Close()
	out := newStream(w)
	last := r.Header.Get("Last-Event-ID")
	if last == "" {
		last = r.URL.Query().Get("after")
	}
	replayed := map[string]int64{}
	if run, seq, ok := parseEventID(last); ok {
		found, err := s.opt.Service.GetRun(r.Context(), api.GetRunRequest{ID: run, AfterSeq: seq})
		if err == nil {
			for _, e := range found.Events {
				if out.send(eventID(e), "", e) != nil {
					return
				}
				replayed[run] = e.Seq
			}
		}
	}
	s.pump(r.Context(), feed, out, func(e api.Event) error {
		if e.Seq <= replayed[e.RunID] {
			return nil
		}
		return out.send(eventID(e), "", e)
	})
}

func eventID(e api.Event) string { return e.RunID + ":" + strconv.FormatInt(e.Seq, 10) }

func parseEventID(id string) (run string, seq int64, ok bool) {
	i := strings.LastIndexByte(id, ':')
	if i < 0 {
		return "", 0, false
	}
	seq, err := strconv.ParseInt(id[i+1:], 10, 64)
	return id[:i], seq, err == nil
}

// pump hands the feed's events to handle, with a heartbeat in quiet times,
// until ctx ends (after what is queued was handed over), the feed ends or
// handle fails.
func (s *Server) pump(ctx context.Context, feed Feed, out *stream, handle func(api.Event) error) {
	for {
		wait, cancel := context.WithTimeout(ctx, heartbeat)
		e, err := feed.Next(wait)
		cancel()
		switch {
		case err == nil:
			err = handle(e)
		case ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded):
			err = out.write(": still here\n\n")
		}
		if err != nil {
			return
		}
	}
}

// askRequest reads a question from an address: q, k, and filter=KEY=VALUE as
// often as wanted.
func askRequest(query url.Values) (api.AskRequest, *api.Error) {
	request := api.AskRequest{RunID: corpus.NewID().String(), Question: query.Get("q")}
	if strings.TrimSpace(request.Question) == "" {
		return request, &api.Error{Code: api.CodeInvalid, Message: "the question is empty", Hint: "Send it as ?q=…"}
	}
	if k := query.Get("k"); k != "" {
		var err error
		if request.K, err = strconv.Atoi(k); err != nil || request.K == 0 {
			return request, &api.Error{Code: api.CodeInvalid, Message: "k is a number from 1 to 100, not " + strconv.Quote(k)}
		}
	}
	var bad string
	if request.Filters, bad = api.Pairs(query["filter"]); bad != "" {
		return request, &api.Error{Code: api.CodeInvalid, Message: "a filter is KEY=VALUE, not " + bad}
	}
	return request, nil
}

// ask answers a question as a stream: progress and delta events, then one
// "answer" (api.Answer) or "error" (api.Error). Leaving the stream cancels.
func (s *Server) ask(w http.ResponseWriter, r *http.Request) {
	request, refusal := askRequest(r.URL.Query())
	if refusal != nil {
		writeError(w, refusal)
		return
	}
	feed := s.opt.Subscribe()
	defer feed.Close()

	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	var answer api.Answer
	var failure error
	answered := make(chan struct{})
	pumping, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		defer close(answered)
		answer, failure = s.opt.Service.Ask(ctx, request)
		stop()
	}()
	out := newStream(w)
	s.pump(pumping, feed, out, func(e api.Event) error {
		if e.RunID != request.RunID || e.Type == "end" {
			return nil
		}
		return out.send("", e.Type, e.Payload)
	})
	if pumping.Err() == nil {
		cancel() // the client is gone before the answer came
	}
	<-answered
	var fault *api.Error
	switch {
	case failure == nil:
		_ = out.send("", "answer", answer) // the client may be gone
	case errors.As(failure, &fault):
		_ = out.send("", "error", fault)
	default:
		_ = out.send("", "error", &api.Error{Code: api.CodeInternal, Message: "internal error"})
	}
}
