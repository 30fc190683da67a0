import json
import os
import time
import unittest
from datetime import datetime, timezone
from unittest import mock

from herald import Herald, HeraldError
from herald import client as rules
from herald.errors import seconds_of
from stand_in import StandIn, error

KEY = "sk_live_0123456789abcdef01234567_secretsecretsecret"
TEXT = {"_default": "en", "en": {"title": "Shipped", "body": "It arrives today"}}
NOTIFICATION = {"target": {"externalIds": ["customer-7"]}, "content": TEXT}
ACCEPTED = {"id": "a", "status": "sending"}


def open_client(server, **options):
    return Herald(f"{server.url}/", KEY, **options)


class Requests(unittest.TestCase):
    def test_a_send_carries_the_key_the_body_and_an_idempotency_key_of_its_own(self):
        with StandIn((202, ACCEPTED)) as server:
            herald = open_client(server)
            self.assertEqual(herald.send_notification(NOTIFICATION), ACCEPTED)
            herald.send_notification(NOTIFICATION)
            herald.send_notification(NOTIFICATION, idempotency_key="order-17")
        first, second, third = server.heard
        self.assertEqual([first["method"], first["path"]], ["POST", "/v1/notifications"])
        self.assertEqual(json.loads(first["body"]), NOTIFICATION)
        self.assertEqual(first["headers"]["authorization"], f"Bearer {KEY}")
        self.assertEqual(first["headers"]["content-type"], "application/json")
        self.assertRegex(first["headers"]["idempotency-key"], "^[0-9a-f-]{36}$")
        self.assertNotEqual(first["headers"]["idempotency-key"], second["headers"]["idempotency-key"])
        self.assertEqual(third["headers"]["idempotency-key"], "order-17")

    def test_a_send_whose_answer_is_lost_is_repeated_with_the_same_idempotency_key_and_request_id(self):
        with StandIn("drop", (200, "cut"), (202, ACCEPTED)) as server:
            self.assertEqual(open_client(server).send_notification(NOTIFICATION), ACCEPTED)
        self.assertEqual(len(server.heard), 3)
        for header in ("idempotency-key", "x-request-id"):
            self.assertEqual(len({one["headers"][header] for one in server.heard}), 1)

    def test_a_request_is_sent_again_after_a_temporary_failure_and_when_no_try_is_left_the_last_failure_is_raised(self):
        steps = [error("rate_limited", 429), error("queue_unavailable", 503), (200, {"publicKey": "BPk"}), error("database_unavailable", 503)]
        with StandIn(*steps) as server:
            herald = open_client(server)
            self.assertEqual(herald.read_web_push_key(), {"publicKey": "BPk"})
            with self.assertRaises(HeraldError) as raised:
                herald.read_web_push_key(retries=1)
        self.assertEqual([raised.exception.code, raised.exception.status], ["database_unavailable", 503])
        self.assertEqual(len(server.heard), 5)

    def test_a_post_that_herald_is_still_processing_under_the_same_key_is_sent_again(self):
        with StandIn(error("idempotency_in_progress", 409), (201, {"id": "a", "status": "draft"})) as server:
            self.assertEqual(open_client(server).create_campaign({"name": "Spring"})["id"], "a")

    def test_a_post_that_could_have_an_effect_twice_is_not_repeated(self):
        with StandIn("drop") as server:
            herald = open_client(server)
            for call in (
                lambda: herald.cancel_campaign("a"),
                lambda: herald.pick_winner("a", {"variant": "b"}),
                lambda: herald.create_segment({"name": "a", "definition": {}}),
                lambda: herald.create_template({"name": "a", "content": TEXT}),
                lambda: herald.logout_subscription("a"),
                lambda: herald.rotate_subscription({"old": "a", "new": {"endpoint": "b", "keys": {"p256dh": "c", "auth": "d"}}}),
            ):
                with self.assertRaises(HeraldError) as raised:
                    call()
                self.assertEqual([raised.exception.code, raised.exception.status], ["network_error", 0])
        self.assertEqual(len(server.heard), 6)

    def test_the_client_waits_as_long_as_retry_after_says_and_fails_when_that_is_more_than_a_minute(self):
        steps = [error("rate_limited", 429, {"retry-after": "1"}), (200, {}), error("rate_limited", 429, {"retry-after": "90"})]
        with StandIn(*steps) as server:
            herald = open_client(server)
            began = time.monotonic()
            herald.read_web_push_key()
            self.assertGreaterEqual(time.monotonic() - began, 1)
            with self.assertRaises(HeraldError) as raised:
                herald.read_web_push_key()
        self.assertEqual(raised.exception.retry_after, 90)
        self.assertEqual(len(server.heard), 3)

    def test_when_the_answer_to_sending_a_campaign_is_lost_the_next_try_gives_the_status_of_the_campaign(self):
        with StandIn("drop", error("invalid_state", 409), (200, {"id": "a", "status": "sending"})) as server:
            self.assertEqual(open_client(server).send_campaign("a"), {"status": "sending"})
        self.assertEqual([one["path"] for one in server.heard], ["/v1/campaigns/a/send"] * 2 + ["/v1/campaigns/a/stats"])

    def test_sending_a_campaign_that_cannot_be_sent_raises_invalid_state(self):
        with StandIn(error("invalid_state", 409)) as server:
            with self.assertRaises(HeraldError) as raised:
                open_client(server).send_campaign("a")
        self.assertEqual(raised.exception.code, "invalid_state")

    def test_a_deletion_whose_answer_was_lost_succeeds_when_the_next_try_is_answered_404(self):
        with StandIn("drop", error("not_found", 404)) as server:
            herald = open_client(server)
            self.assertIsNone(herald.delete_user_by_external_id("customer/7 é"))
            self.assertEqual(server.heard[0]["path"], "/v1/users/by-external-id/customer%2F7%20%C3%A9")
            with self.assertRaises(HeraldError):
                herald.delete_user("a")

    def test_a_try_without_an_answer_ends_after_its_limit_and_a_call_after_the_limit_of_all_tries(self):
        with StandIn("hang") as server:
            herald = open_client(server)
            with self.assertRaises(HeraldError) as late:
                herald.read_web_push_key(timeout=0.5, retries=1)
            self.assertEqual([late.exception.code, late.exception.status, len(server.heard)], ["timeout", 0, 2])
            with self.assertRaises(HeraldError) as over:
                herald.read_web_push_key(timeout=10, total_timeout=0.06)
            self.assertEqual(over.exception.code, "timeout")

    # spec: identity/register-spares
    def test_a_device_whose_zone_herald_refuses_is_registered_without_it_and_one_whose_token_is_refused_is_not(self):
        refusal = lambda *paths: error("invalid_body", 422, None, [{"path": path, "message": "no"} for path in paths])
        phone = {"platform": "android", "token": "a", "language": "!", "timezone": "GMT-06:00"}
        with StandIn(refusal("timezone"), (200, {"id": "d"}), refusal("timezone", "token")) as server:
            herald = open_client(server)
            self.assertEqual(herald.register_subscription(phone), {"id": "d"})
            self.assertEqual(json.loads(server.heard[1]["body"]), {name: phone[name] for name in ("platform", "token", "language")})
            with self.assertRaises(HeraldError):
                herald.register_subscription(phone)
        self.assertEqual(len(server.heard), 3)

    def test_a_list_is_asked_for_with_the_cursor_and_without_what_was_not_given(self):
        with StandIn((200, {"segments": [], "nextCursor": None})) as server:
            open_client(server).list_segments(q="v ip", cursor="a&b")
        self.assertEqual(server.heard[0]["path"], "/v1/segments?q=v+ip&cursor=a%26b")

    def test_settled_waits_until_a_campaign_has_ended_and_fails_when_that_takes_too_long(self):
        with StandIn((200, {"status": "sending"}), (200, {"status": "sent", "stats": {"sent": 1}}), (200, {"status": "sending"})) as server:
            herald = open_client(server)
            self.assertEqual(herald.settled("a")["stats"], {"sent": 1})
            with self.assertRaises(HeraldError) as raised:
                herald.settled("a", within=0.1)
        self.assertEqual(raised.exception.code, "timeout")


class Errors(unittest.TestCase):
    def test_an_error_contains_its_code_the_wrong_fields_and_the_request_id_and_no_key(self):
        details = [{"path": "content.en.title", "message": "must not be blank"}]
        with StandIn(error("invalid_body", 422, None, details)) as server:
            herald = open_client(server)
            with self.assertRaises(HeraldError) as raised:
                herald.send_notification(NOTIFICATION)
        said = raised.exception
        self.assertEqual([said.code, said.status, said.details], ["invalid_body", 422, details])
        self.assertEqual([said.at("content.en.title"), said.at("target")], ["must not be blank", None])
        self.assertEqual(said.request_id, server.heard[0]["headers"]["x-request-id"])
        for shown in (str(said), repr(said), repr(vars(said)), repr(herald)):
            self.assertNotIn(KEY, shown)
            self.assertNotIn("Shipped", shown)

    def test_a_page_of_a_proxy_and_a_redirect_are_errors_with_the_code_invalid_answer(self):
        with StandIn((502, b"<h1>Bad gateway</h1>"), (200, b"<p>Hello</p>"), (308, b"", {"location": "https://elsewhere.example/"})) as server:
            for status in (200, 308):
                with self.assertRaises(HeraldError) as raised:
                    open_client(server).read_web_push_key()
                self.assertEqual([raised.exception.code, raised.exception.status], ["invalid_answer", status])
        self.assertEqual(len(server.heard), 3)

    def test_options_that_cannot_be_right_are_refused_and_no_message_shows_the_key(self):
        wrong = [
            ("push.example.com", KEY, {}),
            ("ftp://push.example.com", KEY, {}),
            ("http://push.example.com", KEY, {}),
            ("https://user:word@push.example.com", KEY, {}),
            ("https://push.example.com/?a", KEY, {}),
            ("https://push.example.com", "", {}),
            ("https://push.example.com", "pk_live_a", {}),
            ("https://push.example.com", f"{KEY}\n", {}),
            ("https://push.example.com", KEY, {"retries": 11}),
            ("https://push.example.com", KEY, {"timeout": 0}),
        ]
        for base_url, key, options in wrong:
            with self.subTest(base_url=base_url, **options), self.assertRaises(ValueError) as raised:
                Herald(base_url, key, **options)
            self.assertNotIn("secretsecret", str(raised.exception))

    def test_plain_http_is_accepted_for_this_machine_and_elsewhere_when_it_is_allowed(self):
        for base_url in ("http://localhost:3000", "http://127.0.0.1", "http://[::1]:8080", "https://push.example.com/herald/"):
            Herald(base_url, KEY)
        Herald("http://herald.internal", KEY, allow_http=True)
        with mock.patch.dict(os.environ, {"HERALD_ALLOW_HTTP": "1"}):
            Herald("http://herald.internal", KEY)


class Pauses(unittest.TestCase):
    NOW = datetime(2026, 6, 15, 12, tzinfo=timezone.utc)

    def test_retry_after_is_read_in_all_its_forms(self):
        for header, seconds in {
            "0": 0,
            "90": 90,
            "99999999999": 99_999_999_999,
            "Mon, 15 Jun 2026 12:00:30 GMT": 30,
            "Monday, 15-Jun-26 12:00:30 GMT": 30,
            "Mon Jun 15 12:00:30 2026": 30,
            "Mon, 15 Jun 2026 11:00:00 GMT": 0,
        }.items():
            with self.subTest(header):
                self.assertEqual(seconds_of(header, self.NOW), seconds)

    def test_any_other_retry_after_is_not_heeded(self):
        for header in (
            "Wed, 31 Feb 2027 12:00:00 GMT",
            "Wednesday, 31-Feb-27 12:00:00 GMT",
            "Wed Feb 31 12:00:00 2027",
            "",
            "-5",
            "1.5",
            "1e3",
            "0x10",
            "5 s",
            "soon",
            "2026-06-15T12:00:30Z",
            "Foo, 99 Bar 2026 12:00:00 GMT",
        ):
            with self.subTest(header):
                self.assertIsNone(seconds_of(header, self.NOW))

    def test_the_client_never_waits_shorter_than_it_would_by_itself_nor_shorter_than_herald_asks_for(self):
        own = lambda: 1.0
        self.assertEqual(rules.delay_after(3, None, own), 2)
        self.assertEqual([rules.delay_after(3, asked, own) for asked in (0, 1, 5, 61)], [2, 2, 5, None])
        self.assertEqual(rules.delay_after(9, None, own), 8)


if __name__ == "__main__":
    unittest.main()
