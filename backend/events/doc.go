// Package events carries what happens in runs to whoever watches, within one
// process.
//
// Two promises, and nothing more:
//
//   - Progress, deltas and single documents are lossy. Progress and deltas of a
//     run are published at most ten times a second: a newer progress replaces an
//     older one, deltas are joined. A subscriber that reads too slowly loses the
//     oldest of them first; losses are counted.
//   - The end of a run is delivered to every subscriber. It is never dropped to
//     make room, and waits for nobody: it takes the place of a lossy event. A
//     subscriber that leaves a whole queue of ends unread is cut off with
//     ErrLagged instead of being served with holes.
//
// The truth is not in what was pushed: each run keeps its latest events,
// numbered without gap, and After returns them. A client that missed something
// (a reload, a gap in the numbers, ErrLagged) asks there.
//
// Publishing never blocks and never fails.
package events
