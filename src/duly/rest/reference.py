"""The reference of the API as a page of Markdown, made from the OpenAPI document: `docs/api.md`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

_HEAD = """\
# API reference

Made from the OpenAPI document (`GET /api/v1/openapi.json`); [the page about the server](server.md) says how tokens,
errors, pages, versions and repetitions work. All paths begin with `/api/v1`. Every operation may also answer 400, 401,
403, 422, 429 and 503, with a problem document.
"""
_MOST_FIELDS = 60


def reference(document: dict[str, Any]) -> str:
    """Write the page."""
    parts = [_HEAD]
    for tag in document["tags"]:
        parts.append(f"## {tag['name'].capitalize()}\n\n{tag['description']}\n")
        for path, methods in document["paths"].items():
            for method, operation in methods.items():
                if tag["name"] in operation["tags"]:
                    parts.append("\n".join(_operation(document, method.upper(), path, operation)))
    parts.append("## Objects\n")
    parts += ["\n".join(_schema(name, each)) for name, each in sorted(document["components"]["schemas"].items())]
    return "\n".join(parts).rstrip() + "\n"


def _operation(document: dict[str, Any], method: str, path: str, operation: dict[str, Any]) -> Iterator[str]:
    yield f"### `{method} {path}`\n"
    yield f"`{operation['operationId']}`: {operation['summary']}."
    if operation["description"].rstrip(".") != operation["summary"]:
        yield f"\n{operation['description']}"
    yield ""
    if operation["parameters"]:
        yield "| parameter | in | type | meaning |\n|---|---|---|---|"
        for each in operation["parameters"]:
            words = _cell(each.get("description", ""))
            yield f"| `{each['name']}` | {each['in']} | {_type(each['schema'])} | {words} |"
        yield ""
    body = operation.get("requestBody")
    if body is not None:
        [(media, content)] = body["content"].items()
        kind = _type(content["schema"]) if media == "application/json" else f"`{media}`"
        yield f"Body: {kind}{'' if body.get('required') else ', may be left out'}.\n"
    code, answer = next(iter(operation["responses"].items()))
    [(media, content)] = answer["content"].items()
    yield f"Answer {code}: {f'`{media}`' if media == 'text/calendar' else _type(content['schema'])}."
    special = [each for each in answer.get("headers", {}) if not each.startswith("RateLimit")]
    if special:
        yield f"Headers: {', '.join(f'`{each}`' for each in special)}."
    yield ""
    example = _body_example(document, body)
    if example is not None:
        yield f"```json\n{json.dumps(example, ensure_ascii=False)}\n```\n"


def _body_example(document: dict[str, Any], body: dict[str, Any] | None) -> Any:
    if body is None or "application/json" not in body["content"]:
        return None
    schema = body["content"]["application/json"]["schema"]
    name = str(schema.get("$ref") or schema.get("anyOf", [{}])[0].get("$ref", "")).rpartition("/")[2]
    return next(iter(document["components"]["schemas"].get(name, {}).get("examples", ())), None)


def _schema(name: str, schema: dict[str, Any]) -> Iterator[str]:
    yield f"### {name}\n"
    yield " ".join(str(schema.get("description", "")).split()) + "\n"
    required = schema.get("required", ())
    yield "| field | type | meaning |\n|---|---|---|"
    for field, each in list(schema.get("properties", {}).items())[:_MOST_FIELDS]:
        mark = "" if field in required else " (optional)"
        yield f"| `{field}`{mark} | {_type(each)} | {_cell(each.get('description', ''))} |"
    yield ""


def _type(schema: dict[str, Any]) -> str:
    """Name the type of a value in a few words."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_type(each) for each in schema["anyOf"] if each != {"type": "null"}))
    if "enum" in schema:
        return ", ".join(f"`{each}`" for each in schema["enum"])
    if "const" in schema:
        return f"`{schema['const']}`"
    kind = schema.get("type", "any")
    if kind == "array":
        return f"list of {_type(schema.get('items', {}))}"
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"object of {_type(schema['additionalProperties'])}"
    return str(schema.get("format") or (kind if isinstance(kind, str) else " or ".join(kind)))


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
