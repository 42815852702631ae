package eval

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"ibid/backend/corpus"
)

// Document is an entry of a corpus.
type Document struct {
	ID    string `json:"_id"`
	Title string `json:"title"`
	Text  string `json:"text"`
}

// Query is a question with its judgements.
type Query struct {
	ID     string `json:"_id"`
	Text   string `json:"text"`
	Grades Grades `json:"-"`
}

// Dataset is a corpus with judged questions.
type Dataset struct {
	Name    string
	Corpus  []Document
	Queries []Query // those that have a relevant document
}

// maxLine bounds a line of a dataset.
const maxLine = 64 << 20

// Load reads a dataset in the format of BEIR (Thakur et al. 2021):
// corpus.jsonl, queries.jsonl and qrels.tsv, or qrels/test.tsv as published. A
// malformed line, an id that occurs twice and a judgement of an unknown query
// or document are errors that wrap corpus.ErrInvalid and name the place.
func Load(dir fs.FS, name string) (*Dataset, error) {
	d := &Dataset{Name: name}
	documents, queries := map[string]bool{}, map[string]int{}
	err := lines(dir, "corpus.jsonl", func(line string) error {
		var doc Document
		if err := json.Unmarshal([]byte(line), &doc); err != nil {
			return err
		}
		if doc.ID == "" || documents[doc.ID] {
			return fmt.Errorf("the id %q is empty or occurs twice", doc.ID)
		}
		documents[doc.ID] = true
		d.Corpus = append(d.Corpus, doc)
		return nil
	})
	if err != nil {
		return nil, err
	}
	var all []Query
	err = lines(dir, "queries.jsonl", func(line string) error {
		var q Query
		if err := json.Unmarshal([]byte(line), &q); err != nil {
			return err
		}
		if _, ok := queries[q.ID]; ok || q.ID == "" {
			return fmt.Errorf("the id %q is empty or occurs twice", q.ID)
		}
		queries[q.ID] = len(all)
		q.Grades = Grades{}
		all = append(all, q)
		return nil
	})
	if err != nil {
		return nil, err
	}
	qrels := "qrels.tsv"
	if _, err := fs.Stat(dir, qrels); err != nil {
		qrels = "qrels/test.tsv"
	}
	header := true
	err = lines(dir, qrels, func(line string) error {
		fields := strings.Split(line, "\t")
		if header {
			header = false
			if fields[0] == "query-id" {
				return nil
			}
		}
		if len(fields) != 3 {
			return fmt.Errorf("%d fields, want query, document and grade", len(fields))
		}
		grade, err := strconv.Atoi(fields[2])
		if err != nil {
			return fmt.Errorf("the grade %q is no number", fields[2])
		}
		q, ok := queries[fields[0]]
		if !ok || !documents[fields[1]] {
			return fmt.Errorf("unknown query %q or document %q", fields[0], fields[1])
		}
		if grade > 0 {
			all[q].Grades[fields[1]] = grade
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, q := range all {
		if len(q.Grades) > 0 {
			d.Queries = append(d.Queries, q)
		}
	}
	if len(d.Queries) == 0 {
		return nil, fmt.Errorf("load dataset %s: %w: no query has a relevant document", name, corpus.ErrInvalid)
	}
	return d, nil
}

// lines calls fn with every line of a file that is not blank.
func lines(dir fs.FS, name string, fn func(line string) error) error {
	f, err := dir.Open(name)
	if err != nil {
		return fmt.Errorf("load dataset: %w", err)
	}
	defer f.Close()
	r := bufio.NewScanner(io.Reader(f))
	r.Buffer(nil, maxLine)
	for n := 1; r.Scan(); n++ {
		line := strings.TrimSuffix(r.Text(), "\r")
		if strings.TrimSpace(line) == "" {
			continue
		}
		if err := fn(line); err != nil {
			return fmt.Errorf("load dataset: %s line %d: %w: %w", name, n, corpus.ErrInvalid, err)
		}
	}
	if err := r.Err(); err != nil {
		return fmt.Errorf("load dataset: %s: %w", name, err)
	}
	return nil
}
