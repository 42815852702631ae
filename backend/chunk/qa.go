package chunk

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// QA is the strategy for questions and answers: a pair is a chunk. Where an
// answer is too large, its parts have the question as breadcrumb.
func QA() Strategy {
	return Strategy{
		name:    "qa",
		version: 1,
		target:  512,
		grammar: grammar{
			rank:    asItIs,
			wrapped: true,
			fences:  true,
			lead:    question,
			alone:   true,
			whole:   upToTarget,
		},
	}
}

// Words before a question and before an answer, in the languages in which they
// are used so. A single letter counts only for "Q" and its like, because "A."
// also starts lists.
var (
	questionWords = []string{
		"q", "question", "frage", "pregunta", "pergunta", "domanda", "vraag", "pytanie", "вопрос",
		"質問", "问题", "問題", "问", "問", "질문",
	}
	answerWords = []string{
		"a", "answer", "antwort", "réponse", "respuesta", "resposta", "risposta", "antwoord", "odpowiedź", "ответ",
		"回答", "答え", "答案", "答", "답변", "답",
	}
)

// maxQuestion is how many lines a question may take.
const maxQuestion = 4

// question is the lead of questions and answers: a line that a word such as
// "Q:" marks, or one that is nothing but a question and stands by itself or
// above a marked answer.
func question(text string) (int, string) {
	line := firstLine(text)
	if len(line) > maxLead {
		return 0, ""
	}
	if title, ok := marked(bare(line), questionWords); ok && title != "" {
		if i := strings.IndexAny(title, "?？؟"); i >= 0 && answered(title[i:]) {
			return 0, "" // the pair in one line is whole anyway
		}
		n := len(line)
		for range maxQuestion - 1 {
			if asks(title) {
				break
			}
			next := firstLine(strings.TrimPrefix(text[n:], "\n"))
			if strings.TrimSpace(next) == "" || answered(next) || n+len(next) > maxLead {
				break
			}
			n += 1 + len(next)
			title += " " + bare(next)
		}
		return n, title
	}
	if title := bare(line); asks(title) && !several(title) {
		rest := strings.TrimPrefix(text[len(line):], "\n")
		emphasised := strings.HasPrefix(strings.TrimSpace(line), "**")
		if next := firstLine(rest); strings.TrimSpace(next) == "" || answered(next) || emphasised {
			return len(line), title
		}
	}
	return 0, ""
}

// several reports whether a question is not all that a line says.
func several(line string) bool {
	end := strings.LastIndexAny(line, "?？؟")
	return strings.ContainsAny(line[:end], "?？؟。!！") || strings.Contains(line[:end], ". ")
}

// asks reports whether a line ends in a question mark.
func asks(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(strings.TrimRight(s, "\"”»*_ "))
	return r == '?' || r == '？' || r == '؟'
}

// answered reports whether a line is marked as an answer.
func answered(line string) bool {
	_, ok := marked(bare(line), answerWords)
	return ok
}

// maxMark is the longest word before a colon, with its number, in bytes.
const maxMark = 40

// marked reports whether a line starts with one of the words, a number if need
// be, and a colon, and returns what follows.
func marked(line string, words []string) (string, bool) {
	before, after, ok := strings.Cut(line, ":")
	if wide, rest, is := strings.Cut(line, "："); is && (!ok || len(wide) < len(before)) {
		before, after, ok = wide, rest, true
	}
	if !ok || len(before) > maxMark {
		return "", false
	}
	word := strings.TrimRight(before, " 0123456789*_.")
	if !slices.ContainsFunc(words, func(w string) bool { return strings.EqualFold(w, word) }) {
		return "", false
	}
	return strings.Trim(after, " *_"), true
}
