package serve

import (
	"encoding/json"
	"io"
	"net/http"
)

// live says that the process answers. It takes no authentication.
func live(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") }

// ready answers 200 if all queues take appends, and else 503 with the reasons.
func (s *Server) ready(w http.ResponseWriter, _ *http.Request) {
	type reason struct {
		Queue  string `json:"queue,omitempty"`
		Reason string `json:"reason"`
	}
	reasons := []reason{}
	for _, p := range s.problems() {
		reasons = append(reasons, reason(p))
	}
	w.Header().Set("Content-Type", "application/json")
	if len(reasons) > 0 {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"ready": len(reasons) == 0, "reasons": reasons})
}
