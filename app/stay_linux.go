//go:build linux && production

package app

/*
#cgo pkg-config: gtk+-3.0
#cgo !webkit2_41 pkg-config: webkit2gtk-4.0
#cgo webkit2_41 pkg-config: webkit2gtk-4.1

#include <webkit2/webkit2.h>

static gboolean decide(GSignalInvocationHint *hint, guint count, const GValue *values, gpointer data) {
	WebKitPolicyDecisionType type = g_value_get_enum(&values[2]);
	if (type == WEBKIT_POLICY_DECISION_TYPE_RESPONSE) {
		return TRUE;
	}
	WebKitPolicyDecision *decision = g_value_get_object(&values[1]);
	WebKitNavigationAction *action =
		webkit_navigation_policy_decision_get_navigation_action(WEBKIT_NAVIGATION_POLICY_DECISION(decision));
	const gchar *uri = webkit_uri_request_get_uri(webkit_navigation_action_get_request(action));
	if (type != WEBKIT_POLICY_DECISION_TYPE_NAVIGATION_ACTION || !g_str_has_prefix(uri, "wails://wails/")) {
		webkit_policy_decision_ignore(decision);
	}
	return TRUE; // and stay connected
}

static void stay(void) {
	g_signal_add_emission_hook(g_signal_lookup("decide-policy", WEBKIT_TYPE_WEB_VIEW), 0, decide, NULL, NULL);
}
*/
import "C"

// stay keeps the window's view on the interface's own pages. Wails lets whatever
// page is shown call the bound methods, so a link that is followed in the view
// would hand the library to its site. WebKit's view is hidden inside of Wails,
// hence the hook on all of them; it comes before WebKit's own decision.
func stay() { C.stay() }
