package daemon

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"slices"
	"sync"

	"github.com/fairlead/fairlead/l4"
)

// listeners are the open listeners of one protocol by configured address.
type listeners struct {
	protocol string // http or https
	sockets  inherited
	serve    func(net.Listener) error
	fail     func(error)
	// wrap prepares the listener of an address for serve.
	wrap func(address string, listener net.Listener) net.Listener

	mu   sync.Mutex // guards open
	open map[string]net.Listener
}

// opening are listeners that wait for their configuration to be put in force. Apply or cancel them, and soon.
type opening struct {
	of        *listeners
	addresses []string
	fresh     map[string]net.Listener
}

// prepare opens what is new; if one cannot be opened, nothing changes (case B178). It is for a reload, of which there is
// one at a time.
func (l *listeners) prepare(addresses []string, open func(string) (net.Listener, error)) (*opening, error) {
	o := &opening{of: l, addresses: addresses, fresh: map[string]net.Listener{}}
	for _, address := range addresses {
		if l.at(address) != nil {
			continue
		}
		listener, err := l.sockets.listen(address, open)
		if err != nil {
			o.cancel()
			return nil, fmt.Errorf("listen for %s on %s: %w", l.protocol, address, err)
		}
		o.fresh[address] = l.wrap(address, listener)
	}
	return o, nil
}

func (l *listeners) at(address string) net.Listener {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open[address]
}

// port of the first listener; 0 if there is none.
func (o *opening) port() int {
	for _, address := range o.addresses {
		listener := o.fresh[address]
		if listener == nil {
			listener = o.of.at(address)
		}
		if at, ok := listener.Addr().(*net.TCPAddr); ok {
			return at.Port
		}
	}
	return 0
}

func (o *opening) cancel() { closeAll(o.fresh) }

// apply closes what is gone and accepts on what is new.
func (o *opening) apply() {
	closeAll(o.of.replace(o))
	for _, listener := range o.fresh {
		go o.of.accept(listener)
	}
}

// replace returns what is gone.
func (l *listeners) replace(o *opening) map[string]net.Listener {
	l.mu.Lock()
	defer l.mu.Unlock()
	gone, open := l.open, maps.Clone(o.fresh)
	for _, address := range o.addresses {
		if listener := gone[address]; listener != nil {
			open[address] = listener
			delete(gone, address)
		}
	}
	l.open = open
	return gone
}

// hear takes PROXY headers off connections.
func (d *daemon) hear(address string, listener net.Listener) net.Listener {
	return l4.ProxyListener(listener, func(peer netip.Addr) bool { return d.proxied(address, peer) })
}

// proxied reads the configuration that is in force, so that a reload holds for the next connection.
func (d *daemon) proxied(address string, peer netip.Addr) bool {
	config := d.config.Load()
	return config != nil && slices.Contains(config.Listen.ProxyProtocol, address) &&
		slices.ContainsFunc(config.TrustedProxies, func(trusted netip.Prefix) bool { return trusted.Contains(peer) })
}

func (l *listeners) accept(listener net.Listener) {
	if err := l.serve(listener); err != nil && !errors.Is(err, net.ErrClosed) {
		l.fail(fmt.Errorf("serve %s on %s: %w", l.protocol, listener.Addr(), err))
	}
}

func closeAll(open map[string]net.Listener) {
	for _, listener := range open {
		_ = listener.Close()
	}
}

func (l *listeners) addresses() (list []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, listener := range l.open {
		list = append(list, listener.Addr().String())
	}
	slices.Sort(list)
	return list
}
