package builtin

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"ibid/backend/corpus"
)

// files are what a model needs.
type files struct{ library, model, tokenizer string }

// libraryName is ONNX Runtime's file name on this platform.
func libraryName() string {
	switch runtime.GOOS {
	case "windows":
		return "onnxruntime.dll"
	case "darwin":
		return "libonnxruntime.dylib"
	}
	return "libonnxruntime.so"
}

// locate finds a model's files. What it does not find is an error that wraps
// corpus.ErrUnavailable and says where it was looked for.
func locate(model string, dirs []string) (files, error) {
	library := []string{os.Getenv("IBID_ONNXRUNTIME")}
	models := []string{os.Getenv("IBID_MODELS")}
	if exe, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(exe); err == nil {
			exe = real
		}
		beside := filepath.Dir(exe)
		dirs = append([]string{beside, filepath.Join(beside, "..", "data")}, dirs...)
	}
	// A variable that is set decides: a typo in it must not be hidden by
	// another copy further down.
	if library[0] == "" {
		library = library[:0]
		for _, d := range dirs {
			library = append(library, filepath.Join(d, "lib", libraryName()))
		}
	}
	if models[0] == "" {
		models = models[:0]
		for _, d := range dirs {
			models = append(models, filepath.Join(d, "models"))
		}
	}
	for i, d := range models {
		models[i] = filepath.Join(d, model)
	}

	var f files
	var err error
	if f.library, err = firstFile("the ONNX Runtime library", library); err != nil {
		return files{}, err
	}
	if f.model, err = firstFile("the weights of "+model, under(models, "model.onnx")); err != nil {
		return files{}, err
	}
	if f.tokenizer, err = firstFile("the tokenizer of "+model, under(models, "tokenizer.json")); err != nil {
		return files{}, err
	}
	return f, nil
}

func under(dirs []string, name string) []string {
	paths := make([]string, len(dirs))
	for i, d := range dirs {
		paths[i] = filepath.Join(d, name)
	}
	return paths
}

// firstFile returns the first of paths that is a regular file.
func firstFile(what string, paths []string) (string, error) {
	for _, p := range paths {
		if info, err := os.Stat(p); err == nil && info.Mode().IsRegular() {
			return filepath.Abs(p)
		}
	}
	return "", fmt.Errorf("find %s: %w: not at %s; `make setup` installs it",
		what, corpus.ErrUnavailable, strings.Join(paths, ", "))
}

// verify compares a file with its pinned digest: a damaged download is an
// error here, not a wrong vector later.
func verify(path, digest string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("read model file: %w: %w", corpus.ErrUnavailable, err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return fmt.Errorf("read model file: %w: %w", corpus.ErrUnavailable, err)
	}
	if hex.EncodeToString(h.Sum(nil)) != digest {
		return fmt.Errorf("check model file: %w: %s is not the file this program was made for; `make setup` replaces it",
			corpus.ErrUnavailable, path)
	}
	return nil
}
