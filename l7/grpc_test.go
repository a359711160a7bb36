package l7

import (
	"context"
	"math"
	"net"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/interop"
	testgrpc "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/fairlead/fairlead/conf"
	"github.com/fairlead/fairlead/l7/fields"
)

// grpcHouse serves gRPC's own interoperability service, once it is ready.
func grpcHouse(t *testing.T) (h *house, client testgrpc.TestServiceClient, serve func(id string) *grpc.Server) {
	h = newHouse(t, func(c *conf.Config) { c.Apps["hello"].Protocol = "h2c" })
	conn, err := grpc.NewClient(h.addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return h, testgrpc.NewTestServiceClient(conn), func(id string) *grpc.Server {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		server := grpc.NewServer()
		testgrpc.RegisterTestServiceServer(server, interop.NewTestServer())
		go server.Serve(l)
		t.Cleanup(server.Stop)
		h.ready("hello", id, l.Addr().String())
		return server
	}
}

// gRPC's own suite: unary and streaming calls, metadata both ways, statuses, deadlines (cases B127, B128, B131).
func TestGRPCInterop(t *testing.T) {
	h, client, serve := grpcHouse(t)
	serve("r1")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for name, do := range map[string]func(context.Context, testgrpc.TestServiceClient, ...grpc.CallOption){
		"empty unary": interop.DoEmptyUnaryCall, "large unary": interop.DoLargeUnaryCall,
		"client streaming": interop.DoClientStreaming, "server streaming": interop.DoServerStreaming,
		"ping pong": interop.DoPingPong, "empty stream": interop.DoEmptyStream,
		"timeout": interop.DoTimeoutOnSleepingServer, "cancel after begin": interop.DoCancelAfterBegin,
		"cancel after first response": interop.DoCancelAfterFirstResponse,
		"custom metadata":             interop.DoCustomMetadata, "status": interop.DoStatusCodeAndMessage,
		"special status": interop.DoSpecialStatusMessage, "unimplemented method": func(ctx context.Context, c testgrpc.TestServiceClient, _ ...grpc.CallOption) {
			if _, err := c.UnimplementedCall(ctx, &testgrpc.Empty{}); status.Code(err) != codes.Unimplemented {
				t.Errorf("got %v", err)
			}
		},
	} {
		t.Run(name, func(*testing.T) { do(ctx, client) }) // the suite ends the process at a fault
	}
	h.idle("hello")
}

// case B131: a cold start is waited for, within the client's deadline.
func TestGRPCColdStart(t *testing.T) {
	h, client, serve := grpcHouse(t)
	done := make(chan error, 1)
	go func() {
		_, err := client.EmptyCall(t.Context(), &testgrpc.Empty{})
		done <- err
	}()
	waitFor(h, 1)
	serve("r1")
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestGRPCTimeouts(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"1H": time.Hour, "250m": 250 * time.Millisecond, "99999999n": 99999999 * time.Nanosecond,
		"99999999H": math.MaxInt64, "2562047H": 2562047 * time.Hour, // what an int64 of nanoseconds holds, and what not
		"": 0, "H": 0, "-1S": 0, "1h": 0, "100000000S": 0,
	} {
		x := &Exchange{Method: "POST", Header: fields.List{{Name: "content-type", Value: "application/grpc"}, {Name: "grpc-timeout", Value: text}}}
		if got, ok := patienceGRPC(x); got != want || ok != (want > 0) {
			t.Errorf("%q: %s, %v", text, got, ok)
		}
	}
}

func TestGRPCDeadlineBoundsTheHold(t *testing.T) {
	h, client, _ := grpcHouse(t)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := client.EmptyCall(ctx, &testgrpc.Empty{}); status.Code(err) != codes.DeadlineExceeded && status.Code(err) != codes.Unavailable {
		t.Errorf("got %v", err)
	}
	eventually(t, "it is held no longer", func() bool { return len(h.access.all()) == 1 })
}

// What Fairlead says itself is a status of gRPC's.
func TestGRPCRefusals(t *testing.T) {
	h, client, _ := grpcHouse(t)
	h.config.Apps["hello"].Hold.Max = 10 * time.Millisecond
	h.configure()
	var trailer metadata.MD
	_, err := client.EmptyCall(t.Context(), &testgrpc.Empty{}, grpc.Trailer(&trailer))
	if status.Code(err) != codes.Unavailable || status.Convert(err).Message() != "The app is starting." || len(trailer.Get("fairlead-reason")) != 1 {
		t.Errorf("got %v, %v", err, trailer)
	}
	h.config.Apps["hello"].Routes[0].Host = "other.example.org"
	h.configure()
	if _, err := client.EmptyCall(t.Context(), &testgrpc.Empty{}); status.Code(err) != codes.Unimplemented {
		t.Errorf("got %v", err)
	}
}

// A replica that leaves with GOAWAY, or is gone: the next calls find the other one.
func TestGRPCReplicaLeaves(t *testing.T) {
	h, client, serve := grpcHouse(t)
	first := serve("r1")
	if _, err := client.EmptyCall(t.Context(), &testgrpc.Empty{}); err != nil {
		t.Fatal(err)
	}
	first.GracefulStop()
	h.app("hello").Remove("r1", 0)
	serve("r2")
	for range 10 {
		if _, err := client.EmptyCall(t.Context(), &testgrpc.Empty{}); err != nil {
			t.Error(err)
		}
	}
}
