from __future__ import annotations

import json
import re
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from http.client import HTTPMessage
from math import ceil
from typing import Any, Dict, List, Optional


class HeraldError(Exception):
    """A call that Herald refused or did not answer, or a webhook delivery that cannot be trusted.

    It contains no key, no device token and no body of a request, so it may be logged. ``code`` is one of the API's, or
    ``network_error``, ``timeout``, ``invalid_answer``, ``malformed``, ``bad_signature``, ``too_old`` or ``too_new``.
    ``status`` is 0 when there was no answer, and 400 for a webhook delivery. ``request_id`` is in Herald's log.
    """

    def __init__(
        self,
        code: str,
        status: int,
        message: str,
        details: Optional[List[Dict[str, str]]] = None,
        request_id: Optional[str] = None,
        retry_after: Optional[int] = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.message = message
        self.details = details or []
        self.request_id = request_id
        self.retry_after = retry_after

    def at(self, path: str) -> Optional[str]:
        """Gives what is wrong with a field, such as ``error.at("content.en.title")``; None when nothing is."""
        return next((detail["message"] for detail in self.details if detail.get("path") == path), None)


def error_of_answer(status: int, headers: HTTPMessage, text: bytes, sent_request_id: str) -> HeraldError:
    """Makes the error of an answer. One that is not in the form of Herald's errors gets the code invalid_answer."""
    request_id = headers.get("x-request-id") or sent_request_id
    retry_after = seconds_of(headers.get("retry-after"))
    said = _error_in(text)
    if said is not None:
        details = said.get("details")
        return HeraldError(
            said["code"], status, said["message"], details if isinstance(details, list) else None, request_id, retry_after
        )
    hint = "Give the address that it points to as base_url." if 300 <= status < 400 else "Something between here and Herald answered."
    return HeraldError("invalid_answer", status, f"The answer {status} is not one of Herald. {hint}", None, request_id, retry_after)


def _error_in(text: bytes) -> Optional[Dict[str, Any]]:
    try:
        said = json.loads(text)["error"]
        return said if isinstance(said["code"], str) and isinstance(said["message"], str) else None
    except (ValueError, KeyError, TypeError):
        return None


# The forms of a date in HTTP (RFC 9110, 5.6.7): the present one, and the two old ones that a reader must take too.
_HTTP_DATE = re.compile(
    r"[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT"
    r"|[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT"
    r"|[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}",
    re.ASCII,
)


def seconds_of(header: Optional[str], now: Optional[datetime] = None) -> Optional[int]:
    """Reads ``retry-after`` as seconds from now: whole seconds or an HTTP date (RFC 9110, 10.2.3); None for other texts."""
    if header is None:
        return None
    if re.fullmatch("[0-9]{1,18}", header):
        return int(header)
    if not _HTTP_DATE.fullmatch(header):
        return None
    try:
        at = parsedate_to_datetime(header).replace(tzinfo=timezone.utc)
    except (TypeError, ValueError):
        return None
    return max(0, ceil((at - (now or datetime.now(timezone.utc))).total_seconds()))
