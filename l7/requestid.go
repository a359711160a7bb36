package l7

import (
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"strings"
)

const requestID = "X-Request-Id"

// longestID that is taken from a proxy.
const longestID = 128

// identify gives the request a name of its own, by which it is found in every log. A trusted proxy may have given one.
func (s *story) identify() {
	if id := s.x.Header.Get(requestID); s.outside.trusted && isID(id) {
		s.record.id = id
		return
	}
	var raw [16]byte // to be told apart, not to be kept secret
	binary.LittleEndian.PutUint64(raw[:8], rand.Uint64())
	binary.LittleEndian.PutUint64(raw[8:], rand.Uint64())
	s.record.id = hex.EncodeToString(raw[:])
}

func isID(id string) bool {
	return id != "" && len(id) <= longestID && !strings.ContainsFunc(id, func(r rune) bool {
		return !('a' <= r|0x20 && r|0x20 <= 'z' || '0' <= r && r <= '9' || strings.ContainsRune("._~+/=:@-", r))
	})
}
