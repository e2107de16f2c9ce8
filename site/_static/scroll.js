// What scrolls by itself is reached by keyboard, and says that it scrolls.
window.addEventListener("load", () => {
  const cues = new Map();
  const watch = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      const scrolls = target.scrollWidth > target.clientWidth + 1;
      if (scrolls) target.tabIndex = 0;
      else target.removeAttribute("tabindex");
      cues.get(target).hidden = !scrolls;
    }
  });
  for (const box of document.querySelectorAll(
    ".cell_output, .output.text_html, .pst-scrollable-table-container, figure.chart, .ledger, pre")) {
    const cue = document.createElement("p");
    cue.className = "scroll-cue";
    cue.textContent = "scroll sideways \u2192";
    cue.hidden = true;
    cue.setAttribute("aria-hidden", "true");
    cues.set(box, cue);
    box.before(cue);
    watch.observe(box);
  }
});
