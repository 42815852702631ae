// Package formats lists the extractors of this build.
package formats

import (
	"path/filepath"
	"slices"

	"ibid/backend/extract"
	"ibid/backend/extract/code"
	"ibid/backend/extract/data"
	"ibid/backend/extract/mail"
	"ibid/backend/extract/office"
	"ibid/backend/extract/pdf"
	"ibid/backend/extract/web"
)

// Light are the formats that are read at the speed of reading text: nothing
// in them can grow, loop or nest beyond their size.
func Light() []extract.Route { return slices.Concat(extract.Builtin(), data.Routes(), code.Routes()) }

// Options are what readers need to know.
type Options struct {
	// Cache is a folder for what is slow to make and can be made again; "": none.
	Cache string
}

// Heavy are the formats that are read in a process of their own where there
// is one: containers, and what is parsed by large libraries.
func Heavy(o Options) []extract.Route {
	var cache string
	if o.Cache != "" {
		cache = filepath.Join(o.Cache, "pdfium")
	}
	return slices.Concat(office.Routes(), web.Routes(), mail.Routes(), pdf.Routes(pdf.Options{Cache: cache}))
}
