package l7

import (
	"crypto/rand"
	"crypto/sha1"
	"encoding/base64"
)

// handshakeKey is the key of a WebSocket handshake with an app of HTTP/1.1, whose visitor came by an extended CONNECT and
// has none.
func handshakeKey() string {
	var nonce [16]byte
	_, _ = rand.Read(nonce[:]) // never fails
	return base64.StdEncoding.EncodeToString(nonce[:])
}

// acceptOf is what proves that the other side has understood (RFC 6455 section 4.2.2).
func acceptOf(key string) string {
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	return base64.StdEncoding.EncodeToString(sum[:])
}
