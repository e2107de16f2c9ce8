// On a phone the rows of wide tables are cards (site.css); each field then says of which column it is.
document.addEventListener("DOMContentLoaded", () => {
  const tables = document.querySelectorAll("article table.table");
  for (const table of tables) {
    if (table.closest(".cell_output") || table.matches(".tunnel-table")) continue;
    const names = [...table.querySelectorAll("thead th")].map((one) => one.textContent.trim());
    if (names.length < 4 || names.length > 6) continue; // numbers in many columns scroll
    table.classList.add("stacks");
    for (const row of table.querySelectorAll("tbody tr"))
      [...row.cells].forEach((field, place) => (field.dataset.column = names[place] ?? ""));
  }
});
