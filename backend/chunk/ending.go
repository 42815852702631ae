package chunk

// Ending says why a chunk ends where it ends.
type Ending string

// Endings.
const (
	EndDocument  Ending = "document"  // the text ends
	EndPart      Ending = "part"      // another slide or sheet, the next question, another function
	EndSection   Ending = "section"   // a heading follows
	EndBlock     Ending = "block"     // another paragraph, list, table or block of code follows
	EndParagraph Ending = "paragraph" // a blank line follows
	EndLine      Ending = "line"      // a line or row ends
	EndSentence  Ending = "sentence"  // a sentence ends
	EndClause    Ending = "clause"    // after a comma, colon or semicolon: no sentence ends in reach
	EndWord      Ending = "word"      // between words: nothing else is in reach
	EndInside    Ending = "inside"    // within a word that is longer than a chunk
	EndLimit     Ending = "limit"     // the model takes no more
)

// ending says why a chunk ends before a unit.
func (d *divider) ending(b int) Ending {
	switch l := d.units[b].own; {
	case b == len(d.units)-1:
		return EndDocument
	case l == levelPart:
		return EndPart
	case l >= levelSection:
		return EndSection
	case l == levelBlock:
		return EndBlock
	case l == levelParagraph:
		return EndParagraph
	case l == levelLine:
		return EndLine
	case l == levelSentence:
		return EndSentence
	case l == levelClause:
		return EndClause
	case l == levelGrapheme:
		return EndInside
	}
	return EndWord
}
