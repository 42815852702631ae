package postings

// Match returns the passages in which the lists' terms stand at the given
// distances from the first one's positions, in ascending order. There is one
// list a term; offsets[0] is 0 and offsets ascend.
func Match(lists [][]Place, offsets []uint32) []uint64 {
	if len(lists) == 0 {
		return nil
	}
	var found []uint64
	index := make([]int, len(lists))
next:
	for _, first := range lists[0] {
		at := make([][]uint32, len(lists))
		at[0] = first.At
		for i := 1; i < len(lists); i++ {
			l := lists[i]
			for index[i] < len(l) && l[index[i]].Num < first.Num {
				index[i]++
			}
			if index[i] == len(l) {
				return found
			}
			if l[index[i]].Num != first.Num {
				continue next
			}
			at[i] = l[index[i]].At
		}
		if stand(at, offsets) {
			found = append(found, first.Num)
		}
	}
	return found
}

// stand reports whether the terms stand at the offsets from some position.
func stand(at [][]uint32, offsets []uint32) bool {
	index := make([]int, len(at))
next:
	for _, start := range at[0] {
		for i := 1; i < len(at); i++ {
			want := uint64(start) + uint64(offsets[i])
			for index[i] < len(at[i]) && uint64(at[i][index[i]]) < want {
				index[i]++
			}
			if index[i] == len(at[i]) {
				return false
			}
			if uint64(at[i][index[i]]) != want {
				continue next
			}
		}
		return true
	}
	return false
}
