package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
)

// counts are numbers by key. With a file they outlive the container, so a kept volume can be told from a lost one.
type counts struct {
	file string // empty: memory only

	mu    sync.Mutex // guards byKey and the file's writing
	byKey map[string]int
}

// openCounts reads what an earlier container left; a directory without a readable file starts at nothing.
func openCounts(directory string) *counts {
	c := &counts{byKey: map[string]int{}}
	if directory == "" {
		return c
	}
	c.file = filepath.Join(directory, "counts.json")
	if kept, err := os.ReadFile(c.file); err == nil {
		json.Unmarshal(kept, &c.byKey)
	}
	return c
}

// count adds one on POST and reads on anything else: ?key= names the count. With ?wait= the answer comes so much later.
func (a *app) count(w http.ResponseWriter, r *http.Request) {
	wait, err := duration(r, "wait", 0)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	step := 0
	if r.Method == http.MethodPost {
		step = 1
	}
	key := r.URL.Query().Get("key")
	n, err := a.counts.add(key, step)
	if err == nil && step > 0 {
		err = a.post(key)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if sleep(r.Context(), wait) {
		fmt.Fprintln(w, n)
	}
}

func (c *counts) add(key string, step int) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.byKey[key] += step
	if step == 0 || c.file == "" {
		return c.byKey[key], nil
	}
	kept, err := json.Marshal(c.byKey)
	if err != nil {
		return 0, err
	}
	if err := os.WriteFile(c.file+".new", kept, 0o644); err != nil {
		return 0, err
	}
	return c.byKey[key], os.Rename(c.file+".new", c.file)
}

// post appends the key to the file of POSTs, which other containers may be writing as well: a line at once is not mixed
// with theirs, and shows how often a request was made, whichever container had it and whatever became of the answer.
func (a *app) post(key string) error {
	if a.posts == "" {
		return nil
	}
	file, err := os.OpenFile(a.posts, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(file, key)
	return errors.Join(err, file.Close())
}
