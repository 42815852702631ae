package app

import (
	"context"
	"errors"
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
	for i := range t.NumMethod() {
		m := t.Method(i)
		skip := 0
		if t.Kind() != reflect.Interface {
			skip++ // the receiver
		}
		if m.Type.In(skip) == reflect.TypeFor[context.Context]() {
			skip++
		}
		signature := ""
		for j := skip; j < m.Type.NumIn(); j++ {
			signature += m.Type.In(j).String() + " "
		}
		for j := range m.Type.NumOut() {
			signature += "-> " + m.Type.Out(j).String()
		}
		list[m.Name] = signature
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
