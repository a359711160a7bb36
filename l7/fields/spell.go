package fields

// spelling: net/http writes Sec-Websocket-Key where RFC 6455 has Sec-WebSocket-Key, and some apps and visitors compare
// bytes (case B088).
var spelling = map[string]string{
	"Sec-Websocket-Accept":     "Sec-WebSocket-Accept",
	"Sec-Websocket-Extensions": "Sec-WebSocket-Extensions",
	"Sec-Websocket-Key":        "Sec-WebSocket-Key",
	"Sec-Websocket-Protocol":   "Sec-WebSocket-Protocol",
	"Sec-Websocket-Version":    "Sec-WebSocket-Version",
}

// Spell returns a canonical name as the field's own standard spells it.
func Spell(canonical string) string {
	if right, ok := spelling[canonical]; ok {
		return right
	}
	return canonical
}
