package pdf

import (
	"strings"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/requests"

	"ibid/backend/extract"
)

// maxAnnotations is how many annotations of a page are read.
const maxAnnotations = 2000

// marks reads what is attached to a page: its annotations, and the values of
// its form fields. What is hidden is counted as hidden text of the page.
func (d *document) marks(ref requests.Page, m matrix, p *page) []mark {
	count, err := d.lib.FPDFPage_GetAnnotCount(&requests.FPDFPage_GetAnnotCount{Page: ref})
	if err != nil {
		return nil
	}
	var list []mark
	widgets := false
	for i := range min(count.Count, maxAnnotations) {
		a, err := d.lib.FPDFPage_GetAnnot(&requests.FPDFPage_GetAnnot{Page: ref, Index: i})
		if err != nil {
			continue
		}
		kind, err := d.lib.FPDFAnnot_GetSubtype(&requests.FPDFAnnot_GetSubtype{Annotation: a.Annotation})
		switch {
		case err != nil, kind.Subtype == enums.FPDF_ANNOT_SUBTYPE_LINK, kind.Subtype == enums.FPDF_ANNOT_SUBTYPE_POPUP:
		case kind.Subtype == enums.FPDF_ANNOT_SUBTYPE_WIDGET:
			widgets = true
		default:
			if mark, ok := d.annotation(a.Annotation, m, p); ok {
				list = append(list, mark)
			}
		}
		_, _ = d.lib.FPDFPage_CloseAnnot(&requests.FPDFPage_CloseAnnot{Annotation: a.Annotation})
	}
	if widgets {
		list = append(list, d.fields(ref)...)
	}
	return list
}

// fields reads the values of a page's form fields.
func (d *document) fields(ref requests.Page) []mark {
	form, err := d.lib.GetForm(&requests.GetForm{Page: ref})
	if err != nil {
		return nil
	}
	var list []mark
	for _, f := range form.Fields {
		name := extract.Clean(f.ToolTip)
		if name == "" || len(name) > 200 {
			name = extract.Clean(f.Name)
		}
		var values []string
		switch {
		case f.IsChecked != nil && !*f.IsChecked:
		case f.Type == enums.FPDF_FORMFIELD_TYPE_CHECKBOX:
			values = []string{"checked"}
		case f.Type == enums.FPDF_FORMFIELD_TYPE_PUSHBUTTON:
		case len(f.Values) > 0:
			values = f.Values
		case f.Value != nil:
			values = []string{*f.Value}
		}
		if value := extract.Clean(strings.Join(values, ", ")); value != "" {
			list = append(list, mark{text: "[Form] " + name + ": " + value, form: true})
		}
	}
	return list
}
