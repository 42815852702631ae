package api_test

import (
	"net/http"
	"testing"

	"ibid/backend/api"
)

func TestHTTPStatus(t *testing.T) {
	for code, want := range map[string]int{
		api.CodeInvalid: http.StatusBadRequest, api.CodeDenied: http.StatusForbidden, api.CodeNotFound: http.StatusNotFound,
		api.CodeBusy: http.StatusConflict, api.CodeStale: http.StatusConflict, api.CodeGuard: http.StatusConflict, api.CodeCanceled: http.StatusConflict,
		api.CodeLimit: http.StatusRequestEntityTooLarge, api.CodeUnsupported: http.StatusNotImplemented, api.CodeUnavailable: http.StatusServiceUnavailable,
		api.CodeInternal: http.StatusInternalServerError, "none": http.StatusInternalServerError,
	} {
		if got := api.HTTPStatus(code); got != want {
			t.Errorf("HTTPStatus(%q) = %d, want %d", code, got, want)
		}
	}
}
