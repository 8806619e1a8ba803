// The editor: three ways over one value, drafts that survive a reload, keys. The form posts without it.
"use strict";
(() => {
  const $ = (selector, from = document) => from.querySelector(selector);
  const $$ = (selector, from = document) => [...from.querySelectorAll(selector)];
  const form = $("#edit");
  if (!form) return;
  const place = `duly-draft ${location.pathname}`;
  const sent = `${place} sent`;
  const never = new Set(["csrf", "base", "version", "own"]);
  const values = () => [...new FormData(form)].filter(([name]) => !never.has(name) && !name.startsWith("take:"));
  const opened = JSON.stringify(values());
  const put = (name, value) => {
    for (const field of $$(`[name="${name}"]`, form)) {
      if (field.type === "radio") field.checked = field.value === value;
      else if (field.type !== "checkbox") field.value = value;
    }
  };
  const days = (text) => { const chosen = text.split(" "); for (const box of $$('[name="days"]', form)) box.checked = chosen.includes(box.value); };
  const typed = (field) => field.dispatchEvent(new Event("input", { bubbles: true }));

  // Drafts: kept in this tab only, and gone when they are saved or discarded.
  const keep = () => {
    const now = JSON.stringify(values());
    try { if (now === opened) sessionStorage.removeItem(place); else sessionStorage.setItem(place, JSON.stringify({ values: values(), version: form.elements.version?.value })); } catch { /* no storage */ }
  };
  const forget = () => { try { sessionStorage.removeItem(place); sessionStorage.removeItem(sent); } catch { /* no storage */ } };
  const restore = () => {
    let draft = null;
    try {
      if (sessionStorage.getItem(sent)) { if (form.dataset.posted === "no") forget(); else sessionStorage.removeItem(sent); }
      draft = JSON.parse(sessionStorage.getItem(place) ?? "null");
    } catch { return; }
    if (!draft || form.dataset.posted === "yes" || JSON.stringify(draft.values) === opened) return;
    days(draft.values.filter(([name]) => name === "days").map(([, value]) => value).join(" "));
    for (const [name, value] of draft.values) if (name !== "days") put(name, value);
    $("#draft-note").hidden = false;
    setTimeout(() => typed(form.elements.name), 50);
  };
  form.addEventListener("input", keep);
  form.addEventListener("change", keep);
  // A form that leaves for a daemon that is gone would end at the browser's own page: ask first whether it answers.
  let asked = "no";
  form.addEventListener("submit", async (event) => {
    if (asked === "answers") { asked = "no"; try { sessionStorage.setItem(sent, "1"); } catch { /* no storage */ } return; }
    event.preventDefault();
    if (asked === "asking") return;
    asked = "asking";
    const { submitter } = event;
    try { await fetch("/healthz", { cache: "no-store" }); } catch {
      asked = "no";
      document.body.dispatchEvent(new CustomEvent("duly:toast", { detail: { text: "Not sent: duly does not answer.", bad: true } }));
      return;
    }
    asked = "answers";
    form.requestSubmit(submitter);
  });
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-discard]")) { forget(); location.reload(); }
    if (event.target.closest("[data-discard-link]")) forget();
    // What would be right is taken with one press.
    const take = event.target.closest("[data-take]");
    if (take) {
      event.preventDefault();
      const way = take.dataset.take === "words" ? "words" : $('[name="way"]:checked', form).value === "cron" ? "cron" : "words";
      put("way", way);
      put(way, take.value);
      typed(form.elements[way]);
      form.elements[way].focus();
    }
  });

  // The three ways are one value: switching carries it over, or says why it cannot.
  let before = $('[name="way"]:checked', form)?.value;
  form.addEventListener("change", (event) => {
    if (event.target.name !== "way") return;
    const said = $("#when-said").dataset;
    const to = event.target.value;
    const note = $("#way-note");
    let why = "";
    if (to === "words" && said.words) put("words", before === "words" ? form.elements.words.value : said.words);
    if (to === "cron") { if (said.cron) put("cron", said.cron); else why = said.noCron; }
    if (to === "builder") {
      if (said.choices) { const choices = JSON.parse(said.choices); days(choices.days); delete choices.days; for (const [name, value] of Object.entries(choices)) put(name, String(value)); }
      else why = said.noChoices;
    }
    if (why) { put("way", before); setTimeout(() => { note.textContent = why; note.hidden = false; }, 600); } else before = to;
    form.elements[before]?.focus?.();
  });

  addEventListener("keydown", (event) => {
    const press = (name) => { event.preventDefault(); form.requestSubmit($(`button[name="${name}"]`, form)); };
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "s") press("save");
    if ((event.ctrlKey || event.metaKey) && event.key === "Enter") press("run");
    if (event.key === "Escape" && !$("dialog[open], details.menu[open], .armed")) location.assign("/schedules");
  });
  const fault = $(".fault[id], .not-read .fault");
  if (form.dataset.posted === "yes" && fault) (fault.closest("label")?.querySelector(".in") ?? form.elements[before])?.focus();
  restore();
})();
