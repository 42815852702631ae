package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"ibid/backend/corpus"
)

// agent is the product token by which robots.txt names this program.
const agent = "ibid"

// limits of one request; those of the robots.txt are smaller.
type limits struct {
	wait    time.Duration // for the whole answer
	bytes   int64         // as transferred
	decoded int64
}

var standardLimits = limits{wait: time.Minute, bytes: 64 << 20, decoded: 64 << 20}

const (
	maxRedirects   = 10
	connectTime    = 15 * time.Second
	maxHeaderBytes = 256 << 10
)

// statusError is an answer that is no page. It wraps what that means:
// fs.ErrNotExist, corpus.ErrBusy or corpus.ErrUnavailable; none of these: the
// server will not give the page.
type statusError struct {
	status int
	until  time.Time // the server asked to wait
}

func (e *statusError) Error() string {
	s := "the server answers " + strings.TrimSpace(fmt.Sprintf("%d %s", e.status, http.StatusText(e.status)))
	if !e.until.IsZero() {
		s += " and asks to wait until " + e.until.Local().Format("15:04:05")
	}
	return s
}

func (e *statusError) Unwrap() error {
	switch {
	case e.status == http.StatusNotFound, e.status == http.StatusGone:
		return fs.ErrNotExist
	case !e.until.IsZero():
		return corpus.ErrBusy
	case e.status >= 500, e.status == http.StatusRequestTimeout, e.status == http.StatusTooEarly:
		return corpus.ErrUnavailable
	}
	return nil
}

// page is a complete answer.
type page struct {
	body        []byte // decoded
	fingerprint corpus.Fingerprint
	unchanged   bool // since known; there is no body then
}

// newTransport has no proxy: behind one it would not be known what is
// connected to.
func newTransport(private bool) *http.Transport {
	return &http.Transport{
		DialContext: dialer(private, connectTime).DialContext, TLSHandshakeTimeout: connectTime,
		ForceAttemptHTTP2: true, DisableCompression: true, MaxIdleConnsPerHost: hostRequests,
		IdleConnTimeout: 30 * time.Second, MaxResponseHeaderBytes: maxHeaderBytes,
	}
}

// get fetches an address, following redirects. If known is not zero and names
// validators, the answer may be that nothing changed.
//
// Errors: *statusError; corpus.ErrUnavailable where no or no complete answer
// came; corpus.ErrBusy where the host wants to be left alone; corpus.ErrLimit;
// others where the page will not be had, as errRefused; ctx's.
func (p *Pages) get(ctx context.Context, address string, private bool, known corpus.Fingerprint) (page, error) {
	u, err := parse(address)
	if err != nil {
		return page{}, err
	}
	from := u.String()
	for hop := 0; ; hop++ {
		h := p.hosts.of(u, private)
		rules, err := h.rules(ctx, p.clock, func(ctx context.Context) ([]byte, error) { return p.robotsOf(ctx, u, private) })
		switch {
		case err != nil:
			return page{}, err
		case !rules.allows(u):
			return page{}, fmt.Errorf("robots.txt of %s does not allow it", u.Host)
		}
		conditions := http.Header{}
		if final := u.String(); final == known.Final || known.Final == "" && final == from {
			conditions = validators(known)
		}
		got, next, err := p.patiently(ctx, h, u, private, p.limits, conditions)
		switch {
		case err != nil:
			return page{}, err
		case next == nil && got.unchanged:
			got.fingerprint = known
			return got, nil
		case next == nil && len(got.body) == 0:
			// Rather a server in trouble than a page that lost its text.
			return page{}, fmt.Errorf("%w: %s answers with an empty page", corpus.ErrUnavailable, u.Host)
		case next == nil:
			if final := u.String(); final != from {
				got.fingerprint.Final = final
			}
			return got, nil
		case hop == maxRedirects:
			return page{}, fmt.Errorf("more than %d redirects", maxRedirects)
		}
		u = next
	}
}

// robotsOf fetches a host's robots.txt, whatever that says.
func (p *Pages) robotsOf(ctx context.Context, of *url.URL, private bool) ([]byte, error) {
	const redirects = 5 // RFC 9309, section 2.3.1.2
	u := &url.URL{Scheme: of.Scheme, Host: of.Host, Path: "/robots.txt"}
	small := limits{wait: p.limits.wait, bytes: maxRobots, decoded: maxRobots}
	for range redirects + 1 {
		got, next, err := p.patiently(ctx, p.hosts.of(u, private), u, private, small, http.Header{})
		if errors.Is(err, corpus.ErrLimit) {
			return nil, fmt.Errorf("%w: more than %d bytes", corpus.ErrLimit, maxRobots)
		}
		if err != nil || next == nil {
			return got.body, err
		}
		u = next
	}
	return nil, &statusError{status: http.StatusNotFound}
}

// validators are the conditions under which an answer is of use.
func validators(known corpus.Fingerprint) http.Header {
	h := http.Header{}
	if known.ETag != "" {
		h.Set("If-None-Match", known.ETag)
	}
	if known.ModTime != 0 {
		h.Set("If-Modified-Since", time.Unix(0, known.ModTime).UTC().Format(http.TimeFormat))
	}
	return h
}

// patiently is once, and again where the host asks for a short wait.
func (p *Pages) patiently(ctx context.Context, h *host, u *url.URL, private bool, l limits, conditions http.Header) (page, *url.URL, error) {
	for try := 1; ; try++ {
		got, next, err := p.once(ctx, h, u, private, l, conditions)
		var answered *statusError
		if try < hostTries && errors.As(err, &answered) && errors.Is(err, corpus.ErrBusy) && answered.until.Sub(p.clock.now()) <= hostPatience {
			continue // enter waits
		}
		return got, next, err
	}
}

// once makes one request. next is where a redirect leads.
func (p *Pages) once(ctx context.Context, h *host, u *url.URL, private bool, l limits, conditions http.Header) (got page, next *url.URL, err error) {
	leave, err := h.enter(ctx, p.clock)
	if err != nil {
		return page{}, nil, err
	}
	defer leave()
	limited, cancel := context.WithTimeout(ctx, l.wait)
	defer cancel()
	req, err := http.NewRequestWithContext(limited, http.MethodGet, u.String(), http.NoBody)
	if err != nil {
		return page{}, nil, fmt.Errorf("ask %s: %w", u.Host, err)
	}
	maps.Copy(req.Header, conditions)
	req.Header.Set("User-Agent", p.identity)
	req.Header.Set("Accept", "text/html, application/xhtml+xml, application/pdf, text/*;q=0.9, */*;q=0.8")
	req.Header.Set("Accept-Encoding", accepted)
	at := p.clock.now()
	resp, err := p.transport(private).RoundTrip(req)
	if err != nil {
		return page{}, nil, p.unreached(ctx, u, l, err)
	}
	defer resp.Body.Close()
	until, asked := h.heard(resp.StatusCode, resp.Header, at)
	switch status := resp.StatusCode; {
	case asked:
		return page{}, nil, &statusError{status: status, until: until}
	case status == http.StatusNotModified && len(conditions) > 0:
		return page{unchanged: true}, nil, nil
	case isRedirect(status):
		next, err := redirect(u, resp.Header.Get("Location"))
		return page{}, next, err
	case status != http.StatusOK && status != http.StatusNonAuthoritativeInfo:
		return page{}, nil, &statusError{status: status}
	}
	body, err := p.complete(ctx, u, resp, l)
	if err != nil {
		return page{}, nil, err
	}
	body = readable(body, resp.Header.Get("Content-Type"))
	return page{body: body, fingerprint: fingerprint(body, resp.Header, at)}, nil, nil
}

func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

func redirect(from *url.URL, location string) (*url.URL, error) {
	if location == "" || len(location) > maxAddress {
		return nil, errors.New("a redirect that names no address")
	}
	to, err := from.Parse(location)
	if err == nil {
		to, err = normalize(to)
	}
	if err != nil {
		return nil, errors.New("a redirect to what is no web address")
	}
	return to, nil
}

// complete reads an answer's body, verifies that all of it came, and decodes it.
func (p *Pages) complete(ctx context.Context, u *url.URL, resp *http.Response, l limits) ([]byte, error) {
	name, err := coding(resp.Header.Values("Content-Encoding"))
	switch {
	case err != nil:
		return nil, err
	case resp.ContentLength > l.bytes:
		return nil, fmt.Errorf("%w: a page of %d bytes, at most %d", corpus.ErrLimit, resp.ContentLength, l.bytes)
	case name == "" && resp.ContentLength < 0 && len(resp.TransferEncoding) == 0 && resp.ProtoMajor < 2:
		// It would end with the connection, for whatever reason (RFC 9112, section 8).
		return nil, errors.New("the server does not say how long the page is, so it cannot be known whether all of it came")
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, l.bytes+1))
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, fmt.Errorf("%w: %w", corpus.ErrUnavailable, errIncomplete)
	case err != nil:
		return nil, p.unreached(ctx, u, l, err)
	case int64(len(data)) > l.bytes:
		return nil, fmt.Errorf("%w: a page of more than %d bytes", corpus.ErrLimit, l.bytes)
	case name == "":
		return data, nil
	}
	return decode(name, data, l.decoded)
}

// unreached says what a failed connection means. Its cause may name addresses
// of the local network, which are the person's own.
func (p *Pages) unreached(ctx context.Context, u *url.URL, l limits, err error) error {
	var dns *net.DNSError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, errRefused):
		return fmt.Errorf("%s leads to this machine or a private network: %w", u.Hostname(), cause(err))
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%w: %s did not answer within %v", corpus.ErrUnavailable, u.Host, l.wait)
	case errors.As(err, &dns):
		return fmt.Errorf("%w: the name %s cannot be resolved", corpus.ErrUnavailable, u.Hostname())
	}
	return fmt.Errorf("%w: %s: %w", corpus.ErrUnavailable, u.Host, cause(err))
}

// cause drops what package net says besides: addresses again, and calls.
func cause(err error) error {
	var op *net.OpError
	for errors.As(err, &op) {
		err = op.Err
	}
	if call, ok := errors.AsType[*os.SyscallError](err); ok {
		err = call.Err
	}
	return err
}

// fingerprint is what the ledger keeps of an answer. A date that is no second
// old when it is sent is no validator (RFC 9110, section 8.8.2.2): proving with
// it is ingest's business.
func fingerprint(body []byte, header http.Header, at time.Time) corpus.Fingerprint {
	fp := corpus.Fingerprint{Size: int64(len(body)), ETag: header.Get("ETag"), HashedAt: at.UnixNano()}
	if t, err := http.ParseTime(header.Get("Last-Modified")); err == nil && t.Unix() > 0 {
		fp.ModTime = corpus.Nanoseconds(t)
	}
	if len(fp.ETag) > maxETag {
		fp.ETag = ""
	}
	return fp
}

// maxETag is the longest entity tag that is kept.
const maxETag = 512
