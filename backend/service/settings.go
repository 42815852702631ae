package service

import (
	"context"
	"fmt"
	"log/slog"

	"ibid/backend/api"
	"ibid/backend/config"
	"ibid/backend/corpus"
)

// GetConfig returns one setting or all.
func (s *Service) GetConfig(ctx context.Context, r api.GetConfigRequest) (api.Config, error) {
	if r.Key == "" {
		out := api.Config{Settings: []api.Setting{}}
		for _, v := range s.Config.List() {
			out.Settings = append(out.Settings, setting(v))
		}
		return out, nil
	}
	v, err := s.Config.Get(r.Key)
	if err != nil {
		return api.Config{}, s.fault(ctx, "read the settings", err)
	}
	return api.Config{Settings: []api.Setting{setting(v)}}, nil
}

// SetConfig changes one setting. Nothing is re-indexed by it: what the change
// requires shows up in the next plan.
func (s *Service) SetConfig(ctx context.Context, r api.SetConfigRequest) (api.SetConfigResponse, error) {
	before, err := s.Config.Get(r.Key)
	if err != nil { // a key that is none may be anything: it is not for the record
		return api.SetConfigResponse{}, s.audited(ctx, auditConfig, s.fault(ctx, "change the setting", err))
	}
	v, err := s.Config.Set(r.Key, r.Value)
	if err != nil {
		return api.SetConfigResponse{}, s.audited(ctx, auditConfig+"."+before.Key, s.fault(ctx, "change the setting", err))
	}
	s.keep(ctx, s.event(ctx, auditConfig+"."+v.Key, corpus.NoID))
	return api.SetConfigResponse{Setting: setting(v), Note: consequence(before, v)}, nil
}

// SetUnopened is SetConfig for a library that cannot be opened: nothing is kept
// of it for the record, which is in the library.
func SetUnopened(ctx context.Context, log *slog.Logger, conf *config.Config, r api.SetConfigRequest) (api.SetConfigResponse, error) {
	before, err := conf.Get(r.Key)
	if err != nil {
		return api.SetConfigResponse{}, Fault(ctx, log, "change the setting", err)
	}
	v, err := conf.Set(r.Key, r.Value)
	if err != nil {
		return api.SetConfigResponse{}, Fault(ctx, log, "change the setting", err)
	}
	return api.SetConfigResponse{Setting: setting(v), Note: consequence(before, v)}, nil
}

// consequence says what follows from a change.
func consequence(before, after config.Value) string {
	switch {
	case after.Origin == config.OriginEnvironment:
		return fmt.Sprintf("Saved, but $%s decides as long as it is set", after.Variable)
	case after.Origin == config.OriginFlag:
		return "Saved, but the command line decides in this process"
	case before.Value == after.Value:
		return ""
	case after.Reindex:
		return "The next plan shows what has to be indexed anew; until it is applied, nothing changes"
	case after.Key == "database", after.Key == "threads":
		return "Takes effect when ibid starts again"
	}
	return ""
}

func setting(v config.Value) api.Setting {
	return api.Setting{
		Key: v.Key, Value: v.Value, Default: v.Default, Origin: string(v.Origin),
		Help: v.Help, Choices: v.Choices, Reindex: v.Reindex,
	}
}
