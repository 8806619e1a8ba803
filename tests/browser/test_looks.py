"""Statuses are told apart by their shapes: in grey, with colour blindness, and in forced colours."""

from __future__ import annotations

import zlib
from itertools import combinations
from pathlib import Path

from playwright.async_api import FloatRect

from tests.browser.window import window

_STATUSES = ("succeeded", "failed", "dead", "missed", "skipped", "cancelled", "running", "pending", "awaiting")
_BLINDNESS = ("achromatopsia", "protanopia", "deuteranopia", "tritanopia")
_SCALE = 3
_UNLIKE = 40
_LEAST = 0.06
"""The share of its points by which two marks differ at least."""
_PLACES = """(names) => {
  const rows = [...document.querySelectorAll("[data-status]")];
  return names.map((name) => {
    const svg = rows.find((row) => row.dataset.status === name).querySelector("svg");
    const box = svg.getBoundingClientRect();
    return [box.x + scrollX, box.y + scrollY, box.width, box.height];
  });
}"""


def _pixels(png: bytes) -> list[list[int]]:
    """Read the brightness of every point of a PNG with eight bits a colour."""
    width = int.from_bytes(png[16:20], "big")
    height = int.from_bytes(png[20:24], "big")
    depth = {2: 3, 6: 4}[png[25]]
    data = b""
    at = 8
    while at < len(png):
        size = int.from_bytes(png[at : at + 4], "big")
        if png[at + 4 : at + 8] == b"IDAT":
            data += png[at + 8 : at + 8 + size]
        at += size + 12
    raw = zlib.decompress(data)
    line = width * depth
    before = bytearray(line)
    rows: list[list[int]] = []
    for y in range(height):
        kind = raw[y * (line + 1)]
        now = bytearray(raw[y * (line + 1) + 1 : (y + 1) * (line + 1)])
        for x in range(line):
            left = now[x - depth] if x >= depth else 0
            above = before[x]
            corner = before[x - depth] if x >= depth else 0
            now[x] = (now[x] + (0, left, above, (left + above) // 2, _paeth(left, above, corner))[kind]) & 255
        rows.append([sum(now[x : x + 3]) // 3 for x in range(0, line, depth)])
        before = now
    return rows


def _paeth(left: int, above: int, corner: int) -> int:
    guess = left + above - corner
    return min((abs(guess - left), 0, left), (abs(guess - above), 1, above), (abs(guess - corner), 2, corner))[2]


def _shape(rows: list[list[int]], top: float, tall: float) -> list[bool]:
    """Give what of a mark is drawn: the points that are unlike the ground, whatever their colour."""
    ground = rows[0][0]
    first = round(top * _SCALE)
    return [abs(point - ground) > _UNLIKE for row in rows[first : first + round(tall * _SCALE)] for point in row]


async def test_every_status_has_a_shape_of_its_own_without_colours(tmp_path: Path) -> None:
    async with window(tmp_path, others=0, calm=True) as open_window:
        page = await open_window.other(device_scale_factor=_SCALE, reduced_motion="reduce")
        await page.goto(open_window.url + "/ui/components")
        places = await page.evaluate(_PLACES, list(_STATUSES))
        left, top, wide, tall = (places[0][index] for index in range(4))
        column: FloatRect = {"x": left - 1, "y": top - 1, "width": wide + 2, "height": places[-1][1] + tall - top + 2}
        devtools = await page.context.new_cdp_session(page)
        for look in (*_BLINDNESS, "forced", "dark"):
            if look in _BLINDNESS:
                await devtools.send("Emulation.setEmulatedVisionDeficiency", {"type": look})
            else:
                await devtools.send("Emulation.setEmulatedVisionDeficiency", {"type": "none"})
                await page.emulate_media(
                    forced_colors="active" if look == "forced" else "none",
                    color_scheme="dark" if look == "dark" else "light",
                )
            rows = _pixels(await page.screenshot(clip=column, full_page=True))
            shapes = {
                name: _shape(rows, y - column["y"], tall)
                for name, (_, y, _, tall) in zip(_STATUSES, places, strict=True)
            }
            assert all(any(shape) for shape in shapes.values()), look
            for one, other in combinations(_STATUSES, 2):
                unlike = sum(a != b for a, b in zip(shapes[one], shapes[other], strict=True))
                assert unlike > _LEAST * len(shapes[one]), f"{look}: {one} and {other} look alike"
