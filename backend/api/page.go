package api

// PageRequest asks for a page of a document, counted from 1.
type PageRequest struct {
	Document string `json:"document"`
	Page     int    `json:"page"`
	Chunk    string `json:"chunk,omitempty"` // a passage to mark
}

// Page is a page of a document, without its picture.
type Page struct {
	Document string `json:"document"`
	Page     int    `json:"page"`
	Pages    int    `json:"pages"`
	Label    string `json:"label,omitempty"` // its number as printed, where it is another
	// Width and Height are the page's in points, the unit of boxes. A picture is
	// scaled from them.
	Width    float64       `json:"width"`
	Height   float64       `json:"height"`
	Passages []PagePassage `json:"passages"` // that stand on it, in their order
}

// PagePassage is where a passage stands on a page.
type PagePassage struct {
	ID    string `json:"id"`
	Mark  bool   `json:"mark,omitempty"` // the one that was asked for
	Boxes []Box  `json:"boxes"`          // one a line
}

// Box is a rectangle on a page: points, from its top left corner.
type Box struct {
	X0 float64 `json:"x0"`
	Y0 float64 `json:"y0"`
	X1 float64 `json:"x1"`
	Y1 float64 `json:"y1"`
}

// Original describes a document's own bytes.
type Original struct {
	Name     string `json:"name"`               // of the file
	Type     string `json:"type"`               // media type
	Modified string `json:"modified,omitempty"` // when, of the file
}
