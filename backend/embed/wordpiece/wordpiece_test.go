package wordpiece

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
	"ibid/backend/embed/embedtest"
)

// small is a tokenizer.json with a few words, all single ASCII letters and the
// special tokens.
func small(tb testing.TB) *Tokenizer {
	tb.Helper()
	vocab := map[string]int32{}
	add := func(pieces ...string) {
		for _, p := range pieces {
			vocab[p] = int32(len(vocab))
		}
	}
	add("[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "un", "##aff", "##able", "cafe", "中", "!", "a", "##b", "##é")
	data, err := json.Marshal(map[string]any{
		"truncation":    map[string]any{"max_length": 3},
		"padding":       map[string]any{"strategy": map[string]any{"Fixed": 8}},
		"added_tokens":  []map[string]any{{"id": 2, "content": "[CLS]"}, {"id": 3, "content": "[SEP]"}, {"id": 14, "content": "[SEP]x"}},
		"normalizer":    map[string]any{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "lowercase": true},
		"pre_tokenizer": map[string]any{"type": "BertPreTokenizer"},
		"model": map[string]any{
			"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 10, "vocab": vocab,
		},
	})
	if err != nil {
		tb.Fatal(err)
	}
	tok, err := Parse(data)
	if err != nil {
		tb.Fatal(err)
	}
	return tok
}

func TestEncode(t *testing.T) {
	const pad, unk, cls, sep, the, un, aff, able, cafe, zhong, bang, a, b = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
	tests := map[string]struct {
		text string
		want []int32
	}{
		"empty":                     {"", nil},
		"white space":               {" \t\r\n\u00a0\u3000", nil},
		"presets are left alone":    {"the the the the", []int32{the, the, the, the}},
		"longest pieces first":      {"unaffable", []int32{un, aff, able}},
		"one part unknown":          {"unaffxable", []int32{unk}},
		"punctuation apart":         {"the!the", []int32{the, bang, the}},
		"unknown punctuation":       {"the?", []int32{the, unk}},
		"upper case and accents":    {"THE CAFÉ cafe\u0301", []int32{the, cafe, cafe}},
		"Han characters apart":      {"a中a", []int32{a, zhong, a}},
		"control characters vanish": {"th\x00e t\u200bhe\ufeff", []int32{the, the}},
		"other white space":         {"the\u2028the\u00a0the", []int32{the, the, the}},
		"word of the longest":       {"a" + strings.Repeat("b", 9), []int32{a, b, b, b, b, b, b, b, b, b}},
		"word too long":             {"a" + strings.Repeat("b", 10), []int32{unk}},
		"length in characters":      {"a" + strings.Repeat("é", 9), []int32{unk}}, // 10 after accents go, "##e" is missing
		"special token":             {"the[SEP]the", []int32{the, sep, the}},
		"longer special token":      {"[SEP]x [SEP]y", []int32{14, sep, unk}},
		"special in lower case":     {"[sep]", []int32{unk, unk, unk}},
		"piece as typed":            {"##b", []int32{unk, unk, unk}},
		"invalid UTF-8":             {"the\xff \xfe", []int32{the}},
	}
	tok := small(t)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			want := append(append([]int32{cls}, tt.want...), sep)
			if diff := cmp.Diff(want, tok.Encode(tt.text)); diff != "" {
				t.Errorf("Encode(%q) (-want +got):\n%s", tt.text, diff)
			}
			if got := tok.Count(tt.text); got != len(want) {
				t.Errorf("Count(%q) = %d, want %d", tt.text, got, len(want))
			}
		})
	}
}

func TestCut(t *testing.T) {
	tok := small(t)
	const text = "the un the"
	for limit, want := range map[int][]int32{-1: {2, 3}, 2: {2, 3}, 3: {2, 4, 3}, 5: {2, 4, 5, 4, 3}, 9: {2, 4, 5, 4, 3}} {
		if diff := cmp.Diff(want, tok.Cut(text, limit)); diff != "" {
			t.Errorf("Cut at %d (-want +got):\n%s", limit, diff)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	const good = `{"added_tokens":[],"normalizer":{"type":"BertNormalizer"},"pre_tokenizer":{"type":"BertPreTokenizer"},` +
		`"model":{"type":"WordPiece","unk_token":"[UNK]","continuing_subword_prefix":"##","max_input_chars_per_word":100,` +
		`"vocab":{"[UNK]":0,"[CLS]":1,"[SEP]":2}}}`
	if _, err := Parse([]byte(good)); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		old, new string
		want     error
	}{
		"no JSON":             {good, "{", corpus.ErrInvalid},
		"another model":       {"WordPiece", "BPE", corpus.ErrUnsupported},
		"another normalizer":  {"BertNormalizer", "NFC", corpus.ErrUnsupported},
		"another splitter":    {"BertPreTokenizer", "Whitespace", corpus.ErrUnsupported},
		"added token's rules": {`"added_tokens":[]`, `"added_tokens":[{"id":1,"content":"x","lstrip":true}]`, corpus.ErrUnsupported},
		"no separator":        {"[SEP]", "[END]", corpus.ErrInvalid},
		"negative id":         {`"[SEP]":2`, `"[SEP]":-2`, corpus.ErrInvalid},
		"negative added id":   {`"added_tokens":[]`, `"added_tokens":[{"id":-1,"content":"x"}]`, corpus.ErrInvalid},
		"no prefix":           {`"##"`, `""`, corpus.ErrInvalid},
		"no word length":      {`:100`, `:0`, corpus.ErrInvalid},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := Parse([]byte(strings.Replace(good, tt.old, tt.new, 1))); !errors.Is(err, tt.want) {
				t.Errorf("error %v, want one that wraps %v", err, tt.want)
			}
		})
	}
}

// TestGolden compares with HuggingFace's tokenizers, whose ids bench/golden.py
// wrote. Characters that Unicode assigned after version 8 are left out: that
// library's tables are of that age, Go's are not.
func TestGolden(t *testing.T) {
	models := os.Getenv("IBID_MODELS")
	if data := embedtest.Data(t); models == "" {
		models = filepath.Join(data, "models")
	}
	for _, model := range []string{"minilm", "bge-small"} {
		t.Run(model, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join(models, model, "tokenizer.json"))
			if err != nil {
				t.Fatal(err)
			}
			tok, err := Parse(data)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, tok)
		})
	}
}

func golden(t *testing.T, tok *Tokenizer) {
	t.Helper()
	f, err := os.Open("testdata/golden.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := 0
	for in := bufio.NewScanner(f); in.Scan(); lines++ {
		var line struct {
			Text string
			IDs  []int32
		}
		if err := json.Unmarshal(in.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(line.IDs, tok.Encode(line.Text)); diff != "" {
			t.Errorf("Encode(%q) (-tokenizers +got):\n%s", line.Text, diff)
		}
	}
	if lines < 200 {
		t.Errorf("only %d golden lines were read", lines)
	}
}

func FuzzEncode(f *testing.F) {
	tok := small(f)
	for _, seed := range []string{"", "unaffable the!", "CAFÉ cafe\u0301 中文", "[SEP]x[CLS]", "\xff\x00a\u0130\u212b", "각 각 e\u0301\u0302\u0327"} {
		f.Add(seed, "the", 5)
	}
	f.Fuzz(func(t *testing.T, text, more string, limit int) {
		ids := tok.Encode(text)
		if len(ids) < 2 || ids[0] != tok.cls || ids[len(ids)-1] != tok.sep {
			t.Fatalf("ids %v are not between [CLS] and [SEP]", ids)
		}
		for _, id := range ids {
			if id < 0 || int(id) >= tok.Size() {
				t.Fatalf("id %d is not in the vocabulary of %d", id, tok.Size())
			}
		}
		if n := tok.Count(text); n != len(ids) {
			t.Fatalf("Count %d, %d ids", n, len(ids))
		}
		// Words do not depend on their neighbours.
		if n := tok.Count(text + "\n" + more); n != len(ids)+tok.Count(more)-2 {
			t.Fatalf("Count of two lines %d, of each %d and %d", n, len(ids), tok.Count(more))
		}
		cut := tok.Cut(text, limit)
		if len(cut) > max(limit, 2) || len(cut) > len(ids) || cut[len(cut)-1] != tok.sep {
			t.Fatalf("Cut at %d gave %v", limit, cut)
		}
	})
}

func BenchmarkCount(b *testing.B) {
	tok := small(b)
	text := strings.Repeat("the unaffable café the! ", 50)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		tok.Count(text)
	}
}
