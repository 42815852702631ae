package plan

import (
	"slices"
	"strings"
)

// Damage is a kind of damage that only making a document anew mends.
type Damage string

// Damages, as the recipes of damaged passages name them.
const (
	PassagesDamaged Damage = "passages"
	TermsDamaged    Damage = "terms"
	TextDamaged     Damage = "text"
	VectorsDamaged  Damage = "vectors" // the stored ones must not be used again
	FileDamaged     Damage = "file"    // the file is another than its fingerprint says
	RecordDamaged   Damage = "record"
)

const recordDamaged = "a part of its record cannot be read"

// damages in words, in the order in which they are told.
var damages = []struct {
	damage Damage
	words  string
}{
	{PassagesDamaged, "passages are missing or altered"},
	{TermsDamaged, "passages are missing from the index"},
	{TextDamaged, "its text is missing or does not fit its passages"},
	{VectorsDamaged, "vectors are missing or wrong"},
	{FileDamaged, "its file gives another text"},
	{RecordDamaged, recordDamaged},
}

// damagedRecipe begins what stands for the recipe of damaged passages. No
// recipe begins so.
const damagedRecipe = "damaged: "

// DamagedRecipe stands for the recipe of passages that are damaged: whoever
// does not know what it means takes it for another recipe and makes the
// document anew.
func DamagedRecipe(list ...Damage) string {
	var names []string
	for _, d := range damages {
		if slices.Contains(list, d.damage) {
			names = append(names, string(d.damage))
		}
	}
	return damagedRecipe + strings.Join(names, " ")
}

// Damages returns what a recipe says to be damaged; nil for an ordinary one.
func Damages(recipe string) []Damage {
	names, is := strings.CutPrefix(recipe, damagedRecipe)
	if !is {
		return nil
	}
	list := []Damage{}
	for name := range strings.FieldsSeq(names) {
		list = append(list, Damage(name))
	}
	return list
}

// damageInWords says why passages with this recipe are repaired.
func damageInWords(recipe string) string {
	list := Damages(recipe)
	var words []string
	for _, d := range damages {
		if slices.Contains(list, d.damage) {
			words = append(words, d.words)
		}
	}
	if len(words) == 0 {
		return "its passages are damaged"
	}
	return strings.Join(words, "; ")
}
