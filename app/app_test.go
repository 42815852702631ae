package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"testing"

	"go.uber.org/goleak"

	"ibid/backend/api"
	"ibid/frontend"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// methods are a type's methods as the page calls them: by name, without context.
func methods(t reflect.Type) map[string]string {
	list := map[string]string{}
	for m := range t.Methods() {
		var in, out []string
		for p := range m.Type.Ins() {
			if p != t && p != reflect.TypeFor[context.Context]() {
				in = append(in, p.String())
			}
		}
		for p := range m.Type.Outs() {
			out = append(out, p.String())
		}
		list[m.Name] = fmt.Sprint(in, out)
	}
	return list
}

func TestBoundMethodsAreTheService(t *testing.T) {
	want, got := methods(reflect.TypeFor[api.Service]()), methods(reflect.TypeFor[*App]())
	if len(want) == 0 || !reflect.DeepEqual(got, want) {
		t.Errorf("bound %v, service %v", got, want)
	}
}

func TestWireError(t *testing.T) {
	fault := &api.Error{Code: api.CodeBusy, Message: "m", Hint: "h"}
	if got := wireError(errors.Join(fault)); got != fault {
		t.Errorf("an error of the service: %v", got)
	}
	if got, ok := wireError(errors.New("password=hunter2")).(*api.Error); !ok || got.Code != api.CodeInternal || got.Message != "internal error" {
		t.Errorf("any other error: %v", got)
	}
}

func TestPolicyIsSent(t *testing.T) {
	answer := httptest.NewRecorder()
	guard(http.NotFoundHandler()).ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
	if got := answer.Header().Get("Content-Security-Policy"); got != frontend.Policy || got == "" {
		t.Errorf("policy %q", got)
	}
}
