//go:build desktop || bindings || dev

package main

import (
	"context"
	_ "embed"

	"ibid/app"
	"ibid/backend/api"
	"ibid/backend/boot"
	"ibid/frontend"
)

//go:embed build/appicon.png
var icon []byte

// window opens the window. Built with the tag bindings, it writes instead what
// the frontend's types are checked against.
func window(ctx context.Context, library boot.Options) error {
	where, err := boot.Where(library)
	if err != nil {
		where = "" // opening will say it
	}
	library.Trigger = api.TriggerApp
	return app.Run(ctx, app.Options{
		Open: func(ctx context.Context) (app.Library, error) {
			lib, err := boot.Open(ctx, library)
			if err != nil {
				return nil, err
			}
			return lib, nil
		},
		Where: where, UI: frontend.Dist, Icon: icon, Log: library.Log,
	})
}
