package open

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/octopus-framework/octopus/nerve/open"
)

// profilesVariable names the file of servers, if it is not the usual one.
const profilesVariable = "NERVE_SERVERS"

// ProfileError says why a place that begins with @ is none.
type ProfileError struct{ Reason string }

// Error implements error.
func (e *ProfileError) Error() string { return e.Reason }

// ProfilesFile is where servers are named: a line for each, its name and its URL.
func ProfilesFile() (string, error) {
	if file := os.Getenv(profilesVariable); file != "" {
		return file, nil
	}
	dir, err := os.UserConfigDir()
	return filepath.Join(dir, "nerve", "servers"), err
}

// Expand returns the URL that a place of the form @SERVER/QUEUE stands for, or
// @SERVER, and any other place as it is. Names of files in the parameters of the
// server are below the folder of the file in which it is named.
func Expand(place string) (string, error) {
	name, found := strings.CutPrefix(place, "@")
	if !found {
		return place, nil
	}
	name, queue, _ := strings.Cut(name, "/")
	file, err := ProfilesFile()
	if err != nil {
		return "", &ProfileError{"it is not known where servers are named: " + err.Error()}
	}
	known, err := readProfiles(file)
	if err != nil {
		return "", err
	}
	for _, p := range known {
		if p.name == name {
			return p.url(filepath.Dir(file), queue), nil
		}
	}
	return "", &ProfileError{fmt.Sprintf("no server @%s is named in %s; a line of it is a name and "+
		"a URL, such as 'prod nerves://queues.example:7171?ca=ca.crt&token=prod.token'", name, file)}
}

// profile is a named server.
type profile struct{ name, address, parameters string }

func readProfiles(file string) ([]profile, error) {
	in, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer in.Close()
	var list []profile
	lines := bufio.NewScanner(in)
	for n := 1; lines.Scan(); n++ {
		words := strings.Fields(lines.Text())
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		if len(words) != 2 || !open.IsServer(words[1]) {
			return nil, &ProfileError{fmt.Sprintf("%s, line %d: it takes a name and a URL of a server, "+
				"nerve://HOST:PORT or nerves://HOST:PORT, with its parameters", file, n)}
		}
		address, parameters, _ := strings.Cut(words[1], "?")
		list = append(list, profile{words[0], strings.TrimRight(address, "/"), parameters})
	}
	return list, lines.Err()
}

// url is that of a queue on the server. What names a file does so from dir.
func (p profile) url(dir, queue string) string {
	var parameters []string
	for one := range strings.SplitSeq(p.parameters, "&") {
		key, file, found := strings.Cut(one, "=")
		if found && !filepath.IsAbs(file) && !strings.HasPrefix(file, "%2F") {
			one = key + "=" + filepath.ToSlash(filepath.Join(dir, file))
		}
		if one != "" {
			parameters = append(parameters, one)
		}
	}
	full := p.address + "/" + queue
	if len(parameters) > 0 {
		full += "?" + strings.Join(parameters, "&")
	}
	return full
}
