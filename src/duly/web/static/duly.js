// The dashboard's script: it makes pages live that are whole without it. No eval, no inline code, nothing stored.
"use strict";
(() => {
  const $ = (selector, from = document) => from.querySelector(selector);
  const $$ = (selector, from = document) => [...from.querySelectorAll(selector)];
  const body = document.body;
  const csrf = () => $('meta[name="csrf"]')?.content ?? "";
  const icon = (name) => {
    const source = $("use")?.getAttribute("href")?.split("#")[0] ?? "";
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("class", "i");
    svg.setAttribute("aria-hidden", "true");
    const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
    use.setAttribute("href", `${source}#${name}`);
    svg.append(use);
    return svg;
  };

  // Times: counted from the server's clock, whose difference comes with every beat.
  let offset = Date.parse(body.dataset.now) - Date.now();
  let frozen = null; // while not connected, countdowns stop
  const now = (goesOn = false) => (goesOn ? null : frozen) ?? Date.now() + offset;
  const two = (n) => String(n).padStart(2, "0");
  const span = (s) => { // to the nearest, as the server says it
    const minutes = Math.round(s / 60), hours = Math.round(s / 3600);
    if (Math.round(s) < 60) return `${Math.round(s)} s`;
    if (minutes < 60) return `${minutes} min`;
    if (minutes < 1440) return `${Math.floor(minutes / 60)} h${minutes % 60 ? ` ${two(minutes % 60)}` : ""}`;
    if (hours < 240) return `${Math.floor(hours / 24)} d${hours % 24 ? ` ${hours % 24} h` : ""}`;
    return `${Math.round(s / 86400)} d`;
  };
  const took = (s) => {
    const whole = Math.round(s);
    if (s < 1) return `${Math.max(s, 0).toFixed(1)} s`;
    if (whole < 60 || whole >= 600) return span(whole);
    return `${Math.floor(whole / 60)} min${whole % 60 ? ` ${two(whole % 60)}` : ""}`;
  };
  const relative = (at) => {
    const s = (at - now()) / 1000;
    return Math.abs(s) < 1 ? "now" : s > 0 ? `in ${span(s)}` : `${span(-s)} ago`;
  };
  const setText = (node, text) => { if (node && node.textContent !== text) node.textContent = text; };
  const zoned = (zone, options) => {
    try { return new Intl.DateTimeFormat("en-GB", { timeZone: zone, hourCycle: "h23", ...options }); }
    catch { return new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", hourCycle: "h23", ...options }); }
  };
  const hms = zoned(body.dataset.zone, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
  const hm = zoned(body.dataset.zone, { hour: "2-digit", minute: "2-digit" });
  const utc = zoned("UTC", { hour: "2-digit", minute: "2-digit" });
  const countdowns = () => { for (const node of $$("time[data-rel]")) setText(node, relative(Date.parse(node.dateTime))); };
  const durations = () => { for (const node of $$("[data-took]")) setText(node, took((now() - Date.parse(node.dataset.took)) / 1000)); };
  const clocks = () => {
    const at = new Date(Date.now() + offset);
    setText($("[data-clock]"), hms.format(at));
    setText($("[data-clock-utc]"), utc.format(at));
  };
  const nowLines = () => {
    for (const line of $$("[data-now-line]")) {
      const start = Date.parse(line.dataset.start), end = Date.parse(line.dataset.end);
      const share = (now() - start) / (end - start);
      if (share < 0 || share > 1) continue;
      line.setAttribute("x", `${(share * 100).toFixed(3)}%`);
      setText($("text", line), hm.format(new Date(now())));
      for (const label of $$("text.ax", line.parentElement)) label.classList.toggle("near", Math.abs(parseFloat(label.getAttribute("x")) - share * 100) < 6);
    }
  };
  // The line of a run that goes on: now moves along it, and the server draws a longer one when it comes to its end.
  const lifeLines = () => {
    for (const life of $$("svg.life[data-start]")) {
      const { viewBox: { baseVal: { width } }, dataset } = life, margin = Number(dataset.margin), line = $(".life-now", life);
      const x = margin + (now() - Date.parse(dataset.start)) / 1000 / Number(dataset.seconds) * (width - 2 * margin);
      if (x > width - margin) { refresh("now"); continue; }
      line.setAttribute("transform", `translate(${x.toFixed(1)} 0)`);
      setText($("text", line), hms.format(new Date(now())));
      const running = $(".m.run rect", life), expected = $(".expected", life);
      if (running) running.setAttribute("width", Math.max(3, x - running.x.baseVal.value).toFixed(1));
      if (expected) {
        const end = Number(expected.dataset.end);
        expected.setAttribute("x", (x + 1.5).toFixed(1));
        expected.setAttribute("width", Math.max(0, end - x - 2).toFixed(1));
      }
      for (const label of $$("text.ax", life)) label.classList.toggle("near", Math.abs(Number(label.getAttribute("x")) - x) < 64);
    }
  };
  setInterval(() => { clocks(); countdowns(); durations(); lifeLines(); }, 1000);
  setInterval(nowLines, 10000);

  // Live: one stream for all tabs of a browser; regions with data-topics are fetched again and patched in place.
  const channel = "BroadcastChannel" in window ? new BroadcastChannel("duly-live") : null;
  const topicsOf = ["run", "schedule", "reminder", "node", "attention", "health", "output", "config"];
  let source = null, letGo = null, lastBeat = Date.now(), waiting = new Set(), timer = null, fetchedAt = 0, busy = false;
  const heard = (event) => {
    lastBeat = Date.now();
    if (event.now) offset = Date.parse(event.now) - Date.now();
    connected();
    document.dispatchEvent(new CustomEvent("duly:heard"));
    if (event.topic === "beat") { refresh("beat"); return; }
    document.dispatchEvent(new CustomEvent("duly:live", { detail: event }));
    refresh(event.topic === "reset" ? null : event.topic);
  };
  // what happened while the page was made, or while this tab was hidden, comes first
  let lastId = document.body.dataset.live ?? "";
  const listen = () => {
    source = new EventSource(`/ui/live${lastId ? `?last_id=${encodeURIComponent(lastId)}` : ""}`);
    const take = (topic) => (message) => {
      lastId = message.lastEventId || lastId;
      let data = {};
      try { data = JSON.parse(message.data); } catch { /* a beat may be bare */ }
      const event = { ...data, topic: data.topic ?? topic };
      if (data.at && topic === "beat") event.now = data.at;
      heard(event);
      channel?.postMessage(event);
    };
    source.onmessage = take("message");
    for (const topic of [...topicsOf, "beat", "reset"]) source.addEventListener(topic, take(topic));
    source.onerror = () => { if (!leaving) lost(); };
    source.onopen = () => { lastBeat = Date.now(); connected(); document.dispatchEvent(new CustomEvent("duly:heard")); };
  };
  const lead = () => {
    if (document.hidden) return;
    if (!navigator.locks || !channel) { if (!source) listen(); return; }
    if (letGo) return;
    letGo = () => {};
    navigator.locks.request("duly-live", () => new Promise((free) => {
      if (document.hidden) { letGo = null; free(); return; }
      letGo = () => { source?.close(); source = null; letGo = null; free(); };
      listen();
    }));
  };
  if (channel) channel.onmessage = (message) => (message.data.topic === "lost" ? away() : heard(message.data));
  let hiding = null;
  document.addEventListener("visibilitychange", () => {
    clearTimeout(hiding);
    if (document.hidden) hiding = setTimeout(() => { if (letGo) letGo(); else { source?.close(); source = null; } }, 60000);
    else { lastBeat = Date.now(); lead(); refresh(null); }
  });
  const offline = $("#offline");
  const connected = () => {
    if (frozen === null) return;
    frozen = null;
    offline.hidden = true;
    refresh(null);
  };
  const away = () => {
    if (frozen !== null) return;
    frozen = lastBeat + offset;
    setText($("[data-since]"), hms.format(new Date(frozen)));
    if (offline) offline.hidden = false;
  };
  // Something was broken off: whether duly is gone shows at once, for a connection that is refused fails at once.
  const lost = async () => {
    try { await fetch("/ui/health", { headers: { "X-Duly-Live": "1" } }); }
    catch { if (!leaving) { away(); channel?.postMessage({ topic: "lost" }); } return; }
    // it still answers, perhaps while it ends: looked at again, and a stream that was refused is asked for again
    setTimeout(() => {
      if (leaving || document.hidden || !source || source.readyState === EventSource.OPEN) return;
      if (source.readyState === EventSource.CLOSED) reconnect(); else lost();
    }, 2500);
  };
  const reconnect = () => { source?.close(); source = null; if (letGo) { letGo(); letGo = null; } lead(); };
  setInterval(() => {
    if (document.hidden) return;
    const silent = Date.now() - lastBeat;
    if (silent > 19000) away();
    // the browser tries again by itself, every two seconds, unless the stream was refused
    if (frozen !== null && (letGo || !navigator.locks) && source?.readyState === EventSource.CLOSED && Math.floor(silent / 1000) % 3 === 0) reconnect();
  }, 1000);
  document.addEventListener("click", (event) => { if (event.target.closest("[data-reconnect]")) reconnect(); });

  // A page that is being left, by a press or a link, breaks its requests off: that is no fault, and it is not loaded again.
  let leaving = false;
  addEventListener("pagehide", () => { leaving = true; });
  addEventListener("pageshow", () => { leaving = false; });
  body.addEventListener("htmx:beforeRequest", () => { leaving = true; });
  body.addEventListener("htmx:afterRequest", (event) => { leaving = Boolean(event.detail.xhr?.getResponseHeader?.("HX-Redirect")); });
  const before = []; // what other scripts do to a fresh region before it is put in
  const refresh = (topic) => {
    const regions = $$("[data-topics]").filter((node) => topic === null || node.dataset.topics.split(" ").includes(topic));
    for (const region of regions) waiting.add(region.id);
    if (waiting.size && !timer) timer = setTimeout(fetchAll, Math.max(60, 700 - (Date.now() - fetchedAt)));
  };
  const fetchAll = async () => {
    timer = null;
    if (busy) { timer = setTimeout(fetchAll, 300); return; }
    const ids = waiting, presses = pressed;
    waiting = new Set();
    busy = true;
    fetchedAt = Date.now();
    try {
      const bySource = new Map();
      for (const id of ids) {
        const region = document.getElementById(id);
        if (!region) continue;
        const from = region.dataset.src ?? location.pathname + location.search;
        bySource.set(from, [...(bySource.get(from) ?? []), id]);
      }
      for (const [from, regions] of bySource) {
        const answer = await fetch(from, { headers: { "X-Duly-Live": "1", Accept: "text/html" } });
        if (answer.status === 401) { location.assign("/signin"); return; }
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        const kind = page.body.dataset.page, is = from === location.pathname + location.search && kind && kind !== "error" ? kind : null;
        // another page stands at this address now: what was deleted is back, or the other way round
        if (is && is !== body.dataset.page) { if (!leaving) { leaving = true; location.reload(); } return; }
        if (!answer.ok && !is) { for (const id of regions) unloaded(document.getElementById(id), answer.status, () => { waiting.add(id); refresh("again"); }); continue; }
        for (const id of regions) {
          const region = document.getElementById(id), fresh = page.getElementById(id);
          if (region && fresh) for (const prepare of before) await prepare(region, fresh);
          patch(region, fresh);
        }
        const title = $("title", page);
        if (title && document.title !== title.textContent) document.title = title.textContent;
      }
      if (presses === pressed) letIn = resort = false; // a press while this was fetched holds for the next one
    } catch { lost(); }
    finally { busy = false; if (waiting.size && !timer) timer = setTimeout(fetchAll, 700); }
  };
  // The place of a part that could not be loaded says so, and since when it has not changed; the rest stays.
  const unloaded = (place, status, again) => {
    if (!place?.matches("main section, main div, #found, .card") || place.matches(":empty:not(#found)") || $(":scope > .unloaded", place)) return;
    const note = document.createElement("div"), words = document.createElement("span"), button = document.createElement("button");
    note.className = "note bad unloaded";
    note.setAttribute("role", "status");
    words.textContent = `${status === 503 ? "The store does not answer" : "duly could not load this part; its log says why"}. Not current since ${hms.format(new Date(now()))}.`;
    button.className = "btn";
    button.type = "button";
    button.textContent = "Try again";
    button.addEventListener("click", () => { note.remove(); again(); });
    note.append(words, button);
    place.append(note);
  };
  // A list that is hovered, focused or scrolled keeps its order; new rows wait behind a button.
  let resort = false, pressed = 0; // after "Sort again"
  const allow = (sort) => { letIn = true; resort ||= sort; pressed += 1; };
  let letIn = false; // after one's own press, or "3 new", the list may change
  const isHeld = (list) => !letIn && (list.matches(":hover") || list.contains(document.activeElement) || list.scrollTop > 0);
  const hold = (old, fresh) => {
    const order = [...old.children].filter((row) => row.id).map((row) => row.id);
    const rows = new Map([...fresh.children].filter((row) => row.id).map((row) => [row.id, row]));
    const news = [...rows.keys()].filter((id) => !order.includes(id));
    for (const id of news) rows.get(id).remove();
    for (const id of order) {
      let row = rows.get(id);
      if (!row) { // it is gone, but nothing moves under the pointer
        row = document.getElementById(id).cloneNode(true);
        row.classList.add("gone");
        row.setAttribute("inert", "");
      }
      fresh.append(row);
    }
    return news.length;
  };
  // A sorted list keeps its order until a person wants it sorted again; says whether it has another one by now.
  const keepOrder = (old, fresh) => {
    const place = new Map([...old.children].filter((row) => row.id).map((row, at) => [row.id, at]));
    const known = [...fresh.children].filter((row) => place.has(row.id));
    const kept = [...known].sort((a, b) => place.get(a.id) - place.get(b.id));
    if (known.every((row, at) => row === kept[at])) return false;
    const slots = known.map((row) => { const slot = document.createComment(""); row.replaceWith(slot); return slot; });
    slots.forEach((slot, at) => slot.replaceWith(kept[at]));
    return true;
  };
  const patch = (region, fresh) => {
    if (!region || !fresh) return;
    let held = 0, unsorted = false;
    const place = rows().findIndex((row) => row.id === chosen);
    for (const list of [region, ...$$("[data-list]", region)]) {
      if (!list.hasAttribute("data-list") || !list.id) continue;
      const other = list === region ? fresh : fresh.querySelector(`#${CSS.escape(list.id)}`);
      if (!other) continue;
      if (list.hasAttribute("data-keep") && !resort) unsorted = keepOrder(list, other) || unsorted;
      if (isHeld(list)) held += hold(list, other);
    }
    for (const open of $$("details[open]", region)) fresh.querySelector(`#${CSS.escape(open.id || "-")}`)?.setAttribute("open", "");
    for (const node of $$("[data-select]:checked", region)) if (node.id) fresh.querySelector(`#${CSS.escape(node.id)}`)?.setAttribute("checked", "");
    const known = new Set($$("[data-announce]", region).map((node) => node.id));
    Idiomorph.morph(region, fresh, { ignoreActiveValue: true, callbacks: { beforeAttributeUpdated: (name, node) => !(name === "aria-selected" && node.closest("[data-rows]")) } });
    for (const node of $$("[data-announce]", region)) if (!known.has(node.id)) { node.classList.add("slide-in"); setText($("#live-said"), node.dataset.announce); }
    if (window.htmx) htmx.process(region);
    waitBehind(region, held, unsorted);
    lifeLines();
    nowLines();
    if (place >= 0 && !current()) select(rows()[Math.min(place, rows().length - 1)] ?? null);
    else select(null);
    document.dispatchEvent(new CustomEvent("duly:patched", { detail: region }));
  };
  const waitBehind = (region, count, unsorted) => {
    $(".new-rows", region)?.remove();
    if (!count && !unsorted) return;
    const button = document.createElement("button");
    button.className = "btn live new-rows";
    button.textContent = unsorted ? `Sort again${count ? `, ${count} new` : ""}` : `${count} new`;
    button.addEventListener("click", () => { button.remove(); allow(true); refresh(null); });
    region.append(button);
  };

  // Toasts: one at a time, 8 seconds, longer while hovered or focused.
  let toastTimer = null, lastPress = { what: "", at: 0 };
  const toast = ({ text, undo, bad, href, label }) => {
    const box = $("#toast");
    const it = document.createElement("div");
    it.className = bad ? "toast bad" : "toast";
    const words = document.createElement("span");
    words.textContent = text;
    it.append(icon(bad ? "bang" : "check"), words);
    if (undo) {
      const button = document.createElement("button");
      button.textContent = "Undo";
      button.addEventListener("click", () => post("/ui/undo", { token: undo }));
      it.append(button);
    } else if (href) {
      const link = document.createElement("a");
      link.href = href; link.textContent = label ?? "Open";
      it.append(link);
    }
    box.replaceChildren(it);
    leave();
  };
  const leave = () => {
    clearTimeout(toastTimer);
    toastTimer = setTimeout(() => { const box = $("#toast"); if (box.matches(":hover, :focus-within")) leave(); else box.replaceChildren(); }, 8000);
  };
  if ($("#toast > .toast")) leave();
  const post = async (url, fields = {}, quiet = false) => {
    lastPress = { what: "", at: 0 }; // after Undo the same button may be pressed again at once
    try {
      const answer = await fetch(url, { method: "POST", headers: { "X-CSRF-Token": csrf(), "HX-Request": "true" }, body: new URLSearchParams(fields) });
      const events = answer.headers.get("HX-Trigger");
      const where = answer.headers.get("HX-Redirect");
      if (where) { location.assign(where); return answer; }
      if (url === "/ui/undo" && answer.ok) body.dispatchEvent(new CustomEvent("duly:undone"));
      if (events) for (const [name, detail] of Object.entries(JSON.parse(events))) body.dispatchEvent(new CustomEvent(name, { detail, bubbles: true }));
      else if (!answer.ok) toast({ text: "That was not done. Try again.", bad: true });
      return answer;
    } catch { if (!quiet) toast({ text: "Not sent: duly does not answer.", bad: true }); return null; }
  };
  body.addEventListener("duly:toast", (event) => toast(event.detail));
  body.addEventListener("duly:refresh", () => { allow(false); refresh(null); });
  body.addEventListener("htmx:sendError", (event) => event.defaultPrevented || toast({ text: "Not sent: duly does not answer.", bad: true }));
  body.addEventListener("htmx:configRequest", (event) => { event.detail.headers["X-CSRF-Token"] = csrf(); });

  // Second press: for what cannot be undone.
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-second]");
    if (!button || button.classList.contains("armed")) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const label = $("span", button) ?? button;
    const before = label.textContent;
    const disarm = () => { clearTimeout(button.disarm); button.classList.remove("armed"); label.textContent = before; removeEventListener("keydown", escape, true); };
    const escape = (key) => { if (key.key === "Escape") disarm(); };
    button.classList.add("armed");
    label.textContent = button.dataset.second;
    button.disarm = setTimeout(disarm, 3000);
    addEventListener("keydown", escape, true);
  }, true);

  // A double click is one press: the second one would do it again, or press what has come to this place meanwhile.
  document.addEventListener("click", (event) => {
    const button = event.target.closest('form[hx-post][hx-swap="none"] button:not([type=button], [data-second])');
    if (!button) { if (event.detail < 2) lastPress = { what: "", at: 0 }; return; } // Done, Cancel, Done: three presses
    const fields = new URLSearchParams(new FormData(button.form, button));
    fields.delete("csrf");
    const what = `${button.form.getAttribute("hx-post")}?${fields}`;
    if (event.detail > 1 || (what === lastPress.what && event.timeStamp - lastPress.at < 1000)) {
      event.preventDefault();
      event.stopImmediatePropagation();
    } else lastPress = { what, at: event.timeStamp };
  }, true);

  // Copying, menus, tips.
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy]");
    if (button) {
      try { await navigator.clipboard.writeText(button.dataset.copy); toast({ text: "Copied" }); }
      catch { toast({ text: `Not copied: ${button.dataset.copy}`, bad: true }); }
    }
    for (const menu of $$("details.menu[open]")) if (!menu.contains(event.target)) menu.open = false;
    if (event.target.closest("[data-palette]")) { event.preventDefault(); openPalette(); }
    if (event.target.closest("[data-keys-help]")) $("#keys").showModal();
  });
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  tip.setAttribute("aria-hidden", "true");
  body.append(tip);
  const showTip = (event) => {
    const node = event.target.closest?.("[data-tip]");
    if (!node?.dataset.tip) { tip.hidden = true; return; }
    tip.textContent = node.dataset.tip;
    tip.hidden = false;
    const box = node.getBoundingClientRect();
    const x = Math.min(Math.max(8, box.left + box.width / 2 - tip.offsetWidth / 2), innerWidth - tip.offsetWidth - 8);
    const above = box.top - tip.offsetHeight - 7;
    tip.style.setProperty("left", `${x}px`);
    tip.style.setProperty("top", `${above > 4 ? above : box.bottom + 7}px`);
  };
  for (const name of ["mouseover", "focusin"]) document.addEventListener(name, showTip);
  for (const name of ["scroll", "keydown", "pointerdown"]) document.addEventListener(name, () => { tip.hidden = true; }, true);

  // A small card beside what was clicked: a coming fire with what can be done about it.
  let pop = null;
  const closePop = () => { pop?.remove(); pop = null; };
  document.addEventListener("click", async (event) => {
    const link = event.target.closest("[data-pop]");
    if (!link) { if (pop && !pop.contains(event.target)) closePop(); return; }
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    closePop();
    const answer = await fetch(link.dataset.pop, { headers: { "X-Duly-Live": "1" } });
    if (!answer.ok) { location.assign(link.getAttribute("href")); return; }
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    pop = document.createElement("div");
    pop.className = "pop";
    pop.setAttribute("role", "dialog");
    pop.setAttribute("aria-label", "Coming run");
    pop.append(...page.body.childNodes);
    body.append(pop);
    if (window.htmx) htmx.process(pop);
    const box = link.getBoundingClientRect();
    pop.style.setProperty("left", `${Math.min(Math.max(8, box.left - 40), innerWidth - pop.offsetWidth - 8)}px`);
    const below = box.bottom + 6;
    pop.style.setProperty("top", `${below + pop.offsetHeight < innerHeight ? below : box.top - pop.offsetHeight - 6}px`);
    tip.hidden = true;
    $("button, a", pop)?.focus();
  });
  body.addEventListener("duly:toast", closePop);

  // Drag over a span of the timeline: zoom.
  let drag = null;
  document.addEventListener("pointerdown", (event) => {
    const plot = event.target.closest("[data-zoom] > svg");
    if (!plot || event.button !== 0 || event.target.closest("a")) return;
    const box = plot.getBoundingClientRect();
    drag = { plot, box, from: event.clientX, mark: document.createElementNS("http://www.w3.org/2000/svg", "rect") };
    drag.mark.setAttribute("class", "zoom-box");
    drag.mark.setAttribute("height", "100%");
    plot.append(drag.mark);
  });
  document.addEventListener("pointermove", (event) => {
    if (!drag) return;
    drag.mark.setAttribute("x", Math.min(drag.from, event.clientX) - drag.box.left);
    drag.mark.setAttribute("width", Math.abs(event.clientX - drag.from));
  });
  document.addEventListener("pointerup", (event) => {
    if (!drag) return;
    const { plot, box, from, mark } = drag;
    drag = null;
    mark.remove();
    if (Math.abs(event.clientX - from) < 12) return;
    const start = Date.parse(plot.dataset.start), wide = Date.parse(plot.dataset.end) - start;
    const at = (x) => new Date(start + wide * Math.min(1, Math.max(0, (x - box.left) / box.width))).toISOString().slice(0, 19) + "Z";
    const query = new URLSearchParams({ from: at(Math.min(from, event.clientX)), to: at(Math.max(from, event.clientX)) });
    location.assign(`${location.pathname}?${query}`);
  });

  // Keys. Rows are [data-row] elements inside [data-rows]; a button or link with data-key in the chosen row is pressed.
  let chosen = null;
  const rows = () => $$("[data-rows] [data-row]").filter((row) => row.offsetParent !== null || row.getClientRects().length);
  const select = (row) => {
    if (row) chosen = row.id;
    for (const each of $$("[data-row]")) {
      const is = each.id === chosen;
      each.classList.toggle("on", is);
      if (each.matches("tr")) each.setAttribute("aria-selected", String(is));
    }
    row?.scrollIntoView({ block: "nearest" });
  };
  const current = () => (chosen ? document.getElementById(chosen) : null);
  const move = (step) => {
    const all = rows();
    if (!all.length) return;
    const at = all.findIndex((row) => row.id === chosen);
    const row = all[Math.min(all.length - 1, Math.max(0, at < 0 ? (step > 0 ? 0 : all.length - 1) : at + step))];
    select(row);
    (row.matches("[tabindex], a, button") ? row : $("a[href], button, [tabindex]", row))?.focus({ preventScroll: true });
  };
  // The field of a dialog that has just been closed keeps the focus for a moment: who presses a key then means the page.
  const isTyping = (node) => node.closest?.("input, textarea, select, [contenteditable]") && !node.matches("[type=checkbox], [type=radio]") && !node.closest("dialog:not([open])");
  let going = 0;
  const press = (key) => {
    const row = current() ?? document.activeElement.closest?.("[data-row]");
    const found = (row && $(`[data-key="${CSS.escape(key)}"]`, row)) ?? $$(`[data-key="${CSS.escape(key)}"]`).find((node) => !node.closest("[data-row]"));
    if (found) { found.click(); return true; }
    return false;
  };
  const alongMarks = (event) => {
    const group = event.target.closest?.("svg.strip, [data-marks]");
    if (!group) return false;
    const links = $$("a", group);
    const at = links.indexOf(event.target.closest("a"));
    const next = links[at + (event.key === "ArrowRight" ? 1 : -1)];
    next?.focus();
    return true;
  };
  addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") { event.preventDefault(); openPalette(); return; }
    if (event.key === "Escape") { for (const menu of $$("details.menu[open]")) { menu.open = false; $("summary", menu).focus(); } tip.hidden = true; closePop(); }
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || $("dialog[open]")) return;
    if (event.key === "ArrowLeft" || event.key === "ArrowRight") { if (alongMarks(event)) event.preventDefault(); else if (press(event.key)) event.preventDefault(); return; }
    if (body.dataset.keys === "off" && event.key.length === 1) return;
    if (Date.now() - going < 1200) {
      going = 0;
      const there = $(`[data-go="${CSS.escape(event.key)}"]`);
      if (there) { event.preventDefault(); there.click(); return; }
    }
    const act = { "?": () => $("#keys").showModal(), "/": () => { const own = $("[data-find]"); if (own) own.focus(); else openPalette(); }, j: () => move(1), k: () => move(-1), g: () => { going = Date.now(); }, u: () => post("/ui/undo") }[event.key];
    if (event.key === "Enter" && !event.target.closest("a, button, summary")) { const link = current() && $("a[href]", current()); if (link) { event.preventDefault(); link.click(); } return; }
    if (act && event.key !== "Home") { event.preventDefault(); act(); return; }
    if (event.key.length === 1 && !event.repeat && press(event.key)) event.preventDefault();
  });

  // Command palette: go, do, make. Late answers never overwrite newer typing.
  const palette = $("#palette");
  const question = $("input", palette);
  const found = $("#found");
  let asked = 0, typing = null;
  const ask = async () => {
    const mine = ++asked;
    try {
      const answer = await fetch(`/ui/palette?q=${encodeURIComponent(question.value)}`, { headers: { "X-Duly-Live": "1" } });
      if (mine !== asked) return;
      if (!answer.ok) { found.replaceChildren(); unloaded(found, answer.status, ask); return; }
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      for (const form of $$("form", page.body)) form.replaceWith($("button", form));
      for (const hit of $$(".hit-row", page.body)) { hit.setAttribute("role", "option"); hit.tabIndex = -1; }
      for (const head of $$("h2", page.body)) head.setAttribute("aria-hidden", "true");
      found.replaceChildren(...page.body.childNodes);
      choose(0);
    } catch { found.textContent = ""; }
  };
  const hits = () => $$(".hit-row", found);
  const choose = (index) => {
    const all = hits();
    all.forEach((hit, at) => {
      hit.setAttribute("aria-selected", String(at === index));
      hit.id ||= `hit-${at}`;
      if (at === index) { question.setAttribute("aria-activedescendant", hit.id); hit.scrollIntoView({ block: "nearest" }); }
    });
  };
  const carryOut = async (hit) => {
    if (hit.dataset.post) {
      const answer = await post(hit.dataset.post, hit.dataset.fields ? JSON.parse(hit.dataset.fields) : {});
      if (answer?.ok) palette.close();
    } else if (hit.href) { palette.close(); location.assign(hit.href); }
  };
  const openPalette = () => {
    if (!palette || palette.open) return;
    palette.showModal();
    question.select();
    ask();
  };
  question?.addEventListener("input", () => { clearTimeout(typing); typing = setTimeout(ask, 120); });
  question?.addEventListener("keydown", (event) => {
    const all = hits();
    const at = all.findIndex((hit) => hit.getAttribute("aria-selected") === "true");
    if (event.key === "ArrowDown" || event.key === "ArrowUp") { event.preventDefault(); choose((at + (event.key === "ArrowDown" ? 1 : all.length - 1)) % Math.max(1, all.length)); }
    if (event.key === "Enter" && all[at]) { event.preventDefault(); carryOut(all[at]); }
  });
  found?.addEventListener("click", (event) => { const hit = event.target.closest(".hit-row"); if (hit) { event.preventDefault(); carryOut(hit); } });
  palette?.addEventListener("click", (event) => { if (event.target === palette) palette.close(); });

  window.duly = { before, isAway: () => frozen !== null, now, relative, span, took, toast, post, refresh, patch, unloaded };
  clocks(); countdowns(); durations(); lifeLines(); nowLines();
  lead();
})();
