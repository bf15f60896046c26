//go:build linux

package sqlservers

import (
	"os"
	"path/filepath"
)

// MariaDB is the kind of server that go-sql-driver talks to.
func MariaDB() *Kind {
	return &Kind{
		Name:    "mariadb",
		socket:  "mariadb.sock",
		program: func() (string, error) { return find("mariadbd", "/usr/sbin") },
		create:  createMariaDB,
		args: func(s *Server) []string {
			args := []string{
				"--no-defaults", "--datadir=" + filepath.Join(s.dir, "data"),
				"--socket=" + s.Socket(),
				// A server that starts removes what others have in a folder for
				// temporary files.
				"--tmpdir=" + s.dir,
				"--skip-networking", "--pid-file=" + filepath.Join(s.dir, "pid"),
				"--init-file=" + filepath.Join(s.dir, "init.sql"),
				"--max-connections=500", "--innodb-buffer-pool-size=128M",
			}
			for _, setting := range s.settings {
				args = append(args, "--"+setting)
			}
			return args
		},
		url: func(s *Server) string { return "mysql://nerve@/nerve?socket=" + s.Socket() },
		ping: func(s *Server) error {
			return s.run("mariadb-admin", "--no-defaults", "--socket="+s.Socket(), "-unerve",
				"ping")
		},
	}
}

// initSQL runs at each start.
const initSQL = `CREATE DATABASE IF NOT EXISTS nerve;
CREATE USER IF NOT EXISTS nerve@localhost;
GRANT ALL ON *.* TO nerve@localhost WITH GRANT OPTION;
`

func createMariaDB(s *Server) error {
	install, err := find("mariadb-install-db", "/usr/bin")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(s.dir, "init.sql"), []byte(initSQL), 0o644); err != nil {
		return err
	}
	return s.run(install, "--no-defaults", "--datadir="+filepath.Join(s.dir, "data"),
		"--tmpdir="+s.dir, "--auth-root-authentication-method=normal", "--skip-test-db")
}
