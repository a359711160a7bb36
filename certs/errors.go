package certs

import "errors"

var errNoCertificate = errors.New("there is no certificate in it")
