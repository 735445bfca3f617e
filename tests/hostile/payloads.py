"""Strings that do harm where they are trusted; each holds MARK, so that its traces can be found."""

from __future__ import annotations

MARK = "PWNED"
"""Stands in every hostile string. No file, process, address or program may ever be named so."""

HTML = {
    "script": f"<script>alert('{MARK}')</script>",
    "image with onerror": f'"><img src=x onerror="alert(\'{MARK}\')">',
    "comment": f"<!-- {MARK} --><!-- driftgate:gate -->",
    "end of details": f"</details></summary></td></table></div>{MARK}",
    "style and title": f"</style></title></script><svg onload={MARK}>",
    "frame": f'<iframe src="https://example.com/{MARK}"></iframe>',
    "entity": f"&lt;script&gt;{MARK}&#60;&#x3c;&amp;lt;b&gt;",
    "javascript address": f"javascript:alert({MARK!r})",
    "data address": f"data:text/html;base64,PHNjcmlwdD4= {MARK}",
    "base and meta": f'<base href="https://example.com/{MARK}"><meta http-equiv=refresh content=0>',
    "attribute": f"' onmouseover='{MARK}' x='",
}
MARKDOWN = {
    "image": f"![{MARK}](https://example.com/{MARK}.png)",
    "link": f"[{MARK}](https://example.com/{MARK})",
    "reference link": f"[{MARK}][1] [1]: https://example.com/{MARK}",
    "autolink": f"<https://example.com/{MARK}> <mailto:{MARK}@example.com>",
    "bare address": f"https://example.com/{MARK} www.example.com/{MARK} {MARK}@example.com",
    "mention of everybody": f"{MARK} @everyone @channel @here @all",
    "mention of a team": f"cc @example/team-{MARK} @octocat",
    "issue": f"{MARK} #1 GH-1 example/example#1 closes #1 !1 %1 $1 ~bug",
    "commit": f"{MARK} 0123456789abcdef0123456789abcdef01234567 example@0123456789abcdef",
    "fence": f"```\n{MARK}\n```\n# {MARK}",
    "back-ticks": f"``` {MARK} ` @everyone `` @here ` <script>",
    "lone back-tick": f"` @{MARK} @everyone <img src=x>",
    "table": f"| {MARK} | @everyone |\n|---|---|\n| a | b |",
    "emphasis": f"**{MARK}** __{MARK}__ ~~{MARK}~~ *{MARK}*",
    "heading": f"# {MARK}\n===\n---",
    "list and quote": f"- [x] {MARK}\n> [!WARNING]\n> {MARK}",
    "formula and emoji": f"$\\href{{https://example.com/{MARK}}}{{x}}$ $$x$$ :+1: [^1]",
    "back-slashes": f"\\@everyone \\[{MARK}\\](https://example.com) \\<b>\\\\",
    "bot commands": f"/{MARK} /approve\n/merge",
}
COMMANDS = {
    "error": f"::error file=a,line=1::{MARK}",
    "set-output": f"::set-output name=gate::open {MARK}",
    "old command": f"##[command]{MARK} x ##[error]{MARK}",
    "stop-commands": f"::stop-commands::{MARK}",
    "add-path": f"::add-path::/tmp/{MARK}",
    "encoded newline": f"%0A::error::{MARK}%0D%0A::set-env name=PATH::x",
    "newline": f"x\n::error::{MARK}",
    "carriage return": f"x\r::error::{MARK}",
    "crlf": f"x\r\n::error::{MARK}",
    "line separator": f"x\u2028::error::{MARK}\u2029::error::{MARK}",
    "next line": f"x\x85::error::{MARK}",
    "vertical tab and form feed": f"x\x0b::error::{MARK}\x0c::error::{MARK}",
    "output of a file": f"gate<<EOF\nopen\nEOF\nverdict=passed {MARK}",
}
TERMINAL = {
    "colours": f"\x1b[31;1m{MARK}\x1b[0m\x1b[2J\x1b[H",
    "8-bit colours": f"\x9b31m{MARK}\x9b0m",
    "link": f"\x1b]8;;https://example.com/{MARK}\x1b\\click\x1b]8;;\x1b\\",
    "title": f"\x1b]0;{MARK}\x07",
    "unfinished title": f"\x1b]0;{MARK}" + "\x9d" * 50,
    "bells and back-spaces": f"\x07\x08\x08\x7f{MARK}",
}
UNICODE = {
    "turned writing": f"\u202e{MARK}\u202c\u2066x\u2069\u200f",
    "zero width": f"@\u200bevery\u200done\u2060 {MARK}\ufeff",
    "look-alikes": f"раssed {MARK} ⅼ：：error：： ＠everyone",
    "towers of marks": MARK + "Z" + "\u0301\u0320" * 200,
    "flags and tags": f"{MARK} \U0001f1e9\U0001f1ea \U000e0041\U000e007f",
    "not for XML": f"{MARK}\x01\x02\x0b\ufffe\uffff\x1f",
    "private and unassigned": f"{MARK}\ue000\U0010ffff\u0378",
}
PROGRAMS = {
    "end of CDATA": f"]]>{MARK}<![CDATA[<x>&{MARK};",
    "XML entity": f'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/{MARK}">]>&a;',
    "format string": f"{{0.__class__.__init__.__globals__}} %s%n%x {{{MARK}}}",
    "template": f"{{{{ 7*7 }}}}{{% for x in y %}}{MARK}{{% endraw %}}{{# #}}",
    "expression": f"${{{{ github.token }}}} ${{{{ secrets.{MARK} }}}}",
    "shell": f"$(touch {MARK}) `touch {MARK}`; touch {MARK} | sh && x",
    "environment": f"${{HOME}} $PATH %PATH% {MARK}",
    "TOML": f'"\n[waiver."{MARK}"]\nceiling = "500%"\n#',
    "SQL": f"'; DROP TABLE {MARK}; --",
    "formula of a sheet": f"=cmd|'/C {MARK}'!A0 +1 @SUM(1)",
    "log4j": f"${{jndi:ldap://example.com/{MARK}}}",
}
PATHS = {
    "climbing": f"../../../../etc/passwd{MARK}",
    "absolute": f"/etc/{MARK}",
    "file address": f"file:///etc/{MARK}",
    "Windows": f"C:\\Windows\\{MARK}",
    "profile path": f"profiles/../../{MARK}",
    "option": f"--out=/tmp/{MARK}",
    "pipe of Perl": f"|touch {MARK}",
}
GROUPS = {
    "html": HTML,
    "markdown": MARKDOWN,
    "command": COMMANDS,
    "terminal": TERMINAL,
    "unicode": UNICODE,
    "program": PROGRAMS,
    "path": PATHS,
}
PAYLOADS = {
    f"{group} {name}": text for group, found in GROUPS.items() for name, text in found.items()
}
"""Every payload by group and name."""
MIXED = (
    f"x\n::error::{MARK} <img src=x onerror={MARK}> @everyone #1 ![{MARK}](https://example.com/x)"
    f" ##[error]\x1b[31m\u202e`$(touch {MARK})` {{{{7*7}}}} ]]> | ../{MARK}"
)
"""A little of each."""
