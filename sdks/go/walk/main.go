// Program walk is run by e2e/clients/walk.ts against a Herald. It prints what it found as a line of JSON, and then, for each
// delivery that it reads from its input, the delivery's id and types or the code of the error.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"log"
	"os"
	"time"

	"herald"
)

func main() {
	var asked struct {
		BaseURL, Proxy, Key, ExternalID string
		Device                          herald.RegisterSubscriptionBody
	}
	must(0, json.Unmarshal([]byte(os.Getenv("WALK")), &asked))
	ctx := context.Background()
	client := must(herald.New(herald.Options{BaseURL: asked.BaseURL, Key: asked.Key}))
	throughProxy := must(herald.New(herald.Options{BaseURL: asked.Proxy, Key: asked.Key, Retries: herald.Of(5)}))
	toCustomer := herald.SendNotificationBody{
		Target:  herald.Target{ExternalIDs: []string{asked.ExternalID}},
		Content: &herald.Content{Default: "en", Locales: map[string]herald.LocaleEntry{"en": {Title: "Shipped", Body: "It arrives today"}}},
	}

	asked.Device.ExternalID, asked.Device.Timezone = asked.ExternalID, "GMT-06:00"
	device := must(client.RegisterSubscription(ctx, asked.Device))
	first := must(client.SendNotification(ctx, toCustomer, "order-17"))
	second := must(client.SendNotification(ctx, toCustomer, "order-17"))
	settled := must(client.Settled(ctx, first.ID))
	blank := toCustomer
	blank.Content = &herald.Content{Default: "en", Locales: map[string]herald.LocaleEntry{"en": {Title: " ", Body: "b"}}}
	_, err := client.SendNotification(ctx, blank, "")
	var refused *herald.Error
	if !errors.As(err, &refused) {
		log.Fatal(err)
	}
	lost := must(throughProxy.SendNotification(ctx, toCustomer, ""))
	must(client.ChangeUserByExternalID(ctx, asked.ExternalID, herald.UserChanges{Tags: herald.TagChanges{"plan": "pro"}}))
	user := must(client.ReadUserByExternalID(ctx, asked.ExternalID))
	devices := []string{}
	for _, one := range user.Subscriptions {
		devices = append(devices, one.ID)
	}
	isPro := herald.Segment{And: []herald.SegmentNode{{Field: "tags.plan", Op: "eq", Value: "pro"}}}
	segment := must(client.CreateSegment(ctx, herald.SaveSegment{Name: "Pro", Definition: isPro}))
	names := []string{}
	for _, one := range must(client.ListSegments(ctx, herald.ListQuery{Q: "P"})).Segments {
		names = append(names, one.Name)
	}

	out := json.NewEncoder(os.Stdout)
	out.Encode(map[string]any{
		"device":        device.ID,
		"ids":           []string{first.ID, second.ID},
		"status":        settled.Status,
		"sent":          settled.Stats.Sent,
		"refused":       map[string]any{"code": refused.Code, "status": refused.Status, "message": refused.At("content.locales.en.title"), "requestId": refused.RequestID},
		"lost":          lost.ID,
		"user":          map[string]any{"tags": user.Tags, "devices": devices},
		"segments":      names,
		"count":         must(client.CountSegment(ctx, segment.ID)).Count,
		"identityToken": must(herald.IdentityToken("identity secret", asked.ExternalID, time.Hour)),
	})
	must(0, client.DeleteSegment(ctx, segment.ID))

	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var given struct{ Body, Header, Secret string }
		must(0, json.Unmarshal(lines.Bytes(), &given))
		delivery, err := herald.VerifyWebhook([]byte(given.Body), given.Header, []string{"whsec_old", given.Secret})
		if errors.As(err, &refused) {
			out.Encode(map[string]any{"code": refused.Code})
			continue
		}
		types := []string{}
		for _, event := range must(delivery, err).Events {
			types = append(types, event.Type)
		}
		out.Encode(map[string]any{"id": delivery.ID, "types": types})
	}
}

func must[Value any](value Value, err error) Value {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
