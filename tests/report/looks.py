"""What can be measured of a page that is shown: JavaScript that only reads, run by a browser.

Each function answers with a list of complaints, empty where all is well; `SCREEN` with the text.
"""

from __future__ import annotations

_TOOLS = r"""
  const kept = (one) => { const known = new Map(); return (e) => {
    if (!known.has(e)) known.set(e, one(e));
    return known.get(e); }; };
  const region = kept((p) => !p || p === document.body ? null :
    ['auto', 'scroll'].includes(getComputedStyle(p).overflowX) ? p : region(p.parentElement));
  const aside = kept((p) => { if (!p || p === document.body) return false;
    const s = getComputedStyle(p);
    if (s.position === 'absolute' && (s.clipPath !== 'none' || s.clip !== 'auto' ||
      parseFloat(s.left) < -99)) return true;
    return aside(p.parentElement); });
  const unseen = kept((e) =>
    !e.checkVisibility({ contentVisibilityAuto: true, opacityProperty: true,
    visibilityProperty: true }) || aside(e));
  const told = (e) => `${e.tagName.toLowerCase()}${e.id ? '#' + e.id : ''}` +
    `${typeof e.className === 'string' && e.className ? '.' + e.className : ''} ` +
    JSON.stringify((e.textContent || '').trim().replace(/\s+/g, ' ').slice(0, 60));
  const texts = (root) => { const found = [];
    const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let n = walk.nextNode(); n; n = walk.nextNode()) {
      const e = n.parentElement;
      if (!n.data.trim() || e.closest('script, style, title, desc, symbol, noscript')) continue;
      if (unseen(e)) continue;
      const range = document.createRange(); range.selectNodeContents(n);
      const rects = [...range.getClientRects()].filter((r) => r.width > .5 && r.height > .5);
      if (rects.length) found.push({ node: n, e, rects }); }
    return found; };
"""

WIDTH = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
"""Pixels by which the page is wider than its window."""

CUT = f"""() => {{ {_TOOLS}
  const bad = [], wide = document.documentElement.clientWidth;
  const seen = new Set();
  for (const {{ e, rects }} of texts(document.body)) {{
    const moves = region(e);
    if (!moves && rects.some((r) => r.left < -1 || r.right > wide + 1))
      bad.push('beyond the window: ' + told(e));
    for (let p = e; p && p !== document.body && !(p instanceof SVGElement); p = p.parentElement) {{
      if (seen.has(p)) break;
      seen.add(p);
      const s = getComputedStyle(p);
      if (p === moves) break;
      if (s.display !== 'inline' && p.clientWidth && p.scrollWidth > p.clientWidth + 1 &&
          !['auto', 'scroll'].includes(s.overflowX) && p === e) bad.push('wider than its box: ' + told(p));
      if (['hidden', 'clip'].includes(s.overflowX) && p.scrollWidth > p.clientWidth + 1)
        bad.push('cut at its side: ' + told(p));
      if (['hidden', 'clip'].includes(s.overflowY) && p.scrollHeight > p.clientHeight + 2)
        bad.push('cut below: ' + told(p));
    }}
  }}
  return [...new Set(bad)].slice(0, 10);
}}"""
"""Text that leaves the window or its box, or that a box cuts off."""

OVERLAPS = f"""() => {{ {_TOOLS}
  const all = [];
  for (const one of texts(document.body))
    for (const r of one.rects) all.push({{ r, ...one }});
  all.sort((a, b) => a.r.top - b.r.top);
  const bad = [];
  for (let i = 0; i < all.length; i++)
    for (let j = i + 1; j < all.length && all[j].r.top < all[i].r.bottom; j++) {{
      const [a, b] = [all[i], all[j]];
      if (a.node === b.node || region(a.e) !== region(b.e)) continue;
      const wide = Math.min(a.r.right, b.r.right) - Math.max(a.r.left, b.r.left);
      const high = Math.min(a.r.bottom, b.r.bottom) - b.r.top;
      if (wide > 2 && high > .35 * Math.min(a.r.height, b.r.height))
        bad.push(`${{told(a.e)}} over ${{told(b.e)}}`);
      if (bad.length > 9) return bad;
    }}
  return bad;
}}"""
"""Text that stands on other text."""

DRAWN = f"""() => {{ {_TOOLS}
  const bad = [];
  for (const t of document.querySelectorAll('svg text')) {{
    if (unseen(t) || !t.textContent.trim()) continue;
    let svg = t.ownerSVGElement;
    while (svg.ownerSVGElement) svg = svg.ownerSVGElement;
    const room = svg.closest('figure') || svg;
    const [a, b] = [t.getBoundingClientRect(), room.getBoundingClientRect()];
    if (!a.width) continue;
    if (a.left < b.left - 1 || a.right > b.right + 1 || a.top < b.top - 1 || a.bottom > b.bottom + 1)
      bad.push(`outside of its drawing: ${{told(t)}} of ${{told(svg.parentElement).slice(0, 40)}}`);
    const size = parseFloat(getComputedStyle(t).fontSize) * Math.abs(t.getScreenCTM().d);
    if (size < 11.9) bad.push(`${{size.toFixed(1)}} px: ${{told(t)}}`);
  }}
  return [...new Set(bad)].slice(0, 10);
}}"""
"""Text of drawings that leaves their figure, or is smaller than 12 pixels."""

TARGETS = f"""() => {{ {_TOOLS}
  const bad = [];
  for (const e of document.querySelectorAll('a, button, summary, input, select')) {{
    if (unseen(e)) continue;
    const rects = [...e.getClientRects()].filter((r) => r.width);
    if (!rects.length) continue;
    const block = e.closest('p, li, td, th, dd, figcaption, nav, div');
    const within = getComputedStyle(e).display === 'inline' && block &&
      block.textContent.trim().length > e.textContent.trim().length + 20;
    const r = e.getBoundingClientRect();
    if (!within && (r.width < 23.5 || r.height < 23.5))
      bad.push(`${{r.width.toFixed(0)}} x ${{r.height.toFixed(0)}}: ${{told(e)}}`);
  }}
  return bad.slice(0, 10);
}}"""
"""What a finger is to meet and is smaller than 24 pixels; links inside a sentence may be."""

FOCUSED = f"""() => {{ {_TOOLS}
  const e = document.activeElement;
  if (!e || e === document.body || e === document.documentElement) return null;
  const s = getComputedStyle(e), r = e.getBoundingClientRect();
  const middle = document.elementFromPoint(
    Math.min(Math.max(r.left + 4, 1), innerWidth - 2), Math.min(Math.max(r.top + 4, 1), innerHeight - 2));
  return {{
    told: told(e),
    outlined: s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 2,
    inside: r.left >= -1 && r.left < innerWidth && r.top >= -1 && r.top < innerHeight - 4 &&
      (r.bottom <= innerHeight + 1 || r.height > innerHeight / 2),
    covered: !!middle && !(e.contains(middle) || middle.contains(e)),
    top: r.top + scrollY, bottom: r.bottom + scrollY, left: r.left, right: r.right,
  }};
}}"""
"""Where the focus is and whether it can be seen; null where it left the page."""

LEVELS = (
    "() => [...document.querySelectorAll('h1,h2,h3,h4,h5,h6')].map((h) => Number(h.tagName[1]))"
)

PALE = f"""() => {{ {_TOOLS}
  const parse = (c) => (c.match(/[\\d.]+/g) || []).map(Number);
  const light = (c) => {{ const [r, g, b] = c.slice(0, 3).map((v) => {{
    v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }});
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; }};
  const behind = kept((e) => {{ if (!e) return [255, 255, 255];
    const c = parse(getComputedStyle(e).backgroundColor);
    return c.length === 3 || c[3] === 1 ? c : behind(e.parentElement); }});
  const bad = [];
  for (const {{ e }} of texts(document.body)) {{
    const s = getComputedStyle(e);
    const [a, b] = [light(parse(e instanceof SVGElement ? s.fill : s.color)), light(behind(e))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) bad.push(`${{ratio.toFixed(1)}}: ${{told(e)}}`);
  }}
  return bad.slice(0, 10);
}}"""
"""Text with less contrast than 4.5 to 1 against the colour behind it; drawn bands do not count."""

PLACES = """() => [...document.querySelectorAll('body *')].map((e) => {
  const r = e.getBoundingClientRect();
  return [r.left, r.top, r.width, r.height].map((n) => Math.round(n * 8)).join(' '); }).join('|')"""
"""Where every element stands, to an eighth of a pixel."""

SCREEN = f"""(root) => {{ {_TOOLS}
  const start = root ? document.querySelector(root) : document.body;
  if (!start) return '';
  const lines = new Map();
  for (const {{ node, e, rects }} of texts(start)) {{
    const shown = rects.filter((r) => r.top >= -1 && r.bottom <= innerHeight + 1 &&
      r.right > 0 && r.left < innerWidth);
    if (shown.length < rects.length) continue;
    let block = e;
    while (getComputedStyle(block).display.startsWith('inline') || block instanceof SVGElement)
      block = block.parentElement;
    lines.set(block, (lines.get(block) || '') + ' ' + node.data);
  }}
  return [...lines.values()].map((line) => line.replace(/\\s+/g, ' ').trim()).join('\\n');
}}"""
"""The text that stands wholly inside the window, a line for each block."""

LAID = """() => {
  document.styleSheets[0].insertRule('tbody { content-visibility: visible !important }');
  return 0; }"""
"""Lay out rows that are far below the window, which a browser puts off."""

FOLDS = "(open) => document.querySelectorAll('details').forEach((d) => { d.open = open; })"
