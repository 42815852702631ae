package chunk

import "ibid/backend/corpus"

// aloneShare is the part of the size from which on a unit of a program is a
// chunk of its own; smaller ones gather.
const aloneShare = 8

// manyUnits reports whether there is more than one unit of code.
func (d *divider) manyUnits() bool {
	n := 0
	for i := range d.regions {
		if d.regions[i].block.Kind == corpus.BlockCode {
			n++
		}
	}
	return n > 1
}

// partUnits lets larger units of a program, which are the blocks, be chunks of
// their own. What is too small for that stays with the unit below it, where
// there is room, as the clause of a package does, or at the end with the unit
// above. Among small ones only, as constants, the usual boundaries hold. A
// boundary depends on no unit but those around it, up to the next large one.
func (d *divider) partUnits() {
	first := make([]int, 0, len(d.regions)+1) // unit of each region
	for i := range d.units {
		if len(first) < len(d.regions) && d.units[i].region == int32(len(first)) {
			first = append(first, i)
		}
	}
	first = append(first, len(d.units)-1)
	room := max(1, d.target-d.special)
	least := room / aloneShare
	size := func(i int) int { return d.units[first[i+1]].before - d.units[first[i]].before }
	gathered := size(0)
	for i := 1; i < len(d.regions); i++ {
		u := &d.units[first[i]]
		large := size(i-1) >= least || size(i) >= least
		fits := gathered >= least || gathered+size(i) > room
		if large && fits && d.tokens-u.before >= least && u.level != levelGlue {
			u.level, u.own = levelPart, levelPart
			gathered = 0
		}
		gathered += size(i)
	}
}
