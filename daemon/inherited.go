package daemon

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"slices"
	"strings"

	"github.com/coreos/go-systemd/v22/activation"

	"github.com/fairlead/fairlead/conf"
	"github.com/fairlead/fairlead/relay"
)

// inherited are the sockets that systemd opened before it started us (sd_listen_fds(3)), by their FileDescriptorName.
// They stay open for as long as the process runs: a reload may let go of one and take it again, and whoever connects
// meanwhile waits in its queue.
type inherited map[string][]*os.File

// inherit takes them once, and out of the environment, so that no child believes they are its own.
func inherit() inherited {
	sockets := inherited{}
	for _, file := range activation.Files(true) {
		sockets[file.Name()] = append(sockets[file.Name()], file)
	}
	return sockets
}

// listen opens an address of the configuration: one that systemd passes, or with open any other.
func (i inherited) listen(address string, open func(string) (net.Listener, error)) (net.Listener, error) {
	name, ours := strings.CutPrefix(address, conf.Systemd)
	if !ours {
		return open(address)
	}
	switch files := i[name]; len(files) {
	case 0:
		return nil, i.missing()
	case 1:
		return net.FileListener(files[0]) // a duplicate of its own
	default:
		return nil, fmt.Errorf("systemd passed %d sockets of that name; give each a .socket unit and a FileDescriptorName= of its own",
			len(files))
	}
}

// missing says what was passed instead.
func (i inherited) missing() error {
	if len(i) == 0 {
		return errors.New("systemd passed no socket at all; is Fairlead started by its service, with a .socket unit beside it?")
	}
	return fmt.Errorf("systemd passed no socket of that name, only %s; FileDescriptorName= of the .socket unit names it",
		strings.Join(slices.Sorted(maps.Keys(i)), ", "))
}

// private is listen for the admin API, which only this machine may reach.
func (i inherited) private(address string, open func(string) (net.Listener, error)) (net.Listener, error) {
	listener, err := i.listen(address, open)
	if err != nil {
		return nil, err
	}
	if tcp, ok := listener.Addr().(*net.TCPAddr); ok && !tcp.IP.IsLoopback() {
		_ = listener.Close()
		return nil, fmt.Errorf("%s is %s; want a loopback address or a unix socket, since reads are open to whoever can connect", address, tcp)
	}
	return listener, nil
}

func openTCP(address string) (net.Listener, error) { return relay.Listen(address, false) }
