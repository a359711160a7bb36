package main

import (
	"bytes"
	"strconv"
	"sync"
)

// answers are made once for each size.
var answers sync.Map // of string to [][]byte

func sized(size string) [][]byte {
	if made, ok := answers.Load(size); ok {
		return made.([][]byte)
	}
	n, err := strconv.Atoi(size)
	if err != nil || n < 0 || n > 1<<31 {
		return plain("bad size")
	}
	made := sizedAnswer(n)
	answers.Store(size, made)
	return made
}

// block is what large bodies are made of: one of 1 GiB takes no more memory than one of 1 MiB.
var block = bytes.Repeat([]byte("x"), 1<<20)

func sizedAnswer(n int) [][]byte {
	if n <= whole {
		return plain(string(block[:n]))
	}
	made := [][]byte{[]byte(head(n))}
	for ; n > len(block); n -= len(block) {
		made = append(made, block)
	}
	return append(made, block[:n])
}

// whole is the most that is written with the head in one piece.
const whole = 64 << 10

func plain(body string) [][]byte { return [][]byte{[]byte(head(len(body)) + body)} }

// head has a few fields beside those of the body, as an app's has.
func head(length int) string {
	return "HTTP/1.1 200 OK\r\nServer: bench\r\nDate: Mon, 30 Nov 2026 12:00:00 GMT\r\nContent-Type: text/plain\r\n" +
		"Cache-Control: no-store\r\nContent-Length: " + strconv.Itoa(length) + "\r\n\r\n"
}
