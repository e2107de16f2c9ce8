// What the page My tunnel says at each place. `data` is what the page holds.
function tunnelSays(data) {
  const say = (name, values = {}) =>
    data.texts[name].replace(/\{(\w+)\}/g, (_, key) => String(values[key]));
  const show = (place, text) => {
    for (const one of document.querySelectorAll(`[data-says="${place}"]`))
      if (one.textContent !== text) one.textContent = text;
  };
  const EVEN = ["skew", "queue"]; // behind which packets that left evenly were measured
  const ASIDE = ["order", "widest", "beyond"]; // where no other window is the answer
  const largest = data.windows.windows.at(-1);
  const passed = [data.windows, data.even, data.late].flatMap((part) => part.passed);
  const allowed = Number((100 * data.windows.allowed).toPrecision(3));
  const whole = (value) => Math.round(value).toLocaleString("en-US");
  const suiteFor = (chosen) => TunnelModel.proposed(data.esp, chosen);

  function inputs({ rtt, loss, rate, size, path, delay, instructions }) {
    const late = TunnelModel.number(5 * delay); // of jitter with this standard deviation
    const where = say(`path-${path}`, { delay, late });
    const has = say(`instructions-${instructions}`);
    return say("inputs", { rtt, loss, rate, size, path: where, instructions: has });
  }

  // The share that a window passes, by the model.
  function share(chosen, window) {
    const percent = TunnelModel.passing(data.windows, chosen, window);
    if (percent === null) return say("share-class");
    return say("share", { share: percent > 99.9 && percent < 100 ? "> 99.9" : percent.toPrecision(3) });
  }

  // What the narrowest, the widest and WireGuard's window pass, if it was measured nearby, or if no
  // window is wide enough.
  function passes(chosen, source) {
    const found = TunnelModel.nearest(data.windows, data.late.shares, chosen);
    if (!found && source !== "beyond") return "";
    const { bits, wireguard } = data;
    const [narrow] = data.windows.windows;
    const [one, most, theirs] = [narrow, largest, wireguard.window].map((each) =>
      found ? say("share", { share: found.shares[each] }) : share(chosen, each),
    );
    const how = say(found ? "passes-measured" : "passes-model", found ?? {});
    return say("passes", { narrow, one, largest, most, bits, theirs, how });
  }

  const advised = (chosen) => TunnelModel.advise(data.windows, passed, chosen);
  // The network reorders by the class that it sees outside ESP.
  const byClass = ({ path, mode }) => path === "queue" && mode === "tunnel";

  function showWindow(chosen) {
    const { window, source } = advised(chosen);
    const perSecond = TunnelModel.perSecond(chosen);
    const within = whole((perSecond * chosen.delay) / 1e3);
    const line = whole(TunnelModel.lineRate(data.windows, chosen));
    const values = { window, largest, allowed, line, within, persecond: whole(perSecond) };
    values.share = share(chosen, largest);
    const headline = ["order", "beyond"].includes(source) ? `window-${source}` : "window";
    show("first", byClass(chosen) ? say("first-dscp") : "");
    show("window", say(headline, values));
    show("source", say(`source-${source}`, values));
    show("why", say(`why-${chosen.path}`, values));
    show("rests", say(`rests-${source}`, values));
    show("even", evenly(chosen));
    show("passes", passes(chosen, source));
    const words = ASIDE.includes(source) ? source : "set";
    showStatus(source, byClass(chosen) && source !== "order" ? "class" : words, values);
    const cures = document.getElementById("tunnel-cures");
    cures.hidden = chosen.path !== "queue" && !["widest", "beyond"].includes(source);
    cures.querySelector("li").hidden = !byClass(chosen);
  }

  function showStatus(source, words, values = {}) {
    document.querySelector(".tunnel-status").dataset.source = source;
    show("status", say(`status-${words}`, values));
  }

  // What packets that leave evenly need, by the law and by what was measured nearby.
  function evenly(chosen) {
    if (!EVEN.includes(chosen.path) || chosen.delay === 0) return "";
    const even = TunnelModel.enoughIfEven(data.windows, chosen);
    const law = say(even ? "even-law" : "even-law-beyond", { even, largest });
    const found = TunnelModel.nearest(data.windows, passed, chosen);
    if (!found) return `${law} ${say("even-unmeasured")}`;
    const persecond = whole(TunnelModel.perSecond(found));
    const values = { ...found, persecond, delay: TunnelModel.number(found.delay) };
    return `${law} ${say("even-measured", values)}`;
  }

  const marked = (text, isMeasured) => (isMeasured ? text : say("by-model", { value: text }));

  function showTimes(chosen) {
    const rows = TunnelModel.setUps(data.set_up, chosen);
    for (const { method, text, measured } of rows) show(`ms-${method}`, marked(text, measured));
    showChosen(chosen);
    const every = data.set_up.methods.flatMap((one) => Object.keys(one.measured).map(Number));
    const rtts = [...new Set(every)].sort((a, b) => a - b);
    const beyond = chosen.rtt > Math.max(0, ...rtts) ? say("set-up-beyond") : "";
    const worst = data.set_up.worst.toFixed(1);
    const model = say("set-up-model", { worst, rtts: rtts.join(", "), beyond });
    const measured = rows.every((row) => row.measured);
    show("set-up-rests", measured ? say("set-up-measured") : model);
  }

  function showChosen(chosen) {
    const row = TunnelModel.setUpWith(data, chosen, chosen.exchange);
    const name = row?.source === "added" ? "short-name-group" : "short-name";
    const group = data.exchanges[chosen.exchange];
    show("short-name", row ? say(name, { method: row.name, group }) : "");
    show("short", row ? say("set-up", { ms: row.text }) : say("speed-none"));
    show("short-source", say(`short-${row?.source ?? "model"}`));
    show("short-sent", row ? sent(row) : "");
    show("lost", row ? lost(row, chosen.loss) : "");
  }

  // A message that is lost is one packet of the exchanges, or one of several.
  function lost({ exchanges }, loss) {
    const share = whole(100 * (1 - (1 - loss / 100) ** (2 * exchanges)));
    return say(loss ? "lost" : "lost-none", { loss, share });
  }

  function sent(row) {
    const how = say(row.source === "added" ? "sent-added" : "sent-counted");
    return say("sent", { exchanges: row.exchanges, bytes: whole(row.sent), how });
  }

  function showGroups(chosen) {
    show("groups", say("groups", { way: data.ways[chosen.way] }));
    const bytes = (row) =>
      row.source === "added" ? say("by-sum", { value: whole(row.sent) }) : whole(row.sent);
    for (const exchange of Object.keys(data.exchanges)) {
      const row = TunnelModel.setUpWith(data, chosen, exchange);
      const time = row && marked(row.text, row.source === "measured");
      show(`exchanges-${exchange}`, row ? String(row.exchanges) : say("speed-none"));
      show(`sent-${exchange}`, row ? bytes(row) : say("speed-none"));
      show(`takes-${exchange}`, time ?? say("speed-none"));
    }
  }

  function showSizes(chosen) {
    const { mode, natt, mtu, outer } = chosen;
    const suites = Object.keys(data.suites);
    const sized = (suite) => [suite, TunnelModel.sizes(data.sizes, chosen, suite)];
    const rows = suites.map(sized);
    const own = Object.fromEntries(rows)[suiteFor(chosen)];
    const how = (measured) => say(measured ? "size-measured" : "size-computed");
    show("segment", say("bytes", { bytes: own.segment }));
    show("fits", say("fits", { ...own, how: how(own.measured) }));
    show("wire", say(own.wire <= mtu ? "wire-fits" : "wire-cut", { ...own, how: how(own.seen) }));
    const inner = own.inner;
    const where = { mode: say(`mode-${mode}`), natt: say(`natt-${natt}`), mtu, inner, outer };
    const all = (name) => how(rows.every(([, row]) => row[name]));
    show("sizes", say("sizes", { ...where, how: all("measured"), seen: all("seen") }));
    for (const [suite, row] of [...rows, sized("wireguard"), sized("openvpn")])
      for (const name of ["segment", "payload", "packet", "wire"])
        show(`${name}-${suite}`, String(row[name]));
  }

  function showSuites(chosen) {
    const suite = suiteFor(chosen);
    const own = chosen.speeds[suite];
    const beside = chosen.instructions === "none" ? say("speed-router") : "";
    show("suite", data.suites[suite]);
    show("speed", own ? say("speed-yours", { speed: TunnelModel.number(own) }) : beside);
    showEsp(chosen);
  }

  function showConfiguration(chosen) {
    const { window } = advised(chosen);
    const set = window ?? largest + say("not-enough", { share: share(chosen, largest) });
    const text = data.configurations[chosen.way][chosen.end][chosen.mode]
      .replaceAll("@SUITE@", suiteFor(chosen))
      .replaceAll("@EXCHANGE@", chosen.exchange)
      .replaceAll("@WINDOW@", String(set))
      .replaceAll("@ENCAP@", chosen.natt === "yes" ? data.encap : "")
      .replaceAll("@DSCP@", byClass(chosen) ? data.dscp : "");
    show("configuration", text);
  }

  function showEsp(chosen) {
    const names = data.suites;
    const measured = TunnelModel.inEsp(data.esp, chosen);
    const [reference, other] = TunnelModel.PROPOSED;
    const found = measured[other];
    const { machine, rates } = data.esp;
    const told = () => ({
      machine,
      reference: names[reference],
      rate: rates[chosen.instructions][reference],
      other: names[other],
      rate_other: rates[chosen.instructions][other],
      ratio: found.text,
      open: found.open ? say("esp-open") : "",
    });
    show("esp", found ? say("esp", told()) : say("esp-none"));
    for (const suite of Object.keys(names))
      show(`esp-${suite}`, suite === reference ? "1" : (measured[suite]?.text ?? say("speed-none")));
  }

  // Answers for WireGuard, in the places of answers for ESP.
  function showWireguard(chosen) {
    const { window, configurations } = data.wireguard;
    const own = TunnelModel.sizes(data.sizes, chosen, "wireguard");
    const ms = TunnelModel.number((window / TunnelModel.perSecond(chosen)) * 1e3);
    const values = { ...own, window, bits: data.bits, ms, grown: own.wire - own.own, outer: chosen.outer };
    values.share = share(chosen, window);
    for (const name of Object.keys(data.texts))
      if (name.startsWith("wireguard-")) show(name.replace("wireguard-", ""), say(name, values));
    const fits = own.wire <= chosen.mtu ? "wire-fits" : "wire-cut";
    show("wire", say(fits, { ...own, how: say("size-grown", values) }));
    showStatus("fixed", "wireguard", values);
    document.getElementById("tunnel-cures").hidden = true;
    const text = configurations[chosen.end][chosen.natt];
    const filled = text.replace("@MTU@", String(own.packet)).replace("@OUTER@", chosen.outer);
    show("configuration", filled);
  }

  function all(chosen) {
    showWindow(chosen);
    showTimes(chosen);
    showGroups(chosen);
    showSizes(chosen);
    showSuites(chosen);
    showConfiguration(chosen);
    show("file", chosen.file);
    if (chosen.file === "wg0.conf") showWireguard(chosen);
    show("inputs", inputs(chosen));
  }

  return { say, show, showStatus, all };
}
