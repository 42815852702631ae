package watch

const (
	deep       = true
	attributes = true // a file may become readable

	limitHint    = " (fs.inotify.max_user_watches)"
	watchersHint = " (fs.inotify.max_user_instances)"
)
