// Package plain has the messages as somebody who never heard of protobuf would write them down for encoding/json, so that
// the text is the same: 64-bit integers are quoted, enums are names.
package plain

// The messages of json.proto that are workloads or part of one.
type (
	Empty struct{}
	Ints1 struct {
		A int32 `json:"a"`
	}
	Ints5 struct {
		A int32 `json:"a"`
		B int32 `json:"b"`
		C int32 `json:"c"`
		D int32 `json:"d"`
		E int32 `json:"e"`
	}
	Ints10 struct {
		A int32 `json:"a"`
		B int32 `json:"b"`
		C int32 `json:"c"`
		D int32 `json:"d"`
		E int32 `json:"e"`
		F int32 `json:"f"`
		G int32 `json:"g"`
		H int32 `json:"h"`
		I int32 `json:"i"`
		J int32 `json:"j"`
	}
	Doubles10 struct {
		A float64 `json:"a"`
		B float64 `json:"b"`
		C float64 `json:"c"`
		D float64 `json:"d"`
		E float64 `json:"e"`
		F float64 `json:"f"`
		G float64 `json:"g"`
		H float64 `json:"h"`
		I float64 `json:"i"`
		J float64 `json:"j"`
	}
	Strings1 struct {
		A string `json:"a"`
	}
	Strings5 struct {
		A string `json:"a"`
		B string `json:"b"`
		C string `json:"c"`
		D string `json:"d"`
		E string `json:"e"`
	}
	Strings10 struct {
		A string `json:"a"`
		B string `json:"b"`
		C string `json:"c"`
		D string `json:"d"`
		E string `json:"e"`
		F string `json:"f"`
		G string `json:"g"`
		H string `json:"h"`
		I string `json:"i"`
		J string `json:"j"`
	}
	IntList struct {
		Values []int32 `json:"values"`
	}
	DoubleList struct {
		Values []float64 `json:"values"`
	}
	ObjectList struct {
		Values []Object `json:"values"`
	}
	Object struct {
		ID     int32  `json:"id"`
		Name   string `json:"name"`
		Active bool   `json:"active"`
	}
	Node struct {
		ID    int32 `json:"id"`
		Child *Node `json:"child,omitempty"`
	}
	Known struct {
		First string `json:"first"`
		Last  string `json:"last"`
	}
	Submit struct {
		ID          string `json:"id"`
		Source      string `json:"source"`
		Destination string `json:"destination"`
		Text        string `json:"text"`
		SubmittedAt int64  `json:"submittedAt,string"`
		Coding      uint32 `json:"coding"`
		Account     string `json:"account"`
		Callback    string `json:"callback"`
		Route       uint64 `json:"route,string"`
	}
	Deposit struct {
		EventID   string            `json:"eventId"`
		Time      *Moment           `json:"time"`
		Type      string            `json:"type"`
		User      *User             `json:"user"`
		Amount    int64             `json:"amount,string"`
		Currency  string            `json:"currency"`
		IP        string            `json:"ip"`
		UserAgent string            `json:"userAgent"`
		Metadata  map[string]string `json:"metadata"`
		Items     []Item            `json:"items"`
	}
	Moment struct {
		Seconds int64 `json:"seconds,string"`
		Nanos   int32 `json:"nanos"`
	}
	User struct {
		ID   int64  `json:"id,string"`
		Name string `json:"name"`
		Geo  *Geo   `json:"geo"`
	}
	Geo struct {
		Country   string  `json:"country"`
		Latitude  float64 `json:"latitude"`
		Longitude float64 `json:"longitude"`
	}
	Item struct {
		SKU      string `json:"sku"`
		Quantity int32  `json:"quantity"`
		Price    int64  `json:"price,string"`
	}
)
