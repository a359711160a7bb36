package conf

import (
	"reflect"
	"testing"
)

// A word of others that is also a key of ours would never be looked up; one that we cannot place is a slip.
func TestForeignWordsAreNotOurs(t *testing.T) {
	known := map[string]reflect.Value{
		"": reflect.ValueOf(Config{}), "tls": reflect.ValueOf(TLS{}), "tls.acme": reflect.ValueOf(ACME{}), "tls.acme.dns": reflect.ValueOf(DNS{}), "listen": reflect.ValueOf(Listen{}), "hosts.*": reflect.ValueOf(Host{}),
		"apps.*": reflect.ValueOf(App{}), "apps.*.replicas": reflect.ValueOf(Replicas{}),
		"apps.*.route": reflect.ValueOf(Route{}), "apps.*.ready": reflect.ValueOf(Ready{}),
		"apps.*.headers": reflect.ValueOf(Headers{}), "apps.*.rate_limit": reflect.ValueOf(RateLimit{}),
		"apps.*.tls":  reflect.ValueOf(AppTLS{}),
		"apps.*.cors": reflect.ValueOf(CORS{}), "apps.*.no_wake": reflect.ValueOf(NoWake{}), "tracing": reflect.ValueOf(Tracing{}),
		"apps.*.hold": reflect.ValueOf(Hold{}), "apps.*.update": reflect.ValueOf(Update{}),
		"shutdown": reflect.ValueOf(Shutdown{}), "log": reflect.ValueOf(Log{}),
		"log.access": reflect.ValueOf(Access{}), "admin": reflect.ValueOf(Admin{}),
	}
	for _, table := range []map[string]map[string]string{called, advice} {
		for place, words := range table {
			ours, ok := known[place]
			if !ok {
				t.Errorf("there is no place %q", place)
				continue
			}
			for word := range words {
				if _, taken := fieldsOf(ours)[word]; taken {
					t.Errorf("%s at %q is a key here", word, place)
				}
			}
		}
	}
}

func TestEdits(t *testing.T) {
	for pair, want := range map[[2]string]int{{"memory", "memry"}: 1, {"", "ab"}: 2, {"abc", "abc"}: 0, {"port", "sort"}: 1} {
		if got := edits(pair[0], pair[1]); got != want {
			t.Errorf("%q: got %d, want %d", pair, got, want)
		}
	}
}
