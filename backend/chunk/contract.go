package chunk

import (
	"regexp"
	"strings"
)

// Contract is the strategy for contracts and statutes: whole sentences, better
// whole clauses; the title of a clause is the breadcrumb of all that it holds.
func Contract() Strategy {
	return Strategy{
		name:    "contract",
		version: 1,
		target:  256,
		overlap: 32,
		grammar: grammar{
			rank:    asItIs,
			wrapped: true,
			lead:    clause,
			whole:   upTo2Targets,
		},
	}
}

var (
	// named are clauses by the words of law: "§ 5 Payment", "Article 12",
	// "Section 3.1", "Artikel 4", "Статья 7", "第三条".
	named = regexp.MustCompile(`^(?i:(?:§+|art\.|article|artikel|artículo|articulo|artigo|articolo|section|clause|klausel|clausula|cláusula|clausola|abschnitt|schedule|annex|anlage|anhang|статья|пункт|раздел) ?(?:[0-9]+[a-z]?(?:\.[0-9]+)*|[ivxlc]+)\b\.?|第[0-9０-９一二三四五六七八九十百]+[条條章])`)
	// numbered are titles such as "3. Term and termination".
	numbered = regexp.MustCompile(`^[0-9]{1,2}\.? +\p{Lu}`)
	// paragraphed are numbered paragraphs of a clause: "3.2 The Supplier …".
	paragraphed = regexp.MustCompile(`^[0-9]{1,2}(?:\.[0-9]{1,2}){1,3}\.? +\p{L}`)
)

// maxClause is the longest title of a clause in bytes.
const maxClause = 100

// clause is the lead of contracts: a line of its own that names a clause and is
// no sentence.
func clause(text string) (int, string) {
	line := firstLine(text)
	title := bareTitle(line)
	switch {
	case len(title) > maxClause, title == "", endsLike(title, ".;,:。"):
		return 0, ""
	case named.MatchString(title), numbered.MatchString(title):
		return len(line), title
	}
	return 0, ""
}

// bareTitle is a line without the marks of Markdown. Its number stays.
func bareTitle(line string) string {
	return strings.Trim(strings.TrimLeft(line, "#> \t*"), " \t*_")
}

// endsLike reports whether s ends in one of the characters.
func endsLike(s, characters string) bool {
	return strings.TrimRight(s, characters) != s
}
