// Package data extracts data in text form: CSV and TSV by rows, JSON, YAML and
// TOML by keys, notebooks by cells.
package data

import "ibid/backend/extract"

const (
	typeCSV  = "text/csv"
	typeTSV  = "text/tab-separated-values"
	typeJSON = "application/json"
	typeYAML = "application/yaml"
	typeTOML = "application/toml"
)

// Routes are the extractors of this package.
func Routes() []extract.Route {
	return []extract.Route{
		{Types: []string{typeCSV, typeTSV}, Version: "csv/1", Extractor: table{}},
		{Types: []string{typeJSON, typeYAML, typeTOML}, Version: "keys/1", Extractor: structure{}},
		{Types: []string{".ipynb"}, Version: "notebook/1", Extractor: notebook{}},
	}
}
