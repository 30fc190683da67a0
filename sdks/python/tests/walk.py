"""A program that e2e/clients/walk.ts runs against a Herald. It prints what it found as a line of JSON, and then, for each
delivery that it reads from its input, the delivery's id and types or the code of the error."""

import json
import os
import sys

from herald import Herald, HeraldError, identity_token, webhooks

asked = json.loads(os.environ["WALK"])
herald = Herald(asked["baseUrl"], asked["key"])
content = {"default": "en", "locales": {"en": {"title": "Shipped", "body": "It arrives today"}}}
to_customer = {"target": {"externalIds": [asked["externalId"]]}, "content": content}

device = herald.register_subscription({**asked["device"], "externalId": asked["externalId"], "timezone": "GMT-06:00"})
first = herald.send_notification(to_customer, idempotency_key="order-17")
second = herald.send_notification(to_customer, idempotency_key="order-17")
settled = herald.settled(first["id"])
try:
    herald.send_notification({"target": to_customer["target"], "content": {"_default": "en", "en": {"title": " ", "body": "b"}}})
    refused = None
except HeraldError as error:
    refused = {"code": error.code, "status": error.status, "message": error.at("content.en.title"), "requestId": error.request_id}
through_proxy = Herald(asked["proxy"], asked["key"], retries=5)
lost = through_proxy.send_notification(to_customer)
herald.change_user_by_external_id(asked["externalId"], {"tags": {"plan": "pro"}})
user = herald.read_user_by_external_id(asked["externalId"])
segment = herald.create_segment({"name": "Pro", "definition": {"and": [{"field": "tags.plan", "op": "eq", "value": "pro"}]}})
print(
    json.dumps(
        {
            "device": device["id"],
            "ids": [first["id"], second["id"]],
            "status": settled["status"],
            "sent": settled["stats"]["sent"],
            "refused": refused,
            "lost": lost["id"],
            "user": {"tags": user["tags"], "devices": [one["id"] for one in user["subscriptions"]]},
            "segments": [one["name"] for one in herald.list_segments(q="P")["segments"]],
            "count": herald.count_segment(segment["id"])["count"],
            "identityToken": identity_token("identity secret", asked["externalId"]),
        }
    ),
    flush=True,
)
herald.delete_segment(segment["id"])

for line in sys.stdin:
    given = json.loads(line)
    try:
        delivery = webhooks.verify(given["body"], given["header"], ["whsec_old", given["secret"]])
        print(json.dumps({"id": delivery["id"], "types": [event["type"] for event in delivery["events"]]}), flush=True)
    except HeraldError as error:
        print(json.dumps({"code": error.code}), flush=True)
