// The page My tunnel: reads its form, writes what follows, and keeps the values in the address.
document.addEventListener("DOMContentLoaded", () => {
  const form = document.querySelector("form.tunnel");
  if (!form) return;
  const data = JSON.parse(document.getElementById("tunnel-data").textContent);
  const numbers = ["rtt", "loss", "rate", "size", "delay", "mtu", "gcm", "chacha"];
  const begins = entries();
  let unknown = ""; // what the address says that is no choice

  const says = tunnelSays(data);
  const { say, show, showStatus } = says;

  const labelOf = (field) => field.labels[0].firstChild.textContent;

  function entries() {
    return Object.fromEntries(
      [...new FormData(form)].filter(([name]) => name !== "pasted").map(([k, v]) => [k, String(v)]),
    );
  }

  // The values of the form; null if one of them is none.
  function values() {
    const { path, instructions, ...tunnel } = entries();
    if (!form.checkValidity()) return null;
    const [rtt, loss, rate, size, delay, mtu, gcm, chacha] = numbers.map((name) =>
      Number(form[name].value),
    );
    const speeds = {};
    if (gcm) speeds.aes128gcm16 = gcm;
    if (chacha) speeds.chacha20poly1305 = chacha;
    const line = Number(tunnel.line);
    return { ...tunnel, rtt, loss, rate, line, size, path, delay, mtu, instructions, speeds };
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
        `${data.suites[suite]}: ${TunnelModel.number(mbit)} Mbit/s (column ${column} bytes).`,
    );
    const nothing = form.pasted.value.trim() ? "No line of aes-128-gcm or chacha20-poly1305." : "";
    show("pasted", read.join(" ") || nothing);
  }

  function update() {
    form.rate.max = form.line.value || 400000;
    const chosen = values();
    for (const name of numbers)
      form[name].setAttribute("aria-invalid", String(!form[name].checkValidity()));
    const ordered = form.path.value === "none";
    form.delay.labels[0].hidden = ordered;
    for (const name of ["way", "exchange", "mode"])
      form[name].labels[0].hidden = form.file.value === "wg0.conf"; // WireGuard has one of each
    const own = form.mode.value === "transport" && form.file.value !== "wg0.conf";
    form.inner.labels[0].hidden = own; // the gateways' own packets
    if (!ordered) show("delay-label", say(`delay-${form.path.value}`));
    const wrong = numbers.map((name) => form[name]).find((field) => !field.checkValidity());
    show("wrong", wrong ? `${labelOf(wrong)}: ${wrong.validationMessage}` : unknown.trim());
    document.body.dataset.tunnel = chosen ? "new" : "old";
    if (!chosen) return showStatus("old", "old");
    history.replaceState(null, "", address());
    says.all(chosen);
  }

  for (const [id, text] of [
    ["tunnel-copy", () => document.querySelector('[data-says="configuration"]').textContent],
    ["tunnel-link", address],
  ]) {
    const button = document.getElementById(id);
    copies(button, text, () => show("copied", `${button.textContent}: done.`));
  }
  for (const button of form.querySelectorAll("[data-preset]"))
    button.addEventListener("click", () => {
      for (const [name, value] of new URLSearchParams(button.dataset.preset))
        form[name].value = value;
      paste();
      unknown = "";
      update();
    });
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
