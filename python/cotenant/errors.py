"""Errors of the package. Each names the thing that is wrong and what to do."""

from __future__ import annotations

from typing import Optional, Sequence


class CotenantError(Exception):
    """Any error of this package."""


class InputError(CotenantError, ValueError):
    """An argument is wrong."""


class TraceError(CotenantError):
    """The model cannot be traced."""


class DataDependentError(TraceError):
    """The model's control flow or a shape depends on the values of tensors, which a trace does not have."""


class UnsupportedOperatorError(TraceError):
    """The model has operators without a rule.

    :ivar operators: their names, sorted
    """

    def __init__(self, operators: Sequence[str]):
        self.operators = tuple(sorted(operators))
        super().__init__(
            f"no rule for {', '.join(self.operators)}: pass unknown_operators=\"declare\" to count what they read and "
            "write but no multiply-accumulates, or replace them in the model"
        )


class ArchiveError(CotenantError):
    """A .pt2 archive is damaged, hostile, or of an unknown version."""


class CommandError(CotenantError):
    """The local command failed.

    :ivar exit_code: 1 failure, 2 usage; None where it did not end in time
    """

    def __init__(self, message: str, exit_code: Optional[int] = None):
        self.exit_code = exit_code
        super().__init__(message)


class NoBackendError(CotenantError):
    """Neither a service nor a command is configured."""


class UnreachableError(CotenantError):
    """The service does not answer: no connection, a failed TLS handshake, or no answer in time."""


class InvalidResponseError(CotenantError):
    """The answer is not that of a Cotenant service."""


class ServiceError(CotenantError):
    """The service refuses a request with a problem document (RFC 9457).

    :ivar status: HTTP status
    :ivar code: stable kebab-case identifier
    :ivar detail: what is wrong and what to do
    :ivar retry_after_seconds: when to try again, where the service says so
    :ivar error_id: finds the entry in the service's log, for defects of the service
    """

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        retry_after_seconds: Optional[float] = None,
        error_id: Optional[str] = None,
    ):
        self.status = status
        self.code = code
        self.detail = detail
        self.retry_after_seconds = retry_after_seconds
        self.error_id = error_id
        super().__init__(f"{status} {code}: {detail}" + (f" (error {error_id})" if error_id else ""))


class InvalidRequestError(ServiceError):
    """400, 413, 415, 422: the request is wrong; a repetition does not help."""


class UnauthorizedError(ServiceError):
    """401: no token, or one that is expired or unknown."""


class ForbiddenError(ServiceError):
    """403: the caller lacks the right that the detail names."""


class NotFoundError(ServiceError):
    """404, 410: no such thing, or no longer."""


class ConflictError(ServiceError):
    """409, 412: the state does not allow it now."""


class OverloadedError(ServiceError):
    """429, 503: try again, after :attr:`retry_after_seconds` where it is set."""


_BY_STATUS = {
    400: InvalidRequestError,
    401: UnauthorizedError,
    403: ForbiddenError,
    404: NotFoundError,
    409: ConflictError,
    410: NotFoundError,
    412: ConflictError,
    413: InvalidRequestError,
    415: InvalidRequestError,
    422: InvalidRequestError,
    429: OverloadedError,
    503: OverloadedError,
}


def service_error_type(status: int) -> type[ServiceError]:
    return _BY_STATUS.get(status, ServiceError)
