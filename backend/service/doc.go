// Package service holds every use case once: it checks a request's bounds,
// calls the rooms that know how, and speaks the wire types of package api to
// every shell. It implements api.Service.
//
// It knows contracts only; package boot gives it their implementations.
// Long work is a run: it has a client-made id, so that starting it twice starts
// it once, it can be canceled, and GetRun tells its truth. Close cancels what
// runs and waits for it.
package service
