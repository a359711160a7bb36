package conf

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

var yamlBlock = regexp.MustCompile("(?s)```yaml\n(.*?)```")

func reference(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestExampleLoadsWithoutADoubt(t *testing.T) {
	config, err := Load(Source{Paths: []string{"../docs/config.example.yaml"}, Environ: testEnviron})
	if err != nil {
		t.Fatal(err)
	}
	if w := config.Warnings(); len(w) != 0 {
		t.Errorf("warnings: %v", w)
	}
}

// The reference has the smallest file and the one with every default in it: both are the same configuration.
func TestDocumentedDefaultsAreTheDefaults(t *testing.T) {
	blocks := yamlBlock.FindAllStringSubmatch(reference(t), -1)
	if len(blocks) != 2 {
		t.Fatalf("got %d blocks, want 2", len(blocks))
	}
	small, full := loaded(t, blocks[0][1]), loaded(t, blocks[1][1])
	if !reflect.DeepEqual(small, full) {
		t.Errorf("got %+v", Difference(small, full))
	}
}

func TestEveryKeyIsDocumented(t *testing.T) {
	text := reference(t)
	for prefix, of := range map[string]any{
		"": App{}, "replicas.": Replicas{}, "ready.": Ready{}, "health.": Health{}, "update.": Update{}, "hold.": Hold{}, "listen.": Listen{},
		"shutdown.": Shutdown{}, "log.access.": Access{}, "tracing.": Tracing{},
		"headers.request.": Edits{}, "rate_limit.": RateLimit{}, "no_wake.": NoWake{}, "cors.": CORS{}, "admin.": Admin{}, "listen.public.": Public{},
	} {
		documented(t, text, prefix, of)
	}
	documented(t, text, "tls.", HostTLS{})
	documented(t, text, "tls.", AppTLS{})
	documented(t, text, "tls.", TLS{})
	documented(t, text, "", Cert{})
	documented(t, text, "acme.", ACME{})
	documented(t, text, "dns.", DNS{})
	for _, provider := range DNSProviders() {
		keys, _ := DNSKeys(provider)
		if row := "| `" + provider + "` | `" + strings.Join(keys, "`, `") + "`"; !strings.Contains(text, row) {
			t.Errorf("there is no %s", row)
		}
	}
	documented(t, text, "", Host{})
	documented(t, text, "", Route{})
	documented(t, text, "", Config{})
	documented(t, text, "adopt.", Adopt{})
}

func documented(t *testing.T, text, prefix string, of any) {
	t.Helper()
	for name, f := range fieldsOf(reflect.ValueOf(of)) {
		nested := f.value.Kind() == reflect.Struct && reflect.PointerTo(f.value.Type()) != reflect.TypeFor[*Secret]()
		if !nested && name != "tls" && !strings.Contains(text, "`"+prefix+name+"`") {
			t.Errorf("%s%s is not documented", prefix, name)
		}
	}
}
