package nervestorage

import (
	"context"
	"log/slog"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// zapHandler is the collector's logger for those who log with slog.
type zapHandler struct{ logger *zap.Logger }

func zapLevel(l slog.Level) zapcore.Level {
	switch {
	case l >= slog.LevelError:
		return zapcore.ErrorLevel
	case l >= slog.LevelWarn:
		return zapcore.WarnLevel
	case l >= slog.LevelInfo:
		return zapcore.InfoLevel
	}
	return zapcore.DebugLevel
}

// Enabled implements slog.Handler.
func (h zapHandler) Enabled(_ context.Context, l slog.Level) bool {
	return h.logger.Core().Enabled(zapLevel(l))
}

// Handle implements slog.Handler.
func (h zapHandler) Handle(_ context.Context, r slog.Record) error {
	fields := make([]zap.Field, 0, r.NumAttrs())
	r.Attrs(func(a slog.Attr) bool {
		fields = append(fields, zap.Any(a.Key, a.Value.Any()))
		return true
	})
	h.logger.Log(zapLevel(r.Level), r.Message, fields...)
	return nil
}

// WithAttrs implements slog.Handler.
func (h zapHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	for _, a := range attrs {
		h.logger = h.logger.With(zap.Any(a.Key, a.Value.Any()))
	}
	return h
}

// WithGroup implements slog.Handler.
func (h zapHandler) WithGroup(name string) slog.Handler {
	return zapHandler{h.logger.With(zap.Namespace(name))}
}
