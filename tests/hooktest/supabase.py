"""The auth server's side of a Supabase hook: it asks, and judges what it is answered.

Written from what supabase/auth does (internal/hooks/hookshttp, hookserrors, v0hooks and the callers in
internal/api), and independent of the code under test.
"""

import base64
import hashlib
import hmac
import json
import time
import uuid

from .proc import PATIENCE

TOTAL_S = 5.0           # for all attempts together
ATTEMPTS = 3
LONGEST = 200 * 1024    # bytes of an answer
USER = {"id": "8484b834-f29e-4af2-bf42-80644d154f76", "aud": "authenticated", "role": "",
        "email": "user@example.com", "phone": "", "app_metadata": {"provider": "email"}, "user_metadata": {}}
CLAIMS = {"aud": "authenticated", "exp": 1800000000, "iat": 1790000000, "sub": USER["id"],
          "email": USER["email"], "phone": "", "app_metadata": {}, "user_metadata": {}, "role": "authenticated",
          "aal": "aal1", "amr": [{"method": "password", "timestamp": 1790000000}],
          "session_id": "c9e4d1a2-6a2f-4d3f-8f63-0f9f6f4b3d11", "is_anonymous": False}
NEEDED = ("aud", "exp", "iat", "sub", "email", "phone", "role", "aal", "session_id")
INPUTS = {
    "send-sms": {"user": USER, "sms": {"otp": "561166"}},
    "send-email": {"user": USER, "email_data": {"token": "305805", "token_hash": "7d5b", "redirect_to": "",
                                                "email_action_type": "signup", "site_url": "http://localhost"}},
    "customize-access-token": {"user_id": USER["id"], "claims": CLAIMS, "authentication_method": "password"},
    "mfa-verification": {"user_id": USER["id"], "factor_id": "6eab6a69-7766-48bf-95d8-bd8f606894db",
                         "factor_type": "totp", "valid": True},
    "password-verification": {"user_id": USER["id"], "valid": False},
    "before-user-created": {"user": USER},
    "after-user-created": {"user": USER},
}


class HookError(Exception):
    """What the user of the site gets to see: status and message."""

    def __init__(self, status, message):
        super().__init__(f"{status}: {message}")
        self.status, self.message = status, message


def body_of(hook, event=None, **more):
    """The JSON that the auth server sends for a hook, with `event` as metadata.uuid."""
    metadata = {"uuid": event or str(uuid.uuid4()), "time": "2026-09-21T14:13:19.98765Z", "name": hook,
                "ip_address": "192.0.2.7"}
    return json.dumps({"metadata": metadata, **INPUTS[hook], **more}).encode()


def headers_of(secrets, body):
    """One attempt's: a fresh id and time, and a signature for each secret, joined by comma and blank."""
    message, now = str(uuid.uuid4()), int(time.time())
    entries = []
    for secret in secrets.split("|"):
        key = base64.b64decode(secret.removeprefix("v1,").removeprefix("whsec_"))
        mac = hmac.new(key, f"{message}.{now}.".encode() + body, hashlib.sha256).digest()
        entries.append("v1," + base64.b64encode(mac).decode())
    return [("Content-Type", "application/json"), ("Accept-Encoding", "identity"), ("webhook-id", message),
            ("webhook-timestamp", str(now)), ("webhook-signature", ", ".join(entries))]


def _media_type(text):
    kind, *parameters = [part.strip() for part in text.split(";")]
    if "/" not in kind or any("=" not in p for p in parameters if p):
        raise HookError(400, "Invalid Content-Type header")
    return kind.lower()


def _payload(answer):
    """The answer's bytes, None for none at all, or "again"."""
    if answer.status in (200, 202, 204):
        kind = answer.header("Content-Type") or ""
        if not kind:
            if answer.status == 204:
                return None
            raise HookError(400, "Missing Content-Type header")
        if _media_type(kind) != "application/json":
            raise HookError(400, f"Invalid JSON response. Received content-type: {kind}")
        if len(answer.body) > LONGEST:
            raise HookError(422, "Payload size exceeded size limit")
        return answer.body
    if answer.status in (429, 503):
        if answer.header("Retry-After"):
            return "again"
        raise HookError(500, "Service currently unavailable due to hook")
    if answer.status == 400:
        raise HookError(500, "Invalid payload sent to hook")
    if answer.status == 401:
        raise HookError(500, "Hook requires authorization token")
    raise HookError(500, f"Unexpected status code returned from hook: {answer.status}")


def _check_error(data):
    try:
        error = json.loads(data).get("error")
    except (ValueError, AttributeError):
        return
    if isinstance(error, dict) and error.get("message"):
        raise HookError(error.get("http_code") or 500, error["message"])


def _check_claims(output):
    if "claims" not in output:
        raise HookError(500, "output claims field is missing")
    claims = output["claims"]
    if not isinstance(claims, dict):
        raise HookError(500, "Error unmarshaling JSON output.")
    numbers = all(isinstance(claims.get(n), int) for n in ("exp", "iat"))
    if any(n not in claims for n in NEEDED) or not numbers:
        raise HookError(500, "output claims do not conform to the expected schema")
    return claims


def judge(hook, data):
    """What the auth server makes of an answer's bytes: its claims, or None; HookError for a refusal."""
    if data is None:
        data = b"{}" if hook != "customize-access-token" else b'{"claims": {}}'
    _check_error(data)
    try:
        output = json.loads(data)
    except ValueError as e:
        raise HookError(500, "Error unmarshaling JSON output.") from e
    if not isinstance(output, dict):
        raise HookError(500, "Error unmarshaling JSON output.")
    if hook == "customize-access-token":
        return _check_claims(output)
    if hook == "mfa-verification" and output.get("decision") == "reject":
        raise HookError(403, output.get("message") or "Further MFA verification attempts will be rejected.")
    if hook == "password-verification" and output.get("decision") == "reject":
        raise HookError(400, output.get("message") or "Further password verification attempts will be rejected.")
    return None


def call(post, secrets, hook, body=None):
    """Asks as the auth server does, up to three times within five seconds -> (judge's result, attempts).

    post: a function (body, headers) -> Answer. Raises HookError.
    """
    body = body or body_of(hook)
    end = time.monotonic() + TOTAL_S * PATIENCE
    for attempt in range(1, ATTEMPTS + 1):
        answer = post(body, headers_of(secrets, body))
        if time.monotonic() > end:
            raise HookError(422, "Failed to reach hook within maximum time of 5 seconds")
        data = _payload(answer)
        if data != "again":
            return judge(hook, data), attempt
    raise HookError(500, "Service currently unavailable due to hook")
