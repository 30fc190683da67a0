// Package herald sends notifications with Herald from a backend, waits for what becomes of them, and verifies webhooks.
package herald

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

// Version is the client's version, which it sends with each request.
const Version = "0.2.0"

const (
	firstDelay        = 500 * time.Millisecond
	longestDelay      = 8 * time.Second
	longestRetryAfter = 60
	firstLook         = 200 * time.Millisecond
	longestLook       = 2 * time.Second
)

// Options say how a client works. Only BaseURL and Key are needed.
type Options struct {
	// BaseURL is the address of Herald, such as https://push.example.com. Plain http is accepted for this machine.
	BaseURL string
	// Key is a secret key, sk_live_…
	Key string
	// AllowHTTP accepts plain http inside your own network, as HERALD_ALLOW_HTTP=1 does.
	AllowHTTP bool
	// Retries is how often a request is sent again after a temporary failure: 2 when nil, at most 10.
	Retries *int
	// Timeout is the limit of one try, 10 s when 0; TotalTimeout of a call with all its tries and pauses, 30 s when 0.
	Timeout, TotalTimeout time.Duration
	// HTTPClient is for a proxy or certificates of your own. Its Timeout and CheckRedirect are not used.
	HTTPClient *http.Client
}

// Client calls Herald's API for an app's backend. One per process is enough; goroutines may share it.
type Client struct {
	baseURL, key          string
	retries               int
	timeout, totalTimeout time.Duration
	http                  *http.Client
}

// New makes a client. It fails for options that cannot be right, such as a public key.
func New(options Options) (*Client, error) {
	baseURL, err := readBaseURL(options.BaseURL, options.AllowHTTP || os.Getenv("HERALD_ALLOW_HTTP") == "1")
	if err != nil {
		return nil, err
	}
	if err := checkKey(options.Key); err != nil {
		return nil, err
	}
	c := &Client{baseURL: baseURL, key: options.Key, retries: 2, timeout: options.Timeout, totalTimeout: options.TotalTimeout}
	if options.Retries != nil {
		c.retries = *options.Retries
	}
	if c.timeout == 0 {
		c.timeout = 10 * time.Second
	}
	if c.totalTimeout == 0 {
		c.totalTimeout = 30 * time.Second
	}
	if c.retries < 0 || c.retries > 10 || c.timeout < 0 || c.totalTimeout < 0 {
		return nil, errors.New("herald: Retries must be from 0 to 10, and Timeout and TotalTimeout above 0")
	}
	own := http.Client{}
	if options.HTTPClient != nil {
		own = *options.HTTPClient
	}
	own.Timeout = 0
	// A redirect is not followed: that would give the key and the body to another address.
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c.http = &own
	return c, nil
}

// Of gives a pointer to a value, for optional fields: herald.Of(false).
func Of[T any](value T) *T { return &value }

// Call has the parts of a request that are not its method or its path.
type Call struct {
	// Body is sent as JSON.
	Body  any
	Query url.Values
	// IdempotencyKey lets Herald carry out only one of several POST requests with this key within 24 hours.
	IdempotencyKey string
	// Repeatable lets the client send a POST again that has no idempotency key. Other methods are always repeatable.
	Repeatable bool

	recover func(*Error) (answer any, ok bool)
}

// ListQuery says what to list: Q is the beginning of a name, Cursor the NextCursor of the page before.
type ListQuery struct {
	Q, Cursor string
	Limit     int
}

func (query ListQuery) values() url.Values {
	values := url.Values{}
	if query.Q != "" {
		values.Set("q", query.Q)
	}
	if query.Cursor != "" {
		values.Set("cursor", query.Cursor)
	}
	if query.Limit != 0 {
		values.Set("limit", strconv.Itoa(query.Limit))
	}
	return values
}

// Request calls any operation of the API and reads its answer into answer, which may be nil. It fails with an *Error, or
// with the context's error.
func (c *Client) Request(ctx context.Context, method, path string, call Call, answer any) error {
	content, err := contentOf(call.Body)
	if err != nil {
		return err
	}
	address := c.baseURL + path
	if asked := call.Query.Encode(); asked != "" {
		address += "?" + asked
	}
	requestID := newID()
	isRepeatable := method != http.MethodPost || call.IdempotencyKey != "" || call.Repeatable
	endsAt := time.Now().Add(c.totalTimeout)
	isInDoubt := false
	for attempt := 1; ; attempt++ {
		limit := time.Until(endsAt)
		if limit > c.timeout {
			limit = c.timeout
		}
		text, failed := c.attempt(ctx, method, address, content, call.IdempotencyKey, requestID, limit)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if failed == nil {
			if failed = read(text, answer, requestID); failed == nil {
				return nil
			}
		}
		if isInDoubt && method == http.MethodDelete && failed.Code == "not_found" {
			return nil
		}
		if isInDoubt && call.recover != nil {
			if recovered, ok := call.recover(failed); ok {
				text, _ := json.Marshal(recovered)
				return json.Unmarshal(text, answer)
			}
		}
		isInDoubt = isInDoubt || mayHaveHappened(failed)
		delay, ok := delayAfter(attempt, failed.RetryAfter, mathrand.Float64())
		if !isRepeatable || attempt > c.retries || !isTemporary(failed) || !ok || !time.Now().Add(delay).Before(endsAt) {
			return failed
		}
		if err := pause(ctx, delay); err != nil {
			return err
		}
	}
}

// attempt sends the request once, and gives the body of its answer.
func (c *Client) attempt(ctx context.Context, method, address string, content []byte, idempotencyKey, requestID string, limit time.Duration) ([]byte, *Error) {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	request, err := http.NewRequestWithContext(limited, method, address, bytes.NewReader(content))
	if err != nil {
		return nil, &Error{Code: "network_error", Message: "The request could not be made.", RequestID: requestID}
	}
	request.Header.Set("accept", "application/json")
	request.Header.Set("authorization", "Bearer "+c.key)
	request.Header.Set("user-agent", "herald-go/"+Version)
	request.Header.Set("x-request-id", requestID)
	if content != nil {
		request.Header.Set("content-type", "application/json")
	}
	if idempotencyKey != "" {
		request.Header.Set("idempotency-key", idempotencyKey)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, noAnswer(limited, limit, requestID, err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, noAnswer(limited, limit, requestID, err)
	}
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return nil, errorOfAnswer(response.StatusCode, response.Header, text, requestID)
	}
	return text, nil
}

func noAnswer(limited context.Context, limit time.Duration, requestID string, cause error) *Error {
	if errors.Is(limited.Err(), context.DeadlineExceeded) {
		return &Error{Code: "timeout", Message: fmt.Sprintf("No answer within %v.", limit), RequestID: requestID}
	}
	message := "Herald could not be reached, or the connection broke before its answer was complete."
	return &Error{Code: "network_error", Message: message, RequestID: requestID, cause: cause}
}

func contentOf(body any) ([]byte, error) {
	if body == nil {
		return nil, nil
	}
	content, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("herald: the body cannot be written as JSON: %T", err)
	}
	return content, nil
}

// read reads an answer. A field of another type than this version knows stays empty, because a newer Herald may have changed it.
func read(text []byte, answer any, requestID string) *Error {
	if len(text) == 0 || answer == nil {
		return nil
	}
	var other *json.UnmarshalTypeError
	if err := json.Unmarshal(text, answer); err == nil || errors.As(err, &other) {
		return nil
	}
	message := "The answer is not JSON. Is BaseURL the address of Herald itself, and not of a page before it?"
	return &Error{Code: "invalid_answer", Status: 200, Message: message, RequestID: requestID}
}

func ask[Answer any](ctx context.Context, c *Client, method, path string, call Call) (*Answer, error) {
	answer := new(Answer)
	if err := c.Request(ctx, method, path, call, answer); err != nil {
		return nil, err
	}
	return answer, nil
}

// RegisterSubscription registers a device. When Herald refuses only its language or time zone, the device is registered without it.
func (c *Client) RegisterSubscription(ctx context.Context, body RegisterSubscriptionBody) (*Registered, error) {
	call := Call{Body: body, Repeatable: true}
	registered, err := ask[Registered](ctx, c, "POST", "/v1/subscriptions", call)
	var refused *Error
	if !errors.As(err, &refused) || refused.Status != 422 || len(refused.Details) == 0 {
		return registered, err
	}
	for _, detail := range refused.Details {
		switch detail.Path {
		case "language":
			body.Language = ""
		case "timezone":
			body.Timezone = ""
		default:
			return nil, err
		}
	}
	call.Body = body
	return ask[Registered](ctx, c, "POST", "/v1/subscriptions", call)
}

// SendCampaign sends or schedules a draft. When an answer was lost and the campaign is no draft any more, it gives its status.
func (c *Client) SendCampaign(ctx context.Context, id string) (*Started, error) {
	recover := func(failed *Error) (any, bool) {
		if failed.Code != "invalid_state" {
			return nil, false
		}
		stats, err := c.ReadCampaignStats(ctx, id)
		if err != nil || stats.Status == "draft" {
			return nil, false
		}
		return Started{Status: stats.Status}, true
	}
	return ask[Started](ctx, c, "POST", "/v1/campaigns/"+url.PathEscape(id)+"/send", Call{Repeatable: true, recover: recover})
}

// Settled waits until a campaign is sent, cancelled or failed, and gives its stats. Bound the wait with the context.
func (c *Client) Settled(ctx context.Context, id string) (*CampaignStats, error) {
	for wait := firstLook; ; wait = wait * 3 / 2 {
		stats, err := c.ReadCampaignStats(ctx, id)
		if err != nil || stats.Status == "sent" || stats.Status == "cancelled" || stats.Status == "failed" {
			return stats, err
		}
		if wait > longestLook {
			wait = longestLook
		}
		if err := pause(ctx, wait); err != nil {
			return nil, err
		}
	}
}

func isTemporary(failed *Error) bool {
	switch failed.Status {
	case 429, 502, 503, 504:
		return true
	}
	return failed.Code == "network_error" || failed.Code == "timeout" || failed.Code == "idempotency_in_progress"
}

// mayHaveHappened says whether Herald may have carried out the request although no answer of Herald's came.
func mayHaveHappened(failed *Error) bool {
	return failed.Code == "network_error" || failed.Code == "timeout" || failed.Code == "invalid_answer"
}

// delayAfter gives how long to wait after a try: a random part of a time that doubles, or longer when Herald asks for it.
// Not ok when Herald asks for more than 60 s: then the call fails.
func delayAfter(attempt int, retryAfter *int, random float64) (delay time.Duration, ok bool) {
	longest := longestDelay
	if attempt < 5 {
		longest = firstDelay << (attempt - 1)
	}
	own := time.Duration(random * float64(longest))
	if retryAfter == nil {
		return own, true
	}
	if *retryAfter > longestRetryAfter {
		return 0, false
	}
	if asked := time.Duration(*retryAfter) * time.Second; asked > own {
		return asked, true
	}
	return own, true
}

func pause(ctx context.Context, delay time.Duration) error {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func readBaseURL(text string, isHTTPAllowed bool) (string, error) {
	address, err := url.Parse(text)
	if err != nil || (address.Scheme != "https" && address.Scheme != "http") || address.Hostname() == "" {
		return "", errors.New("herald: BaseURL must be the address of your Herald, such as https://push.example.com")
	}
	if address.User != nil || address.RawQuery != "" || address.ForceQuery || address.Fragment != "" {
		return "", errors.New("herald: BaseURL must be an address alone, without a user, a ? or a #")
	}
	host := address.Hostname()
	isLoopback := host == "localhost" || strings.HasSuffix(host, ".localhost") || net.ParseIP(host).IsLoopback()
	if address.Scheme == "http" && !isHTTPAllowed && !isLoopback {
		return "", fmt.Errorf("herald: BaseURL must begin with https:// (over http the key could be read on its way to %s). Inside your own network: AllowHTTP, or HERALD_ALLOW_HTTP=1", host)
	}
	return strings.TrimRight(address.String(), "/"), nil
}

func checkKey(key string) error {
	switch {
	case key == "":
		return errors.New("herald: Key must be a secret key (sk_live_…). Is the environment variable that holds it set?")
	case strings.HasPrefix(key, "pk_"):
		return errors.New("herald: Key is a public key (pk_…), which is for apps and pages. A backend needs a secret key (sk_live_…)")
	case strings.IndexFunc(key, func(char rune) bool { return char < 0x21 || char > 0x7e }) >= 0:
		return errors.New("herald: Key has a space, a line end or another character that no key has")
	}
	return nil
}

func keyOr(key string) string {
	if key != "" {
		return key
	}
	return newID()
}

// newID gives a random UUID.
func newID() string {
	var random [16]byte
	if _, err := rand.Read(random[:]); err != nil {
		panic(err) // The system has no random numbers.
	}
	random[6], random[8] = random[6]&0x0f|0x40, random[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", random[:4], random[4:6], random[6:8], random[8:10], random[10:])
}
