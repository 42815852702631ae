// Package watch says where in the sources to look again. It alone knows the
// file system's events (package fsnotify); what it tells are places, never what
// happened there: the next scan says that.
//
// A folder source is watched with all folders that a scan would list, new ones
// included; a source that is one file through its folder, since editors replace
// files. Whatever an event may have missed is caught by looking at all of a
// source: when watching begins, when events were lost, when a root is back, and
// in a periodic sweep. Where watching is not possible a source is polled, and
// its State says why.
//
// Systems differ, and these differences are held here:
//
//   - Linux (inotify): one watch a folder, out of a number that all programs of
//     a user share (fs.inotify.max_user_watches). When it is used up the source
//     is polled and its watches are given back. A full queue is reported as
//     such. A watch follows its folder when that is renamed, so a renamed
//     folder's watches are dropped before those at its new name are added.
//     Mounting something over a folder makes no event: the root is looked at
//     every few seconds, and other folders are watched anew by the sweep.
//   - macOS (kqueue): one open file for each folder and each file in it, so
//     large sources run out of descriptors (kern.maxfilesperproc), which is
//     handled as above. Changes of attributes are left out: Spotlight makes them
//     all the time.
//   - Windows (ReadDirectoryChangesW): fsnotify opens every folder, and a folder
//     cannot be renamed while one below it is open. A program that only looks
//     must not be in the way, so there a source with sub-folders is polled.
//   - Network drives and folders shared with a virtual machine (package mount)
//     do not announce what others change, so they are polled everywhere, and so
//     are web pages, once an hour.
package watch
