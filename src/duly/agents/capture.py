"""Output kept within bounds: the beginning and the end of it, however much there is."""

from __future__ import annotations

from collections import deque


class Capture:
    """Takes any amount of bytes and remembers the first and the last half of `cap`."""

    def __init__(self, cap: int) -> None:
        self._half = max(cap // 2, 1)
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_size = 0
        self.total = 0

    def feed(self, data: bytes) -> None:
        self.total += len(data)
        room = self._half - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        if data:
            self._tail.append(data[-self._half :])
            self._tail_size += len(self._tail[-1])
            while self._tail_size - len(self._tail[0]) >= self._half:
                self._tail_size -= len(self._tail.popleft())

    @property
    def left_out(self) -> int:
        """How many bytes were dropped between the two."""
        return self.total - len(self._head) - min(self._tail_size, self._half)

    @property
    def tail(self) -> str:
        """The end of it; all of it when nothing was dropped."""
        rest = b"".join(self._tail)[-self._half :]
        return (rest if self.left_out else bytes(self._head) + rest).decode("utf-8", "replace")

    @property
    def text(self) -> str:
        """All of it, or both ends and how much lies between them."""
        if not self.left_out:
            return self.tail
        head = bytes(self._head).decode("utf-8", "replace")
        return f"{head}\n[… {self.left_out} bytes left out …]\n{self.tail}"


def shorten(text: str, limit: int) -> str:
    """The beginning and the end of a text that is too long."""
    if len(text) <= limit:
        return text
    mark = f"\n[… {len(text) - limit} characters left out …]\n"
    half = max((limit - len(mark)) // 2, 1)
    return text[:half] + mark + text[-half:]
