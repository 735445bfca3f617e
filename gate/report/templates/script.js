"use strict";
// Search, sorting, folds that open for a link, downloads unpacked: the page is complete without it.
(() => {
  const made = (tag, text, kind = "") => {
    const element = document.createElement(tag);
    element.textContent = text;
    element.className = kind;
    return element;
  };

  const reveal = () => {
    const target = document.getElementById(location.hash.slice(1));
    let fold = target && target.closest("details");
    while (fold) {
      fold.open = true;
      fold = fold.parentElement.closest("details");
    }
  };
  addEventListener("hashchange", reveal);
  reveal();

  // A packed file is saved unpacked; where that fails, as it lies in the page.
  const unpacked = async (link) => {
    const packed = Uint8Array.from(atob(link.href.slice(link.href.indexOf(",") + 1)), (c) => c.charCodeAt(0));
    const plain = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    const save = document.createElement("a");
    save.href = URL.createObjectURL(await new Response(plain).blob());
    save.download = link.textContent;
    save.click();
    setTimeout(() => URL.revokeObjectURL(save.href), 60000);
  };
  if (typeof DecompressionStream === "function") {
    for (const link of document.querySelectorAll('.downloads a[download$=".gz"]')) {
      link.textContent = link.download.slice(0, -3);
      let packed = false;
      link.addEventListener("click", (event) => {
        if (packed) return;
        event.preventDefault();
        unpacked(link).catch(() => {
          packed = true;
          link.click();
        });
      });
    }
  }

  const GROUP = 50;
  const NEAR = 3;
  const tables = [...document.querySelectorAll("table.findings")].filter((table) => table.tHead);
  if (!tables.length) return;
  const number = (cell) => ("v" in cell.dataset ? Number(cell.dataset.v) : NaN);
  const spelled = (name) => name.toLowerCase().replace(/\d+/g, (digits) => digits.padStart(12, "0"));
  const lists = tables.map((table) =>
    [...table.querySelectorAll("tbody tr")].map((row, place) => {
      const [verdict, name, , loss, , , , n, code] = row.cells;
      const profile = name.querySelector("i");
      return {
        row,
        place,
        verdict: verdict.childNodes[1].data.trim(),
        profile: profile ? profile.textContent : "",
        text: `${verdict.textContent} ${name.textContent} ${code.textContent}`.toLowerCase(),
        keys: { 0: number(verdict), 1: spelled(name.textContent), 3: number(loss), 7: number(n) },
      };
    }));
  const every = lists.flat();
  const passed = document.getElementById("passed");
  const wanted = { words: [], verdicts: new Set(), profile: "" };
  let sorted = null;
  let opened = false;

  // The groups in sight get their rows at once, the others when the browser is free, and until then
  // they are hidden: ten thousand rows answer while one types.
  const fill = (body, group) => {
    body.replaceChildren(...group);
    body.hidden = false;
  };
  let waiting = 0;
  const put = (shown) => {
    clearTimeout(waiting);
    const later = [];
    tables.forEach((table, i) => {
      [...table.tBodies].forEach((body, j) => {
        const group = shown[i].slice(j * GROUP, (j + 1) * GROUP);
        const now = [...body.rows];
        const same = group.length === now.length && group.every((row, k) => row === now[k]);
        body.hidden = !group.length || !same;
        if (!body.hidden || !group.length) return;
        if (j < NEAR) fill(body, group);
        else later.push([body, group]);
      });
      table.hidden = !shown[i].length;
    });
    const next = () => {
      for (const [body, group] of later.splice(0, NEAR)) fill(body, group);
      if (later.length) waiting = setTimeout(next);
    };
    if (later.length) waiting = setTimeout(next);
  };
  const status = made("p", "", "quiet");
  status.setAttribute("role", "status");
  const columns = { 0: "verdict", 1: "name", 3: "loss", 7: "number of trials" };
  const order = { 0: ["mildest", "worst"], 1: ["A to Z", "Z to A"], 3: ["smallest", "largest"], 7: ["fewest", "most"] };
  const tell = (shown, filtered) => {
    const parts = [];
    if (filtered) parts.push(shown ? `${shown} of ${every.length} shown` : `None of ${every.length} matches`);
    if (sorted) {
      const word = order[sorted.column][sorted.down ? 1 : 0];
      parts.push(`sorted by ${columns[sorted.column]}, ${word}${sorted.column === 1 ? "" : " first"}`);
    }
    const text = parts.join(", ");
    status.textContent = text && `${text[0].toUpperCase()}${text.slice(1)}.`;
  };
  const draw = () => {
    const { words, verdicts, profile } = wanted;
    const filtered = words.length + verdicts.size > 0 || profile !== "";
    const matches = (one) =>
      (!verdicts.size || verdicts.has(one.verdict)) &&
      (!profile || one.profile === profile) && words.every((word) => one.text.includes(word));
    const shown = lists.map((list) => list.filter(matches).map((one) => one.row));
    put(shown);
    tell(shown.flat().length, filtered);
    if (!passed) return;
    const hit = shown.some((rows, i) => rows.length && passed.contains(tables[i]));
    if (filtered && hit && !passed.open) passed.open = opened = true;
    else if (!filtered && opened) passed.open = opened = false;
  };

  const sort = (column) => {
    const down = sorted && sorted.column === column ? !sorted.down : column !== 1;
    const sign = down ? -1 : 1;
    const less = (x, y) => (x < y ? -sign : x > y ? sign : 0);
    const unknown = (key) => (key === key ? 0 : 1);
    const compare = ({ keys: { [column]: x }, place: i }, { keys: { [column]: y }, place: j }) =>
      unknown(x) - unknown(y) || less(x, y) || i - j;
    sorted = { column, down };
    for (const list of lists) list.sort(compare);
    for (const table of tables) {
      [...table.tHead.rows[0].cells].forEach((head, i) => {
        if (i === column) head.setAttribute("aria-sort", down ? "descending" : "ascending");
        else head.removeAttribute("aria-sort");
      });
    }
    draw();
  };
  for (const table of tables) {
    for (const column of Object.keys(columns).map(Number)) {
      const head = table.tHead.rows[0].cells[column];
      const button = made("button", head.textContent);
      button.type = "button";
      button.addEventListener("click", () => sort(column));
      head.className = "sorts";
      head.replaceChildren(button);
    }
  }

  const box = made("div", "", "filter");
  box.setAttribute("role", "search");
  const label = made("label", "Search ");
  const input = document.createElement("input");
  input.type = "search";
  input.placeholder = "name, verdict or code";
  input.addEventListener("input", () => {
    wanted.words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    draw();
  });
  label.append(input);
  box.append(label);

  const count = (key) => every.reduce((seen, one) => seen.set(one[key], (seen.get(one[key]) || 0) + 1), new Map());
  const profiles = count("profile");
  if (profiles.size > 1) {
    const choose = document.createElement("select");
    choose.append(new Option("all", ""));
    for (const [name, many] of [...profiles].sort()) {
      choose.append(new Option(`${name.slice(0, 60)} (${many})`, name));
    }
    choose.addEventListener("change", () => {
      wanted.profile = choose.value;
      draw();
    });
    const chosen = made("label", "Profile ");
    chosen.append(choose);
    box.append(chosen);
  }
  const verdicts = count("verdict");
  if (verdicts.size > 1) {
    const group = made("div", "", "verdicts");
    group.setAttribute("role", "group");
    group.setAttribute("aria-label", "Only these verdicts");
    for (const [verdict, many] of verdicts) {
      const button = made("button", `${verdict} ${many}`, `v-${verdict}`);
      button.type = "button";
      button.setAttribute("aria-pressed", "false");
      button.addEventListener("click", () => {
        const on = !wanted.verdicts.delete(verdict);
        if (on) wanted.verdicts.add(verdict);
        button.setAttribute("aria-pressed", String(on));
        draw();
      });
      group.append(button);
    }
    box.append(group);
  }
  box.append(status);
  (passed && passed.contains(tables[0]) ? passed : tables[0]).before(box);
})();
