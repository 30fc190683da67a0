package herald

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"
)

func TestEachExampleSignatureGetsTheAnswerThatEveryClientMustGive(t *testing.T) {
	text, err := os.ReadFile("../node/src/testing/signature-vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors []struct {
		Name, Header, Body, Answer string
		Secrets                    []string
		Now                        int64
	}
	if err := json.Unmarshal(text, &vectors); err != nil || len(vectors) < 40 {
		t.Fatalf("%d vectors: %v", len(vectors), err)
	}
	for _, vector := range vectors {
		_, err := verify([]byte(vector.Body), vector.Header, vector.Secrets, time.Unix(vector.Now, 0))
		answer := "ok"
		var failed *Error
		if errors.As(err, &failed) {
			answer = failed.Code
			want(t, failed.Status, 400)
		}
		if answer != vector.Answer {
			t.Errorf("%s: expected %s, got %s", vector.Name, vector.Answer, answer)
		}
	}
}

func TestASignedBodyThatIsNoDeliveryIsMalformedAndANewKindOfEventIsNot(t *testing.T) {
	for _, body := range []string{"", "[]", "null", `{"id":1,"events":[]}`, `{"id":"a"}`} {
		_, err := VerifyWebhook([]byte(body), SignWebhook([]byte(body), "a", time.Now()), []string{"a"})
		wantCode(t, err, "malformed", 400)
	}
	newer := []byte(`{"id":"dlv_1","events":[{"id":"evt_1","type":"inbox.read","data":{"code":{"of":"another kind"}}},{"id":"evt_2","type":"ping"}]}`)
	delivery, err := VerifyWebhook(newer, SignWebhook(newer, "a", time.Now()), []string{"b", "a"})
	want(t, err, nil)
	want(t, []string{delivery.ID, delivery.Events[0].Type, delivery.Events[1].ID}, []string{"dlv_1", "inbox.read", "evt_2"})
}

func TestWithoutASecretNothingIsVerified(t *testing.T) {
	for _, secrets := range [][]string{nil, {}, {""}, {"a", "b", "c", "d"}} {
		_, err := VerifyWebhook(nil, SignWebhook(nil, "", time.Now()), secrets)
		want(t, err != nil && strings.Contains(err.Error(), "whsec_"), true)
		_, err = WebhookHandler(secrets, nil)
		want(t, err != nil, true)
	}
}

func TestAReceiverAnswers204ThenAgain500WhenItsFunctionFailsAnd400ToAWrongSignature(t *testing.T) {
	seen := 0
	receiver, err := WebhookHandler([]string{"a"}, func(_ *http.Request, delivery *WebhookDelivery) error {
		seen += len(delivery.Events)
		if seen > 1 {
			return errors.New("the database is away")
		}
		return nil
	})
	want(t, err, nil)
	post := func(body, secret string) int {
		request := httptest.NewRequest("POST", "/hooks/herald", strings.NewReader(body))
		request.Header.Set(SignatureHeader, SignWebhook([]byte(body), secret, time.Now()))
		answer := httptest.NewRecorder()
		receiver.ServeHTTP(answer, request)
		return answer.Code
	}
	body := `{"id":"dlv_1","events":[{"id":"evt_1","type":"ping"}]}`
	want(t, []int{post(body, "a"), post(body, "a"), post(body, "b"), post(strings.Repeat(" ", mostBytes+1), "a")}, []int{204, 500, 400, 413})
	want(t, seen, 2)
}

func TestAnIdentityTokenNeedsASecretAUserAndAtMostAnHour(t *testing.T) {
	token, err := IdentityToken("secret", "ann", time.Hour)
	want(t, err, nil)
	want(t, strings.Count(token, "."), 2)
	for _, given := range []struct {
		secret, externalID string
		validFor           time.Duration
	}{{"", "a", time.Minute}, {"a", "", time.Minute}, {"a", "b", 0}, {"a", "b", time.Hour + 1}} {
		_, err := IdentityToken(given.secret, given.externalID, given.validFor)
		want(t, err != nil, true)
	}
}
