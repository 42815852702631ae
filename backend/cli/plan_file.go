package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"ibid/backend/api"
)

func writePlan(path string, plan api.Plan) error {
	data, err := json.MarshalIndent(plan, "", " ")
	if err != nil {
		return fmt.Errorf("write plan: %w", err)
	}
	if err := os.WriteFile(path, append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("write plan: %w", err)
	}
	return nil
}

// maxPlan bounds a saved plan, in bytes: some 400,000 documents.
const maxPlan = 256 << 20

// readPlan reads a saved plan; the service checks what it says.
func readPlan(path string) (*api.Plan, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read plan: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxPlan+1))
	if err != nil {
		return nil, fmt.Errorf("read plan: %w", err)
	}
	if len(data) > maxPlan {
		return nil, noPlan(path, fmt.Sprintf("larger than any plan (%d MiB)", maxPlan>>20))
	}
	var plan api.Plan
	if err := json.Unmarshal(data, &plan); err != nil {
		return nil, noPlan(path, err.Error())
	}
	return &plan, nil
}

func noPlan(path, why string) error {
	return &api.Error{
		Code: api.CodeInvalid, Message: fmt.Sprintf("nothing was applied: %s is no plan: %s", path, why),
		Hint: "Make it again: ibid plan --out " + path,
	}
}
