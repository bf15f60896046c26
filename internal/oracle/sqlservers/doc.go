// Package sqlservers starts MariaDB and PostgreSQL for tests and measurements:
// unprivileged, in a temporary folder, reachable by a socket in that folder
// only, with the settings that a server comes with. It needs the programs of
// the Debian packages mariadb-server and postgresql, and no driver.
package sqlservers
