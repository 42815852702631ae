// Package config holds the settings of a library: typed values with their
// defaults, the file config.toml in the library's folder, the environment and
// the command line, each overriding the one before. Nothing is accepted that
// is not understood: an unknown key or a value out of range is an error that
// names the key, the value and what is allowed.
//
// It also knows the platform's folders and the registry of models with its
// price table. It opens no model and no store.
package config
