"""HTTP to one service, with the standard library alone: no redirects, no proxies, verified certificates, a deadline."""

from __future__ import annotations

import contextlib
import http.client
import ipaddress
import json
import os
import random
import socket
import ssl
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Mapping, Optional, Union
from urllib.parse import urlencode, urlsplit

from .errors import InputError, InvalidResponseError, ServiceError, UnreachableError, service_error_type

MAX_ANSWER_BYTES = 64 << 20
MAX_TOKEN_BYTES = 1 << 16
CHUNK_BYTES = 1 << 16
RETRIED = (429, 503)
JSON = "application/json"


@dataclass(frozen=True)
class Request:
    """One request.

    :ivar is_repeatable: the same request twice has the effect of one
    """

    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Optional[bytes] = field(default=None, repr=False)
    content_type: str = JSON
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    is_repeatable: bool = False

    def target(self, prefix: str) -> str:
        query = urlencode({key: value for key, value in self.query.items() if value is not None})
        return prefix + self.path + (f"?{query}" if query else "")


class Deadline:
    """Ends a connection after a time, however slowly its bytes come."""

    def __init__(self, connection: socket.socket, seconds: float):
        self.is_over = False
        self._socket = connection
        self._timer = threading.Timer(max(0.0, seconds), self._end)
        self._timer.daemon = True
        self._timer.start()

    def _end(self) -> None:
        self.is_over = True
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def stop(self) -> None:
        self._timer.cancel()


@dataclass
class Connection:
    """Where the service is and how to reach it.

    :ivar url: such as ``https://cotenant.example:8443``
    :ivar token: a bearer token; never shown
    :ivar token_file: a file with the token, read anew for each request, because tokens of a cluster are renewed
    :ivar ca_file: certificates of authorities beside the system's
    :ivar timeout_seconds: of a request with its repetitions
    :ivar attempts: of a request that may be repeated
    :ivar allow_plaintext_token: sends the token over plain HTTP to other machines
    """

    url: str
    token: Optional[str] = field(default=None, repr=False)
    token_file: Union[str, Path, None] = None
    ca_file: Union[str, Path, None] = None
    timeout_seconds: float = 30.0
    attempts: int = 3
    allow_plaintext_token: bool = False

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise InputError(f"the service's URL is not of the form https://HOST:PORT: {_without_password(self.url)}")
        if parts.username is not None or parts.password is not None:
            raise InputError("the service's URL has a user or password: pass the token as token or token_file")
        if not self.timeout_seconds > 0 or self.attempts < 1:
            raise InputError("timeout_seconds must be above 0 and attempts at least 1")
        self.scheme, self.host, self.prefix = parts.scheme, parts.hostname, parts.path.rstrip("/")
        self.port = parts.port or (443 if parts.scheme == "https" else 80)
        has_token = self.token is not None or self.token_file is not None
        if has_token and parts.scheme == "http" and not is_loopback(self.host) and not self.allow_plaintext_token:
            raise InputError(
                f"a token would cross the network unencrypted to {self.host}: use https://, or pass allow_plaintext_token=True"
            )

    def send(self, request: Request) -> Any:
        """The JSON of the answer.

        :raises ServiceError: the service refuses
        :raises UnreachableError: no answer in time
        :raises InvalidResponseError: an answer of something else
        """
        deadline = time.monotonic() + self.timeout_seconds
        attempt = 1
        while True:
            try:
                return self._send_once(request, deadline)
            except (UnreachableError, ServiceError) as error:
                pause = self._pause(error, attempt)
                is_over = attempt >= self.attempts or time.monotonic() + pause >= deadline
                if not request.is_repeatable or is_over or not may_pass(error):
                    raise
            time.sleep(pause)
            attempt += 1

    @staticmethod
    def _pause(error: Exception, attempt: int) -> float:
        wait: Optional[float] = getattr(error, "retry_after_seconds", None)
        return wait if wait is not None else 0.25 * 2.0**attempt * random.uniform(0.5, 1.0)

    def _send_once(self, request: Request, deadline: float) -> Any:
        left = deadline - time.monotonic()
        if left <= 0:
            raise self._unreachable(TimeoutError())
        connection, headers = self._connection(left), self._headers(request)
        clock: Optional[Deadline] = None
        try:
            connection.connect()
            clock = Deadline(connection.sock, deadline - time.monotonic())
            connection.request(request.method, request.target(self.prefix), body=request.body, headers=headers)
            answer = connection.getresponse()
            body = self._read(answer)
        except ssl.SSLCertVerificationError as error:
            raise UnreachableError(f"{self} does not prove who it is ({error.verify_message}): pass ca_file") from error
        except (OSError, http.client.HTTPException) as error:
            raise self._unreachable(TimeoutError() if clock is not None and clock.is_over else error) from error
        finally:
            if clock is not None:
                clock.stop()
            connection.close()
        if clock.is_over:  # the end of the connection was ours, and the body may be cut
            raise self._unreachable(TimeoutError())
        return self._answer(answer, body)

    def _headers(self, request: Request) -> dict[str, str]:
        headers = {"Accept": f"{JSON}, application/problem+json", "User-Agent": "cotenant-python", **request.headers}
        if request.method in ("POST", "PUT") or request.body is not None:
            headers["Content-Type"] = request.content_type
        return {**headers, **self._authorization()}

    def _unreachable(self, error: Exception) -> UnreachableError:
        if isinstance(error, (TimeoutError, socket.timeout)):
            return UnreachableError(f"{self} does not answer within {self.timeout_seconds:g} seconds")
        what = getattr(error, "strerror", None) or type(error).__name__
        return UnreachableError(f"{self} cannot be reached ({what}): is the service started, and is COTENANT_URL right?")

    def _connection(self, left: float) -> http.client.HTTPConnection:
        if self.scheme == "http":
            return http.client.HTTPConnection(self.host, self.port, timeout=left)
        context = ssl.create_default_context()
        if self.ca_file is not None:
            try:
                context.load_verify_locations(cafile=str(self.ca_file))
            except (OSError, ssl.SSLError) as error:
                raise InputError(f"ca_file {self.ca_file} cannot be read: {error}") from error
        return http.client.HTTPSConnection(self.host, self.port, timeout=left, context=context)

    def _authorization(self) -> dict[str, str]:
        token = self.token
        if self.token_file is not None:
            try:
                token = Path(self.token_file).read_text(encoding="utf-8")[:MAX_TOKEN_BYTES]
            except (OSError, UnicodeDecodeError) as error:
                raise InputError(f"token_file {self.token_file} cannot be read: {type(error).__name__}") from error
        if token is None:
            return {}
        token = token.strip()
        if not token or not token.isascii() or any(character.isspace() for character in token):
            raise InputError("the token is empty or has characters that no token has")
        return {"Authorization": f"Bearer {token}"}

    def _read(self, answer: http.client.HTTPResponse) -> bytes:
        chunks, size = [], 0
        while chunk := answer.read1(CHUNK_BYTES):
            size += len(chunk)
            if size > MAX_ANSWER_BYTES:
                raise InvalidResponseError(f"{self} answers with more than {MAX_ANSWER_BYTES >> 20} MiB")
            chunks.append(chunk)
        return b"".join(chunks)

    def _answer(self, answer: http.client.HTTPResponse, body: bytes) -> Any:
        if answer.status == 204 or (answer.status < 300 and not body):
            return None
        try:
            document = json.loads(body.decode("utf-8"))
        except (ValueError, RecursionError) as error:
            raise self._no_json(answer) from error
        if 200 <= answer.status < 300:
            return document
        if not isinstance(document, dict) or not isinstance(document.get("code"), str):
            raise self._no_json(answer)
        raise service_error_type(answer.status)(
            answer.status,
            document["code"],
            str(document.get("detail") or document.get("title") or ""),
            retry_after(answer.getheader("Retry-After")),
            document.get("error_id"),
        )

    def _no_json(self, answer: http.client.HTTPResponse) -> InvalidResponseError:
        kind = str(answer.getheader("Content-Type"))[:80]
        return InvalidResponseError(
            f"{self} answers {answer.status} with {kind}, which is not a Cotenant response: is COTENANT_URL the service's?"
        )

    def __str__(self) -> str:
        return f"{self.scheme}://{self.host}:{self.port}{self.prefix}"


def connection_from_environment(url: Optional[str] = None, **settings: Any) -> Connection:
    """``COTENANT_URL``, ``COTENANT_TOKEN`` or ``COTENANT_TOKEN_FILE``, and ``COTENANT_CA_FILE``, where not given."""
    chosen = url or os.environ.get("COTENANT_URL")
    if not chosen:
        raise InputError("no service: pass its URL, or set COTENANT_URL, such as http://localhost:8080")
    if settings.get("token") is None and settings.get("token_file") is None:
        settings["token"] = os.environ.get("COTENANT_TOKEN") or None
        settings["token_file"] = None if settings["token"] else os.environ.get("COTENANT_TOKEN_FILE") or None
    if settings.get("ca_file") is None:
        settings["ca_file"] = os.environ.get("COTENANT_CA_FILE") or None
    return Connection(chosen, **settings)


def may_pass(error: Exception) -> bool:
    return isinstance(error, UnreachableError) or getattr(error, "status", 0) in RETRIED


def retry_after(header: Optional[str]) -> Optional[float]:
    """Seconds; a date is ignored."""
    try:
        seconds = float(header) if header else None
    except ValueError:
        return None
    return seconds if seconds is not None and 0 <= seconds < 86_400 else None


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _without_password(url: str) -> str:
    return url.rpartition("@")[2]
