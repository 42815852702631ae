//go:build !unix

package pdf

import "context"

func withMemory(ctx context.Context) context.Context { return ctx }
