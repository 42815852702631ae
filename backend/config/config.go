package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/BurntSushi/toml"

	"ibid/backend/corpus"
)

// FileName is the settings' file in the library's folder.
const FileName = "config.toml"

// Origin tells where a value comes from.
type Origin string

// Origins, each overriding the one before.
const (
	OriginDefault     Origin = "default"
	OriginFile        Origin = "file"
	OriginEnvironment Origin = "environment"
	OriginFlag        Origin = "flag"
)

// Value is one setting as it is shown: secrets are left out.
type Value struct {
	Key     string
	Value   string
	Default string
	Origin  Origin
	// Variable is the environment variable of the setting.
	Variable string
	Help     string
	Choices  []string
	Reindex  bool // a change shows up in the next plan
}

// Options say where settings come from.
type Options struct {
	Folder string // the library's; it need not exist
	// Getenv reads the environment; nil: an empty one. An empty variable counts as none.
	Getenv func(string) string
	Flags  map[string]string // by key
}

// Config is a library's settings. Its methods may be called from several goroutines.
type Config struct {
	options Options

	mu       sync.Mutex
	text     string // of the file, as it was read
	settings Settings
	origins  map[string]Origin
}

// Load reads the settings. A missing file is no error. An unknown key, a value
// of the wrong type or out of range wraps corpus.ErrInvalid.
func Load(o Options) (*Config, error) {
	if o.Getenv == nil {
		o.Getenv = func(string) string { return "" }
	}
	for key := range o.Flags {
		if _, err := find(key); err != nil {
			return nil, err
		}
	}
	c := &Config{options: o}
	text, err := c.readFile()
	if err != nil {
		return nil, err
	}
	c.text = text
	c.settings, c.origins, err = c.resolve(text)
	if err != nil {
		return nil, err
	}
	return c, nil
}

// Settings returns the values in force.
func (c *Config) Settings() Settings {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.settings
}

// Reload reads the file again, since another process may have changed it. What
// cannot be read changes nothing.
func (c *Config) Reload() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	text, err := c.readFile()
	if err != nil {
		return err
	}
	if text == c.text {
		return nil
	}
	settings, origins, err := c.resolve(text)
	if err != nil {
		return err
	}
	c.text, c.settings, c.origins = text, settings, origins
	return nil
}

// List returns all settings in a fixed order.
func (c *Config) List() []Value {
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []Value
	for _, f := range fields() {
		list = append(list, c.show(f))
	}
	return list
}

// Get returns one setting.
func (c *Config) Get(key string) (Value, error) {
	f, err := find(key)
	if err != nil {
		return Value{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.show(f), nil
}

// Set checks a value and writes it to the file, leaving its comments and other
// lines as they are. The value that is in force afterwards is another one where
// the environment or a flag overrides the file: the returned Origin tells.
func (c *Config) Set(key, value string) (Value, error) {
	f, err := find(key)
	if err != nil {
		return Value{}, err
	}
	typed := f.read(value)
	var wanted Settings
	if err := f.put(&wanted, typed); err != nil {
		return Value{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	text, err := c.readFile() // again: another process may have changed it
	if err != nil {
		return Value{}, err
	}
	edited, err := edit(text, key, typed)
	if err != nil {
		return Value{}, err
	}
	settings, origins, err := c.resolve(edited)
	if err != nil {
		return Value{}, err
	}
	if err := writeFile(c.path(), edited); err != nil {
		return Value{}, fmt.Errorf("write settings: %w", err)
	}
	c.text, c.settings, c.origins = edited, settings, origins
	return c.show(f), nil
}

func (c *Config) path() string { return filepath.Join(c.options.Folder, FileName) }

// maxFile bounds the settings file, in bytes.
const maxFile = 1 << 20

func (c *Config) readFile() (string, error) {
	info, err := os.Stat(c.path()) // a pipe would keep the program waiting
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("read settings: %w", err)
	case !info.Mode().IsRegular() || info.Size() > maxFile:
		return "", fmt.Errorf("%w: %s is not a settings file", corpus.ErrInvalid, c.path())
	}
	b, err := os.ReadFile(c.path())
	if err != nil {
		return "", fmt.Errorf("read settings: %w", err)
	}
	return string(b), nil
}

func (c *Config) show(f field) Value {
	defaults := Defaults()
	_, value := f.value(&c.settings)
	_, standard := f.value(&defaults)
	origin, ok := c.origins[f.key]
	if !ok {
		origin = OriginDefault
	}
	return Value{
		Key: f.key, Value: value, Default: standard, Origin: origin, Variable: f.variable(),
		Help: f.help, Choices: f.choices, Reindex: f.reindex,
	}
}

// resolve lays file, environment and flags over the defaults.
func (c *Config) resolve(text string) (Settings, map[string]Origin, error) {
	s := Defaults()
	origins := map[string]Origin{}
	values, err := parse(text)
	if err != nil {
		return s, nil, err
	}
	for _, v := range values {
		f, err := find(v.key)
		if err == nil {
			err = f.put(&s, v.value)
		}
		if err != nil {
			return s, nil, at(text, v.key, err)
		}
		origins[v.key] = OriginFile
	}
	for _, f := range fields() {
		if v := c.options.Getenv(f.variable()); v != "" {
			if err := f.put(&s, f.read(v)); err != nil {
				return s, nil, fmt.Errorf("read $%s: %w", f.variable(), err)
			}
			origins[f.key] = OriginEnvironment
		}
		if v, ok := c.options.Flags[f.key]; ok {
			if err := f.put(&s, f.read(v)); err != nil {
				return s, nil, err
			}
			origins[f.key] = OriginFlag
		}
	}
	return s, origins, nil
}

type assignment struct {
	key   string
	value any
}

// parse returns the assignments of a TOML text in the text's order.
func parse(text string) ([]assignment, error) {
	var tree map[string]any
	meta, err := toml.Decode(text, &tree)
	if err != nil {
		if bad, ok := errors.AsType[toml.ParseError](err); ok {
			return nil, fmt.Errorf("%w: %s, line %d: %s", corpus.ErrInvalid, FileName, bad.Position.Line, bad.Message)
		}
		return nil, fmt.Errorf("%w: %s: %w", corpus.ErrInvalid, FileName, err)
	}
	var list []assignment
	for _, key := range meta.Keys() {
		var node any = tree
		for _, part := range key {
			table, ok := node.(map[string]any)
			if !ok { // inside an array of tables, which is reported as a whole
				node = nil
				break
			}
			node = table[part]
		}
		if _, isTable := node.(map[string]any); !isTable && node != nil {
			list = append(list, assignment{key.String(), node})
		}
	}
	return list, nil
}
