package simulated

import (
	"net"
	"time"

	"github.com/fairlead/fairlead/runtime"
)

// Image is what containers are made from. The zero value is present, starts at once and serves HTTP. Of commands only
// "exit CODE" is understood: it ends at once.
type Image struct {
	Absent     bool // not local until it is pulled
	Unpullable bool // no registry has it

	Volumes   []string          // VOLUME instructions
	Labels    map[string]string // a container inherits them: docker commit makes such images
	HasHealth bool

	PullTime   time.Duration
	CreateTime time.Duration
	StartTime  time.Duration // of the start call
	Boot       time.Duration // from the start until the app listens
	StopTime   time.Duration // from the signal until it ends; past the grace it is killed
	RemoveTime time.Duration
	HealthTime time.Duration // from the start until healthy

	Crashes    bool          // it ends by itself
	CrashAfter time.Duration // from the start
	ExitCode   int           // of a crash
	CrashLog   string        // written before the end

	// Serve answers one connection of World.Dial and returns when the connection is done; it need not close it. Nil
	// means ServeHTTP.
	Serve func(c runtime.Container, conn net.Conn)
}

// SetImage adds or replaces an image. Containers that exist keep the one they were made from.
func (w *World) SetImage(ref string, image Image) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.images[runtime.NormalizeImage(ref)] = &image
}

// DeleteImage forgets an image, as `docker rmi` would.
func (w *World) DeleteImage(ref string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.images, runtime.NormalizeImage(ref))
}

func (w *World) image(ref string) (Image, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	image, ok := w.images[runtime.NormalizeImage(ref)]
	if !ok {
		return Image{}, false
	}
	return *image, true
}

func (w *World) pull(ref string, policy runtime.PullPolicy, answer func(struct{}, error)) {
	image, known := w.image(ref)
	present := known && !image.Absent
	switch {
	case present && (policy == "" || policy == runtime.PullMissing || policy == runtime.PullNever):
		answer(struct{}{}, nil)
	case policy == runtime.PullNever:
		answer(struct{}{}, notFound("image", ref))
	case known && !image.Unpullable:
		after(image.PullTime, func() { answer(struct{}{}, w.pulled(ref)) })
	case present && policy == runtime.PullNewer:
		answer(struct{}{}, nil) // no newer one can be had
	default:
		after(image.PullTime, func() { answer(struct{}{}, notFound("image", ref)) })
	}
}

func (w *World) pulled(ref string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	image, ok := w.images[runtime.NormalizeImage(ref)]
	if !ok {
		return notFound("image", ref)
	}
	local := *image
	local.Absent = false
	w.images[runtime.NormalizeImage(ref)] = &local
	return nil
}
