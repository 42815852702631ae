package pdf

import (
	"unicode/utf8"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"

	"ibid/backend/extract"
)

// annotation reads a note; false if it says nothing.
func (d *document) annotation(ref references.FPDF_ANNOTATION, m matrix, p *page) (mark, bool) {
	text := extract.Clean(d.annotationString(ref, "Contents"))
	if text == "" {
		return mark{}, false
	}
	flags, err := d.lib.FPDFAnnot_GetFlags(&requests.FPDFAnnot_GetFlags{Annotation: ref})
	if err == nil && flags.Flags&(enums.FPDF_ANNOT_FLAG_HIDDEN|enums.FPDF_ANNOT_FLAG_NOVIEW) != 0 {
		p.hidden += utf8.RuneCountInString(text)
		return mark{}, false
	}
	head := "[Note] "
	if author := extract.Clean(d.annotationString(ref, "T")); author != "" && len(author) <= 100 {
		head = "[Note by " + author + "] "
	}
	n := mark{text: head + text}
	if at, err := d.lib.FPDFAnnot_GetRect(&requests.FPDFAnnot_GetRect{Annotation: ref}); err == nil {
		n.box = m.box(at.Rect.Left, at.Rect.Bottom, at.Rect.Right, at.Rect.Top)
	}
	return n, true
}

func (d *document) annotationString(ref references.FPDF_ANNOTATION, key string) string {
	v, err := d.lib.FPDFAnnot_GetStringValue(&requests.FPDFAnnot_GetStringValue{Annotation: ref, Key: key})
	if err != nil {
		return ""
	}
	return v.Value
}
