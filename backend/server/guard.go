package server

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net"
	"net/http"
	"net/url"
	"strings"

	"ibid/backend/api"
	"ibid/frontend"
)

func headers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", frontend.Policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		next.ServeHTTP(w, r)
	})
}

// loopbackHosts are the names under which this machine reaches addr.
func loopbackHosts(addr net.Addr) map[string]bool {
	hosts := map[string]bool{}
	host, port, err := net.SplitHostPort(addr.String())
	if err != nil {
		return hosts
	}
	for _, name := range []string{"127.0.0.1", "localhost", "::1"} {
		hosts[net.JoinHostPort(name, port)] = true
	}
	if ip := net.ParseIP(host); ip != nil && !ip.IsUnspecified() {
		hosts[net.JoinHostPort(host, port)] = true
	}
	return hosts
}

// checkHost refuses names that are not ours: a foreign name that resolves to
// loopback (DNS rebinding) would make our pages its own.
func checkHost(hosts map[string]bool, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !hosts[strings.ToLower(r.Host)] {
			writeError(w, &api.Error{
				Code: api.CodeDenied, Message: "this server does not answer to the host name of the request",
				Hint: "Start it with --host NAME to add one.",
			})
			return
		}
		next.ServeHTTP(w, r)
	})
}

// checkOrigin refuses what another site's page sends, whatever the method. The
// one exception is a visit: following a link to the frontend.
func checkOrigin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		foreign := false
		if origin := r.Header.Get("Origin"); origin != "" {
			u, err := url.Parse(origin)
			foreign = err != nil || u.Host != r.Host
		}
		if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" {
			visit := r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" && !strings.HasPrefix(r.URL.Path, "/api/")
			foreign = foreign || !visit
		}
		if foreign {
			writeError(w, &api.Error{Code: api.CodeDenied, Message: "requests from another site are refused"})
			return
		}
		next.ServeHTTP(w, r)
	})
}

// sessionOf derives the cookie's value, so that the token itself is not stored
// by the browser.
func sessionOf(token string) string {
	sum := sha256.Sum256([]byte("ibid session\x00" + token))
	return hex.EncodeToString(sum[:])
}

// cookieName carries the port: cookies are shared by all ports of a host.
func cookieName(host string) string {
	_, port, err := net.SplitHostPort(host)
	if err != nil {
		port = "80"
	}
	return "ibid_" + port
}

// authenticate demands the token below /api. The address that was opened
// carries it once, as ?token=; it becomes a cookie and leaves the address.
func (s *Server) authenticate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" && r.URL.Query().Has("token") {
			if equal(r.URL.Query().Get("token"), s.opt.Token) {
				http.SetCookie(w, &http.Cookie{
					Name: cookieName(r.Host), Value: s.session, Path: "/", HttpOnly: true,
					SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil,
				})
			}
			http.Redirect(w, r, "/", http.StatusSeeOther)
			return
		}
		if strings.HasPrefix(r.URL.Path, "/api/") && !s.allowed(r) {
			writeError(w, &api.Error{
				Code: codeUnauthorized, Message: "the token is missing or wrong",
				Hint: "Open the address that ibid serve printed, or send it as a bearer token.",
			})
			return
		}
		next.ServeHTTP(w, r.WithContext(api.WithTrigger(r.Context(), triggerOf(r))))
	})
}

// triggerOf tells a program with the token from the interface in a browser.
func triggerOf(r *http.Request) string {
	if r.Header.Get("Authorization") != "" {
		return api.TriggerAPI
	}
	return api.TriggerServer
}

func (s *Server) allowed(r *http.Request) bool {
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return equal(bearer, s.opt.Token)
	}
	cookie, err := r.Cookie(cookieName(r.Host))
	return err == nil && equal(cookie.Value, s.session)
}

// equal compares digests in constant time, so that neither content nor length leaks.
func equal(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}
