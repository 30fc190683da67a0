package herald

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"
)

// Error is a call that Herald refused or did not answer, or a webhook delivery that cannot be trusted. It contains no key,
// no device token and no body of a request, so it may be logged.
type Error struct {
	// Code is one of the API's, or network_error, timeout, invalid_answer, malformed, bad_signature, too_old or too_new.
	Code string
	// Status is 0 when there was no answer, and 400 for a webhook delivery.
	Status  int
	Message string
	Details []Detail
	// RequestID is the id of the request in Herald's log.
	RequestID string
	// RetryAfter is how many seconds Herald asks to wait; nil when it asks for none.
	RetryAfter *int

	cause error
}

// Detail says what is wrong with one field, such as content.en.title.
type Detail struct {
	Path    string `json:"path"`
	Message string `json:"message"`
}

func (e *Error) Error() string { return fmt.Sprintf("herald: %s: %s", e.Code, e.Message) }

// Unwrap gives the error of the connection, where there was one.
func (e *Error) Unwrap() error { return e.cause }

// At gives what is wrong with a field; empty when nothing is.
func (e *Error) At(path string) string {
	for _, detail := range e.Details {
		if detail.Path == path {
			return detail.Message
		}
	}
	return ""
}

// errorOfAnswer makes the error of an answer. One that is not in the form of Herald's errors gets the code invalid_answer.
func errorOfAnswer(status int, header http.Header, text []byte, sentRequestID string) *Error {
	failed := &Error{Status: status, RequestID: header.Get("x-request-id"), RetryAfter: secondsOf(header.Get("retry-after"), time.Now())}
	if failed.RequestID == "" {
		failed.RequestID = sentRequestID
	}
	var said struct {
		Error struct {
			Code    string   `json:"code"`
			Message string   `json:"message"`
			Details []Detail `json:"details"`
		} `json:"error"`
	}
	if err := json.Unmarshal(text, &said); err == nil && said.Error.Code != "" {
		failed.Code, failed.Message, failed.Details = said.Error.Code, said.Error.Message, said.Error.Details
		return failed
	}
	hint := "Something between here and Herald answered."
	if status >= 300 && status < 400 {
		hint = "Give the address that it points to as BaseURL."
	}
	failed.Code, failed.Message = "invalid_answer", fmt.Sprintf("The answer %d is not one of Herald. %s", status, hint)
	return failed
}

// secondsOf reads retry-after as seconds from now: whole seconds or an HTTP date (RFC 9110, 10.2.3); nil for other texts.
func secondsOf(header string, now time.Time) *int {
	if seconds, err := strconv.ParseUint(header, 10, 31); err == nil {
		return Of(int(seconds))
	}
	if len(header) > 0 && len(header) < 20 && isDigits(header) {
		return Of(math.MaxInt32)
	}
	at, err := http.ParseTime(header)
	if err != nil {
		return nil
	}
	return Of(int(math.Max(0, math.Ceil(at.Sub(now).Seconds()))))
}

func isDigits(text string) bool {
	for _, char := range text {
		if char < '0' || char > '9' {
			return false
		}
	}
	return text != ""
}
