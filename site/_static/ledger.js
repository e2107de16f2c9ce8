// Filters the rows of the ledger by study, verdict, topic and words.
document.addEventListener("DOMContentLoaded", () => {
  const form = document.querySelector("form.ledger-filter");
  if (!form) return;
  const rows = [...document.querySelectorAll(".ledger tbody tr")];
  const show = () => {
    const words = form.words.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden =
        (form.study.value && row.dataset.study !== form.study.value) ||
        (form.verdict.value && row.dataset.verdict !== form.verdict.value) ||
        (form.topic.value && !row.dataset.topic.includes(` ${form.topic.value} `)) ||
        !words.every((word) => text.includes(word));
      shown += !row.hidden;
    }
    form.querySelector("output").value = `${shown} of ${rows.length} statements`;
  };
  form.hidden = false;
  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  show();
});
