package watch

const (
	deep       = false
	attributes = true

	limitHint    = ""
	watchersHint = ""
)
