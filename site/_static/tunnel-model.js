// What the page My tunnel computes: as workflow/remeasure/publish/tunnel/answer.py does, from the
// grids that the page holds. A plain script, since browsers load no module from a file.
const TunnelModel = (() => {
  const CLOSE = 1e-6;
  const PROPOSED = ["aes128gcm16", "chacha20poly1305"];

  const perSecond = (values) => (values.rate * 1e6) / 8 / values.size;
  const alike = (one, other) => Math.abs(one - other) <= CLOSE * Math.abs(other);

  // No narrower than what was needed at a lower rate and less jitter, no wider than what was enough
  // at a higher rate and more jitter.
  function bounded(window, rate, delay, measured) {
    for (const one of measured) {
      const faster = rate - one.per_second;
      const later = delay - one.jitter;
      if (faster >= 0 && later >= 0 && window !== null) window = Math.max(window, one.window);
      else if (faster <= 0 && later <= 0 && (window === null || window > one.window))
        window = one.window;
    }
    return window;
  }

  // The window to set (null: none is wide enough), and where that comes from.
  function advise(part, values) {
    const { path, delay } = values;
    if (path === "none" || delay === 0) return { window: part.windows[0], source: "order" };
    const rate = perSecond(values);
    const measured = path === "jitter" ? part.measured : [];
    for (const one of measured)
      if (alike(one.per_second, rate) && alike(one.jitter, delay))
        return { window: one.window, source: "measured" };
    // Between two delays of the grid that of the greater one; beyond it nothing is known.
    // A packet that waits in a queue is late as one on the slower of two paths.
    const grid = part[path === "queue" ? "skew" : path];
    const rates = grid[part.at.findIndex((at) => at >= delay)] ?? [];
    const window = part.windows[rates.findIndex((highest) => rate <= highest)] ?? null;
    const found = bounded(window, rate, delay, measured);
    if (found === null) return { window: null, source: "beyond" };
    return { window: found, source: found === window ? "model" : "bounded" };
  }

  // The window that is enough for packets that leave evenly (null: none is wide enough), by the law
  // of analysis.models.queue_reordering.
  function enoughIfEven(part, values) {
    const needed = Math.floor((values.delay / 1e3) * perSecond(values)) + 1;
    return part.windows.find((window) => window >= needed) ?? null;
  }

  // What was measured with such packets nearest to the reader's rate and delay; null if not near.
  function nearest(part, values) {
    const ratio = (one, other) => Math.max(one, other) / Math.min(one, other);
    const rate = perSecond(values);
    let found = null;
    for (const one of part.measured) {
      const [faster, later] = [ratio(rate, one.per_second), ratio(values.delay, one.delay)];
      if (one.path !== values.path || Math.max(faster, later) > part.near) continue;
      if (!found || faster * later < found.apart) found = { ...one, apart: faster * later };
    }
    return found;
  }

  // Time until the tunnel is up, for each method: measured where the round trip was.
  function setUps(part, values) {
    return part.methods.map((method) => {
      const found = method.measured[String(values.rtt)];
      const byModel = method.computing + part.trips * method.exchanges * values.rtt;
      const [ms, text] = found ?? [byModel, milliseconds(byModel)];
      return { method: method.method, ms, text, measured: Boolean(found) };
    });
  }

  // A set-up with a key exchange and the chosen way. One that was not measured with the way adds
  // exchanges, bytes and computing to X25519.
  function setUpWith(data, values, exchange) {
    const { set_up: part, measured_as: measuredAs, groups, computing } = data;
    const ways = measuredAs[values.way];
    const find = (of) => part.methods.find((one) => one.method === ways[of]);
    const own = find(exchange);
    if (own) {
      const [row] = setUps({ ...part, methods: [own] }, values);
      return { ...own, ...row, source: row.measured ? "measured" : "model", sent: own.bytes };
    }
    const base = find("x25519");
    const [group, least] = [groups[exchange], groups.x25519];
    const unknown = group.bytes === null || least.bytes === null || !(exchange in computing);
    if (!base || unknown) return null; // one of both was not measured
    const added = {
      ...base,
      exchanges: base.exchanges + group.exchanges - least.exchanges,
      computing: base.computing + computing[exchange],
      measured: {},
    };
    const [row] = setUps({ ...part, methods: [added] }, values);
    return { ...added, ...row, source: "added", sent: base.bytes + group.bytes - least.bytes };
  }

  // What fits into a packet of the path, and how long the reader's own is.
  function sizes(part, values, suite) {
    const { fixed, block, added, measured } = part.modes[values.mode][values.natt][suite];
    const found = values.mtu === part.mtu ? measured : null;
    const most = Math.floor((values.mtu - fixed) / block) * block - added;
    const payload = found ? found.largest : most - part.udp;
    const packet = payload + part.udp;
    const wire = fixed + Math.ceil((values.size + part.udp + added) / block) * block;
    const least = measured?.least ?? Infinity;
    const seen = least <= values.size && values.size <= measured.largest;
    return { payload, packet, segment: packet - part.tcp, measured: Boolean(found), wire, seen };
  }

  // Mbit/s of a core by suite, one for each library; empty if it was not measured.
  function speeds(part, values) {
    const byPayload = part.arms[values.instructions === "none" ? "masked" : "as-they-are"];
    const suites = Object.keys(part.names);
    if (!byPayload) return Object.fromEntries(suites.map((suite) => [suite, []]));
    const away = (payload) => Math.abs(payload - values.size);
    const nearest = Object.keys(byPayload).reduce((a, b) => (away(b) < away(a) ? b : a));
    return Object.fromEntries(
      suites.map((suite) => [suite, speed(suite, byPayload[nearest], values.speeds)]),
    );
  }

  function speed(suite, measured, own) {
    if (own[suite]) return [own[suite]];
    // The reader's core is to ours as for the first suite of which the reader gives a speed.
    const known = PROPOSED.find((name) => own[name]);
    if (!known) return measured[suite].map((one) => one.mbit);
    return measured[suite].map((one, i) => (own[known] * measured[known][i].ratio) / one.ratio);
  }

  // What suites cost in ESP of the kernel over AES-128-GCM, with such instructions.
  const inEsp = (part, values) => part.levels[values.instructions] ?? {};

  // By the reader's own speeds, else by ESP of the kernel, else the faster one by the slower library.
  function proposed(found, esp, values) {
    const [reference, other] = PROPOSED;
    const measured = inEsp(esp, values)[other];
    if (measured && !Object.keys(values.speeds).length)
      return measured.ratio < 1 ? other : reference;
    const least = (suite) => (found[suite].length ? Math.min(...found[suite]) : 0);
    return PROPOSED.reduce((a, b) => (least(b) > least(a) ? b : a));
  }

  // Mbit/s in the lines of `openssl speed -evp` for a packet size: those of the nearest column.
  function readSpeeds(text, size) {
    let columns = [16, 64, 256, 1024, 8192, 16384];
    const found = {};
    for (const line of text.split("\n")) {
      const sizes = [...line.matchAll(/(\d+) bytes/g)].map((match) => Number(match[1]));
      if (/^\s*type\b/i.test(line) && sizes.length) columns = sizes;
      const suite = { "aes-128-gcm": PROPOSED[0], "chacha20-poly1305": PROPOSED[1] }[
        line.trim().split(/\s+/)[0].toLowerCase()
      ];
      const rates = [...line.matchAll(/\s([\d.]+)k(?=\s|$)/g)].map((match) => Number(match[1]));
      if (!suite || rates.length !== columns.length) continue;
      const away = (i) => Math.abs(columns[i] - size);
      const nearest = rates.map((_, i) => i).reduce((a, b) => (away(b) < away(a) ? b : a));
      // thousands of bytes a second
      found[suite] = { mbit: (rates[nearest] * 8) / 1e3, column: columns[nearest] };
    }
    return found;
  }

  const milliseconds = (value) => value.toFixed(value < 10 ? 1 : 0);
  const number = (value) => Number(value.toPrecision(3)).toLocaleString("en-US");
  const span = (values) =>
    [...new Set([Math.min(...values), Math.max(...values)].map(number))].join(" to ");

  return {
    PROPOSED,
    perSecond,
    advise,
    enoughIfEven,
    nearest,
    setUps,
    setUpWith,
    sizes,
    speeds,
    inEsp,
    proposed,
    readSpeeds,
    milliseconds,
    number,
    span,
  };
})();
