package server

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"ibid/backend/api"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const token = "s3cret-token"

// stub answers the methods that the tests call; the others are nil and panic.
type stub struct {
	api.Service
	search func(context.Context, api.SearchRequest) (api.SearchResponse, error)
	ask    func(context.Context, api.AskRequest) (api.Answer, error)
	getRun func(context.Context, api.GetRunRequest) (api.Run, error)
}

func (*stub) Page(_ context.Context, r api.PageRequest) (api.Page, error) {
	return api.Page{Document: r.Document, Page: r.Page}, nil
}

func (*stub) PageImage(context.Context, string, int, int) ([]byte, string, error) {
	return nil, "", &api.Error{Code: api.CodeUnsupported}
}

func (*stub) Original(context.Context, string) (io.ReadSeekCloser, api.Original, error) {
	return nil, api.Original{}, &api.Error{Code: api.CodeUnsupported}
}

func (s *stub) Search(ctx context.Context, r api.SearchRequest) (api.SearchResponse, error) {
	return s.search(ctx, r)
}

func (s *stub) Ask(ctx context.Context, r api.AskRequest) (api.Answer, error) { return s.ask(ctx, r) }

func (s *stub) GetRun(ctx context.Context, r api.GetRunRequest) (api.Run, error) {
	return s.getRun(ctx, r)
}

// feed is a Feed over a channel.
type feed chan api.Event

func (f feed) Next(ctx context.Context) (api.Event, error) {
	select {
	case e := <-f: // what is queued comes first, as the broker does it
		return e, nil
	default:
	}
	select {
	case e := <-f:
		return e, nil
	case <-ctx.Done():
		return api.Event{}, ctx.Err()
	}
}
func (feed) Close() {}

func start(t *testing.T, s *stub, events feed) *httptest.Server {
	t.Helper()
	ui := fstest.MapFS{
		"index.html":    {Data: []byte("<!doctype html><title>ibid</title>")},
		"assets/app.js": {Data: []byte("export{}")},
	}
	web := httptest.NewUnstartedServer(nil)
	server, err := New(Options{
		Service: s, Documents: s, Subscribe: func() Feed { return events }, UI: ui, Token: token,
		Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	web.Config.Handler = server.Handler(web.Listener.Addr())
	web.Start()
	t.Cleanup(web.Close)
	return web
}

func post(t *testing.T, web *httptest.Server, path, body string, change func(*http.Request)) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, web.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+token)
	if change != nil {
		change(r)
	}
	client := web.Client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(answer)
}

func TestRoutesAreTheService(t *testing.T) {
	service := reflect.TypeFor[api.Service]()
	var want []string
	for m := range service.Methods() {
		want = append(want, m.Name)
	}
	var got []string
	for name := range (&Server{opt: Options{Service: &stub{Service: &stub{}}}}).routes() {
		got = append(got, name)
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("routes %v, service %v", got, want)
	}
}

func TestMethod(t *testing.T) {
	s := &stub{search: func(_ context.Context, r api.SearchRequest) (api.SearchResponse, error) {
		switch r.Query {
		case "guarded":
			return api.SearchResponse{}, &api.Error{Code: api.CodeGuard, Message: "m", Hint: "h"}
		case "broken":
			return api.SearchResponse{}, errors.New("password=hunter2")
		}
		return api.SearchResponse{Query: r.Query, Mode: "hybrid", Hits: []api.Hit{}}, nil
	}}
	web := start(t, s, make(feed))
	for name, c := range map[string]struct {
		body, want string
		status     int
		change     func(*http.Request)
	}{
		"an answer":       {body: `{"query":"x"}`, status: 200, want: `{"query":"x","mode":"hybrid","took_ms":0,"hits":[]}`},
		"a user's error":  {body: `{"query":"guarded"}`, status: 409, want: `{"code":"guard","message":"m","hint":"h"}`},
		"internal hidden": {body: `{"query":"broken"}`, status: 500, want: `{"code":"internal","message":"internal error"}`},
		"unknown field":   {body: `{"query":"x","tenant":"other"}`, status: 400, want: `"code":"invalid"`},
		"no JSON":         {body: `query=x`, status: 400, want: `"code":"invalid"`},
		"two values":      {body: `{} {}`, status: 400, want: `more than one JSON value`},
		"a form":          {body: `{"query":"x"}`, status: 400, want: `content type`, change: func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }},
	} {
		t.Run(name, func(t *testing.T) {
			response, body := post(t, web, "/api/v1/Search", c.body, c.change)
			if response.StatusCode != c.status || !strings.Contains(body, c.want) {
				t.Errorf("%d %s, want %d %s", response.StatusCode, body, c.status, c.want)
			}
			if strings.Contains(body, "hunter2") {
				t.Error("the cause leaked")
			}
		})
	}
}

func TestRefused(t *testing.T) {
	s := &stub{search: func(context.Context, api.SearchRequest) (api.SearchResponse, error) {
		return api.SearchResponse{}, nil
	}}
	web := start(t, s, make(feed))
	for name, c := range map[string]struct {
		path   string
		status int
		change func(*http.Request)
	}{
		"no token":             {status: 401, change: func(r *http.Request) { r.Header.Del("Authorization") }},
		"wrong token":          {status: 401, change: func(r *http.Request) { r.Header.Set("Authorization", "Bearer wrong") }},
		"empty bearer":         {status: 401, change: func(r *http.Request) { r.Header.Set("Authorization", "Bearer ") }},
		"token as cookie":      {status: 401, change: cookie(token)},
		"foreign host":         {status: 403, change: func(r *http.Request) { r.Host = "evil.example" }},
		"rebound port":         {status: 403, change: func(r *http.Request) { r.Host = "127.0.0.1:1" }},
		"foreign origin":       {status: 403, change: func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") }},
		"null origin":          {status: 403, change: func(r *http.Request) { r.Header.Set("Origin", "null") }},
		"cross-site":           {status: 403, change: func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }},
		"same-site other port": {status: 403, change: func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") }},
		"unknown method":       {path: "/api/v1/DropEverything", status: 404},
		"traversal":            {path: "/api/v1/../../etc/passwd", status: 404},
	} {
		t.Run(name, func(t *testing.T) {
			path := c.path
			if path == "" {
				path = "/api/v1/Search"
			}
			response, body := post(t, web, path, `{}`, c.change)
			if response.StatusCode != c.status && (c.status != 404 || response.StatusCode != http.StatusTemporaryRedirect) {
				t.Errorf("%d %s, want %d", response.StatusCode, body, c.status)
			}
		})
	}
}

func cookie(value string) func(*http.Request) {
	return func(r *http.Request) {
		r.Header.Del("Authorization")
		r.AddCookie(&http.Cookie{Name: cookieName(r.Host), Value: value})
	}
}

// TestOpenedAddress follows the address that serve prints: the token becomes a
// cookie that lets the page in, and leaves the address.
func TestOpenedAddress(t *testing.T) {
	s := &stub{search: func(context.Context, api.SearchRequest) (api.SearchResponse, error) {
		return api.SearchResponse{}, nil
	}}
	web := start(t, s, make(feed))
	response, _ := post(t, web, "/?token="+token, "", func(r *http.Request) { r.Method = http.MethodGet })
	if response.StatusCode != http.StatusSeeOther || response.Header.Get("Location") != "/" {
		t.Fatalf("%d to %q", response.StatusCode, response.Header.Get("Location"))
	}
	set := response.Cookies()
	if len(set) != 1 || !set[0].HttpOnly || set[0].SameSite != http.SameSiteStrictMode || strings.Contains(set[0].Value, token) {
		t.Fatalf("cookie %v", set)
	}
	if response, body := post(t, web, "/api/v1/Search", `{}`, cookie(set[0].Value)); response.StatusCode != 200 {
		t.Errorf("with the cookie: %d %s", response.StatusCode, body)
	}
	response, _ = post(t, web, "/?token=wrong", "", func(r *http.Request) { r.Method = http.MethodGet })
	if len(response.Cookies()) != 0 {
		t.Error("a wrong token got a cookie")
	}
}

func TestFrontend(t *testing.T) {
	web := start(t, &stub{}, make(feed))
	get := func(r *http.Request) { r.Method = http.MethodGet; r.Header.Del("Authorization") }
	response, body := post(t, web, "/", "", get)
	if response.StatusCode != 200 || !strings.Contains(body, "<title>ibid") {
		t.Errorf("index: %d %s", response.StatusCode, body)
	}
	policy := response.Header.Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "img-src 'self' data: blob:"} {
		if !strings.Contains(policy, want) {
			t.Errorf("policy %q lacks %q", policy, want)
		}
	}
	if strings.Contains(policy, "unsafe") {
		t.Errorf("policy %q", policy)
	}
	if response, _ := post(t, web, "/assets/app.js", "", get); !strings.Contains(response.Header.Get("Cache-Control"), "immutable") {
		t.Error("assets are not cached")
	}
	if response, _ := post(t, web, "/assets/../../server.go", "", get); response.StatusCode == 200 {
		t.Error("traversal")
	}
}

// TestEvents reconnects with the id of the last event seen: what was missed
// comes first, then what is new, nothing twice.
func TestEvents(t *testing.T) {
	events := make(feed, 4)
	event := func(seq int64) api.Event {
		return api.Event{RunID: "r", Seq: seq, Type: "progress", Payload: json.RawMessage(`{}`)}
	}
	s := &stub{getRun: func(_ context.Context, r api.GetRunRequest) (api.Run, error) {
		if r.ID != "r" || r.AfterSeq != 2 {
			t.Errorf("asked for %+v", r)
		}
		return api.Run{Events: []api.Event{event(3), event(4)}}, nil
	}}
	web := start(t, s, events)
	events <- event(4) // pushed before the replay was read: must not come twice
	events <- event(5)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, web.URL+"/api/v1/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Last-Event-ID", "r:2")
	response, err := web.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var ids []string
	lines := bufio.NewScanner(response.Body)
	for len(ids) < 3 && lines.Scan() {
		if id, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
			ids = append(ids, id)
		}
	}
	if want := []string{"r:3", "r:4", "r:5"}; !slices.Equal(ids, want) {
		t.Errorf("ids %v, want %v", ids, want)
	}
}

func TestAsk(t *testing.T) {
	events := make(feed, 8)
	s := &stub{ask: func(_ context.Context, r api.AskRequest) (api.Answer, error) {
		if r.Question == "refused" {
			return api.Answer{}, &api.Error{Code: api.CodeBusy, Message: "later"}
		}
		events <- api.Event{RunID: "another", Seq: 1, Type: "delta", Payload: json.RawMessage(`{"text":"not ours"}`)}
		events <- api.Event{RunID: r.RunID, Seq: 1, Type: "delta", Payload: json.RawMessage(`{"text":"Keys "}`)}
		events <- api.Event{RunID: r.RunID, Seq: 2, Type: "end", Payload: json.RawMessage(`{}`)}
		return api.Answer{Answer: "Keys are kept."}, nil
	}}
	web := start(t, s, events)
	get := func(r *http.Request) { r.Method = http.MethodGet }
	_, body := post(t, web, "/api/rag/ask?q=where", "", get)
	if !strings.HasPrefix(body, "event: delta\ndata: {\"text\":\"Keys \"}\n\nevent: answer\ndata: {") || strings.Contains(body, "not ours") {
		t.Errorf("stream:\n%s", body)
	}
	if _, body := post(t, web, "/api/rag/ask?q=refused", "", get); !strings.HasPrefix(body, "event: error\ndata: {\"code\":\"busy\"") {
		t.Errorf("failure:\n%s", body)
	}
	for _, query := range []string{"", "?q=x&k=0", "?q=x&k=many", "?q=x&filter=type"} {
		if response, body := post(t, web, "/api/rag/ask"+query, "", get); response.StatusCode != 400 || !strings.Contains(body, `"invalid"`) {
			t.Errorf("%q: %d %s", query, response.StatusCode, body)
		}
	}
}

// TestAskNarrowed: a question in an address is narrowed as one in a body.
func TestAskNarrowed(t *testing.T) {
	var got api.AskRequest
	s := &stub{ask: func(_ context.Context, r api.AskRequest) (api.Answer, error) {
		got = r
		return api.Answer{}, nil
	}}
	web := start(t, s, make(feed))
	post(t, web, "/api/rag/ask?q=where&k=3&filter=type%3Dmd&filter=type%3Dpdf&filter=source%3Dnotes", "", func(r *http.Request) { r.Method = http.MethodGet })
	want := api.AskRequest{RunID: got.RunID, Question: "where", K: 3, Filters: map[string][]string{"type": {"md", "pdf"}, "source": {"notes"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
}

// TestLeaving ends the service's work when the client closes the stream.
func TestLeaving(t *testing.T) {
	started, ended := make(chan struct{}), make(chan struct{})
	s := &stub{ask: func(ctx context.Context, _ api.AskRequest) (api.Answer, error) {
		close(started)
		<-ctx.Done()
		close(ended)
		return api.Answer{}, ctx.Err()
	}}
	web := start(t, s, make(feed))
	ctx, leave := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, web.URL+"/api/rag/ask?q=long", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	response, err := web.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	<-started
	leave()
	<-ended
	response.Body.Close()
}

func TestPagesNeedTheToken(t *testing.T) {
	web := start(t, &stub{}, nil)
	for bearer, want := range map[string]int{"": http.StatusUnauthorized, token: http.StatusOK} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, web.URL+"/api/v1/documents/d/pages/1", nil)
		if err != nil {
			t.Fatal(err)
		}
		if bearer != "" {
			r.Header.Set("Authorization", "Bearer "+bearer)
		}
		answer, err := web.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("token %q: %d, want %d", bearer, answer.StatusCode, want)
		}
	}
}
