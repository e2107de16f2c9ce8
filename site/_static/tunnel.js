// The page My tunnel: reads its form, writes what follows, and keeps the values in the address.
document.addEventListener("DOMContentLoaded", () => {
  const form = document.querySelector("form.tunnel");
  if (!form) return;
  const data = JSON.parse(document.getElementById("tunnel-data").textContent);
  const numbers = ["rtt", "rate", "size", "delay", "gcm", "chacha"];
  const begins = entries();
  let unknown = ""; // what the address says that is no choice

  const say = (name, values = {}) =>
    data.texts[name].replace(/\{(\w+)\}/g, (_, key) => String(values[key]));
  const show = (place, text) => {
    for (const one of document.querySelectorAll(`[data-says="${place}"]`))
      if (one.textContent !== text) one.textContent = text;
  };

  const labelOf = (field) => field.labels[0].firstChild.textContent;

  function entries() {
    return Object.fromEntries(
      [...new FormData(form)].filter(([name]) => name !== "pasted").map(([k, v]) => [k, String(v)]),
    );
  }

  // The values of the form; null if one of them is none.
  function values() {
    const { path, instructions, way, end, exchange } = entries();
    if (!form.checkValidity()) return null;
    const [rtt, rate, size, delay, gcm, chacha] = numbers.map((name) => Number(form[name].value));
    const speeds = {};
    if (gcm) speeds.aes128gcm16 = gcm;
    if (chacha) speeds.chacha20poly1305 = chacha;
    return { rtt, rate, size, path, delay, instructions, speeds, way, end, exchange };
  }

  // The address of these values. They are in the part that is sent to no server.
  function address() {
    const changed = Object.entries(entries()).filter(([name, value]) => value !== begins[name]);
    const state = new URLSearchParams(changed).toString();
    return location.href.split("#")[0] + (state ? `#${state}` : "");
  }

  function restore() {
    if (!location.hash.includes("=")) return false; // a heading of this page
    const state = new URLSearchParams(location.hash.slice(1));
    unknown = "";
    for (const [name, first] of Object.entries(begins)) {
      const [field, value] = [form.elements[name], state.get(name) ?? first];
      field.value = value;
      if (field.value === value) continue;
      // What is none of the choices.
      field.value = first;
      const took = field.selectedOptions?.[0].textContent ?? first;
      unknown += ` ${say("unknown", { label: labelOf(field), value, first: took || "none" })}`;
    }
    return true;
  }

  function paste() {
    const found = TunnelModel.readSpeeds(form.pasted.value, Number(form.size.value));
    const fields = { aes128gcm16: form.gcm, chacha20poly1305: form.chacha };
    for (const [suite, { mbit }] of Object.entries(found)) fields[suite].value = mbit.toFixed(1);
    const read = Object.entries(found).map(
      ([suite, { mbit, column }]) =>
        `${data.suites.names[suite]}: ${TunnelModel.number(mbit)} Mbit/s (column ${column} bytes).`,
    );
    const nothing = form.pasted.value.trim() ? "No line of aes-128-gcm or chacha20-poly1305." : "";
    show("pasted", read.join(" ") || nothing);
  }

  function update() {
    const chosen = values();
    for (const name of numbers)
      form[name].setAttribute("aria-invalid", String(!form[name].checkValidity()));
    form.delay.disabled = form.path.value === "none";
    const wrong = numbers.map((name) => form[name]).find((field) => !field.checkValidity());
    show("wrong", wrong ? `${labelOf(wrong)}: ${wrong.validationMessage}` : unknown.trim());
    document.body.toggleAttribute("data-tunnel-old", !chosen);
    if (!chosen) return show("inputs", say("stale"));
    history.replaceState(null, "", address());
    showWindow(chosen);
    showTimes(chosen);
    showSuites(chosen);
    show("inputs", inputs(chosen));
  }

  function inputs({ rtt, rate, size, path, delay, instructions }) {
    const where = say(`path-${path}`, { delay });
    const has = say(`instructions-${instructions}`);
    return say("inputs", { rtt, rate, size, path: where, instructions: has });
  }

  function showWindow(chosen) {
    const { window, source } = TunnelModel.advise(data.windows, chosen);
    const largest = data.windows.windows.at(-1);
    const allowed = Number((100 * data.windows.allowed).toPrecision(3));
    const perSecond = TunnelModel.perSecond(chosen);
    const whole = (value) => Math.round(value).toLocaleString("en-US");
    show("window", window ? say("window", { window }) : say("window-beyond"));
    show("source", say(`source-${source}`, { largest }));
    const within = whole((perSecond * chosen.delay) / 1e3);
    show("why", say(`why-${chosen.path}`, { persecond: whole(perSecond), within }));
    show("rests", say(`rests-${source}`, { largest, allowed }));
    document.getElementById("tunnel-beyond").hidden = source !== "beyond";
  }

  function showTimes(chosen) {
    const rows = TunnelModel.setUps(data.set_up, chosen);
    for (const { method, text } of rows) show(`ms-${method}`, text);
    showChosen(TunnelModel.chosenSetUp(data.set_up, data.measured_as, chosen));
    const every = data.set_up.methods.flatMap((one) => Object.keys(one.measured).map(Number));
    const rtts = [...new Set(every)].sort((a, b) => a - b);
    const beyond = chosen.rtt > Math.max(0, ...rtts) ? say("set-up-beyond") : "";
    const worst = data.set_up.worst.toFixed(1);
    const model = say("set-up-model", { worst, rtts: rtts.join(", "), beyond });
    const measured = rows.every((row) => row.measured);
    show("set-up-rests", measured ? say("set-up-measured") : model);
  }

  function showChosen(row) {
    const source = row?.more ? "more" : row?.measured ? "measured" : "model";
    const name = row?.more ? "short-name-more" : "short-name";
    show("short-name", row ? say(name, { method: row.name }) : "");
    const ms = row && TunnelModel.milliseconds(row.ms);
    show("short", row ? say("set-up", { ms }) : say("speed-none"));
    show("short-source", say(`short-${source}`));
  }

  function showSuites(chosen) {
    const { machine, names } = data.suites;
    const found = TunnelModel.speeds(data.suites, chosen);
    const suite = TunnelModel.proposed(found, data.esp, chosen);
    const span = (speeds) => (speeds.length ? TunnelModel.span(speeds) : say("speed-none"));
    for (const [name, speeds] of Object.entries(found)) show(`mbit-${name}`, span(speeds));
    const own = Object.keys(chosen.speeds).length;
    const spoken = chosen.instructions === "none" && !own ? "speed-masked" : "speed";
    const known = found[suite].length ? say(spoken, { speed: span(found[suite]), machine }) : null;
    show("suite", names[suite]);
    show("speed", known ?? say("speed-none"));
    showEsp(chosen);
    const libraries = data.suites.libraries.join(" and ") || "none";
    show("speed-rests", say(own ? "speed-own" : "speed-ours", { machine, libraries }));
    const { window } = TunnelModel.advise(data.windows, chosen);
    const set = window ?? data.windows.windows.at(-1) + say("not-enough");
    const text = data.configurations[chosen.way][chosen.end]
      .replaceAll("@SUITE@", suite)
      .replaceAll("@EXCHANGE@", chosen.exchange)
      .replaceAll("@WINDOW@", String(set));
    show("configuration", text);
  }

  function showEsp(chosen) {
    const { names } = data.suites;
    const measured = TunnelModel.inEsp(data.esp, chosen);
    const [reference, other] = TunnelModel.PROPOSED;
    const found = measured[other];
    const open = found?.open ? say("esp-open") : "";
    const told = { other: names[other], ratio: found?.text, reference: names[reference], open };
    show("esp", found ? say("esp", told) : say("esp-none"));
    for (const suite of Object.keys(names))
      show(`esp-${suite}`, suite === reference ? "1" : (measured[suite]?.text ?? say("speed-none")));
  }

  for (const [id, text] of [
    ["tunnel-copy", () => document.querySelector('[data-says="configuration"]').textContent],
    ["tunnel-link", address],
  ]) {
    const button = document.getElementById(id);
    copies(button, text, () => show("copied", `${button.textContent}: done.`));
  }
  form.hidden = false;
  form.addEventListener("input", (event) => {
    if (event.target === form.pasted || event.target === form.size) paste();
    unknown = "";
    update();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  window.addEventListener("hashchange", () => restore() && update());
  restore();
  update();
});
