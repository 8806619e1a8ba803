"""Profiles of the known command lines. They get prompts by standard input, so that none is too long or an option."""

from __future__ import annotations

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
)

PRESETS = {each.name: each for each in (CLAUDE, CODEX, GEMINI, OPENCODE, AIDER)}
