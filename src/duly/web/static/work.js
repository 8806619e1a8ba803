// Schedules and runs: the next three fires under the chosen row, and how many are selected. Pages are whole without it.
"use strict";
(() => {
  const $ = (selector, from = document) => from.querySelector(selector);
  const $$ = (selector, from = document) => [...from.querySelectorAll(selector)];

  // The chosen row shows its next three fires. Only the keyboard opens it: nothing moves under a pointer.
  let opened = null, known = new Map();
  const close = () => { $("tr.nexts")?.remove(); opened = null; };
  const open = async (row) => {
    if (!row?.dataset.next || opened === row.id) return;
    close();
    opened = row.id;
    if (!known.has(row.id)) {
      try {
        const answer = await fetch(row.dataset.next, { headers: { "X-Duly-Live": "1" } });
        if (!answer.ok) return;
        known.set(row.id, new DOMParser().parseFromString(await answer.text(), "text/html").body.firstElementChild);
      } catch { return; }
    }
    if (opened === row.id) show();
  };
  const show = () => {
    const row = opened && document.getElementById(opened);
    const text = known.get(opened);
    if (!row || !text || row.nextElementSibling?.matches("tr.nexts")) return;
    $("tr.nexts")?.remove();
    const line = document.createElement("tr");
    line.className = "nexts";
    const first = document.createElement("td");
    const cell = document.createElement("td");
    cell.colSpan = row.cells.length - 1;
    cell.append(text.cloneNode(true));
    line.append(first, cell);
    row.after(line);
  };
  addEventListener("keyup", (event) => {
    if (event.key === "Escape") close();
    if (["j", "k", "Tab"].includes(event.key)) open($("[data-row].on") ?? document.activeElement.closest?.("[data-row]"));
  });
  document.addEventListener("duly:patched", () => { known = new Map([...known].filter(([id]) => id === opened)); show(); count(); });

  // Selecting many.
  const count = () => {
    const bar = $("#bulk");
    if (!bar) return;
    const number = $$("[data-select]:checked").length;
    $("[data-selected]", bar).textContent = `${number} selected`;
    bar.classList.toggle("on", number > 0);
  };
  document.addEventListener("change", (event) => { if (event.target.matches("[data-select]")) count(); });
  $("#bulk")?.addEventListener("reset", () => setTimeout(count));
  document.addEventListener("htmx:afterRequest", (event) => {
    if (event.target.id !== "bulk" || !event.detail.successful) return;
    for (const box of $$("[data-select]:checked")) box.checked = false;
    count();
  });
  count();
})();
