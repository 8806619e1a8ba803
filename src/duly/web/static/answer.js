// Cards that want an answer. Answered elsewhere, a card turns in place into what was answered, and folds. An answer that
// cannot be sent is kept in the page, is said to be kept, and is sent when duly answers again. Nothing is stored.
"use strict";
document.addEventListener("DOMContentLoaded", () => {
  const $ = (selector, from = document) => from.querySelector(selector);
  const $$ = (selector, from = document) => [...from.querySelectorAll(selector)];
  const body = document.body;
  const duly = window.duly;
  const own = new Set(); // answered here: the toast says it, and the card goes
  const turned = new Map(); // by id of the card: what it has turned into
  const heights = new Map(); // by id: the place that a card takes until somebody presses something, for nothing may move by itself
  const kept = new Map(); // by run: answers that wait for the connection

  // Answered elsewhere.
  const ask = async (card) => {
    try {
      const answer = await fetch(`/ui/answered?run_id=${encodeURIComponent(card.dataset.answers)}`, { headers: { "X-Duly-Live": "1" } });
      if (!answer.ok) return null;
      const it = card.cloneNode(false);
      it.classList.remove("on", "slide-in", "keeps");
      it.classList.add("turned");
      it.tabIndex = -1;
      for (const name of ["data-answers", "data-announce"]) it.removeAttribute(name);
      it.append(...new DOMParser().parseFromString(await answer.text(), "text/html").body.childNodes);
      return it;
    } catch { return null; }
  };
  const fold = (id) => {
    const card = document.getElementById(id);
    if (!turned.has(id)) return;
    if (card?.matches(":hover, :focus-within")) { setTimeout(fold, 1000, id); return; }
    turned.delete(id);
    if (!card?.classList.contains("turned")) return;
    const ghost = card.cloneNode(false);
    ghost.id = `gone-${id}`;
    ghost.className = "turned-gone";
    heights.set(ghost.id, heights.get(id) ?? card.offsetHeight);
    turned.set(ghost.id, ghost);
    card.replaceWith(ghost);
    hold();
  };
  const hold = () => { for (const [id, tall] of heights) document.getElementById(id)?.style.setProperty("min-height", `${tall}px`); };
  // After a press the page may close up: who pressed expects that something changes.
  const closeUp = () => {
    for (const ghost of $$(".turned-gone")) { turned.delete(ghost.id); heights.delete(ghost.id); ghost.remove(); }
  };
  for (const name of ["click", "keydown"]) document.addEventListener(name, closeUp);
  const place = (card, it, fresh) => {
    const list = fresh.querySelector(`#${CSS.escape(card.parentElement.id || "-")}`);
    if (!list) return;
    for (let before = card.previousElementSibling; before; before = before.previousElementSibling) {
      const there = before.id && list.querySelector(`#${CSS.escape(before.id)}`);
      if (there) { there.after(it.cloneNode(true)); return; }
    }
    list.prepend(it.cloneNode(true));
  };
  duly.before.push(async (region, fresh) => {
    for (const card of $$("[data-answers], .turned, .turned-gone", region)) {
      if (fresh.querySelector(`#${CSS.escape(card.id)}`)) { turned.delete(card.id); continue; }
      if (!card.dataset.answers ? !turned.has(card.id) : own.has(card.dataset.answers)) continue;
      let stands = card;
      if (!turned.has(card.id)) {
        const it = await ask(card);
        if (!it) continue;
        it.hadFocus = card.contains(document.activeElement);
        turned.set(card.id, it);
        heights.set(card.id, card.offsetHeight);
        stands = it.cloneNode(true);
        card.replaceWith(stands); // new in its place: what is patched into the old one would jump there
        hold();
        kept.delete(card.dataset.answers);
        setTimeout(fold, 4000, card.id);
        const said = $("#live-said");
        if (said) said.textContent = it.textContent.trim();
      }
      place(stands, turned.get(card.id), fresh);
    }
  });
  document.addEventListener("duly:patched", () => {
    hold();
    for (const [id, it] of turned) if (it.hadFocus) { it.hadFocus = false; document.getElementById(id)?.focus(); }
    for (const run of kept.keys()) show(run);
  });

  // Answers that cannot be sent.
  const words = { done: "Done", snooze: "Snoozed", dismiss: "Dismissed" };
  const show = (run) => {
    for (const card of $$(`[data-answers="${CSS.escape(run)}"]`)) {
      const it = kept.get(run);
      $(".kept-note", card)?.remove();
      card.classList.toggle("keeps", Boolean(it));
      if (!it) continue;
      const note = document.createElement("div");
      note.className = "kept-note";
      note.setAttribute("role", "status");
      const text = document.createElement("span");
      text.textContent = `${words[it.fields.get("response")] ?? "Answered"}. duly does not answer: it sends when connected.`;
      const cancel = document.createElement("button");
      cancel.type = "button";
      cancel.className = "btn";
      cancel.textContent = "Cancel";
      cancel.addEventListener("click", () => { kept.delete(run); show(run); });
      note.append(text, cancel);
      card.append(note);
    }
  };
  const keep = (form) => {
    const fields = new URLSearchParams(new FormData(form));
    fields.delete("csrf"); // the page's own goes along
    let until = null;
    if (fields.get("minutes")) { // "10 min" counts from the press, not from when it can be sent
      until = duly.now(true) + Number(fields.get("minutes")) * 60000;
      fields.delete("minutes");
      fields.set("until", new Date(until).toISOString());
    }
    const run = fields.get("run_id");
    own.delete(run);
    kept.set(run, { fields, until });
    show(run);
  };
  let sending = false;
  const send = async () => {
    if (sending || !kept.size) return;
    sending = true;
    for (const [run, it] of [...kept]) {
      if (it.until !== null && it.until <= duly.now(true)) {
        kept.delete(run);
        show(run);
        duly.toast({ text: "The snooze was over before it could be sent: it waits for you again.", bad: true });
        continue;
      }
      own.add(run);
      const answer = await duly.post("/ui/answer", it.fields, true);
      if (answer === null || answer.status > 501) { own.delete(run); break; } // still away: it stays kept
      if (!answer.ok) own.delete(run);
      kept.delete(run);
      show(run);
    }
    sending = false;
  };
  const isAnswer = (event) => event.target.matches?.('form[hx-post="/ui/answer"]');
  const missed = (event) => { if (isAnswer(event)) { event.preventDefault(); keep(event.target); } };
  body.addEventListener("htmx:beforeRequest", (event) => {
    if (!isAnswer(event)) return;
    if (duly.isAway()) missed(event);
    else own.add(event.target.elements.run_id.value);
  });
  body.addEventListener("htmx:sendError", missed, true);
  body.addEventListener("htmx:responseError", (event) => {
    if (!isAnswer(event)) return;
    own.delete(event.target.elements.run_id.value);
    if (event.detail.xhr.status > 501) missed(event);
  }, true);
  body.addEventListener("duly:undone", () => own.clear());
  body.addEventListener("htmx:afterRequest", (event) => { if (event.target.matches?.('form[hx-post="/ui/undo"]')) own.clear(); });
  document.addEventListener("duly:heard", send);
  addEventListener("beforeunload", (event) => { if (kept.size) event.preventDefault(); });
});
