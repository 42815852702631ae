//go:build !desktop && !bindings && !dev

package main

import (
	"context"

	"ibid/backend/boot"
)

// window is what this build does not have: it needs neither GTK nor WebKit.
var window func(context.Context, boot.Options) error
