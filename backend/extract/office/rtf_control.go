package office

// rtfDestinations are the groups whose text goes elsewhere, or nowhere.
var rtfDestinations = map[string]destination{
	"fonttbl": toFonts, "stylesheet": toStyles, "info": toInfo,
	"listtext": toMarker, "pntext": toMarker,
	"footnote": toNote, "annotation": toComment, "atnauthor": toAuthor,
	"header": toMargin, "headerl": toMargin, "headerr": toMargin, "headerf": toMargin,
	"footer": toMargin, "footerl": toMargin, "footerr": toMargin, "footerf": toMargin,

	"colortbl": toNowhere, "pict": toNowhere, "object": toNowhere, "objdata": toNowhere, "fldinst": toNowhere,
	"themedata": toNowhere, "colorschememapping": toNowhere, "datastore": toNowhere, "latentstyles": toNowhere,
	"listtable": toNowhere, "listoverridetable": toNowhere, "rsidtbl": toNowhere, "generator": toNowhere,
	"xmlnstbl": toNowhere, "filetbl": toNowhere, "revtbl": toNowhere, "pgdsctbl": toNowhere, "nonshppict": toNowhere,
	"bkmkstart": toNowhere, "bkmkend": toNowhere, "tc": toNowhere, "xe": toNowhere, "sp": toNowhere, "pn": toNowhere,
	"atnid": toNowhere, "atndate": toNowhere, "atnref": toNowhere, "atrfstart": toNowhere, "atrfend": toNowhere,
	"ftnsep": toNowhere, "ftnsepc": toNowhere, "ftncn": toNowhere, "aftnsep": toNowhere, "aftnsepc": toNowhere,
	"aftncn": toNowhere, "template": toNowhere, "passwordhash": toNowhere, "wgrffmtfilter": toNowhere,
}

// rtfProperties are the properties in the info group.
var rtfProperties = map[string]string{
	"title": "title", "author": "creator", "subject": "subject", "keywords": "keywords", "doccomm": "description",
}

// rtfSigns are the control words that stand for a character.
var rtfSigns = map[string]string{
	"~": " ", "_": "-", "-": "", "tab": "\t", "line": "\n", "lbr": "\n",
	"emdash": "—", "endash": "–", "bullet": "•", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”",
	"emspace": " ", "enspace": " ", "qmspace": " ", "zwj": "\u200d", "zwnj": "\u200c",
	"\\": "\\", "{": "{", "}": "}", "\n": "", "\r": "",
}

func (r *rtfReader) control(t rtfToken) {
	on := !t.given || t.param != 0
	if r.skip > 0 && t.word != "u" {
		r.skip--
		if _, ok := rtfSigns[t.word]; ok {
			return
		}
		r.skip = 0
	}
	if to, ok := rtfDestinations[t.word]; ok {
		r.enter(to)
		return
	}
	if r.star {
		r.star = false
		if t.word != "shpinst" && t.word != "shptxt" && t.word != "upr" {
			r.enter(toNowhere)
			return
		}
	}
	if r.definition(t) {
		return
	}
	if sign, ok := rtfSigns[t.word]; ok {
		r.write(sign)
		return
	}
	switch t.word {
	case "*":
		r.star = true
	case "u":
		r.unicode(t.param)
	case "uc":
		r.state.skipAfter = min(max(t.param, 0), 16)
	case "ansicpg":
		r.page = t.param
	case "mac":
		r.page = 10000
	case "pc":
		r.page = 437
	case "pca":
		r.page = 850
	case "f":
		r.state.font = t.param
	case "v":
		r.state.hidden = on
	case "deleted":
		r.state.deleted = on
	case "plain":
		r.state.hidden, r.state.deleted = false, false
	}
	if r.state.to == toBody {
		r.layout(t)
	} else if t.word == "par" {
		r.write("\n")
	}
}

// enter sends the text of the current group elsewhere. What goes nowhere
// stays there, except the notes within a paragraph.
func (r *rtfReader) enter(to destination) {
	r.star = false
	switch {
	case r.state.to == toNowhere:
	case r.state.to == toComment && to == toAuthor: // stands before the comment, not in it
	default:
		r.state.to = to
	}
}

// definition takes a control word of the tables at the start.
func (r *rtfReader) definition(t rtfToken) bool {
	switch r.state.to {
	case toFonts:
		switch t.word {
		case "f":
			r.font = t.param
		case "fcharset":
			if page, ok := charsetPages[t.param]; ok {
				r.fonts[r.font] = page
			}
		}
		return true
	case toStyles:
		switch t.word {
		case "s":
			r.style = t.param
		case "outlinelevel":
			r.levels[r.style] = t.param + 1
		}
		return true
	case toInfo:
		if name, ok := rtfProperties[t.word]; ok {
			r.property = name
			r.state.to = toProperty
		}
		return true
	}
	return false
}

// layout takes the control words that divide the body.
func (r *rtfReader) layout(t rtfToken) {
	switch t.word {
	case "par", "sect", "page":
		r.endParagraph()
	case "pard":
		r.level, r.depth, r.inTable = 0, 0, false
	case "s":
		r.level = r.levels[t.param]
	case "outlinelevel":
		if t.param < 9 {
			r.level = t.param + 1
		}
	case "ilvl":
		r.depth = t.param
	case "intbl":
		r.inTable = true
	case "cell", "nestcell":
		r.endCell()
	case "row", "nestrow":
		r.endRow()
	}
}
