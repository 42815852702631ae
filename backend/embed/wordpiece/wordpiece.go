// Package wordpiece is BERT's tokenizer: cleaning, accent stripping and lower
// casing, splitting at white space, punctuation and Han characters, then the
// greedy longest-match-first division into word pieces (Devlin et al., BERT,
// 2019, after Schuster and Nakajima, 2012).
//
// It reads the tokenizer.json of HuggingFace's tokenizers library and gives
// the ids that library gives, without its padding and truncation; only some
// 570 rare characters that Unicode assigned after version 8 are classified
// better here. It is pure: nothing is cached between calls and all methods may
// run concurrently.
package wordpiece

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"ibid/backend/corpus"
)

// Tokenizer turns text into ids of one vocabulary.
type Tokenizer struct {
	first, next   map[string]int32 // pieces that begin a word, and those that continue one (without "##")
	longest       int              // bytes of the longest piece
	maxWord       int              // characters; a longer word is unknown as a whole
	unk, cls, sep int32
	special       []token // added tokens, matched in the raw text
	starts        string  // their first characters
	size          int

	cleans, han, strip, lower bool // of the normalizer
}

type token struct {
	text string
	id   int32
}

// file is the part of tokenizer.json that decides ids. Padding and truncation
// are presets for batches and are left alone.
type file struct {
	AddedTokens []struct {
		ID         int32  `json:"id"`
		Content    string `json:"content"`
		Normalized bool   `json:"normalized"`
		SingleWord bool   `json:"single_word"`
		LStrip     bool   `json:"lstrip"`
		RStrip     bool   `json:"rstrip"`
	} `json:"added_tokens"`
	Normalizer struct {
		Type         string `json:"type"`
		CleanText    bool   `json:"clean_text"`
		Chinese      bool   `json:"handle_chinese_chars"`
		StripAccents *bool  `json:"strip_accents"`
		Lowercase    bool   `json:"lowercase"`
	} `json:"normalizer"`
	PreTokenizer struct {
		Type string `json:"type"`
	} `json:"pre_tokenizer"`
	Model struct {
		Type    string           `json:"type"`
		Unknown string           `json:"unk_token"`
		Prefix  string           `json:"continuing_subword_prefix"`
		MaxWord int              `json:"max_input_chars_per_word"`
		Vocab   map[string]int32 `json:"vocab"`
	} `json:"model"`
}

// Parse reads a tokenizer.json. What this package does not implement exactly
// is refused with corpus.ErrUnsupported, a broken file with corpus.ErrInvalid.
func Parse(data []byte) (*Tokenizer, error) {
	var f file
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("parse tokenizer: %w: %w", corpus.ErrInvalid, err)
	}
	if f.Model.Type != "WordPiece" || f.Normalizer.Type != "BertNormalizer" || f.PreTokenizer.Type != "BertPreTokenizer" {
		return nil, fmt.Errorf("parse tokenizer: %w: model %q, normalizer %q, pre-tokenizer %q",
			corpus.ErrUnsupported, f.Model.Type, f.Normalizer.Type, f.PreTokenizer.Type)
	}
	if f.Model.Prefix == "" || f.Model.MaxWord <= 0 {
		return nil, fmt.Errorf("parse tokenizer: %w: prefix %q, longest word %d",
			corpus.ErrInvalid, f.Model.Prefix, f.Model.MaxWord)
	}
	t := &Tokenizer{
		first:   make(map[string]int32, len(f.Model.Vocab)),
		next:    make(map[string]int32),
		maxWord: f.Model.MaxWord,
		cleans:  f.Normalizer.CleanText,
		han:     f.Normalizer.Chinese,
		strip:   f.Normalizer.Lowercase,
		lower:   f.Normalizer.Lowercase,
	}
	if f.Normalizer.StripAccents != nil {
		t.strip = *f.Normalizer.StripAccents
	}
	lowest := int32(0)
	for piece, id := range f.Model.Vocab {
		if rest, ok := strings.CutPrefix(piece, f.Model.Prefix); ok {
			t.next[rest] = id
		} else {
			t.first[piece] = id
		}
		t.longest = max(t.longest, len(piece))
		t.size = max(t.size, int(id)+1)
		lowest = min(lowest, id)
	}
	for _, a := range f.AddedTokens {
		if a.Normalized || a.SingleWord || a.LStrip || a.RStrip || a.Content == "" || strings.ContainsAny(a.Content, " \t\r\n") {
			return nil, fmt.Errorf("parse tokenizer: %w: rules of added token %q", corpus.ErrUnsupported, a.Content)
		}
		first, _ := utf8.DecodeRuneInString(a.Content)
		if !strings.ContainsRune(t.starts, first) {
			t.starts += string(first)
		}
		t.special = append(t.special, token{a.Content, a.ID})
		t.size = max(t.size, int(a.ID)+1)
		lowest = min(lowest, a.ID)
	}
	if lowest < 0 {
		return nil, fmt.Errorf("parse tokenizer: %w: an id is %d", corpus.ErrInvalid, lowest)
	}
	for name, id := range map[string]*int32{f.Model.Unknown: &t.unk, "[CLS]": &t.cls, "[SEP]": &t.sep} {
		var ok bool
		if *id, ok = f.Model.Vocab[name]; !ok {
			return nil, fmt.Errorf("parse tokenizer: %w: the vocabulary has no %q", corpus.ErrInvalid, name)
		}
	}
	return t, nil
}

// Size is one more than the largest id.
func (t *Tokenizer) Size() int { return t.size }

// Encode returns the ids of text between [CLS] and [SEP].
func (t *Tokenizer) Encode(text string) []int32 {
	ids := make([]int32, 1, 2+len(text)/3)
	ids[0] = t.cls
	t.each(text, func(id int32) { ids = append(ids, id) })
	return append(ids, t.sep)
}

// Cut returns what Encode returns, shortened to limit ids: the text's last
// tokens go, [SEP] stays. A limit below 2 means 2.
func (t *Tokenizer) Cut(text string, limit int) []int32 {
	ids := t.Encode(text)
	if limit = max(limit, 2); len(ids) > limit {
		ids[limit-1] = t.sep
		ids = ids[:limit]
	}
	return ids
}

// Count returns len(Encode(text)) without keeping the ids.
func (t *Tokenizer) Count(text string) int {
	n := 2
	t.each(text, func(int32) { n++ })
	return n
}

// each yields the ids of text. It works a field at a time: these four
// characters always separate words, no added token contains one, and no
// normalisation reaches across, so memory is that of the longest field.
func (t *Tokenizer) each(text string, yield func(int32)) {
	n := normalizer{Tokenizer: t}
	for field := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return r == ' ' || r == '\n' || r == '\t' || r == '\r'
	}) {
		for field != "" {
			plain, id, rest := t.cutSpecial(field)
			t.words(n.apply(plain), yield)
			if id >= 0 {
				yield(id)
			}
			field = rest
		}
	}
}

// cutSpecial divides s at its first added token, the longest that begins
// there; id is -1 when it has none.
func (t *Tokenizer) cutSpecial(s string) (plain string, id int32, rest string) {
	for at := 0; at < len(s); at++ {
		next := strings.IndexAny(s[at:], t.starts)
		if next < 0 {
			break
		}
		at += next
		found := token{"", -1}
		for _, sp := range t.special {
			if len(sp.text) > len(found.text) && strings.HasPrefix(s[at:], sp.text) {
				found = sp
			}
		}
		if found.id >= 0 {
			return s[:at], found.id, s[at+len(found.text):]
		}
	}
	return s, -1, ""
}

// words divides normalised text into words and yields their pieces.
func (t *Tokenizer) words(s []byte, yield func(int32)) {
	start := 0
	for i := 0; i < len(s); {
		r, n := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRune(s[i:])
		}
		if space, punct := isSpace(r), isPunct(r); space || punct {
			t.pieces(s[start:i], yield)
			start = i + n
			if punct {
				t.pieces(s[i:start], yield)
			}
		}
		i += n
	}
	t.pieces(s[start:], yield)
}

// pieces yields the longest pieces that make up word, from the left, or the
// unknown token when some part of it is in no piece.
func (t *Tokenizer) pieces(word []byte, yield func(int32)) {
	if len(word) == 0 {
		return
	}
	if id, ok := t.first[string(word)]; ok { // most words are one piece
		yield(id)
		return
	}
	if len(word) > t.maxWord && utf8.RuneCount(word) > t.maxWord {
		yield(t.unk)
		return
	}
	var ids [32]int32
	out := ids[:0]
	vocab := t.first
	for len(word) > 0 {
		end := min(len(word), t.longest)
		id, ok := vocab[string(word[:end])]
		for !ok && end > 1 {
			end--
			if end < len(word) && !utf8.RuneStart(word[end]) {
				continue
			}
			id, ok = vocab[string(word[:end])]
		}
		if !ok {
			yield(t.unk)
			return
		}
		out = append(out, id)
		word = word[end:]
		vocab = t.next
	}
	for _, id := range out {
		yield(id)
	}
}
