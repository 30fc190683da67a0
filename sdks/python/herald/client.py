from __future__ import annotations

import http.client
import json
import os
import random
import re
import socket
import ssl
import time
from typing import Any, Callable, Dict, Mapping, NamedTuple, Optional, Tuple, TYPE_CHECKING
from urllib.parse import quote, urlencode, urlsplit
from uuid import uuid4

from .errors import HeraldError, error_of_answer
from .operations import CampaignStats, Operations, RegisterSubscriptionBody, Registered, Started
from .version import __version__

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .operations import CallOptions

FIRST_DELAY = 0.5
LONGEST_DELAY = 8.0
LONGEST_RETRY_AFTER = 60
FIRST_LOOK = 0.2
LONGEST_LOOK = 2.0
_LOOPBACK = re.compile(r"localhost|.+\.localhost|127(\.\d{1,3}){3}|::1")


class _Limits(NamedTuple):
    retries: int
    timeout: float
    total_timeout: float


class Herald(Operations):
    """A client of Herald's API for an app's backend. Threads may share one. Each try opens a connection of its own."""

    def __init__(
        self,
        base_url: str,
        key: str,
        *,
        allow_http: Optional[bool] = None,
        retries: int = 2,
        timeout: float = 10,
        total_timeout: float = 30,
        context: Optional[ssl.SSLContext] = None,
    ) -> None:
        """Raises ValueError for what cannot be right. ``timeout`` is the limit of a try, ``total_timeout`` of a call."""
        if allow_http is None:
            allow_http = os.environ.get("HERALD_ALLOW_HTTP") == "1"
        self._is_https, self._address, self._path = _read_base_url(base_url, allow_http)
        self._key = _read_key(key)
        self._limits = _read_limits(retries, timeout, total_timeout)
        self._context = context or ssl.create_default_context()

    def request(
        self,
        method: str,
        path: str,
        *,
        body: Any = None,
        query: Optional[Mapping[str, Any]] = None,
        idempotency_key: Optional[str] = None,
        repeatable: Optional[bool] = None,
        recover: Optional[Callable[[HeraldError], Optional[Dict[str, Any]]]] = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Calls any operation of the API, and gives its answer; None when it has no body. Raises HeraldError.

        A POST is sent again after a failure only with an idempotency key or ``repeatable=True``. ``recover`` is asked
        when a try fails after the answer to an earlier one was lost: it gives the answer of the call, or None.
        """
        limits = _read_limits(*(options.get(name, usual) for name, usual in self._limits._asdict().items()))
        if repeatable is None:
            repeatable = method != "POST" or idempotency_key is not None
        request_id = str(uuid4())
        headers = {
            "accept": "application/json",
            "authorization": f"Bearer {self._key}",
            "user-agent": f"herald-python/{__version__}",
            "x-request-id": request_id,
        }
        content = None
        if body is not None:
            content = json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
            headers["content-type"] = "application/json"
        if idempotency_key is not None:
            headers["idempotency-key"] = idempotency_key
        asked = urlencode({name: value for name, value in (query or {}).items() if value is not None})
        address = f"{self._path}{path}{'?' if asked else ''}{asked}"
        ends_at = time.monotonic() + limits.total_timeout
        is_in_doubt = False
        attempt = 0
        while True:
            attempt += 1
            limit = max(0.001, min(limits.timeout, ends_at - time.monotonic()))
            try:
                return self._attempt(method, address, headers, content, limit, request_id)
            except HeraldError as caught:
                error = caught
            if is_in_doubt and method == "DELETE" and error.code == "not_found":
                return None
            recovered = recover(error) if is_in_doubt and recover else None
            if recovered is not None:
                return recovered
            is_in_doubt = is_in_doubt or may_have_happened(error)
            delay = delay_after(attempt, error.retry_after)
            is_last = attempt > limits.retries or delay is None or time.monotonic() + delay >= ends_at
            if not repeatable or is_last or not is_temporary(error):
                raise error
            time.sleep(delay or 0)

    def _attempt(self, method: str, address: str, headers: Dict[str, str], content: Optional[bytes], limit: float, request_id: str) -> Any:
        """Sends the request once and reads the answer. A redirect is not followed: another address would get the key."""
        ends_at = time.monotonic() + limit
        try:
            status, answered, text = self._exchange(method, address, headers, content, ends_at)
        except (OSError, http.client.HTTPException) as cause:
            if isinstance(cause, TimeoutError) or isinstance(cause, socket.timeout) or time.monotonic() >= ends_at:
                raise HeraldError("timeout", 0, f"No answer within {limit:g} s.", request_id=request_id) from None
            message = "Herald could not be reached, or the connection broke before its answer was complete."
            raise HeraldError("network_error", 0, message, request_id=request_id) from cause
        if not 200 <= status < 300:
            raise error_of_answer(status, answered, text, request_id)
        if text == b"":
            return None
        try:
            return json.loads(text)
        except ValueError:
            message = "The answer is not JSON. Is base_url the address of Herald itself, and not of a page before it?"
            error = HeraldError("invalid_answer", status, message, request_id=request_id)
        raise error

    def _exchange(
        self, method: str, address: str, headers: Dict[str, str], content: Optional[bytes], ends_at: float
    ) -> Tuple[int, http.client.HTTPMessage, bytes]:
        host, port = self._address
        limit = max(0.001, ends_at - time.monotonic())
        connection = (
            http.client.HTTPSConnection(host, port, timeout=limit, context=self._context)
            if self._is_https
            else http.client.HTTPConnection(host, port, timeout=limit)
        )
        try:
            connection.connect()
            sock = connection.sock
            sock.settimeout(max(0.001, ends_at - time.monotonic()))
            connection.request(method, address, content, headers)
            response = connection.getresponse()
            parts = []
            # The socket's limit is for each read, so it shrinks until the time of the try is over.
            while not response.isclosed():
                sock.settimeout(max(0.001, ends_at - time.monotonic()))
                part = response.read1(65_536)
                if part == b"":
                    break
                parts.append(part)
            if response.length:
                raise http.client.IncompleteRead(b"", response.length)
            return response.status, response.headers, b"".join(parts)
        finally:
            connection.close()

    def register_subscription(self, body: RegisterSubscriptionBody, **options: Unpack[CallOptions]) -> Registered:
        """Registers a device. When Herald refuses only its language or time zone, the device is registered without it."""
        try:
            return self.request("POST", "/v1/subscriptions", body=body, repeatable=True, **options)
        except HeraldError as error:
            refused = {detail.get("path") for detail in error.details} if error.status == 422 else set()
            if not refused or not refused <= {"language", "timezone"}:
                raise
        rest = {name: value for name, value in body.items() if name not in refused}
        return self.request("POST", "/v1/subscriptions", body=rest, repeatable=True, **options)

    def send_campaign(self, id: str, **options: Unpack[CallOptions]) -> Started:
        """Sends or schedules a draft. When an answer was lost and the campaign is no draft any more, gives its status."""

        def recover(error: HeraldError) -> Optional[Dict[str, Any]]:
            if error.code != "invalid_state":
                return None
            status = self.read_campaign_stats(id, **options)["status"]
            return None if status == "draft" else {"status": status}

        return self.request("POST", f"/v1/campaigns/{quote(id, safe='')}/send", repeatable=True, recover=recover, **options)

    def settled(self, id: str, *, within: float = 60, **options: Unpack[CallOptions]) -> CampaignStats:
        """Waits until a campaign is sent, cancelled or failed, and gives its stats. Raises ``timeout`` after ``within`` seconds."""
        ends_at = time.monotonic() + within
        wait = FIRST_LOOK
        while True:
            read = self.read_campaign_stats(id, **options)
            if read["status"] in ("sent", "cancelled", "failed"):
                return read
            if time.monotonic() + wait > ends_at:
                raise HeraldError("timeout", 0, f"The campaign is still {read['status']} after {within:g} s.")
            time.sleep(wait)
            wait = min(LONGEST_LOOK, wait * 1.5)


def is_temporary(error: HeraldError) -> bool:
    """Whether the same request may succeed if it is sent again after a pause."""
    return error.code in ("network_error", "timeout", "idempotency_in_progress") or error.status in (429, 502, 503, 504)


def may_have_happened(error: HeraldError) -> bool:
    """Whether Herald may have carried out the request although no answer of Herald's came."""
    return error.code in ("network_error", "timeout", "invalid_answer")


def delay_after(attempt: int, retry_after: Optional[int], rand: Callable[[], float] = random.random) -> Optional[float]:
    """Gives the seconds to wait after a try: a random part of a time that doubles, or longer when Herald asks for it.

    None when Herald asks for more than 60 s: then the call fails.
    """
    if retry_after is not None and retry_after > LONGEST_RETRY_AFTER:
        return None
    return max(rand() * min(LONGEST_DELAY, FIRST_DELAY * 2.0 ** (attempt - 1)), float(retry_after or 0))


def _read_base_url(base_url: str, allow_http: bool) -> Tuple[bool, Tuple[str, Optional[int]], str]:
    wrong = "Herald: base_url must be the address of your Herald, such as https://push.example.com"
    try:
        url = urlsplit(base_url)
        host, port = url.hostname, url.port
    except (ValueError, TypeError, AttributeError):
        raise ValueError(wrong) from None
    if url.scheme not in ("https", "http") or not host or not re.fullmatch(r"[\x21-\x7e]+", base_url):
        raise ValueError(wrong)
    if url.username is not None or url.password is not None or url.query or url.fragment:
        raise ValueError("Herald: base_url must be an address alone, without a user, a ? or a #")
    if url.scheme == "http" and not allow_http and not _LOOPBACK.fullmatch(host):
        raise ValueError(
            f"Herald: base_url must begin with https:// (over http the key could be read on its way to {host}). "
            "Inside your own network: allow_http=True, or HERALD_ALLOW_HTTP=1"
        )
    return url.scheme == "https", (host, port), url.path.rstrip("/")


def _read_key(key: str) -> str:
    if not isinstance(key, str) or key == "":
        raise ValueError("Herald: key must be a secret key (sk_live_…). Is the environment variable that holds it set?")
    if key.startswith("pk_"):
        raise ValueError("Herald: key is a public key (pk_…), which is for apps and pages. A backend needs a secret key (sk_live_…)")
    if not re.fullmatch(r"[\x21-\x7e]+", key):
        raise ValueError("Herald: key has a space, a line end or another character that no key has")
    return key


def _read_limits(retries: Any, timeout: Any, total_timeout: Any) -> _Limits:
    if not isinstance(retries, int) or isinstance(retries, bool) or not 0 <= retries <= 10:
        raise ValueError("Herald: retries must be a whole number from 0 to 10")
    for name, value in (("timeout", timeout), ("total_timeout", total_timeout)):
        if not isinstance(value, (int, float)) or not 0 < value <= 2_147_483:
            raise ValueError(f"Herald: {name} must be a number of seconds above 0")
    return _Limits(retries, timeout, total_timeout)
