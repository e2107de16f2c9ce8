// What the page My tunnel computes from what it holds. The window to set is computed as
// workflow/remeasure/paper/analysis/models/window_advice.py does. A plain script, since browsers load no
// module from a file.
const TunnelModel = (() => {
  const CLOSE = 1e-6;
  const PROPOSED = ["aes128gcm16", "chacha20poly1305"];

  const perSecond = ({ rate, size }) => (rate * 1e6) / 8 / size;

  // The value at x of a curve that is given at rising xs; outside them that of the nearer end.
  function interpolated(x, xs, ys) {
    if (x <= xs[0]) return ys[0];
    const i = xs.findIndex((one) => one >= x);
    if (i < 0) return ys.at(-1);
    const slope = (ys[i] - ys[i - 1]) / (xs[i] - xs[i - 1]);
    return slope * (x - xs[i - 1]) + ys[i - 1];
  }

  // Line rate of the sender's port, the reader's or the next at or above the rate.
  function lineRate(part, { line, rate }) {
    return line || (part.line_rates.find((one) => one >= rate) ?? rate);
  }

  // The window that the model gives, not rounded up. One that is enough for a delay is taken to be
  // enough for shorter ones.
  function needed(part, values) {
    const delay = Math.max(values.delay, part.delays[0]);
    const longer = part.delays.filter((one) => one > delay);
    return Math.min(...[delay, ...longer].map((one) => neededAt(part, values, one)));
  }

  // No burst is faster than the port.
  function neededAt(part, values, delay) {
    const { path, rate } = values;
    const burst = Math.max(1, lineRate(part, values) / rate);
    const sending = Math.min(interpolated(delay, part.delays, part.curves[path]), burst * delay);
    if (path !== "jitter") return Math.floor((perSecond(values) * sending) / 1e3) + 1;
    const packets = (perSecond(values) * delay) / 1e3;
    return (sending / delay) * interpolated(packets, part.curves.packets, part.curves.even);
  }

  const settable = (part, window) => part.windows.find((one) => one >= window) ?? null;

  // What was measured there, else the model's window, but no narrower than what was needed at a
  // lower rate and less jitter, and no wider than what was enough at a higher rate and more.
  function bounded(model, values, passed) {
    let window = model;
    for (const one of passed) {
      const faster = perSecond(values) / perSecond(one) - 1;
      const later = values.delay / one.delay - 1;
      if (Math.max(Math.abs(faster), Math.abs(later)) <= CLOSE)
        return { window: one.window, source: "measured" };
      if (faster >= -CLOSE && later >= -CLOSE && window !== null)
        window = Math.max(window, one.window);
      else if (faster <= CLOSE && later <= CLOSE && (window === null || window > one.window))
        window = one.window;
    }
    if (window === null) return { window, source: "beyond" };
    return { window, source: window === model ? "model" : "bounded" };
  }

  // The window to set (null: none is wide enough), and where that comes from.
  function advise(part, passed, values) {
    const { path, delay } = values;
    if (path === "none" || delay === 0) return { window: part.windows[0], source: "order" };
    const model = settable(part, needed(part, values));
    const here = passed.filter((one) => one.path === path);
    if (path === "jitter") return bounded(model, values, here);
    const near = nearest(part, here, values);
    if (!model)
      return near || enoughIfEven(part, values)
        ? { window: part.windows.at(-1), source: "widest" }
        : { window: null, source: "beyond" };
    if (!near || model > near.window) return { window: model, source: "model" };
    return { window: near.window, source: "tested" };
  }

  // The window that is enough behind two paths or a queue for packets that leave evenly (null: none
  // is wide enough).
  const enoughIfEven = (part, values) =>
    settable(part, needed(part, { ...values, line: values.rate }));

  // What was measured on such a path nearest to the reader's rate and delay; null if not near.
  function nearest(part, passed, values) {
    const ratio = (one, other) => Math.max(one, other) / Math.min(one, other);
    const rate = perSecond(values);
    let found = null;
    for (const one of passed) {
      const [faster, later] = [ratio(rate, perSecond(one)), ratio(values.delay, one.delay)];
      if (one.path !== values.path || Math.max(faster, later) > part.near) continue;
      if (!found || faster * later < found.apart) found = { ...one, apart: faster * later };
    }
    return found;
  }

  // The share that a window passes [%] if packets leave evenly; null: only the preferred class. As
  // workflow/remeasure/paper/analysis/models/window_acceptance.py, with sums as integrals.
  function passing(part, values, window) {
    const packets = (perSecond(values) * values.delay) / 1e3;
    if (values.path === "none" || !packets) return 100;
    if (values.path !== "jitter") return packets < window ? 100 : values.path === "skew" ? 50 : null;
    let [passed, all] = [0, 0];
    for (let late = -5; late <= 5; late += 0.02) {
      const weight = Math.exp((-late * late) / 2);
      const faster = late - (window - 0.5) / packets;
      passed += weight * Math.exp(-packets * interpolated(faster, part.curves.faster, part.curves.overtaking));
      all += weight;
    }
    return (100 * passed) / all;
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
    const { outer, mode, natt } = values;
    const inner = part[suite] || mode === "tunnel" ? values.inner : outer;
    const growth = part[suite]?.[outer] ?? part.modes[outer][mode][natt][suite];
    const { fixed, block, added } = growth;
    const measured = growth.measured?.[inner];
    const [udp, tcp] = [part.udp, part.tcp].map((one) => part.headers[inner] + one);
    const limit = part[suite] ? values.mtu - fixed : 0; // its MTU; no padding beyond it
    const found = values.mtu === part.mtu ? measured : null;
    const most = limit || Math.floor((values.mtu - fixed) / block) * block - added;
    const payload = found ? found.largest : most - udp;
    const packet = payload + udp;
    const own = values.size + udp;
    const padded = Math.ceil((own + added) / block) * block;
    const wire = fixed + (limit ? Math.max(own, Math.min(padded, limit)) : padded);
    const least = measured?.least ?? Infinity;
    const seen = least <= values.size && values.size <= measured.largest;
    const segment = packet - tcp;
    return { payload, packet, segment, measured: Boolean(found), wire, seen, own, inner };
  }

  // What suites cost in ESP of the kernel over AES-128-GCM, with such instructions.
  const inEsp = (part, values) => part.levels[values.instructions] ?? {};

  // By the reader's own speeds of both, else by ESP of the kernel. AES-GCM if neither tells: every
  // peer has it.
  function proposed(esp, values) {
    const [reference, other] = PROPOSED;
    const own = values.speeds;
    const both = own[reference] && own[other];
    const times = both ? own[reference] / own[other] : inEsp(esp, values)[other]?.ratio;
    return times < 1 ? other : reference;
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

  return {
    PROPOSED,
    perSecond,
    lineRate,
    advise,
    enoughIfEven,
    nearest,
    passing,
    setUps,
    setUpWith,
    sizes,
    inEsp,
    proposed,
    readSpeeds,
    milliseconds,
    number,
  };
})();
