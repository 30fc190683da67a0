"""Verifies webhook deliveries, and signs bodies for tests of a receiver."""

from __future__ import annotations

import hmac
import json
import re
import time
from typing import List, Optional, Sequence, Tuple, Union

from .errors import HeraldError
from .operations import WebhookDelivery

SIGNATURE_HEADER = "x-service-signature"
MOST_SECRETS = 3
MOST_SIGNATURES = 8


def verify(
    raw_body: Union[str, bytes],
    header: Optional[str],
    secrets: Union[str, Sequence[str]],
    *,
    tolerance: float = 300,
    now: Optional[float] = None,
) -> WebhookDelivery:
    """Verifies a delivery and gives it: ``{"id", "events"}``. When Herald repeats a delivery, its id is the same.

    ``raw_body`` is the body as it came, before anything parsed it; ``header`` the value of ``x-service-signature``;
    ``secrets`` one secret, or up to 3 during a rotation. ``tolerance`` is how many seconds the time of the signature may
    be from now. Raises HeraldError of status 400: malformed, bad_signature, too_old or too_new.
    """
    body = _bytes_of(raw_body)
    signed_at, signatures = _read_header(header or "")
    is_true = False
    for secret in _read_secrets(secrets):
        right = _digest(secret, signed_at, body)
        for signature in signatures:
            # Compared in constant time, so that the duration tells an attacker nothing about the right signature.
            is_true = hmac.compare_digest(right, signature) or is_true
    if not is_true:
        raise _refused("bad_signature", "The signature was made over another body or with another secret.")
    age = int(time.time() if now is None else now) - int(signed_at)
    if age > tolerance:
        raise _refused("too_old", f"The signature is {age} s old. Is it a replay, or is a clock wrong?")
    if age < -tolerance:
        raise _refused("too_new", f"The signature lies {-age} s ahead. Is a clock wrong?")
    return _read_delivery(body)


def sign(raw_body: Union[str, bytes], secret: str, now: Optional[float] = None) -> str:
    """Signs a body as Herald does, for tests of your receiver. Gives the value of the header ``x-service-signature``."""
    signed_at = str(int(time.time() if now is None else now))
    return f"t={signed_at},v1={_digest(_read_secrets(secret)[0], signed_at, _bytes_of(raw_body))}"


def _digest(secret: str, signed_at: str, body: bytes) -> str:
    return hmac.new(secret.encode(), signed_at.encode() + b"." + body, "sha256").hexdigest()


def _bytes_of(raw_body: Union[str, bytes]) -> bytes:
    if isinstance(raw_body, str):
        return raw_body.encode()
    if isinstance(raw_body, (bytes, bytearray, memoryview)):
        return bytes(raw_body)
    raise TypeError("Herald: the body of a webhook is needed as it came, as bytes, because JSON that was parsed has another signature")


def _read_secrets(secrets: Union[str, Sequence[str]]) -> List[str]:
    every = [secrets] if isinstance(secrets, str) else list(secrets or ())
    if not 1 <= len(every) <= MOST_SECRETS or not all(isinstance(secret, str) and secret for secret in every):
        raise ValueError(f"Herald: the secret of a webhook (whsec_…), or up to {MOST_SECRETS} of them. Is the environment variable set?")
    return every


def _read_header(header: str) -> Tuple[str, List[str]]:
    """Reads the time and the signatures. Other parts are ignored, because a newer Herald may add some."""
    parts = [part.strip().split("=") for part in header.split(",")[:32]]
    times = [part[1] if len(part) > 1 else "" for part in parts if part[0] == "t"]
    signatures = [part[1] for part in parts if part[0] == "v1" and len(part) > 1 and re.fullmatch("[0-9a-f]{64}", part[1])]
    if len(times) != 1 or not re.fullmatch("[0-9]{1,12}", times[0]) or not signatures:
        raise _refused("malformed", f"The header {SIGNATURE_HEADER} is missing, or it is not t=<seconds>,v1=<hex>.")
    return times[0], signatures[:MOST_SIGNATURES]


def _read_delivery(body: bytes) -> WebhookDelivery:
    try:
        said = json.loads(body.decode("utf-8", "replace"))
        if isinstance(said["id"], str) and isinstance(said["events"], list):
            return said
    except (ValueError, KeyError, TypeError):
        pass  # The error below says that the body is no delivery.
    raise _refused("malformed", 'The body is signed, but it is not a delivery: {"id", "events"}.')


def _refused(code: str, message: str) -> HeraldError:
    return HeraldError(code, 400, message)
