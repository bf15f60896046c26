//go:build linux

package sqlservers

import (
	"net/url"
	"os"
	"path/filepath"
)

// Postgres is PostgreSQL.
func Postgres() *Kind {
	const folders = "/usr/lib/postgresql/*/bin"
	tool := func(name string) (string, error) { return find(name, folders) }
	return &Kind{
		Name:    "postgres",
		socket:  ".s.PGSQL.5432", // a name only: no port is opened
		program: func() (string, error) { return tool("postgres") },
		create: func(s *Server) error {
			initdb, err := tool("initdb")
			if err != nil {
				return err
			}
			return s.run(initdb, "--pgdata="+filepath.Join(s.dir, "data"), "--username=nerve",
				"--auth=trust", "--no-sync", "--no-locale", "--encoding=UTF8")
		},
		args: func(s *Server) []string {
			args := []string{
				"-D", filepath.Join(s.dir, "data"), "-k", s.dir, "-p", "5432",
				"-c", "listen_addresses=", "-c", "max_connections=300",
			}
			for _, setting := range s.settings {
				args = append(args, "-c", setting)
			}
			return args
		},
		url: func(s *Server) string {
			return "postgres://nerve@/nerve?host=" + url.QueryEscape(s.dir)
		},
		ping: func(s *Server) error {
			createdb, err := tool("createdb")
			if err != nil {
				return err
			}
			marker := filepath.Join(s.dir, "created")
			if _, err := os.Stat(marker); err != nil {
				if err := s.run(createdb, "-h", s.dir, "-U", "nerve", "nerve"); err != nil {
					return err
				}
				return os.WriteFile(marker, nil, 0o644)
			}
			ready, err := tool("pg_isready")
			if err != nil {
				return err
			}
			return s.run(ready, "-q", "-h", s.dir)
		},
	}
}
