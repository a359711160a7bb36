package h1

import (
	"io"
	"net"
	"testing"
)

// case B094: an event is handed on when it is there, and is not held back for the line of the next one, nor for the end.
func TestChunksDoNotWait(t *testing.T) {
	tests := map[string]string{
		"end of the chunk missing": "2\r\nhi",
		"half an end":              "2\r\nhi\r",
		"no next line":             "2\r\nhi\r\n",
		"half a next line":         "2\r\nhi\r\n1",
		"half a last chunk":        "2\r\nhi\r\n0\r\n",
		"half a trailer":           "2\r\nhi\r\n0\r\nA: b\r\n",
		"two chunks":               "1\r\nh\r\n1\r\ni\r\n",
	}
	for name, said := range tests {
		t.Run(name, func(t *testing.T) {
			ours, apps := net.Pipe()
			defer apps.Close()
			go io.WriteString(apps, said)
			p := make([]byte, 10)
			n, err := newChunks(&inflow{from: ours}, MaxHeader).Read(p)
			equal(t, "data", string(p[:n]), "hi")
			equal(t, "error", err, nil)
		})
	}
}

// What came together is told together, with the end, so that it leaves in one write.
func TestChunksThatCameTogether(t *testing.T) {
	ours, apps := net.Pipe()
	defer apps.Close()
	go io.WriteString(apps, "1\r\nh\r\n1\r\ni\r\n0\r\nA: b\r\n\r\n")
	chunks := newChunks(&inflow{from: ours}, MaxHeader)
	p := make([]byte, 10)
	n, err := chunks.Read(p)
	equal(t, "data", string(p[:n]), "hi")
	equal(t, "error", err, io.EOF)
	equal(t, "trailer", chunks.trailer.Get("A"), "b")
}

func newChunks(reader *inflow, maxHeader int) *chunks {
	c := &chunks{}
	c.begin(reader, maxHeader)
	return c
}
