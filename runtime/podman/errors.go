package podman

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/containers/podman/v5/pkg/errorhandling"

	"github.com/fairlead/fairlead/runtime"
)

// longestMessage bounds what is quoted: the bindings quote a whole answer that they cannot decode.
const longestMessage = 300

// explain says what was being done and keeps Podman's message. Only 404 and 400 mean the same everywhere: libpod says
// 500 for most refusals.
func explain(doing string, err error) error {
	if err == nil {
		return nil
	}
	switch status(err) {
	case http.StatusNotFound:
		return as(doing, runtime.ErrNotFound, err)
	case http.StatusBadRequest:
		return as(doing, runtime.ErrInvalid, err)
	}
	return fmt.Errorf("%s: %w", doing, brief{err})
}

func as(doing string, what, err error) error {
	return fmt.Errorf("%s: %w: %w", doing, what, brief{err})
}

// status is the HTTP status of an error that Podman sent; 0 for any other.
func status(err error) int {
	var sent *errorhandling.ErrorModel
	if errors.As(err, &sent) {
		return sent.ResponseCode
	}
	return 0
}

// nameTaken: 500 before Podman 5, 409 later; the words stayed.
func nameTaken(err error) bool {
	return status(err) == http.StatusConflict || status(err) != 0 && strings.Contains(err.Error(), "is already in use")
}

// brief is an error whose message is cut.
type brief struct{ error }

func (b brief) Unwrap() error { return b.error }

func (b brief) Error() string {
	text := b.error.Error()
	if len(text) > longestMessage {
		text = text[:longestMessage] + "…"
	}
	return text
}
