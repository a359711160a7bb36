package page

import (
	"crypto/sha256"
	"encoding/base64"
	"regexp"
	"strings"
	"testing"
)

func TestChoose(t *testing.T) {
	for accept, want := range map[string]string{
		"":                               "en",
		"*":                              "en",
		"de, ja;q=0.9":                   "en",
		"pt-BR,pt;q=0.9,en;q=0.8":        "pt-BR",
		"pt-PT":                          "pt-BR",
		"en;q=0.3, FR-ca;q=0.7, es;q=.5": "fr",
		"es-419":                         "es",
		"fr;q=0, es;q=0.1":               "es",
		"fr;q=abc":                       "en",
	} {
		if got := Choose(accept).Tag; got != want {
			t.Errorf("Choose(%q) = %s, want %s", accept, got, want)
		}
	}
}

func TestEveryLanguageHasEveryWord(t *testing.T) {
	for tag, l := range languages {
		for _, p := range l.parts() {
			if p.Title == "" || p.Text == "" {
				t.Errorf("%s has no words for %s", tag, p.Reason)
			}
		}
	}
}

func TestPageSaysWhatIsTheMatter(t *testing.T) {
	for _, reason := range []string{Starting, Full, Failed, ShuttingDown} {
		body := render(t, View{App: "hello", Language: Choose("es"), Reason: reason})
		shown := regexp.MustCompile(`<section data-reason="([^"]*)">`).FindAllStringSubmatch(body, -1)
		if len(shown) != 1 || shown[0][1] != reason {
			t.Errorf("reason %s: shown are %v", reason, shown)
		}
		if !strings.Contains(body, "<title>"+spanish.words[reason].Title+" · hello</title>") {
			t.Errorf("reason %s: the title does not say so", reason)
		}
		if !strings.Contains(body, `<noscript><meta http-equiv="refresh" content="2"></noscript>`) {
			t.Errorf("reason %s: without JavaScript the page does not reload", reason)
		}
	}
}

func TestPageIsSmallAndEscapes(t *testing.T) {
	body := render(t, View{App: "<i>a</i>", Language: &english, Reason: Failed, Why: "<script>alert(1)</script>"})
	if len(body) > 6<<10 {
		t.Errorf("the page has %d bytes", len(body))
	}
	if strings.Contains(body, "<i>a") || strings.Contains(body, "alert(1)</script>") {
		t.Error("the page lets markup through")
	}
}

// The browser computes the hashes over what it received.
func TestPolicyAllowsTheStyleAndTheScriptAsSent(t *testing.T) {
	body := render(t, View{App: "hello", Language: &english, Reason: Starting})
	for _, tag := range []string{"style", "script"} {
		text := regexp.MustCompile(`(?s)<` + tag + `>(.*)</` + tag + `>`).FindStringSubmatch(body)[1]
		sum := sha256.Sum256([]byte(text))
		if !strings.Contains(Policy, base64.StdEncoding.EncodeToString(sum[:])) {
			t.Errorf("the policy forbids the page's own %s", tag)
		}
	}
}

func render(t *testing.T, v View) string {
	t.Helper()
	var b strings.Builder
	if err := Render(&b, v); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
