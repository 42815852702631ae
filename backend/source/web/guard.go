package web

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"
	"time"
)

// errRefused: the address belongs to this machine or its networks.
var errRefused = errors.New("refused")

// special are ranges that are no public addresses though package netip does
// not say so (IANA special-purpose address registries, RFC 6890).
var special = prefixes(
	"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15",
	"198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
	"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
)

var (
	globalUnicast = netip.MustParsePrefix("2000::/3")     // all that is public in IPv6
	translated    = netip.MustParsePrefix("64:ff9b::/96") // an IPv4 address behind NAT64 (RFC 6052)
)

func prefixes(list ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(list))
	for i, s := range list {
		out[i] = netip.MustParsePrefix(s)
	}
	return out
}

// refusal says why no connection is made to an IP address; "" if one may be.
// With private, this machine and private networks are allowed; link-local
// addresses are not even then: cloud providers serve their machines'
// credentials there.
func refusal(ip netip.Addr, private bool) string {
	ip = ip.Unmap().WithZone("")
	if translated.Contains(ip) {
		b := ip.As16()
		return refusal(netip.AddrFrom4([4]byte(b[12:])), private)
	}
	switch {
	case ip.IsLinkLocalUnicast():
		return "a link-local address"
	case ip.IsUnspecified(), ip.IsMulticast():
		return "no address of a server"
	case ip.IsLoopback():
		if private {
			return ""
		}
		return "an address of this machine"
	case ip.IsPrivate():
		if private {
			return ""
		}
		return "an address of a private network"
	case ip.Is6() && !globalUnicast.Contains(ip):
		return "a reserved address"
	}
	for _, p := range special {
		if p.Contains(ip) {
			if private && p == special[1] { // shared address space: private networks of providers and VPNs
				return ""
			}
			return "a reserved address"
		}
	}
	return ""
}

// dialer connects to addresses that refusal admits. It looks at what a name was
// resolved to at the moment of connecting, so that a name which resolves
// differently each time deceives nobody.
func dialer(private bool, timeout time.Duration) *net.Dialer {
	return &net.Dialer{
		Timeout: timeout,
		ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
			at, err := netip.ParseAddrPort(address)
			if err != nil {
				return fmt.Errorf("%w: %q", errRefused, address)
			}
			if why := refusal(at.Addr(), private); why != "" {
				return fmt.Errorf("%w: %s is %s", errRefused, at.Addr(), why)
			}
			return nil
		},
	}
}
