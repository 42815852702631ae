package office

import "ibid/backend/extract"

// Routes are the extractors of this package.
func Routes() []extract.Route {
	return []extract.Route{
		{Types: []string{extract.TypeDOCX}, Version: "docx/1", Extractor: docx{}},
		{Types: []string{extract.TypePPTX}, Version: "pptx/1", Extractor: pptx{}},
		{Types: []string{extract.TypeXLSX}, Version: "xlsx/1", Extractor: xlsx{}},
		{Types: []string{extract.TypeODT, extract.TypeODS, extract.TypeODP}, Version: "odf/1", Extractor: odf{}},
		{Types: []string{extract.TypeRTF}, Version: "rtf/1", Extractor: rtf{}},
		{Types: []string{extract.TypeOLE}, Version: "ole/1", Extractor: ole{}},
	}
}
