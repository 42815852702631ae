package api

import "net/http"

// HTTPStatus is the status of an answer that is an Error of this code: 500 for
// codes that tell of a fault of ibid, and for those that there are not.
func HTTPStatus(code string) int {
	switch code {
	case CodeInvalid:
		return http.StatusBadRequest
	case CodeDenied:
		return http.StatusForbidden
	case CodeNotFound:
		return http.StatusNotFound
	case CodeBusy, CodeStale, CodeGuard, CodeCanceled:
		return http.StatusConflict
	case CodeLimit:
		return http.StatusRequestEntityTooLarge
	case CodeUnsupported:
		return http.StatusNotImplemented
	case CodeUnavailable:
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}
