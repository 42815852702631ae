// Package office extracts the documents of office programs: DOCX, PPTX, XLSX,
// OpenDocument and RTF. Text that the author hid is counted and left out, and
// so are tracked deletions; notes and comments are marked as what they are.
package office
