// Where scripts run, each picture of a chart gives way to the chart itself: as wide as its column,
// with tooltips. Without scripts the picture stays.
const SCALE = 13 / 8; // px of a page over pt of the paper, as in notebook/pictures.py
const LEAST = 100; // [pt] plots that would be narrower stand one above the other
const HEAD = 26; // [pt] a column that has a name above it is not narrower
const PHONE = 320; // [pt] where a column is narrower, a key has few columns
const SMALLER = 1.25; // a chart that much wider than its column is scaled to it
const SETTLED = 300; // [ms] without a change, after which a window counts as resized

function load(name) {
  const script = document.createElement("script");
  script.src = `${document.documentElement.dataset.content_root}_static/${name}`;
  return new Promise((done, failed) => {
    script.onload = done;
    script.onerror = () => failed(new Error(`${script.src} does not load`));
    document.head.append(script);
  });
}

// The plots of a chart in rows: those of a row stand side by side.
function rowsOf(view) {
  if (view.hconcat) return [view.hconcat.flatMap((one) => rowsOf(one)[0])];
  if (view.vconcat) return view.vconcat.flatMap(rowsOf);
  if (!view.concat) return [[view]];
  const columns = view.columns ?? view.concat.length;
  const rows = [];
  view.concat.forEach((one, place) => {
    if (place % columns === 0) rows.push([]);
    rows.at(-1).push(...rowsOf(one)[0]);
  });
  return rows;
}

const widthOf = (row) => row.reduce((sum, plot) => sum + (plot.width ?? 0), 0);
const widest = (rows) => rows.reduce((a, b) => (widthOf(b) > widthOf(a) ? b : a));

// The plots of a row one above the other, each with the names of its axes.
function stacked(view) {
  const { hconcat, concat, columns, bounds, spacing, ...rest } = view;
  if (!hconcat && !concat) return view;
  const vconcat = structuredClone(hconcat ?? concat);
  const axes = vconcat.flatMap((plot) => (plot.layer ?? [plot]).map((one) => one.encoding ?? {}));
  for (const channel of ["x", "y"]) {
    const title = axes.map((one) => one[channel]?.title).find(Boolean) ?? null;
    for (const { [channel]: axis } of axes)
      if (axis?.axis?.labels === false) Object.assign(axis, { title }).axis.labels = true;
  }
  return { ...rest, vconcat };
}

// The specification with plots scaled so that all of it is `width` pt wide, where it is now `now` pt.
function widened(specification, now, width) {
  const fitting = structuredClone(specification);
  const rows = rowsOf(fitting);
  const whole = widthOf(widest(rows));
  const heads = rows.flat().map((plot) => (plot.layer?.[0] ?? plot).encoding?.x?.sort);
  const named = Math.max(0, ...heads.map((names) => (Array.isArray(names) ? names.length : 0)));
  const factor = Math.max(LEAST, HEAD * named, whole + width - now) / whole;
  for (const plot of rows.flat()) {
    if (plot.width) plot.width = Math.floor(plot.width * factor);
    if (typeof plot.height === "number") plot.height *= Math.min(Math.max(factor, 1), 1.6);
  }
  return fitting;
}

function withKeyOf(columns, { config, ...rest }) {
  return { ...rest, config: { ...config, legend: { ...config.legend, columns } } };
}

async function draw(figure, specification, picture) {
  const width = figure.clientWidth / SCALE;
  const place = document.createElement("div");
  const tooltip = { theme: document.documentElement.dataset.theme };
  const embed = async (one) => {
    await vegaEmbed(place, one, { renderer: "svg", actions: false, tooltip });
    return place.querySelector("svg").viewBox.baseVal.width;
  };
  const plain = { ...specification, background: "transparent" };
  const row = widest(rowsOf(plain));
  const now = picture.viewBox.baseVal.width;
  const together = (widthOf(row) + width - now) / row.length >= LEAST;
  const whole = together || row.length < 2 ? plain : stacked(plain);
  const placed = JSON.stringify(plain).includes('"orient":"none"'); // a key that has its own place
  let got;
  for (const columns of width < PHONE && !placed ? [undefined, 2, 1] : [undefined]) {
    const shown = columns ? withKeyOf(columns, whole) : whole;
    const fitting = widened(shown, shown === plain ? now : await embed(shown), width);
    got = await embed(fitting);
    // A key that is wider than the plots hides how wide they can be.
    if (got < 0.97 * width) got = await embed(widened(fitting, got, width));
    if (got <= 1.02 * width) break;
  }
  const chart = place.querySelector("svg");
  // Type may be a little smaller on a phone; where that is not enough, the chart scrolls.
  const scale = got > width && got <= SMALLER * width ? (SCALE * width) / got : SCALE;
  chart.setAttribute("width", got * scale);
  chart.setAttribute("height", chart.viewBox.baseVal.height * scale);
  // The caption describes the chart; a description of each of its marks would bury it.
  for (const part of chart.children) part.setAttribute("aria-hidden", "true");
  chart.setAttribute("role", "img");
  chart.setAttribute("aria-labelledby", picture.getAttribute("aria-labelledby"));
  figure.querySelector(":scope > svg, :scope > div.drawn").replaceWith(place);
  place.className = "drawn";
  figure.dataset.drawn = figure.clientWidth;
}

document.addEventListener("DOMContentLoaded", async () => {
  const found = [...document.querySelectorAll("figure.chart")]
    .map((figure) => [figure, figure.querySelector('script[type="application/json"]')])
    .filter(([, specification]) => specification)
    .map(([figure, text]) => [figure, JSON.parse(text.textContent), figure.querySelector("svg")]);
  if (!found.length) return;
  await load("vega.js");
  for (const one of found) await draw(...one);
  let waiting;
  addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(async () => {
      for (const one of found)
        if (Number(one[0].dataset.drawn) !== one[0].clientWidth) await draw(...one);
    }, SETTLED);
  });
});
