package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"runtime"
	"sync"

	"github.com/spf13/cobra"

	"ibid/backend/api"
	"ibid/backend/boot"
	"ibid/backend/server"
	"ibid/backend/service"
)

type serveOptions struct {
	addr    string
	hosts   []string
	open    bool
	noWatch bool
}

func newServe(g *globals) *cobra.Command {
	var opt serveOptions
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the library to a browser on this machine",
		Long: `Serve the library to a browser, and its interface under /api. Every request
needs a token: the one in IBID_TOKEN, or one made at start, which stands in the
address that is printed. Meanwhile the sources are watched, as by "ibid watch".`,
		Args: none,
		RunE: func(cmd *cobra.Command, _ []string) error { return runServe(cmd.Context(), g, opt) },
	}
	flags := cmd.Flags()
	flags.StringVar(&opt.addr, "addr", "127.0.0.1:7878", "address to listen on; port 0 takes a free one")
	flags.StringArrayVar(&opt.hosts, "host", nil, "also answer to this HOST:PORT; may be repeated")
	flags.BoolVar(&opt.noWatch, "no-watch", false, "do not watch the sources")
	flags.BoolVar(&opt.open, "open", false, "open the address in the browser")
	return cmd
}

func runServe(ctx context.Context, g *globals, opt serveOptions) error {
	token := os.Getenv("IBID_TOKEN")
	made := token == ""
	if made {
		token = rand.Text()
	}
	if err := checkAddress(opt.addr, made); err != nil {
		return err
	}
	options := g.options()
	options.Serving, options.Trigger = true, api.TriggerServer
	lib, err := boot.Open(ctx, options)
	if err != nil {
		return err
	}
	defer lib.Close()
	s, err := server.New(server.Options{
		Service: lib, Documents: lib, Subscribe: func() server.Feed { return lib.Subscribe() },
		UI: g.build.UI, Token: token, Hosts: opt.hosts, Log: g.log(),
	})
	if err != nil {
		return err
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", opt.addr)
	if err != nil {
		return &api.Error{Code: api.CodeUnavailable, Message: err.Error(), Hint: "Choose another address: ibid serve --addr 127.0.0.1:0"}
	}
	address := url.URL{Scheme: "http", Host: listener.Addr().String(), Path: "/"}
	if made { // a token from the environment is the caller's and is not printed
		address.RawQuery = url.Values{"token": {token}}.Encode()
	}
	if g.json {
		if err := g.printLine("listening", map[string]string{"address": address.String()}); err != nil {
			return err
		}
	} else {
		g.say("%s", address.String())
		g.hint("ctrl-c ends it")
	}
	if opt.open {
		address.RawQuery = url.Values{"token": {token}}.Encode()
		if err := openBrowser(ctx, address.String()); err != nil {
			g.hint("could not open a browser: %v", err)
		}
	}
	if !opt.noWatch {
		defer watchAside(ctx, g, lib)()
	}
	err = s.Serve(ctx, listener)
	if ctx.Err() != nil && err == nil {
		return nil // an interrupt is how a server ends
	}
	return err
}

// watchAside watches the sources until the returned function is called, which
// waits for the end.
func watchAside(ctx context.Context, g *globals, lib *boot.Library) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	log := g.log()
	var watch sync.WaitGroup
	watch.Go(func() {
		err := lib.Watch(ctx, service.WatchOptions{Report: func(e api.WatchEvent) { log.Info("Watching", "event", e) }})
		if err != nil {
			log.Error("The sources are not watched", "error", err)
		}
	})
	return func() {
		cancel()
		watch.Wait()
	}
}

// checkAddress refuses to show a library to a network under a token that
// nobody chose.
func checkAddress(addr string, made bool) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return usageError(fmt.Errorf("--addr takes HOST:PORT: %w", err))
	}
	ip := net.ParseIP(host)
	loopback := host == "localhost" || ip != nil && ip.IsLoopback()
	if made && !loopback {
		return usageError(errors.New("an address that other machines reach needs a token of your own: set IBID_TOKEN"))
	}
	return nil
}

func openBrowser(ctx context.Context, address string) error {
	name, args := "xdg-open", []string{address}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", address}
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), name, args...)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", name, err)
	}
	return cmd.Process.Release()
}
