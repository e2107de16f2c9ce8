// The page "Load the data": rows chosen by scenario, probe, metric and factors, as chart, table and
// file, with the lines that load them elsewhere.
const SHOWN = 20; // rows of the table; the file has all
const FIRST = { scenario: "psk-rsa", probe: "ike_restarted", metric: "ike_sa", by: "auth" };
const NO_FACTORS = ["probe", "metric", "unit", "side"];

document.addEventListener("DOMContentLoaded", () => {
  const form = document.querySelector("form.explore");
  if (!form) return;
  const place = document.querySelector(".explored");
  const text = (name, row) => table[name].levels?.[table[name].codes[row]] ?? table[name][row] ?? "";
  let table;
  let drawing = 0;
  const loaded = {};
  const once = (name) => (loaded[name] ??= load(name));

  const options = (select, names, wish) => {
    const kept = select.length && names.includes(select.value) ? select.value : wish;
    select.replaceChildren(...names.map((name) => new Option(name || "any", name)));
    if (names.includes(kept)) select.value = kept;
  };
  const found = (chosen) => {
    const wanted = Object.entries(chosen).filter(([, level]) => level);
    const codes = wanted.map(([name, level]) => [table[name].codes, table[name].levels.indexOf(level)]);
    return table.value.map((_, row) => row).filter((row) => codes.every(([of, code]) => of[row] === code));
  };
  const levels = (name, rows) => [...new Set(rows.map((row) => text(name, row)))];
  const words = () => Object.keys(table).filter((name) => table[name].levels);

  function show() {
    const chosen = { probe: form.probe.value, metric: form.metric.value };
    for (const select of form.querySelectorAll(".factors select")) chosen[select.name] = select.value;
    const rows = found(chosen);
    const by = form.by.value;
    const columns = [...words(), "block", "trial", "value", "values"];
    const several = columns.filter((name) => name !== "side" || levels(name, rows).some(Boolean));
    place.querySelector("output").value = `${rows.length} rows${rows.length > SHOWN ? `, the first ${SHOWN} below` : ""}.`;
    const quoted = (one) => (/[",\n]/.test(one) ? `"${String(one).replaceAll('"', '""')}"` : one);
    const csv = [several, ...rows.map((row) => several.map((name) => quoted(text(name, row))))];
    const link = place.querySelector("a.csv");
    URL.revokeObjectURL(link.href);
    link.href = URL.createObjectURL(new Blob([csv.map((one) => `${one.join(",")}\n`).join("")], { type: "text/csv" }));
    link.download = `${form.scenario.value}-${chosen.probe}-${chosen.metric}.csv`;
    const shown = document.createElement("table");
    const line = (section, kind, fields) => {
      const tr = section.insertRow();
      for (const field of fields) tr.append(Object.assign(document.createElement(kind), { textContent: field }));
    };
    line(shown.createTHead(), "th", several);
    const body = shown.createTBody();
    for (const row of rows.slice(0, SHOWN)) line(body, "td", several.map((name) => text(name, row)));
    place.querySelector(".explored-table").replaceChildren(shown);
    const chart = rows.map((row) => ({ value: table.value[row], by: text(by, row), trial: `block ${text("block", row)}, trial ${text("trial", row)}` }));
    draw(chart, by, `${chosen.metric} (${levels("unit", rows).join(", ") || "no unit"})`, ++drawing);
    code(chosen, by);
  }

  async function draw(values, by, title, own) {
    await once("vega.js");
    if (own !== drawing) return; // chosen again meanwhile
    const y = { field: "by", type: "nominal", title: by, axis: { labelLimit: 110 } };
    const x = { field: "value", type: "quantitative", title, scale: { zero: false } };
    const encoding = { x, y, tooltip: [{ field: "trial" }, { field: "value" }] };
    const box = place.querySelector(".explored-chart");
    const one = {
      width: Math.max(box.clientWidth - 150, 120),
      background: "white",
      padding: 8,
      data: { values },
      config: { axis: { labelFontSize: 12, titleFontSize: 12 } },
      layer: [
        { mark: { type: "point", size: 24, opacity: 0.5, color: "#0072B2" }, encoding },
        { mark: { type: "tick", thickness: 3, size: 16, color: "#D55E00" }, encoding: { y, x: { ...x, aggregate: "mean" } } },
      ],
    };
    await vegaEmbed(box, one, { mode: "vega-lite", renderer: "svg", actions: false });
    box.querySelector("svg").setAttribute("aria-label", `${title} by ${by}; orange: the mean`);
  }

  function code(chosen, by) {
    // A trial may have several levels of a factor that is not chosen: each has a mean of its own.
    const several = Object.keys(chosen).filter((name) => !chosen[name]);
    const keys = [...new Set([by, ...several, "campaign", "clock", "block", "trial"])];
    const quoted = (name) => `"${name}"`; // window is a word of SQL
    const address = new URL(`tables/${form.scenario.value}.parquet`, location.href).href;
    const wanted = Object.entries(chosen).filter(([, level]) => level);
    const all = (equals, quote, and, named = (name) => name) =>
      wanted.map(([name, level]) => `${named(name)} ${equals} ${quote}${level}${quote}`).join(and);
    const lines = {
      pandas: `import pandas as pd

values = pd.read_parquet("${address}")
values = values[values["trial_verdict"] != "rejected"]
values = values.query("${all("==", "'", " and ")}")
by = [${keys.map(quoted).join(", ")}]
means = values.groupby(by, observed=True, dropna=False)["value"].mean()`,
      r: `library(arrow)
library(dplyr)

means <- read_parquet("${address}") |>
  filter(trial_verdict != "rejected", ${all("==", '"', ", ")}) |>
  group_by(${keys.join(", ")}) |>
  summarise(value = mean(value))`,
      duckdb: `SELECT ${keys.map(quoted).join(", ")}, avg(value) AS value
FROM '${address}'
WHERE trial_verdict <> 'rejected' AND ${all("=", "'", " AND ", quoted)}
GROUP BY ALL;`,
    };
    for (const [name, of] of Object.entries(lines)) document.querySelector(`.in-${name} pre`).textContent = of;
  }

  async function changed(event) {
    if (!event || event.target === form.scenario) {
      await once(`../tables/${form.scenario.value}.js`);
      table = window.tables[form.scenario.value];
      form.querySelector(".factors").replaceChildren();
    }
    options(form.probe, levels("probe", found({})).sort(), FIRST.probe);
    options(form.metric, levels("metric", found({ probe: form.probe.value })).sort(), FIRST.metric);
    const rows = found({ probe: form.probe.value, metric: form.metric.value });
    const factors = words().filter((name) => !NO_FACTORS.includes(name) && levels(name, rows).length > 1);
    options(form.by, factors.length ? factors : ["campaign"], FIRST.by);
    // Levels of other factors are not mixed, unless somebody wants it.
    const own = event?.target !== form.by ? form.querySelectorAll(".factors select") : [];
    const kept = Object.fromEntries([...own].map((one) => [one.name, one.value]));
    form.querySelector(".factors").replaceChildren(
      ...factors.map((name) => {
        const label = document.createElement("label");
        const select = Object.assign(document.createElement("select"), { name });
        const names = levels(name, rows).filter(Boolean);
        options(select, ["", ...names], kept[name] ?? (name === form.by.value ? "" : names[0]));
        label.append(`${name} `, select);
        return label;
      }),
    );
    show();
  }

  form.scenario.value = FIRST.scenario;
  form.hidden = place.hidden = false;
  form.addEventListener("change", changed);
  form.addEventListener("submit", (event) => event.preventDefault());
  changed();
});
