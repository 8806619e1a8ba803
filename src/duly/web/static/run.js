// A run: output that is followed while it grows, a bounded number of lines in the page, finding in all of it.
"use strict";
(() => {
  const $ = (selector, from = document) => from.querySelector(selector);
  document.addEventListener("click", async (event) => {
    if (!event.target.closest("[data-copy-here]")) return;
    try { await navigator.clipboard.writeText(location.href); window.duly?.toast({ text: "Copied" }); } catch { window.duly?.toast({ text: location.href, bad: true }); }
  });
  const place = $("#output-place");
  if (!place) return;

  // The card shows one output. What prints is chosen by the server, unless the address names it: when that is another
  // output (the first of a run that has just begun, the next attempt, the next target), the server draws the card anew.
  let look = null, timer = null;
  const begin = () => {
    clearInterval(timer);
    const card = $("#output", place);
    look = card ? follow(card) : redraw;
    if (card?.dataset.complete === "no") timer = setInterval(() => look(), 1000);
  };
  const redraw = async () => {
    const answer = await fetch(location.pathname + location.search, { headers: { "X-Duly-Live": "1", Accept: "text/html" } });
    if (!answer.ok) return;
    const fresh = $("#output-place", new DOMParser().parseFromString(await answer.text(), "text/html"));
    if (!fresh?.children.length && !place.children.length) return;
    place.replaceChildren(...(fresh?.children ?? []));
    begin();
  };
  const follow = (card) => {
    card.classList.add("scripted");
    const log = $("[data-log]", card), box = $("[data-lines]", card), top = $("[data-top]", card), bottom = $("[data-bottom]", card);
    const { attempt, target } = card.dataset, run = place.dataset.run, pinned = card.dataset.pinned;
    const isKnown = pinned === "target" || Number(card.dataset.total) > 0; // otherwise nothing was printed yet, by nobody knows whom
    const HEIGHT = 22, MOST = 2000, EDGE = 400, PART = 65536;
    let start = Number(card.dataset.start), next = Number(card.dataset.next), complete = card.dataset.complete === "yes", total = Number(card.dataset.total);
    let lines = [...box.children].map((row) => [row.firstElementChild.textContent, row.className.slice(5), row.lastElementChild.textContent]);
    let from = 0, to = 0, following = !complete, unseen = 0, busy = false, stays = false, found = [], at = -1;
    const button = $("[data-follow]", card);
    const finder = $(".out-find", card), question = $("[data-find]", finder);
    button.hidden = complete && lines.length < 40;
    finder.hidden = false;

    const row = ([clock, kind, text], index) => {
      const line = document.createElement("div");
      line.className = `ll k-${kind}${found[at] === index ? " hit-line" : ""}`;
      const time = document.createElement("time");
      time.textContent = clock;
      const words = document.createElement("span");
      words.textContent = text;
      line.append(time, words);
      return line;
    };
    const cursor = document.createElement("span");
    cursor.className = "cursor";
    const seen = () => [Math.floor(log.scrollTop / HEIGHT), Math.ceil((log.scrollTop + log.clientHeight) / HEIGHT)];
    // Only a window of the lines is in the page; the rest is space above and below.
    const draw = (force = false) => {
      const [first, last] = seen();
      if (!force && from <= Math.max(0, first - EDGE / 2) && to >= Math.min(lines.length, last + EDGE / 2)) return;
      const wanted = Math.max(0, Math.min(first - MOST / 2, lines.length - MOST));
      from = wanted;
      to = Math.min(lines.length, wanted + MOST);
      box.replaceChildren(...lines.slice(from, to).map((line, place) => row(line, from + place)));
      space();
    };
    const space = () => {
      top.style.setProperty("height", `${from * HEIGHT}px`);
      bottom.style.setProperty("height", `${(lines.length - to) * HEIGHT}px`);
      if (!complete) box.lastElementChild?.lastElementChild.append(cursor); else cursor.remove();
    };
    const append = (more) => {
      const old = lines.length;
      for (const line of more) lines.push(line);
      if (to === old && to - from + more.length <= MOST) {
        box.append(...more.map((line, place) => row(line, old + place)));
        to = lines.length;
        space();
      } else if (following) { log.scrollTop = lines.length * HEIGHT; draw(true); } else space();
      $("[data-nothing]", card)?.remove();
      if (following) log.scrollTop = log.scrollHeight; else unseen += more.length;
      say();
    };
    const size = (count) => count < 1000 ? `${count} bytes` : count < 1e6 ? `${(count / 1000).toFixed(1)} KB` : `${Number((count / 1048576).toPrecision(3))} MB`;
    const say = () => {
      $("[data-size]", card).textContent = size(total);
      const state = $("[data-state]", card);
      state.textContent = complete ? "ended" : "live";
      state.className = complete ? "quiet" : "live-dot";
      $("[data-count]", card).textContent = `${lines.length.toLocaleString("en")} lines${start > 0 ? ", older ones load on scrolling up" : ""}`;
      button.setAttribute("aria-pressed", String(following));
      button.classList.toggle("live", following || unseen > 0);
      $("span", button).textContent = following ? "Following" : unseen ? `${unseen.toLocaleString("en")} new lines` : "Follow";
    };
    const ask = async (offset, limit, named = { attempt, target }) => {
      const query = new URLSearchParams({ ...named, offset, limit });
      const answer = await fetch(`/ui/runs/${run}/output?${query}`, { headers: { "X-Duly-Live": "1" } });
      if (answer.status === 404) complete = true; // the run was deleted meanwhile: there is nothing to ask for
      else if (!answer.ok) window.duly?.unloaded(card, answer.status, grow);
      if (!answer.ok) throw new Error(String(answer.status));
      $(":scope > .unloaded", card)?.remove();
      return answer.json();
    };
    // Whether another output than this one is what prints by now.
    const isElsewhere = async () => {
      const part = await ask(0, 1, pinned ? { attempt } : {});
      return isKnown ? part.total > 0 && (String(part.attempt) !== attempt || part.target !== target) : part.total > 0 || part.complete;
    };
    const moveOn = async () => {
      if (busy || (pinned && isKnown) || stays) return;
      busy = true;
      try { if (await isElsewhere()) await redraw(); }
      catch { /* asked again with the next event */ }
      finally { busy = false; }
    };
    const grow = async () => {
      if (busy || document.hidden) return;
      if (complete || !isKnown) { await moveOn(); return; }
      busy = true;
      let come = [], shown = performance.now();
      try {
        for (let more = true, size = PART; more && !complete; size = 4 * PART) { // what is far behind comes in larger parts
          const part = await ask(next, size);
          if (part.leftOut) come.push(["", "note", `… ${part.leftOut.toLocaleString("en")} bytes were not kept …`]);
          more = part.next < part.total;
          if (part.next === next && !part.complete) break;
          next = part.next;
          total = part.total;
          complete = part.complete;
          for (const line of part.lines) come.push(line);
          if (more && performance.now() - shown > 250) { append(come); come = []; shown = performance.now(); }
        }
      } catch { /* the banner says when the connection is gone */ }
      finally { busy = false; }
      if (come.length || complete) append(come);
      if (complete) { stays = !following; following = false; window.duly?.refresh("run"); say(); moveOn(); }
    };
    const older = async () => {
      if (busy || start <= 0) return;
      busy = true;
      try {
        const begin = Math.max(0, start - 2 * PART);
        let more = [], place = begin;
        while (place < start) {
          const part = await ask(place, Math.min(PART, start - place));
          if (part.offset >= start || part.next <= place) break;
          if (part.leftOut) more.push(["", "note", `… ${part.leftOut.toLocaleString("en")} bytes were not kept …`]);
          more = more.concat(part.lines);
          place = part.next;
        }
        start = begin;
        lines = more.concat(lines);
        const y = log.scrollTop + more.length * HEIGHT;
        found = found.map((index) => index + more.length);
        from += more.length; to += more.length;
        space();
        log.scrollTop = y;
        draw(true);
        log.scrollTop = y;
        say();
      } catch { /* tried again on the next scroll */ }
      finally { busy = false; }
    };
    let wasAt = 0;
    log.addEventListener("scroll", () => {
      const atEnd = log.scrollTop + log.clientHeight >= log.scrollHeight - HEIGHT;
      if (log.scrollTop < wasAt - 2 && !atEnd && following) { following = false; say(); }
      if (atEnd && !following && !complete) { following = true; unseen = 0; say(); }
      wasAt = log.scrollTop;
      draw();
      if (log.scrollTop < EDGE * HEIGHT / 4) older();
    }, { passive: true });
    const toEnd = () => { following = !complete; unseen = 0; log.scrollTop = lines.length * HEIGHT; draw(true); log.scrollTop = log.scrollHeight; say(); };
    button.addEventListener("click", () => { if (following) { following = false; say(); } else toEnd(); });
    log.addEventListener("keydown", (event) => { if (event.key === "End") { event.preventDefault(); toEnd(); } if (event.key === "Home") { following = false; log.scrollTop = 0; say(); } });

    // Finding: in all lines that are here, with the number of hits.
    const search = async () => {
      const words = question.value.toLowerCase();
      for (let before = -1; words && start > 0 && start !== before && !busy;) { before = start; await older(); }
      if (words !== question.value.toLowerCase()) return;
      found = words ? lines.flatMap((line, index) => (line[2].toLowerCase().includes(words) ? [index] : [])) : [];
      at = found.length ? Math.max(0, found.findIndex((index) => index >= seen()[0])) : -1;
      go();
    };
    const go = () => {
      $("[data-found]", finder).textContent = question.value ? (found.length ? `${at + 1} of ${found.length.toLocaleString("en")}` : "not found") : "";
      if (at < 0) { draw(true); return; }
      following = false;
      log.scrollTop = Math.max(0, found[at] * HEIGHT - log.clientHeight / 2);
      draw(true);
      say();
    };
    let typing = null;
    question.addEventListener("input", () => { clearTimeout(typing); typing = setTimeout(search, 150); });
    finder.addEventListener("submit", (event) => { event.preventDefault(); if (found.length) { at = (at + 1) % found.length; go(); } });
    question.addEventListener("keydown", (event) => {
      if (event.key === "Escape") { question.value = ""; search(); log.focus(); }
      if (event.key === "Enter" && event.shiftKey && found.length) { event.preventDefault(); at = (at + found.length - 1) % found.length; go(); }
    });

    to = lines.length;
    space();
    log.scrollTop = log.scrollHeight;
    wasAt = log.scrollTop;
    say();
    return grow;
  };
  begin();
  document.addEventListener("duly:live", (event) => { if (event.detail.run_id === place.dataset.run) look(); });
})();
