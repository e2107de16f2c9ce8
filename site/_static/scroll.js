// What scrolls by itself is reached by keyboard.
window.addEventListener("load", () => {
  const watch = new ResizeObserver((entries) => {
    for (const { target } of entries)
      if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
      else target.removeAttribute("tabindex");
  });
  for (const box of document.querySelectorAll(".cell_output, figure.chart, .ledger, pre"))
    watch.observe(box);
});
