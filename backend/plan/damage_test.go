package plan_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/plan"
)

func TestDamagedRecipe(t *testing.T) {
	tests := []struct {
		name   string
		recipe string
		want   []plan.Damage
	}{
		{"ordinary", "read/1|cut/1 bytes", nil},
		{"empty", "", nil},
		{"unknown", plan.DamagedRecipe(), []plan.Damage{}},
		{"one", plan.DamagedRecipe(plan.VectorsDamaged), []plan.Damage{plan.VectorsDamaged}},
		{
			"several, in one order and once",
			plan.DamagedRecipe(plan.VectorsDamaged, plan.PassagesDamaged, plan.VectorsDamaged),
			[]plan.Damage{plan.PassagesDamaged, plan.VectorsDamaged},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if d := cmp.Diff(tt.want, plan.Damages(tt.recipe)); d != "" {
				t.Errorf("damages of %q (-want +got):\n%s", tt.recipe, d)
			}
		})
	}
}
