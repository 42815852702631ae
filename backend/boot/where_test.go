package boot

import "testing"

func TestWhere(t *testing.T) {
	env := map[string]string{"IBID_LIBRARY": "/notes"}
	o := Options{Getenv: func(key string) string { return env[key] }}
	for name, test := range map[string]struct{ library, database, want string }{
		"the environment's": {want: "/notes"},
		"a given folder":    {library: "/papers", want: "/papers"},
		"a database":        {database: "postgres://ann:secret@db/ibid", want: "postgres://ann:xxxxx@db/ibid"},
	} {
		o.Library, o.Settings = test.library, map[string]string{"database": test.database}
		if got, err := Where(o); got != test.want || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
