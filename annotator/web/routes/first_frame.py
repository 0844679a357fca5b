"""What a page shows until Streamlit has drawn it, put into its document.

Streamlit's document is empty: a browser that comes for the first time shows a white page until a megabyte of scripts has
been read and the page's script has run once. So the document itself brings the frame of the page, in its colours, which goes
when the page is there: the sidebar when Streamlit has one, the rest when the screen has drawn something (panel/shared/dom.js), or
anything stands on the page that is no screen.
"""

# Below this width the sidebar is closed until somebody opens it: the text needs the room. As in panel/annotate/early.js.
NARROW = 1000

STYLE = f"""<style>
/* The guidelines are the panel's to show (panel/guidelines.css): their own style sheet may come after them. */
html:not([data-guidelines~="open"]) .st-key-guidelines {{ display: none }}
/* What stands below the screen would move away under the pointer while the screen draws: it is shown when that has drawn. */
[class*="st-key-saliency_"]:not([data-drawn]) ~ * {{ animation: not-yet 60s }}
@keyframes not-yet {{ from, to {{ visibility: hidden }} }}
.begin {{ --begin-page: #ffffff; --begin-side: #f3f5f7; --begin-line: #e9edf1; position: fixed; inset: 0; pointer-events: none }}
@media (prefers-color-scheme: dark) {{
  .begin {{ --begin-page: #14181d; --begin-side: #1c2229; --begin-line: #252c34 }}
}}
.begin-side {{ right: auto; width: 230px; background: var(--begin-side) }}
/* It lies over the parts of a screen that has no text yet. */
.begin-main {{ left: 230px; background: var(--begin-page); z-index: 4 }}
.begin-main > div {{
  margin: 3rem var(--page-padding) 0; height: 11rem; max-width: 48rem;
  background: repeating-linear-gradient(var(--begin-line) 0 .8rem, transparent .8rem 2.4rem);
}}
@media (max-width: {NARROW}px) {{
  .begin-side {{ display: none }}
  .begin-main {{ left: 0 }}
  /* Streamlit shows it under the mouse alone. */
  .stSidebar [data-testid=stSidebarCollapseButton][data-testid][data-testid] {{ display: inline-flex; visibility: visible }}
}}
</style>
<noscript><style>.begin {{ display: none }}</style></noscript>
"""

# Streamlit remembers by itself whether its sidebar is open, in one place for windows of any width. Here each kind has its own.
SIDEBAR = f"""<script>
{{
  const place = "stSidebarCollapsed-", own = "annotator:sidebar";
  const choose = () => {{
    try {{
      const kind = innerWidth <= {NARROW} ? "narrow" : "wide";
      const kept = {{ kind: "wide", narrow: "true", ...JSON.parse(localStorage.getItem(own)) }};
      if (kept.kind === kind) return;
      kept[kept.kind] = localStorage.getItem(place);
      if (kept[kind]) localStorage.setItem(place, kept[kind]);
      else localStorage.removeItem(place);
      localStorage.setItem(own, JSON.stringify({{ ...kept, kind }}));
    }} catch {{}}
  }};
  choose();
  addEventListener("resize", choose);
}}
</script>
"""

_FRAME = """<div class="begin begin-main" aria-hidden="true"><div></div></div>
<div class="begin begin-side" aria-hidden="true"></div>
<script>
{
  const PATIENCE_MS = 15000;
  const gone = { side: "[data-testid=stSidebar]", main: "DRAWN" };
  const look = () => {
    for (const [part, sign] of Object.entries(gone)) {
      if (document.querySelector(sign)) document.querySelector(`.begin-${part}`)?.remove();
    }
    if (!document.querySelector(".begin")) watcher.disconnect();
  };
  const watcher = new MutationObserver(look);
  watcher.observe(document.getElementById("root"), { childList: true, subtree: true });
  setTimeout(() => { for (const part of document.querySelectorAll(".begin")) part.remove(); }, PATIENCE_MS);
}
</script>
"""
_MAIN = "[data-testid=stMain] [data-testid"
_SAID = f"{_MAIN}=stAlert], {_MAIN}=stException]"


def frame(*, has_panel: bool) -> str:
    """The page's frame. has_panel: its own screen says when there is something to see, unless a sentence stands there instead."""
    return _FRAME.replace("DRAWN", _SAID if has_panel else f"{_MAIN}=stElementContainer]")
