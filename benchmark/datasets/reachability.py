"""Which servers answer at all, found out for all of them at once.

Without it a command on a machine without network would wait for each address in turn.
"""

import socket
import threading
import time
from collections.abc import Iterable
from urllib.parse import urlsplit

CONNECT_TIMEOUT = 8.0
_PORTS = {"http": 80, "https": 443}


class Reachability:
    """Remembers per host why it cannot be reached (None: it can).

    Parameters
    ----------
    expected
        Addresses that may be needed: all are tried as soon as one of them is.
    timeout
        Seconds to wait for a connection.
    """

    def __init__(self, expected: Iterable[str] = (), timeout: float = CONNECT_TIMEOUT) -> None:
        self.timeout = timeout
        self._expected = tuple(expected)
        self._problems: dict[tuple[str, int], str | None] = {}

    def probe(self, urls: Iterable[str]) -> None:
        """Connect to the hosts of these addresses, in parallel, each only once."""
        waiting = {address for url in urls if (address := _address(url))} - self._problems.keys()
        threads = [
            threading.Thread(target=self._connect, args=(address,), daemon=True)
            for address in waiting
        ]
        for thread in threads:
            thread.start()
        deadline = time.monotonic() + self.timeout + 1
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        for address in waiting:
            # Asking for a name's address cannot be given a time limit; the thread is left behind.
            self._problems.setdefault(address, f"no answer in {self.timeout:.0f} s")

    def problem(self, url: str) -> str | None:
        """Return why an address cannot be reached, None if it can (files always can)."""
        address = _address(url)
        if address is None:
            return None
        if address not in self._problems:
            self.probe([url, *self._expected])
        return self._problems[address]

    def _connect(self, address: tuple[str, int]) -> None:
        problem = None
        try:
            socket.create_connection(address, timeout=self.timeout).close()
        except TimeoutError:
            problem = f"no answer in {self.timeout:.0f} s"
        except socket.gaierror:
            problem = "name not resolved"
        except OSError as error:
            problem = (error.strerror or str(error)).lower()
        self._problems[address] = problem


def host_of(url: str) -> str:
    """Return the host of an address, for messages."""
    return urlsplit(url).hostname or url


def is_web(url: str) -> bool:
    """Tell whether something is a web address and not a path."""
    return urlsplit(url).scheme in _PORTS


def _address(url: str) -> tuple[str, int] | None:
    """Return host and port to connect to: those of the proxy where one is set."""
    if not is_web(url):
        return None
    from requests.utils import get_environ_proxies, select_proxy

    proxy = select_proxy(url, get_environ_proxies(url))
    parts = urlsplit(proxy if proxy and "://" in proxy else f"http://{proxy}" if proxy else url)
    if parts.hostname is None or parts.scheme not in _PORTS:
        return None
    return parts.hostname, parts.port or _PORTS[parts.scheme]
