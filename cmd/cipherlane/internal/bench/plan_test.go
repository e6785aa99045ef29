package bench

import (
	"reflect"
	"testing"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/inventory"
	"github.com/cipherlane/cipherlane/internal/drivers"
)

// TestPlans shows plans with a driver per kind of work: as list and doctor do, and in
// tune's profile.
func TestPlans(t *testing.T) {
	rows := []drivers.Info{{Name: "a", Priority: 100}, {Name: "b", Priority: 200}, {Name: "c", Priority: 50}}
	const most = "highest priority of those that can run here"
	for _, c := range []struct {
		rules  []drivers.Rule
		plan   inventory.Plan
		choice drivers.Choice
		taking string
		status [3]string
	}{
		{nil, inventory.Plan{Short: "b", Bulk: "b", Serial: "b", Many: "b", Why: most}, drivers.Choice{Bulk: "b"}, "b",
			[3]string{"available", "selected: " + most, "available"}},
		{[]drivers.Rule{{For: drivers.Serial, Use: 0, Why: "s"}, {For: drivers.Many, Use: 2, Why: "m"}},
			inventory.Plan{Short: "b", Bulk: "b", Serial: "a", Many: "c", Why: most, Rules: map[string]string{"serial": "s", "many": "m"}},
			drivers.Choice{Bulk: "b", Serial: "a", Many: "c"}, "b, for serial work a, for many messages c",
			[3]string{"selected for serial work: s", "selected: " + most, "selected for many messages: m"}},
		{[]drivers.Rule{{For: drivers.Short, Below: 64, Use: 0, Why: "x"}, {For: drivers.Many, Use: 0, Why: "m"}},
			inventory.Plan{Short: "a", Bulk: "b", BulkMin: 64, Serial: "a", Many: "a", Why: most, Rules: map[string]string{"short": "x", "many": "m"}},
			drivers.Choice{Short: "a", Bulk: "b", BulkMin: 64, Many: "a"}, "a, from 64 bytes b, for many messages a",
			[3]string{"selected below 64 bytes: x; for many messages: m", "selected from 64 bytes: " + most, "available"}},
		{[]drivers.Rule{{For: drivers.Short, From: 32, Below: 64, Use: 0, Why: "x"}},
			inventory.Plan{Short: "a", Bulk: "b", BulkMin: 64, ShortMin: 32, Serial: "b", Many: "b", Why: most, Rules: map[string]string{"short": "x"}},
			drivers.Choice{Short: "a", Bulk: "b", BulkMin: 64, ShortMin: 32}, "b, from 32 bytes a, from 64 bytes b",
			[3]string{"selected from 32 to 63 bytes: x", "selected below 32 bytes and from 64 bytes: " + most, "available"}},
		{[]drivers.Rule{{For: drivers.Bulk, Use: 2, Why: "y"}, {For: drivers.Serial, Use: 1, Why: "s"}},
			inventory.Plan{Short: "c", Bulk: "c", Serial: "b", Many: "c", Why: most, Rules: map[string]string{"bulk": "y"}},
			drivers.Choice{Bulk: "c", Serial: "b"}, "c, for serial work b",
			[3]string{"available", "selected for serial work: " + most, "selected: y"}},
	} {
		table := drivers.Register("invented", rows, c.rules...)
		got := inventory.AutomaticPlan(table)
		if !reflect.DeepEqual(got, c.plan) {
			t.Errorf("%+v, want %+v", got, c.plan)
		}
		if got := inventory.Taking(got); got != c.taking {
			t.Errorf("doctor: %q, want %q", got, c.taking)
		}
		if got := inventory.Taking(planOf(c.choice)); got != c.taking {
			t.Errorf("tune: %q, want %q", got, c.taking)
		}
		if got := choiceOf(rows, table.Auto()); got != c.choice {
			t.Errorf("the profile has %+v, want %+v", got, c.choice)
		}
		for i, want := range c.status {
			if got := inventory.Status(table, i, rows[i]); got != want {
				t.Errorf("list: %s: %q, want %q", rows[i].Name, got, want)
			}
		}
	}
}
