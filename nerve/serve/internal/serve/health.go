package serve

import (
	"encoding/json"
	"io"
	"net/http"

	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
)

// live says that the process answers. It takes no authentication.
func live(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") }

// ready answers 200 if all queues take appends, and else 503 with the reasons. Queues
// with which the one who asks may do nothing are counted and not named.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	type reason struct {
		Queue  string `json:"queue,omitempty"`
		Reason string `json:"reason"`
	}
	answer := struct {
		Ready   bool     `json:"ready"`
		Reasons []reason `json:"reasons"`
		Others  int      `json:"others,omitempty"`
	}{Reasons: []reason{}}
	p := core.From(r.Context())
	for _, problem := range s.problems() {
		if problem.Queue != "" && p.Roles(problem.Queue) == 0 {
			answer.Others++
			continue
		}
		answer.Reasons = append(answer.Reasons, reason(problem))
	}
	answer.Ready = len(answer.Reasons) == 0 && answer.Others == 0
	w.Header().Set("Content-Type", "application/json")
	if !answer.Ready {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_ = json.NewEncoder(w).Encode(answer)
}
