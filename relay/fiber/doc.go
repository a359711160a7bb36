// Package fiber runs code on an event loop that is written as if it blocked.
//
//	home := fiber.Of(l)                       // what a loop keeps of its fibers
//	home.Start(task)                          // on the loop: task.Run(f) begins at once
//	…
//	conn.Bind(f); conn.Read(p); conn.Write(p) // in Run: where these wait, others have their turn
//	f.MayBlock(); <-ready                     // anything else that waits does not hold up the loop
//
// A fiber is a coroutine (iter.Pull): to wait and to go on costs two switches of some fifty nanoseconds, and no round of
// the scheduler, which is most of what a goroutine pays for a small message. A Conn's system calls happen on its loop
// alone. So does all that a fiber runs, but for what follows a MayBlock: that runs in a goroutine, until the next Read or
// Write leads back.
//
// Where many connections are ready at once, a short Write waits until all of them have been dealt with, and they are written
// to one after the other: see package loop.
//
// What a fiber runs on the loop must be short, since everybody else on that loop waits for it.
package fiber
