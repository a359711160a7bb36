// Package compress encodes answers for visitors who take it.
//
//	coding := compress.Choose(header.Joined("Accept-Encoding"))
//	if coding != compress.None && compress.Suits(header.Get("Content-Type")) {
//		w := compress.NewWriter(coding, to)
//		…            // Write, and Flush where what was written must leave
//		w.Close()    // the end; after an error Drop instead: what was cut must not look whole
//	}
//
// Writers are kept for the next answer: a zstd encoder has some hundreds of KiB. What else speaks for or against an
// answer, and what becomes of its header, is the caller's to decide.
package compress
