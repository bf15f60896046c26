package serve

import (
	"errors"
	"strings"

	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
)

// RoleError says that there is no such role.
type RoleError = core.RoleError

// NewToken makes a token for the roles, such as "read,consume" or "all", in the queues of a pattern
// such as "orders*". It returns the token, which only its owner is to have, and the line for the
// list of tokens, which has a digest of it. Errors are a [RoleError], or say what is wrong with
// name or queues.
func NewToken(name, roles, queues string) (token, line string, err error) {
	parsed, err := core.ParseRoles(roles)
	if err != nil {
		return "", "", err
	}
	token, digest := core.NewToken()
	c := core.Credential{Name: name, Proof: digest,
		Grant: core.Grant{Queues: queues, Roles: parsed}}
	if _, err := core.ParseCredentials(strings.NewReader(c.String())); err != nil {
		return "", "", errors.Unwrap(err)
	}
	return token, c.String(), nil
}
