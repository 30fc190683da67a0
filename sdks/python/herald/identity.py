from __future__ import annotations

import base64
import hmac
import json
import time
from math import ceil
from typing import Any, Dict, Optional

LONGEST_SECONDS = 3600


def identity_token(secret: str, external_id: str, *, expires_in: float = 600, now: Optional[float] = None) -> str:
    """Makes the token with which a page or mobile app proves who its user is: a JWT, signed with the app's identity secret.

    Give it only to the user who is signed in. ``expires_in`` is in seconds, at most 3600.
    """
    if not isinstance(secret, str) or secret == "":
        raise ValueError("Herald: the identity secret of the app is needed. Is the environment variable that holds it set?")
    if not isinstance(external_id, str) or external_id == "":
        raise ValueError("Herald: external_id must be the id of the signed-in user")
    if not 0 < expires_in <= LONGEST_SECONDS:
        raise ValueError(f"Herald: expires_in must be above 0 and at most {LONGEST_SECONDS}")
    seconds = int(time.time() if now is None else now)
    claims = {"sub": external_id, "iat": seconds, "exp": seconds + ceil(expires_in)}
    signed = f"{_part({'alg': 'HS256', 'typ': 'JWT'})}.{_part(claims)}"
    return f"{signed}.{_base64url(hmac.new(secret.encode(), signed.encode(), 'sha256').digest())}"


def _part(value: Dict[str, Any]) -> str:
    return _base64url(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())


def _base64url(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()
