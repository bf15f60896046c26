package nervestorage

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension"
)

var componentType = component.MustNewType("nerve_storage")

// NewFactory returns the factory of the extension, for a collector's list of components.
func NewFactory() extension.Factory {
	return extension.NewFactory(componentType,
		func() component.Config { return defaultConfig() },
		create, component.StabilityLevelAlpha)
}

func create(_ context.Context, set extension.Settings, c component.Config) (extension.Extension,
	error) {
	return newStorage(set, c.(*Config))
}
