"use strict";
// Sorting and filtering only: the page is complete without this.
(() => {
  const reveal = () => {
    const target = document.getElementById(location.hash.slice(1));
    if (target instanceof HTMLDetailsElement) target.open = true;
  };
  addEventListener("hashchange", reveal);
  reveal();
  const tables = [...document.querySelectorAll("table.findings")];
  if (!tables.length) return;
  const box = document.createElement("p");
  box.className = "filter";
  const label = document.createElement("label");
  label.textContent = "Filter ";
  const input = document.createElement("input");
  input.type = "search";
  input.placeholder = "benchmark, metric, verdict or code";
  const count = document.createElement("span");
  count.className = "quiet";
  count.setAttribute("aria-live", "polite");
  label.append(input);
  box.append(label, count);
  document.querySelector("#findings > p").after(box);

  const rows = tables.flatMap((table) => [...table.tBodies[0].rows]);
  const texts = rows.map((row) => row.textContent.toLowerCase());
  input.addEventListener("input", () => {
    const wanted = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    rows.forEach((row, i) => { row.hidden = !wanted.every((word) => texts[i].includes(word)); });
    const shown = rows.filter((row) => !row.hidden).length;
    count.textContent = wanted.length ? ` ${shown} of ${rows.length} shown` : "";
    const passed = document.getElementById("passed");
    if (passed && wanted.length) passed.open = true;
  });

  const key = (row, column) => row.cells[column].dataset.v ?? row.cells[column].textContent;
  const sort = (table, head, column) => {
    const down = head.getAttribute("aria-sort") !== "descending";
    const order = new Intl.Collator(undefined, { numeric: true });
    const compare = (a, b) => {
      const [x, y] = [key(a, column), key(b, column)];
      return "v" in a.cells[column].dataset ? x - y : order.compare(x, y);
    };
    const sorted = [...table.tBodies[0].rows].sort(compare);
    table.tBodies[0].append(...(down ? sorted.reverse() : sorted));
    for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
  };
  for (const table of tables) {
    for (const column of [0, 1, 3, 6]) {
      const head = table.tHead.rows[0].cells[column];
      const button = document.createElement("button");
      button.append(...head.childNodes);
      button.addEventListener("click", () => sort(table, head, column));
      head.append(button);
    }
  }
})();
