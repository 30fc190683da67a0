"""A server that stands in for Herald: it answers each request with the next of its steps, and keeps what it heard."""

import json
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class StandIn(ThreadingHTTPServer):
    """A step is (status, body) or (status, body, headers); "drop" closes the connection, "hang" never answers.

    The last step is repeated.
    """

    daemon_threads = True

    def __init__(self, *steps):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.steps, self.heard, self.ended = list(steps), [], threading.Event()
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def __enter__(self):
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    def _answer(self):
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        self.server.heard.append({"method": self.command, "path": self.path, "headers": self.headers, "body": body})
        step = self.server.steps.pop(0) if len(self.server.steps) > 1 else self.server.steps[0]
        if step == "hang":
            self.server.ended.wait()
        if step in ("drop", "hang"):
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        status, said, *more = step
        if step == (200, "cut"):
            self.wfile.write(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{")
            self.close_connection = True
            return
        text = said if isinstance(said, bytes) else json.dumps(said).encode()
        self.send_response(status)
        for name, value in {"content-length": str(len(text)), **(more[0] if more else {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _answer

    def log_message(self, *_):
        pass


def error(code, status, headers=None, details=None):
    """Gives a step that answers an error of Herald's."""
    return (status, {"error": {"code": code, "message": f"It is {code}.", **({"details": details} if details else {})}}, headers or {})
