"""Sends notifications with Herald from a backend, waits for what becomes of them, and verifies webhooks."""

from . import webhooks
from .client import Herald
from .errors import HeraldError
from .identity import identity_token
from .version import __version__

__all__ = ["Herald", "HeraldError", "__version__", "identity_token", "webhooks"]
