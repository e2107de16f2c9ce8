// Filters the rows of the ledger by study, verdict, topic and words. At first those that have a
// verdict are shown, and the row that the address names; or the rows of BY_ADDRESS.
const BY_ADDRESS = { all: "", "not-testable": "not testable" };
document.addEventListener("DOMContentLoaded", () => {
  const form = document.querySelector("form.ledger-filter");
  if (!form) return;
  const rows = [...document.querySelector(".ledger").querySelectorAll("tbody tr")];
  const given = (row, verdict) =>
    verdict === "any" ? row.dataset.verdict !== "not testable" : row.dataset.verdict === verdict;
  const show = () => {
    const words = form.words.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0,
      counted = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden =
        (form.study.value && row.dataset.study !== form.study.value) ||
        (form.verdict.value && !given(row, form.verdict.value)) ||
        (form.topic.value && !row.dataset.topic.includes(` ${form.topic.value} `)) ||
        !words.every((word) => text.includes(word));
      shown += !row.hidden;
      counted += !row.hidden && !text.includes("not counted:");
    }
    form.querySelector("output").value = `${shown} of ${rows.length} rows, ${counted} counted`;
  };
  const named = () => {
    const name = decodeURIComponent(location.hash.slice(1));
    if (name in BY_ADDRESS) {
      form.reset();
      form.verdict.value = BY_ADDRESS[name];
      return show();
    }
    const row = document.getElementById(name);
    if (!row?.hidden) return;
    form.reset();
    form.verdict.value = "";
    show();
    row.scrollIntoView();
  };
  form.hidden = false;
  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  addEventListener("hashchange", named);
  show();
  named();
});
