package herald

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// SignatureHeader is the header that carries the signature of a delivery.
const SignatureHeader = "x-service-signature"

const (
	mostSecrets    = 3
	mostSignatures = 8
	tolerance      = 300
	// A delivery has at most 100 events and is far below this.
	mostBytes = 2_000_000
)

// VerifyWebhook verifies a delivery and gives its events. When Herald repeats a delivery its ID is the same. body is the body
// as it came; secrets are one secret, or up to 3 during a rotation. The time of the signature may be 300 s from now. It fails
// with an *Error of status 400: malformed, bad_signature, too_old or too_new.
func VerifyWebhook(body []byte, header string, secrets []string) (*WebhookDelivery, error) {
	return verify(body, header, secrets, time.Now())
}

func verify(body []byte, header string, secrets []string, now time.Time) (*WebhookDelivery, error) {
	if err := checkSecrets(secrets); err != nil {
		return nil, err
	}
	signedAt, signatures := readHeader(header)
	if signatures == nil {
		return nil, refused("malformed", "The header "+SignatureHeader+" is missing, or it is not t=<seconds>,v1=<hex>.")
	}
	isTrue := false
	for _, secret := range secrets {
		right := digest(secret, signedAt, body)
		for _, signature := range signatures {
			// Compared in constant time, so that the duration tells an attacker nothing about the right signature.
			isTrue = hmac.Equal(right, signature) || isTrue
		}
	}
	if !isTrue {
		return nil, refused("bad_signature", "The signature was made over another body or with another secret.")
	}
	seconds, _ := strconv.ParseInt(signedAt, 10, 64)
	age := now.Unix() - seconds
	if age > tolerance {
		return nil, refused("too_old", fmt.Sprintf("The signature is %d s old. Is it a replay, or is a clock wrong?", age))
	}
	if age < -tolerance {
		return nil, refused("too_new", fmt.Sprintf("The signature lies %d s ahead. Is a clock wrong?", -age))
	}
	delivery := new(WebhookDelivery)
	var other *json.UnmarshalTypeError
	// A field of another type stays empty: a newer Herald may send events that this version does not know.
	err := json.Unmarshal(body, delivery)
	if (err != nil && !errors.As(err, &other)) || delivery.ID == "" || delivery.Events == nil {
		return nil, refused("malformed", `The body is signed, but it is not a delivery: {"id", "events"}.`)
	}
	return delivery, nil
}

// SignWebhook signs a body as Herald does, for tests of your receiver. It gives the value of the header x-service-signature.
func SignWebhook(body []byte, secret string, now time.Time) string {
	signedAt := strconv.FormatInt(now.Unix(), 10)
	return "t=" + signedAt + ",v1=" + hex.EncodeToString(digest(secret, signedAt, body))
}

// WebhookHandler makes a receiver. It answers 204 when on has ended, 400 to a wrong signature, and 500 when on failed: then
// Herald sends the delivery again. Answer quickly: store the events and work on them later.
func WebhookHandler(secrets []string, on func(*http.Request, *WebhookDelivery) error) (http.Handler, error) {
	if err := checkSecrets(secrets); err != nil {
		return nil, err
	}
	return http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, mostBytes))
		if err != nil {
			response.WriteHeader(http.StatusRequestEntityTooLarge)
			return
		}
		delivery, err := VerifyWebhook(body, request.Header.Get(SignatureHeader), secrets)
		if err != nil {
			log.Print(err)
			response.WriteHeader(http.StatusBadRequest)
			return
		}
		if err := on(request, delivery); err != nil {
			log.Printf("herald: the delivery %s will be sent again: %v", delivery.ID, err)
			response.WriteHeader(http.StatusInternalServerError)
			return
		}
		response.WriteHeader(http.StatusNoContent)
	}), nil
}

func checkSecrets(secrets []string) error {
	isEmpty := false
	for _, secret := range secrets {
		isEmpty = isEmpty || secret == ""
	}
	if isEmpty || len(secrets) == 0 || len(secrets) > mostSecrets {
		return fmt.Errorf("herald: the secret of a webhook (whsec_…), or up to %d of them. Is the environment variable set?", mostSecrets)
	}
	return nil
}

// readHeader gives the time and the signatures. Other parts are ignored, because a newer Herald may add some.
func readHeader(header string) (signedAt string, signatures [][]byte) {
	parts := strings.Split(header, ",")
	if len(parts) > 32 {
		parts = parts[:32]
	}
	times := 0
	for _, part := range parts {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		signature, err := hex.DecodeString(value)
		switch {
		case name == "t":
			signedAt, times = value, times+1
		case name == "v1" && err == nil && len(signature) == sha256.Size && value == strings.ToLower(value) && len(signatures) < mostSignatures:
			signatures = append(signatures, signature)
		}
	}
	if times != 1 || !isDigits(signedAt) || len(signedAt) > 12 {
		return "", nil
	}
	return signedAt, signatures
}

func digest(secret, signedAt string, body []byte) []byte {
	code := hmac.New(sha256.New, []byte(secret))
	code.Write([]byte(signedAt + "."))
	code.Write(body)
	return code.Sum(nil)
}

func refused(code, message string) *Error { return &Error{Code: code, Status: 400, Message: message} }

// IdentityToken makes the token with which a page or mobile app proves who its user is: a JWT, signed with the app's identity
// secret. Give it only to the user who is signed in. It is valid for at most an hour.
func IdentityToken(secret, externalID string, validFor time.Duration) (string, error) {
	if secret == "" || externalID == "" || validFor <= 0 || validFor > time.Hour {
		return "", errors.New("herald: an identity token needs the identity secret, an external id, and a time of at most an hour")
	}
	now := time.Now().Unix()
	claims, err := json.Marshal(map[string]any{"sub": externalID, "iat": now, "exp": now + int64((validFor+time.Second-1)/time.Second)})
	if err != nil {
		return "", err
	}
	signed := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + base64.RawURLEncoding.EncodeToString(claims)
	code := hmac.New(sha256.New, []byte(secret))
	code.Write([]byte(signed))
	return signed + "." + base64.RawURLEncoding.EncodeToString(code.Sum(nil)), nil
}
