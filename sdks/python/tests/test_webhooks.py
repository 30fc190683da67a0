import json
import unittest
from pathlib import Path

from herald import HeraldError, identity_token, webhooks

VECTORS = Path(__file__).parents[2] / "node/src/testing/signature-vectors.json"
BODY = '{"id":"dlv_1","events":[]}'


class Webhooks(unittest.TestCase):
    def test_each_example_signature_gets_the_answer_that_every_client_must_give(self):
        vectors = json.loads(VECTORS.read_text("utf-8"))
        self.assertGreater(len(vectors), 40)
        for vector in vectors:
            for body in (vector["body"], vector["body"].encode()):
                try:
                    webhooks.verify(body, vector["header"], vector["secrets"], now=vector["now"])
                    answer = "ok"
                except HeraldError as error:
                    answer = error.code
                    self.assertEqual(error.status, 400)
                with self.subTest(vector["name"]):
                    self.assertEqual(answer, vector["answer"])

    def test_a_body_that_sign_signed_is_verified_and_a_signed_body_that_is_no_delivery_is_malformed(self):
        self.assertEqual(webhooks.verify(BODY, webhooks.sign(BODY, "a"), ["b", "a"]), {"id": "dlv_1", "events": []})
        for body in ("", "[]", "null", '{"id":1,"events":[]}', '{"id":"a"}'):
            with self.subTest(body), self.assertRaises(HeraldError) as raised:
                webhooks.verify(body, webhooks.sign(body, "a"), "a")
            self.assertEqual(raised.exception.code, "malformed")

    def test_wrong_use_is_a_type_or_value_error_that_says_what_is_needed(self):
        with self.assertRaisesRegex(TypeError, "as it came"):
            webhooks.verify({"id": "a"}, webhooks.sign(BODY, "a"), "a")
        for secrets in ("", [], [""], ["a", "b", "c", "d"], None):
            with self.subTest(secrets), self.assertRaisesRegex(ValueError, "whsec_"):
                webhooks.verify(BODY, webhooks.sign(BODY, "a"), secrets)


class IdentityTokens(unittest.TestCase):
    def test_an_identity_token_needs_a_secret_a_user_and_at_most_an_hour(self):
        self.assertEqual(identity_token("secret", "ann", now=0).count("."), 2)
        for secret, external_id, expires_in in (("", "a", 600), ("a", "", 600), ("a", "b", 0), ("a", "b", 3601)):
            with self.subTest(expires_in=expires_in), self.assertRaises(ValueError):
                identity_token(secret, external_id, expires_in=expires_in)
