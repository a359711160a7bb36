package integration

import (
	"encoding/json"
	"fmt"
	"testing"
)

func TestIperf(t *testing.T) { onEachReach(t, iperf) }

// iperf3 fills a TCP connection for a second in each direction, and sends datagrams over the same port number by UDP,
// whose session it follows over TCP.
func iperf(t *testing.T, reach string) {
	at := freePort(t)
	launch(t, setup{Reach: reach, Apps: serverApp(t, "iperf", "iperf3 -s", fmt.Sprintf(`
    ready: {tcp: true}
    route: [{tcp: "127.0.0.1:%[1]d", port: 5201}, {udp: "127.0.0.1:%[1]d", port: 5201}]`, at))})
	for _, mode := range [][]string{nil, {"-R"}, {"-u", "-b", "50M"}, {"-u", "-b", "50M", "-R"}} {
		got := measured(t, append([]string{"-c", "127.0.0.1", "-p", fmt.Sprint(at), "-t", "1", "-J"}, mode...))
		if got.Sum.Bytes+got.SumReceived.Bytes == 0 {
			t.Errorf("%v: nothing passed", mode)
		}
		t.Logf("%s, iperf3 %v: received %.0f Mbit/s; of datagrams lost %.2f %%", reach, mode,
			got.SumReceived.BitsPerSecond/1e6, got.Sum.LostPercent)
	}
}

// measured is a run's end. The server does one at a time, and needs a moment to see that the last, or a probe, is over.
func measured(t *testing.T, args []string) (end iperfEnd) {
	t.Helper()
	eventually(t, "iperf3", func() string {
		ctx, cancel := bounded()
		defer cancel()
		said, err := tool(ctx, "/usr/bin/iperf3", args...)
		var report struct {
			End   iperfEnd
			Error string
		}
		if strange := json.Unmarshal([]byte(said), &report); strange != nil {
			t.Fatal(err, strange)
		}
		end = report.End
		return report.Error
	})
	return end
}

// iperfEnd is the part of iperf3's report that counts.
type iperfEnd struct {
	Sum         iperfSum
	SumReceived iperfSum `json:"sum_received"`
}

type iperfSum struct {
	Bytes         int64
	BitsPerSecond float64 `json:"bits_per_second"`
	LostPercent   float64 `json:"lost_percent"`
}
