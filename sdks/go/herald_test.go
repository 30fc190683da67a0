package herald

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

const testKey = "sk_live_0123456789abcdef01234567_secretsecretsecret"

var (
	ctx          = context.Background()
	notification = SendNotificationBody{
		Target:  Target{ExternalIDs: []string{"customer-7"}},
		Content: &Content{Default: "en", Locales: map[string]LocaleEntry{"en": {Title: "Shipped", Body: "It arrives today"}}},
	}
)

// step answers a request. The last one is repeated.
type step func(http.ResponseWriter)

type heard struct {
	method, path string
	header       http.Header
	body         string
}

// standIn stands in for Herald: it answers each request with the next step, and keeps what it heard.
func standIn(t *testing.T, options Options, steps ...step) (*Client, *[]heard) {
	t.Helper()
	var lock sync.Mutex
	all := []heard{}
	ended := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		lock.Lock()
		all = append(all, heard{request.Method, request.URL.RequestURI(), request.Header, string(body)})
		next := steps[0]
		if len(steps) > 1 {
			steps = steps[1:]
		}
		lock.Unlock()
		if next == nil {
			select {
			case <-ended:
			case <-request.Context().Done():
			}
			return
		}
		next(response)
	}))
	t.Cleanup(func() { close(ended); server.Close() })
	options.BaseURL, options.Key = server.URL+"/", testKey
	client, err := New(options)
	if err != nil {
		t.Fatal(err)
	}
	return client, &all
}

var hang step

func drop(http.ResponseWriter) { panic(http.ErrAbortHandler) }

func cut(response http.ResponseWriter) {
	response.Header().Set("content-length", "100")
	io.WriteString(response, "{")
	panic(http.ErrAbortHandler)
}

func answer(status int, body any, header ...string) step {
	return func(response http.ResponseWriter) {
		for place := 0; place+1 < len(header); place += 2 {
			response.Header().Set(header[place], header[place+1])
		}
		response.WriteHeader(status)
		if text, ok := body.(string); ok {
			io.WriteString(response, text)
		} else {
			json.NewEncoder(response).Encode(body)
		}
	}
}

func refusal(code string, status int, paths ...string) step {
	details := []Detail{}
	for _, path := range paths {
		details = append(details, Detail{path, "no"})
	}
	return answer(status, map[string]any{"error": map[string]any{"code": code, "message": "It is " + code + ".", "details": details}})
}

func limited(seconds string) step {
	return answer(429, map[string]any{"error": map[string]any{"code": "rate_limited", "message": "Wait."}}, "retry-after", seconds)
}

func wantCode(t *testing.T, err error, code string, status int) *Error {
	t.Helper()
	var failed *Error
	if !errors.As(err, &failed) || failed.Code != code || failed.Status != status {
		t.Fatalf("expected %s (%d), got %v", code, status, err)
	}
	return failed
}

func want(t *testing.T, got, expected any) {
	t.Helper()
	if !reflect.DeepEqual(got, expected) {
		t.Fatalf("expected %v, got %v", expected, got)
	}
}

var accepted = answer(202, Accepted{"a", "sending"})

func TestASendCarriesTheKeyTheBodyAndAnIdempotencyKeyOfItsOwn(t *testing.T) {
	client, all := standIn(t, Options{}, accepted)
	for _, key := range []string{"", "", "order-17"} {
		sent, err := client.SendNotification(ctx, notification, key)
		want(t, err, nil)
		want(t, sent.ID, "a")
	}
	first := (*all)[0]
	want(t, []string{first.method, first.path, first.header.Get("authorization"), first.header.Get("content-type")},
		[]string{"POST", "/v1/notifications", "Bearer " + testKey, "application/json"})
	want(t, first.body, `{"target":{"externalIds":["customer-7"]},"content":{"default":"en","locales":{"en":{"title":"Shipped","body":"It arrives today"}}}}`)
	keyOf := func(n int) string { return (*all)[n].header.Get("idempotency-key") }
	want(t, regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`).MatchString(keyOf(0)), true)
	want(t, keyOf(0) != keyOf(1), true)
	want(t, keyOf(2), "order-17")
}

func TestASendWhoseAnswerIsLostIsRepeatedWithTheSameIdempotencyKeyAndRequestID(t *testing.T) {
	client, all := standIn(t, Options{}, drop, cut, accepted)
	_, err := client.SendNotification(ctx, notification, "")
	want(t, err, nil)
	want(t, len(*all), 3)
	for _, name := range []string{"idempotency-key", "x-request-id"} {
		want(t, (*all)[1].header.Get(name), (*all)[0].header.Get(name))
		want(t, (*all)[2].header.Get(name), (*all)[0].header.Get(name))
	}
}

func TestARequestIsSentAgainAfterATemporaryFailureAndWhenNoTryIsLeftTheLastFailureIsGiven(t *testing.T) {
	client, all := standIn(t, Options{}, refusal("rate_limited", 429), refusal("queue_unavailable", 503),
		answer(200, WebPushKey{"BPk"}), refusal("database_unavailable", 503))
	key, err := client.ReadWebPushKey(ctx)
	want(t, err, nil)
	want(t, key.PublicKey, "BPk")
	_, err = client.ReadWebPushKey(ctx)
	wantCode(t, err, "database_unavailable", 503)
	want(t, len(*all), 6)
}

func TestAPostThatHeraldIsStillProcessingUnderTheSameKeyIsSentAgain(t *testing.T) {
	client, _ := standIn(t, Options{}, refusal("idempotency_in_progress", 409), answer(201, Drafted{"a", "draft"}))
	draft, err := client.CreateCampaign(ctx, CreateCampaignBody{Name: "Spring"}, "")
	want(t, err, nil)
	want(t, draft.ID, "a")
}

func TestAPostThatCouldHaveAnEffectTwiceIsNotRepeated(t *testing.T) {
	client, all := standIn(t, Options{}, drop)
	for _, call := range []func() error{
		func() error { _, err := client.CancelCampaign(ctx, "a"); return err },
		func() error { _, err := client.PickWinner(ctx, "a", PickWinnerBody{"b"}); return err },
		func() error { _, err := client.CreateSegment(ctx, SaveSegment{Name: "a"}); return err },
		func() error { _, err := client.CreateTemplate(ctx, SaveTemplate{Name: "a"}); return err },
		func() error { _, err := client.LogoutSubscription(ctx, "a"); return err },
		func() error { _, err := client.RotateSubscription(ctx, RotateSubscriptionBody{}); return err },
	} {
		wantCode(t, call(), "network_error", 0)
	}
	want(t, len(*all), 6)
}

func TestTheClientWaitsAsLongAsRetryAfterSaysAndFailsWhenThatIsMoreThanAMinute(t *testing.T) {
	client, all := standIn(t, Options{}, limited("1"), answer(200, WebPushKey{}), limited("90"))
	began := time.Now()
	_, err := client.ReadWebPushKey(ctx)
	want(t, err, nil)
	want(t, time.Since(began) >= time.Second, true)
	_, err = client.ReadWebPushKey(ctx)
	want(t, *wantCode(t, err, "rate_limited", 429).RetryAfter, 90)
	want(t, len(*all), 3)
}

func TestWhenTheAnswerToSendingACampaignIsLostTheNextTryGivesTheStatusOfTheCampaign(t *testing.T) {
	client, all := standIn(t, Options{}, drop, refusal("invalid_state", 409), answer(200, CampaignStats{ID: "a", Status: "sending"}))
	started, err := client.SendCampaign(ctx, "a")
	want(t, err, nil)
	want(t, started.Status, "sending")
	want(t, (*all)[2].path, "/v1/campaigns/a/stats")

	client, _ = standIn(t, Options{}, refusal("invalid_state", 409))
	_, err = client.SendCampaign(ctx, "a")
	wantCode(t, err, "invalid_state", 409)
}

func TestADeletionWhoseAnswerWasLostSucceedsWhenTheNextTryIsAnswered404(t *testing.T) {
	client, all := standIn(t, Options{}, drop, refusal("not_found", 404))
	want(t, client.DeleteUserByExternalID(ctx, "customer/7 é"), nil)
	want(t, (*all)[0].path, "/v1/users/by-external-id/customer%2F7%20%C3%A9")
	wantCode(t, client.DeleteUser(ctx, "a"), "not_found", 404)
}

func TestATryEndsAfterItsLimitACallAfterTheLimitOfAllTriesAndBothWithTheContext(t *testing.T) {
	client, all := standIn(t, Options{Timeout: 50 * time.Millisecond, Retries: Of(1)}, hang)
	_, err := client.ReadWebPushKey(ctx)
	wantCode(t, err, "timeout", 0)
	want(t, len(*all), 2)

	client, _ = standIn(t, Options{TotalTimeout: 60 * time.Millisecond}, hang)
	_, err = client.ReadWebPushKey(ctx)
	wantCode(t, err, "timeout", 0)

	for _, next := range []step{hang, limited("20")} {
		client, _ = standIn(t, Options{}, next)
		short, cancel := context.WithTimeout(ctx, 60*time.Millisecond)
		defer cancel()
		_, err = client.ReadWebPushKey(short)
		want(t, err, context.DeadlineExceeded)
	}
}

// spec: identity/register-spares
func TestADeviceWhoseZoneHeraldRefusesIsRegisteredWithoutItAndOneWhoseTokenIsRefusedIsNot(t *testing.T) {
	client, all := standIn(t, Options{}, refusal("invalid_body", 422, "timezone"), answer(200, Registered{ID: "d"}), refusal("invalid_body", 422, "timezone", "token"))
	phone := RegisterSubscriptionBody{Platform: "android", Token: "a", Language: "!", Timezone: "GMT-06:00"}
	device, err := client.RegisterSubscription(ctx, phone)
	want(t, err, nil)
	want(t, device.ID, "d")
	want(t, (*all)[1].body, `{"platform":"android","token":"a","language":"!"}`)
	_, err = client.RegisterSubscription(ctx, phone)
	wantCode(t, err, "invalid_body", 422)
	want(t, len(*all), 3)
}

func TestAListIsAskedForWithTheCursorAndWithoutWhatWasNotGiven(t *testing.T) {
	client, all := standIn(t, Options{}, answer(200, SegmentList{}))
	_, err := client.ListSegments(ctx, ListQuery{Q: "v ip", Cursor: "a&b"})
	want(t, err, nil)
	want(t, (*all)[0].path, "/v1/segments?cursor=a%26b&q=v+ip")
}

func TestSettledWaitsUntilACampaignHasEndedOrTheContextIsOver(t *testing.T) {
	client, _ := standIn(t, Options{}, answer(200, CampaignStats{Status: "sending"}), answer(200, CampaignStats{Status: "sent"}), answer(200, CampaignStats{Status: "sending"}))
	stats, err := client.Settled(ctx, "a")
	want(t, err, nil)
	want(t, stats.Status, "sent")
	short, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
	defer cancel()
	_, err = client.Settled(short, "a")
	want(t, err, context.DeadlineExceeded)
}

func TestAnErrorContainsItsCodeTheWrongFieldsAndTheRequestIDAndNoKey(t *testing.T) {
	client, all := standIn(t, Options{}, refusal("invalid_body", 422, "content.en.title"))
	_, err := client.SendNotification(ctx, notification, "")
	failed := wantCode(t, err, "invalid_body", 422)
	want(t, []string{failed.At("content.en.title"), failed.At("target")}, []string{"no", ""})
	want(t, failed.RequestID, (*all)[0].header.Get("x-request-id"))
	shown := fmt.Sprintf("%v %+v", failed, *failed)
	want(t, strings.Contains(shown, testKey) || strings.Contains(shown, "Shipped"), false)
}

func TestAPageOfAProxyAndARedirectAreErrorsWithTheCodeInvalidAnswer(t *testing.T) {
	client, all := standIn(t, Options{}, answer(502, "<h1>Bad gateway</h1>"), answer(200, "<p>Hello</p>"), answer(308, "", "location", "https://elsewhere.example/"))
	for _, status := range []int{200, 308} {
		_, err := client.ReadWebPushKey(ctx)
		wantCode(t, err, "invalid_answer", status)
	}
	want(t, len(*all), 3)
}

func TestOptionsThatCannotBeRightAreRefusedAndNoMessageShowsTheKey(t *testing.T) {
	for _, options := range []Options{
		{BaseURL: "push.example.com", Key: testKey},
		{BaseURL: "ftp://push.example.com", Key: testKey},
		{BaseURL: "http://push.example.com", Key: testKey},
		{BaseURL: "https://user:word@push.example.com", Key: testKey},
		{BaseURL: "https://push.example.com/?a", Key: testKey},
		{BaseURL: "https://push.example.com"},
		{BaseURL: "https://push.example.com", Key: "pk_live_a"},
		{BaseURL: "https://push.example.com", Key: testKey + "\n"},
		{BaseURL: "https://push.example.com", Key: testKey, Retries: Of(11)},
		{BaseURL: "https://push.example.com", Key: testKey, Timeout: -1},
	} {
		client, err := New(options)
		if client != nil || err == nil || strings.Contains(err.Error(), "secretsecret") {
			t.Errorf("%s: %v", options.BaseURL, err)
		}
	}
}

func TestPlainHTTPIsAcceptedForThisMachineAndElsewhereWhenItIsAllowed(t *testing.T) {
	for _, baseURL := range []string{"http://localhost:3000", "http://127.0.0.1", "http://[::1]:8080", "https://push.example.com/herald/"} {
		_, err := New(Options{BaseURL: baseURL, Key: testKey})
		want(t, err, nil)
	}
	inside := Options{BaseURL: "http://herald.internal", Key: testKey, AllowHTTP: true}
	_, err := New(inside)
	want(t, err, nil)
	t.Setenv("HERALD_ALLOW_HTTP", "1")
	inside.AllowHTTP = false
	_, err = New(inside)
	want(t, err, nil)
}

func TestRetryAfterIsReadInAllItsFormsAndNoOtherTextIsHeeded(t *testing.T) {
	now := time.Date(2026, 6, 15, 12, 0, 0, 0, time.UTC)
	for header, seconds := range map[string]int{
		"0": 0, "90": 90, "99999999999": 2147483647,
		"Mon, 15 Jun 2026 12:00:30 GMT": 30, "Monday, 15-Jun-26 12:00:30 GMT": 30, "Mon Jun 15 12:00:30 2026": 30, "Mon, 15 Jun 2026 11:00:00 GMT": 0,
	} {
		if got := secondsOf(header, now); got == nil || *got != seconds {
			t.Errorf("%s: expected %d, got %v", header, seconds, got)
		}
	}
	for _, header := range []string{
		"Wed, 31 Feb 2027 12:00:00 GMT", "Wednesday, 31-Feb-27 12:00:00 GMT", "Wed Feb 31 12:00:00 2027", "", "-5", "+5", "1.5", "1e3", "0x10", "5 s", "soon",
		"2026-06-15T12:00:30Z", "Foo, 99 Bar 2026 12:00:00 GMT",
	} {
		if got := secondsOf(header, now); got != nil {
			t.Errorf("%s: got %d", header, *got)
		}
	}
}

func TestTheClientNeverWaitsShorterThanItWouldByItselfNorShorterThanHeraldAsksFor(t *testing.T) {
	for _, one := range []struct {
		attempt int
		asked   *int
		delay   time.Duration
		ok      bool
	}{{3, nil, 2 * time.Second, true}, {3, Of(1), 2 * time.Second, true}, {3, Of(5), 5 * time.Second, true}, {3, Of(61), 0, false}, {9, nil, 8 * time.Second, true}} {
		delay, ok := delayAfter(one.attempt, one.asked, 1)
		want(t, []any{delay, ok}, []any{one.delay, one.ok})
	}
}

func TestAFieldOfAnotherTypeInAnAnswerOfANewerHeraldStaysEmpty(t *testing.T) {
	client, _ := standIn(t, Options{}, answer(202, `{"id":"a","status":{"name":"sending"}}`))
	sent, err := client.SendNotification(ctx, notification, "")
	want(t, err, nil)
	want(t, *sent, Accepted{ID: "a"})
}
