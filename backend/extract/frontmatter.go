package extract

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
	"go.yaml.in/yaml/v3"

	"ibid/backend/corpus"
)

// maxFrontMatter bounds what is looked at as front matter, in bytes.
const maxFrontMatter = 64 << 10

// frontMatter is what stands before a Markdown document between lines of
// "---" (YAML) or "+++" (TOML).
type frontMatter struct {
	end      int // length with its delimiters; 0: there is none
	broken   bool
	title    string
	metadata corpus.Metadata
	notes    []string
}

// cutFrontMatter reads the front matter of a document. The title apart, its
// fields become flat metadata: texts, numbers, booleans, dates as texts, and
// lists of these; what cannot be kept is noted. Broken front matter is noted
// too, and then stays text.
func cutFrontMatter(source string) frontMatter {
	var f frontMatter
	first := lineEnd(source, 0)
	delimiter := strings.TrimRight(source[:first], " \t\n")
	if delimiter != "---" && delimiter != "+++" {
		return f
	}
	head := source[:min(len(source), maxFrontMatter)]
	for pos := first; pos < len(head); {
		next := lineEnd(head, pos)
		line := strings.TrimRight(head[pos:next], " \t\n")
		if line == delimiter || delimiter == "---" && line == "..." {
			f.read(delimiter, head[first:pos], next)
			return f
		}
		pos = next
	}
	return f
}

func (f *frontMatter) read(delimiter, body string, end int) {
	var fields []field
	var err error
	format := "YAML"
	if delimiter == "+++" {
		format = "TOML"
		fields, err = readTOML(body)
	} else {
		var root yaml.Node
		err = yaml.Unmarshal([]byte(body), &root)
		if err == nil && len(root.Content) > 0 {
			if root.Content[0].Kind != yaml.MappingNode {
				return // text between two thematic breaks
			}
			fields, err = readYAML(root.Content[0])
		}
	}
	f.end = end
	if err != nil {
		f.broken = true
		f.notes = append(f.notes, fmt.Sprintf("front matter is not valid %s and stays text: %v", format, err))
		return
	}
	f.keep(fields)
}

// field is one top-level entry. Values that are no scalars or lists of
// scalars are of a type that scalar refuses.
type field struct {
	key   string
	value any
}

func readTOML(body string) ([]field, error) {
	if strings.Count(body, "{") > maxTOMLTables {
		return nil, fmt.Errorf("%w: more than %d inline tables", corpus.ErrLimit, maxTOMLTables)
	}
	for line := range strings.SplitSeq(body, "\n") {
		if strings.Count(line, ".") > maxTOMLDots {
			return nil, fmt.Errorf("%w: more than %d dots in a line", corpus.ErrLimit, maxTOMLDots)
		}
	}
	decoded := corpus.Metadata{}
	if err := toml.Unmarshal([]byte(body), (*map[string]any)(&decoded)); err != nil {
		return nil, err
	}
	var fields []field
	for _, key := range decoded.Keys() {
		fields = append(fields, field{key, decoded[key]})
	}
	return fields, nil
}

// The TOML decoder's time grows with the third power of the depth of tables in
// tables and of dotted keys. These bound the depth, quoted or not.
const (
	maxTOMLTables = 256
	maxTOMLDots   = 256
)

// readYAML walks the nodes itself: decoding into a map follows aliases, and
// reports doubled keys in quadratic space.
func readYAML(mapping *yaml.Node) ([]field, error) {
	var fields []field
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		key, node := mapping.Content[i], mapping.Content[i+1]
		value, err := yamlValue(node)
		if err != nil {
			return nil, err
		}
		if list := resolve(node); list.Kind == yaml.SequenceNode {
			items := make([]any, 0, len(list.Content))
			for _, item := range list.Content {
				v, err := yamlValue(item)
				if err != nil {
					return nil, err
				}
				items = append(items, v)
			}
			value = items
		}
		fields = append(fields, field{key.Value, value})
	}
	return fields, nil
}

// yamlValue decodes a scalar; other nodes are returned as they are.
func yamlValue(n *yaml.Node) (value any, err error) {
	if n = resolve(n); n.Kind != yaml.ScalarNode {
		return n, nil
	}
	err = n.Decode(&value)
	return value, err
}

func resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// keep fills title and metadata.
func (f *frontMatter) keep(fields []field) {
	m := corpus.Metadata{}
	seen := map[string]bool{}
	problems := 0
	for _, field := range fields {
		key := field.key
		value, problem := flat(key, field.value)
		title, isText := value.(string)
		switch {
		case seen[key]:
			problem = "is given twice"
		case isReserved(key):
			problem = "is reserved"
		case problem == "" && value == nil: // left empty
			continue
		case strings.EqualFold(key, "title") && isText:
			f.title = strings.Join(strings.Fields(title), " ")
			continue
		case problem == "" && len(m) == corpus.MaxMetadataFields:
			problem = fmt.Sprintf("is beyond the limit of %d fields", corpus.MaxMetadataFields)
		}
		seen[key] = true
		if problem == "" {
			m[key] = value
		} else if problems++; problems <= maxProblems {
			f.notes = append(f.notes, fmt.Sprintf("front matter: %.100q %s", key, problem))
		}
	}
	if problems > maxProblems {
		f.notes = append(f.notes, fmt.Sprintf("front matter: %d more fields were not kept", problems-maxProblems))
	}
	if len(m) > 0 {
		f.metadata = m
	}
}

// maxProblems is how many fields are noted one by one.
const maxProblems = 10

// isReserved reports whether documents may not set the key, in whatever case.
func isReserved(key string) bool {
	return key == "" || slices.ContainsFunc(corpus.ReservedMetadata, func(r string) bool { return strings.EqualFold(r, key) })
}

// flat turns a decoded value into one of metadata's types, nil for nothing, or
// says why that cannot be.
func flat(key string, value any) (any, string) {
	switch v := value.(type) {
	case []any:
		values := make([]string, 0, len(v))
		for _, item := range v {
			v, problem := scalar(item)
			if problem != "" {
				return nil, problem
			}
			switch v := v.(type) {
			case nil:
			case float64:
				values = append(values, strconv.FormatFloat(v, 'f', -1, 64))
			default:
				values = append(values, fmt.Sprint(v))
			}
		}
		return bounded(values)
	case string:
		if strings.EqualFold(key, "tags") || strings.EqualFold(key, "labels") {
			return bounded(strings.FieldsFunc(v, func(r rune) bool { return r == ',' }))
		}
	}
	return scalar(value)
}

// bounded trims a list's values and drops empty ones.
func bounded(values []string) (any, string) {
	kept := make([]string, 0, len(values))
	for _, v := range values {
		if v = strings.TrimSpace(v); v != "" {
			kept = append(kept, v)
		}
	}
	if len(kept) > corpus.MaxMetadataValues {
		return nil, fmt.Sprintf("has %d values, at most %d", len(kept), corpus.MaxMetadataValues)
	}
	return kept, ""
}

// maxExact is the largest integer up to which float64 holds every one.
const maxExact = 1 << 53

func scalar(value any) (any, string) {
	switch v := value.(type) {
	case nil, string, bool:
		return v, ""
	case int:
		return scalar(int64(v))
	case int64:
		if v > maxExact || v < -maxExact {
			return strconv.FormatInt(v, 10), ""
		}
		return float64(v), ""
	case uint64:
		return strconv.FormatUint(v, 10), "" // YAML's integers beyond int64
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, "is not a finite number"
		}
		return v, ""
	case time.Time:
		if v.Hour() == 0 && v.Minute() == 0 && v.Second() == 0 && v.Nanosecond() == 0 {
			return v.Format(time.DateOnly), ""
		}
		return v.Format(time.RFC3339), ""
	}
	return nil, "holds nested values"
}
