package h2

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/fairlead/fairlead/l7/fields"
)

// What is lent for one request says something else in the next: no visitor's cookie may come from another's.
func TestTheTableOfCompressionKeepsNothingLent(t *testing.T) {
	a := newApp(t)
	lent := make([]byte, len("the session of somebody 0000"))
	value := unsafe.String(unsafe.SliceData(lent), len(lent))
	var p *peer
	for i := range 1000 {
		copy(lent, fmt.Sprintf("the session of somebody %04d", i))
		r := get()
		r.Header = fields.List{{Name: "cookie", Value: value}}
		done := a.ask(r)
		if p == nil {
			p = a.accept()
		}
		request := p.request()
		if came := listOf(request.RegularFields()).Get("cookie"); came != value {
			t.Errorf("sent %s, and %s came", value, came)
		}
		p.answer(request.StreamID)
		(<-done).ok(t)
	}
}
