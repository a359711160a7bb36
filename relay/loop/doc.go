// Package loop calls functions when descriptors are ready, on a few threads that wait for many of them (epoll).
//
//	l := loop.Shared().Pick()          // Shared is nil where there are no loops: not Linux
//	l.Do(func() {                      // everything else is for the loop's own thread
//		key, err := l.Add(fd, handler) // from now on handler.Ready is called when fd becomes ready
//		l.After(&timer, time.Minute)
//		…
//		l.Remove(key)                  // and not any more
//	})
//
// A goroutine for each connection costs a scheduler's round for each message, and its stack while there is none; a loop
// costs neither. What it asks for: a function that runs on a loop must not block, since everybody else on that loop
// waits for it.
//
// Readiness is told once, when it begins (EPOLLET): whoever is told reads or writes until the kernel says EAGAIN, or says
// Again. A handler may be called for nothing.
//
// Who has many descriptors ready at once goes through them in three steps, each for all before the next for any: what came
// is read (Fetcher), dealt with (Handler), and what is to be written is written (Sender). With one there is nothing to
// gather.
//
// The package knows no connections, only descriptors, which stay their owner's to close, after Remove; Dup and Conn
// lead from what net has to one, and back.
package loop
