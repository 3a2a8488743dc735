"""URLs of storages of studies, as people may read them: without the passwords in them.

This knows nothing of Optuna, so that a command may print a URL before Optuna is imported, which takes long.
"""

from __future__ import annotations

import re
from urllib.parse import unquote, unquote_plus

# A password may hold an @ or a / that is not encoded: as much is hidden as may belong to it.
_USERINFO = re.compile(r"(?<=://)(?P<user>[^/:]*):(?P<secret>.*)@")
# odbc_connect is a string of ODBC's as a whole, with its password.
_QUERY = re.compile(r"(?P<key>[?&][^&=]*(?:passw|pwd|odbc_connect)[^&=]*=)(?P<secret>[^&]*)", re.IGNORECASE)


def hidden(url: str) -> str:
    """Return a URL, or an option with one, without the passwords in it."""
    if "://" not in url:
        return url
    return _QUERY.sub(r"\g<key>***", _USERINFO.sub(r"\g<user>:***@", url))


def without_secrets(text: str, url: str) -> str:
    """Return a text, such as a driver's message, without the passwords of a URL, encoded or not."""
    spelled = [found["secret"] for pattern in (_USERINFO, _QUERY) for found in pattern.finditer(url)]
    spelled += [one.split("@")[0] for one in spelled]  # what a driver takes for the password that has an @ in it
    secrets = {one for secret in spelled for one in (secret, unquote(secret), unquote_plus(secret))}
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        text = text.replace(secret, "***")
    return text
