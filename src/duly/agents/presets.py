"""Profiles of the known command lines. They get prompts by standard input, so that none is too long or an option."""

from __future__ import annotations

from duly.agents.limits import LimitPattern, ResetForm
from duly.agents.profile import Parse, SessionNaming, SpawnerProfile, Stdin
from duly.agents.templates import Template

_CLAUDE: Template = ("claude", "-p", "--output-format", "stream-json", "--verbose", "--permission-mode", "acceptEdits")
_CLAUDE_OPTIONS: Template = (("--model", "{model}"), ("--max-budget-usd", "{max_cost}"))
_CODEX: Template = (
    *("codex", "exec", "--json", "--skip-git-repo-check", "-C", "{cwd}", "-s", "workspace-write"),
    ("-m", "{model}"),
)
_GEMINI: Template = ("gemini", "-o", "stream-json", "--skip-trust", "--approval-mode", "auto_edit", ("-m", "{model}"))
_OPENCODE: Template = ("opencode", "run", "--format", "json", "--dir", "{cwd}", "--auto", ("-m", "{model}"))
_AIDER: Template = (
    *("aider", "--message-file", "{prompt_file}", "--yes-always", "--no-stream", "--no-pretty"),
    *("--chat-history-file", "{state_dir}/aider-{session_id}.md", ("--model", "{model}")),
)
_PROVIDERS = ("ANTHROPIC_*", "OPENAI_*", "GEMINI_*", "OPENROUTER_*", "OLLAMA_*", "AZURE_*", "DEEPSEEK_*", "GROQ_*")

# What tools say when their usage window is spent, in the words they use; documented in docs/spawners.md. First the
# words that name the reset, then those that do not.
_CLOCK = (
    r"((?:[A-Z][a-z]{2,8} \d{1,2}(?:st|nd|rd|th)?,? (?:\d{4},? )?(?:at )?|[A-Z][a-z]{5,8},? (?:at )?)?"
    r"\d{1,2}(?::\d\d)?(?: ?[AaPp]\.?[Mm]\.?)?(?: ?\([A-Za-z0-9_+/-]+\))?)"
)
_LENGTH = r"((?:(?:about |less than )?(?:an?|\d[\d.]*) ?[a-z]+[ ,]*(?:and )?)+)"


def _named(match: str, reset: ResetForm, value: str | None = None) -> LimitPattern:
    return LimitPattern(match=f"(?i){match}", reset=reset, value=value)


def _unnamed(match: str) -> LimitPattern:
    return LimitPattern(match=f"(?i){match}")


_CLAUDE_LIMITS = (
    _named(r"usage limit reached\|(\d{10,13})", ResetForm.EPOCH),
    _named(
        rf"(?:hit your|reached your|limit reached|out of)\b[^\n]{{0,60}}?\bresets? (?:at |on )?{_CLOCK}",
        ResetForm.CLOCK,
    ),
    _named(r"regain access on (\d{4}-\d\d-\d\d at \d\d:\d\d UTC)", ResetForm.CLOCK),
    _unnamed(
        r"(?:hit|reached|exceeded) your (?:[\w-]+ ){0,3}limits?\b|(?:usage|weekly|hour|session) limit reached"
        r"|out of extra usage|rate_limit_error|exceed your account's rate limit"
    ),
)
_CODEX_LIMITS = (
    _named(rf"(?:usage|rate) limit\b[^\n]{{0,300}}?\btry again at {_CLOCK}", ResetForm.CLOCK),
    _named(rf"(?:usage|rate) limit\b[^\n]{{0,300}}?\btry again in {_LENGTH}", ResetForm.LENGTH),
    _named(r"\bresets_in_seconds\W{1,4}(\d{1,8})\b", ResetForm.LENGTH),
    _named(r"\bresets_at\W{1,4}(\d{10})\b", ResetForm.EPOCH),
    _unnamed(r"hit your usage limit|usage_limit_reached|usage limit has been reached|last status: 429"),
)
_GEMINI_LIMITS = (
    _named(rf"quota will reset after {_LENGTH}", ResetForm.LENGTH),
    _named(rf"please retry in {_LENGTH}", ResetForm.LENGTH),
    _named(rf"\bretryDelay\W{{1,6}}{_LENGTH}", ResetForm.LENGTH),
    # Google's quotas of a day begin anew at midnight in California.
    _named(r"daily quota|PerDay\b|\bper day\b", ResetForm.CLOCK, "12am (America/Los_Angeles)"),
    _unnamed(
        r"RESOURCE_EXHAUSTED|exhausted your (?:capacity|quota)|resource (?:has been )?exhausted|quota exceeded"
        r"|rateLimitExceeded"
    ),
)
_PROVIDER_LIMITS = (
    *_CLAUDE_LIMITS[:-1],
    *_CODEX_LIMITS[:-1],
    *_GEMINI_LIMITS[:3],
    _unnamed(
        r"\brate[ _-]?limit|usage limit|usage exceeded|too many requests|quota (?:has been )?(?:exceeded|exhausted)"
        r"|RESOURCE_EXHAUSTED"
    ),
)

CLAUDE = SpawnerProfile(
    name="claude",
    new=(*_CLAUDE, "--session-id", "{session_id}", *_CLAUDE_OPTIONS),
    resume=(*_CLAUDE, "--resume", "{session_id}", *_CLAUDE_OPTIONS),
    fork=(*_CLAUDE, "--resume", "{session_id}", "--fork-session", *_CLAUDE_OPTIONS),
    session=SessionNaming.ASSIGNED,
    gone=r"No conversation found with session ID|requires a valid session ID",
    env=("ANTHROPIC_*", "CLAUDE_*", "AWS_*", "GOOGLE_APPLICATION_CREDENTIALS", "CLOUD_ML_REGION"),
    parse=Parse.JSONL,
    text_path="result",
    session_path="session_id",
    cost_path="total_cost_usd",
    usage_path="usage",
    error_path="errors.*|is_error",
    limit_patterns=_CLAUDE_LIMITS,
    limit_path="rate_limit_event?rate_limit_info.status=rejected:rate_limit_info.resetsAt",
)

CODEX = SpawnerProfile(
    name="codex",
    new=(*_CODEX, "-"),
    resume=(*_CODEX, "resume", "{session_id}", "-"),
    fork=(*_CODEX, "fork", "{session_id}", "-"),
    session=SessionNaming.PARSED,
    gone=r"no rollout found|missing rollout path|no recorded session",
    env=("OPENAI_*", "CODEX_*", "AZURE_OPENAI_API_KEY"),
    parse=Parse.JSONL,
    text_path="item.completed?item.type=agent_message:item.text",
    session_path="thread.started:thread_id",
    usage_path="turn.completed:usage",
    error_path="turn.failed:error.message",  # an "error" event alone may be a lost connection that codex restores
    limit_patterns=_CODEX_LIMITS,
)

GEMINI = SpawnerProfile(
    name="gemini",
    new=(*_GEMINI, "--session-id", "{session_id}"),
    resume=(*_GEMINI, "-r", "{session_id}"),
    session=SessionNaming.ASSIGNED,
    gone=r"Invalid session identifier|No previous sessions found|Error resuming session",
    env=("GEMINI_*", "GOOGLE_*"),
    parse=Parse.JSONL,
    text_path="message?role=assistant:content|response",
    session_path="session_id",
    usage_path="result:stats|stats.models.*.tokens",
    error_path="result:error.message|error.message",
    limit_patterns=_GEMINI_LIMITS,
)

OPENCODE = SpawnerProfile(
    name="opencode",
    new=(*_OPENCODE, "--title={name}"),
    resume=(*_OPENCODE, "-s", "{session_id}"),
    fork=(*_OPENCODE, "-s", "{session_id}", "--fork"),
    session=SessionNaming.PARSED,
    gone=r"Session not found",
    env=("OPENCODE_*", *_PROVIDERS),
    parse=Parse.JSONL,
    text_path="text:part.text",
    session_path="sessionID",
    cost_path="step_finish:part.cost",
    usage_path="step_finish:part.tokens",
    error_path="error:error.data.message",
    limit_patterns=_PROVIDER_LIMITS,
    limit_path="error?error.data.statusCode=429:error.data.responseHeaders.retry-after",
)

AIDER = SpawnerProfile(
    name="aider",
    new=_AIDER,
    resume=(*_AIDER, "--restore-chat-history"),
    stdin=Stdin.NONE,
    session=SessionNaming.ASSIGNED,
    session_file="{state_dir}/aider-{session_id}.md",
    env=("AIDER_*", *_PROVIDERS),
    parse=Parse.TEXT,
    # Atomic groups do not backtrack, so that the time grows linearly with the length.
    text_path=r"(?ms)\A(?>.*?^Repo-map: [^\n]*\n)(?:Restored [^\n]*\n)?(.*)^Tokens: ",
    cost_path=r"\$([0-9.]+) session",
    # aider exits with 0 after an error, too. An error before an answer does not count: aider tried again.
    error_path=(r"(?ms)\A(?>.*^Tokens: )?+.*?^((?:litellm\.\w+Error|No LLM model was specified)[^\n]*(?:\n\w[^\n]*)?)"),
    limit_patterns=_PROVIDER_LIMITS,
)

PRESETS = {each.name: each for each in (CLAUDE, CODEX, GEMINI, OPENCODE, AIDER)}
