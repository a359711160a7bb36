package fiber

// again is what TryRead fails with when it would have to wait. TLS does not take a Temporary error for the end.
type again struct{}

func (again) Error() string   { return "there is nothing to read yet" }
func (again) Timeout() bool   { return true }
func (again) Temporary() bool { return true }

var errAgain error = again{}

// WouldBlock says whether TryRead has failed because it would have had to wait.
func WouldBlock(err error) bool { return err == errAgain }
