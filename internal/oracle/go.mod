module github.com/octopus-framework/octopus/internal/oracle

go 1.25.0
