// Where scripts run, each picture of a chart gives way to the chart itself, with tooltips. Without
// scripts the picture stays.
function load(name) {
  const script = document.createElement("script");
  script.src = `${document.documentElement.dataset.content_root}_static/${name}`;
  script.type = "module";
  return new Promise((done, failed) => {
    script.onload = done;
    script.onerror = () => failed(new Error(`${script.src} does not load`));
    document.head.append(script);
  });
}

async function draw(figure, specification) {
  const picture = figure.querySelector("svg, p");
  const place = document.createElement("div");
  await vegaEmbed(place, JSON.parse(specification.textContent), { renderer: "svg", actions: false });
  const chart = place.querySelector("svg");
  // The picture has the size of the page; the chart that of the paper.
  for (const side of ["width", "height"])
    if (picture.getAttribute(side)) chart.setAttribute(side, picture.getAttribute(side));
  // The caption describes the chart; a description of each of its marks would bury it.
  for (const part of chart.children) part.setAttribute("aria-hidden", "true");
  chart.setAttribute("role", "img");
  chart.setAttribute("aria-labelledby", figure.querySelector("figcaption").id);
  picture.replaceWith(place);
  figure.dataset.drawn = "";
}

document.addEventListener("DOMContentLoaded", async () => {
  const found = [...document.querySelectorAll("figure.chart")]
    .map((figure) => [figure, figure.querySelector('script[type="application/json"]')])
    .filter(([, specification]) => specification);
  if (!found.length) return;
  await load("vega.js");
  for (const [figure, specification] of found) await draw(figure, specification);
});
