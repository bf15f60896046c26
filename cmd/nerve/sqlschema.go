package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/octopus-framework/octopus/nerve/sqllog"
)

func sqlSchemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "sql-schema mysql|postgres",
		Short: "Print the tables of a queue in a database",
		Long: `Print the statements that make the tables of queues in a database, by version,
for whoever keeps the schema of a database himself. Otherwise the first program
that opens a queue there makes them.`,
		Example: "  nerve sql-schema postgres | psql shop\n  nerve sql-schema mysql | mariadb shop",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("say for which database: mysql or postgres")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			schema := sqllog.Schema(args[0])
			if schema == "" {
				return usagef(
					"there is no schema for %q: say mysql (which is MariaDB, too) or postgres",
					args[0])
			}
			_, err := fmt.Fprint(cmd.OutOrStdout(), schema)
			return err
		},
	}
}
