package data

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"ibid/backend/corpus"
	"ibid/backend/extract"
	"ibid/backend/extract/extracttest"
)

func TestGolden(t *testing.T) {
	tests := []struct{ name, file, data string }{
		{"csv", "a.csv", "Deposits of 2024\r\n\r\nTenant;City;Amount\r\n\"Lee; Ann\";Köln;1.500,00\r\nBob;;800\r\n\r\nCy;Bonn;20\r\n"},
		{"multiline", "a.csv", "name,note\nAnn,\"first\nsecond \"\"quoted\"\"\"\nBob,plain\n"},
		{"tsv", "a.tsv", "1\t2\t3\n4\t5\t6\n"},
		{"json", "a.json", `{"name":"ibid","long":"` + strings.Repeat("x", 1100) + `","nested":{"a":[1,2],"b":{}}}`},
		{"yaml", "a.yaml", "# settings\nname: ibid\nports:\n  - 80\n  - 443\ntext: |\n  several\n  lines\n"},
		{"toml", "a.toml", "title = \"x\"\n\n[server]\nport = 80\n\n[client]\nname = \"y\"\n"},
		{"notebook", "a.ipynb", `{"cells":[{"cell_type":"markdown","source":["# Rent\n","\n","Some *text*."]},{"cell_type":"code","source":"print(1)","outputs":[{"text":["1\n"]},{"data":{"text/plain":"2","image/png":"aaaa"}},{"traceback":["\u001b[31mError\u001b[0m"]}]},{"cell_type":"raw","source":"raw"}],"metadata":{"language_info":{"name":"python"}}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			extracttest.Golden(t, tt.name, extracttest.Extract(t, Routes(), tt.file, []byte(tt.data)))
		})
	}
}

// Rows in are rows out, each in its line, and every part knows its rows.
func TestRows(t *testing.T) {
	var b strings.Builder
	b.WriteString("part,count\n")
	for i := 2; i <= 1000; i++ {
		fmt.Fprintf(&b, "P-%d,%d\n", i, i)
	}
	doc := extracttest.Extract(t, Routes(), "a.csv", []byte(b.String()))
	if doc.Report.Rows != 1000 || len(doc.Blocks) != 1 || doc.Text != b.String() {
		t.Fatalf("%d rows, %d blocks", doc.Report.Rows, len(doc.Blocks))
	}
	a := doc.Blocks[0].Anchor
	if a.RowStart != 1 || a.RowEnd != 1000 || a.LineStart != 1 || a.LineEnd != 1000 || doc.Blocks[0].Header != len("part,count\n") {
		t.Errorf("%+v", doc.Blocks[0])
	}
}

func TestDelimiter(t *testing.T) {
	tests := []struct {
		text string
		want byte
	}{
		{"a,b\n1,2\n", ','},
		{"a;b\n1,5;2,5\n", ';'},
		{"a\tb, c\n1\t2\n", '\t'},
		{"a|b\n1|2\n", '|'},
		{"one column\nno delimiter\n", ','},
		{"\"a;b\",c\n\"d;e\",f\n", ','},
		{"", ','},
	}
	for _, tt := range tests {
		if got := delimiterOf(tt.text); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestScan(t *testing.T) {
	tests := []struct {
		text string
		want string // fields of each record
	}{
		{"a,b\nc\n", "2 1"},
		{"\n \na", "0 0 1"},
		{`"a,b",c`, "2"},
		{"\"a\nb\",c\nd", "2 1"},
		{`"a""b",c`, "2"},
		{`"a" b",c`, "2"},
		{"\"open,a\nb,c\n", "2 2"},
		{`a "quoted, inside",b`, "3"},
		{",\n", "2"},
		{"a,", "2"},
	}
	for _, tt := range tests {
		s := &scanner{text: tt.text, delim: ','}
		var got []string
		for _, r := range s.records(100) {
			got = append(got, strconv.Itoa(r.fields))
			if n := len(s.cells(r)); n != r.fields {
				t.Errorf("%q: %d cells of %d", tt.text, n, r.fields)
			}
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestHeader(t *testing.T) {
	for cells, want := range map[string]bool{"a,b": true, "Region,2019,2020": true, "a,,": false, "a,,b": true, "a,7": false, "a,2024-01-02": false, "": false} {
		if got := isHeader(strings.Split(cells, ",")); got != want {
			t.Errorf("%q: %v", cells, got)
		}
	}
}

func TestHostile(t *testing.T) {
	for name, text := range map[string]string{
		"a.csv": strings.Repeat("\"a,", 2_000_000), "b.csv": strings.Repeat(",", 2_000_000), "c.csv": strings.Repeat("\n", 2_000_000),
		"d.csv": strings.Repeat("\"\n", 1_000_000), "a.json": strings.Repeat("[", 2_000_000), "b.json": strings.Repeat(`{"a":`, 60) + strings.Repeat(" ", 2000),
		"c.json": "[" + strings.Repeat("1,", 1_000_000) + "1]", "d.json": strings.Repeat("[", 60) + strings.Repeat("1,", 2_000_000) + "1" + strings.Repeat("]", 60),
		"a.yaml": strings.Repeat("a: &a [*a]\n", 200_000), "a.toml": strings.Repeat("[a]\n", 400_000),
	} {
		doc := extracttest.Extract(t, Routes(), name, []byte(text))
		if len(doc.Text) < len(text)/2 || len(doc.Text) > maxGrowth*len(text) {
			t.Errorf("%s: %d bytes of %d", name, len(doc.Text), len(text))
		}
	}
	for _, text := range []string{"", "{", `{"cells":7}`, `{"cells":[{"source":7}]}`} {
		if doc, err := (notebook{}).Extract(t.Context(), extract.Input{Data: []byte(text)}); err == nil {
			t.Errorf("%q: %q", text, doc.Text)
		}
	}
}

func FuzzCSV(f *testing.F) {
	f.Add("a,b\n\"c\nd\",e\n")
	f.Add("title\n\nx;y;z\n1;\"2\"\"\";3\n")
	f.Add("\"\"\"\n,\n")
	f.Fuzz(func(t *testing.T, text string) {
		in := extract.Input{Type: typeCSV, Data: []byte(text)}
		extracttest.Fuzz(t, table{}, in)
		doc, err := table{}.Extract(t.Context(), in)
		if err != nil {
			return
		}
		rows := 0
		for _, b := range doc.Blocks {
			lines := strings.Count(doc.Text[b.Start:b.End], "\n") + 1
			if n := b.Anchor.RowEnd - b.Anchor.RowStart + 1; n != lines {
				t.Errorf("%s of %d rows in %d lines", b.Kind, n, lines)
			}
			for line := range strings.Lines(doc.Text[b.Start:b.End]) {
				if strings.TrimSpace(line) != "" {
					rows++
				}
			}
			if b.Kind == corpus.BlockTable && b.Header > 0 && !strings.HasSuffix(doc.Text[b.Start:b.Start+b.Header], "\n") {
				t.Error("the header is no line")
			}
		}
		if rows != doc.Report.Rows {
			t.Errorf("%d rows of %d", rows, doc.Report.Rows)
		}
	})
}

func FuzzNotebook(f *testing.F) {
	f.Add([]byte("{\"cells\":[{\"cell_type\":\"code\",\"source\":[\"```\"]},{\"source\":\"---\\na: b\\n---\"}]}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		extracttest.Fuzz(t, notebook{}, extract.Input{Type: typeJSON, Data: data})
	})
}

// JSON, YAML and TOML, well-formed or not: no character but white space is lost.
func FuzzStructure(f *testing.F) {
	f.Add(`{"a":[1,{"b":"c"}],"d":{}}`)
	f.Add("a: &x\n  - b\n  - *x\n# c\n")
	f.Add("[a]\nb = 1\n[[c]]\nd = \"e\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, mediaType := range []string{typeJSON, "application/yaml", typeTOML} {
			in := extract.Input{Type: mediaType, Data: []byte(text)}
			extracttest.Fuzz(t, structure{}, in)
		}
	})
}
