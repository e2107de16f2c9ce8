"""The sentences of My tunnel, which the browser fills: names in braces are values."""

TEXTS = {
    "inputs": "For a round trip of {rtt} ms, {rate} Mbit/s of payload, {size} bytes in a packet, "
    "{path}, and a processor {instructions}:",
    "stale": "These are not your values: correct the field marked below.",
    "none": "No configuration for these values: correct the field that is marked in the form.",
    "unknown": "The address says {label} = {value}, which is no choice here. We took {first}.",
    "path-none": "a path that keeps the order of packets",
    "path-jitter": "a jitter of {delay} ms",
    "path-skew": "two paths whose delays differ by {delay} ms",
    "path-queue": "a queue that prefers a class, in which others wait up to {delay} ms",
    "delay-none": "Jitter, skew or wait, ms",
    "delay-jitter": "Jitter (SD), ms",
    "delay-skew": "Skew of the paths, ms",
    "delay-queue": "Longest wait, ms",
    "instructions-all": "with AES, VAES and AVX-512 instructions",
    "instructions-aes": "with AES and AVX2 instructions",
    "instructions-none": "without AES instructions",
    "first-dscp": "First try copy_dscp = no: the network then sees one class and keeps the order, "
    "and calls wait with everything else. Otherwise:",
    "window": "Set {window}",
    "window-order": "Keep {window}",
    "window-beyond": "No window is wide enough",
    "source-order": "strongSwan's default",
    "source-measured": "measured here",
    "source-bounded": "from a measurement nearby",
    "source-tested": "passed our test nearby",
    "source-model": "by a model",
    "source-widest": "the widest of Linux; bursts may need more",
    "source-beyond": "Linux allows at most {largest}",
    "why-none": "You send {persecond} packets per second, and the path keeps their order.",
    "why-jitter": "You send {persecond} packets per second, {within} of them within one standard "
    "deviation of the delay.",
    "why-skew": "While a packet is on the slower path, up to {within} later packets overtake it, "
    "if they leave evenly.",
    "why-queue": "While a packet waits in the queue, up to {within} later packets overtake it, if "
    "they leave evenly.",
    "rests-order": "The default is enough on such a path.",
    "rests-measured": "We measured this rate and jitter. Of the windows that we tried, this is the "
    "narrowest that dropped at most {allowed} % in every run.",
    "rests-bounded": "We measured a rate and jitter nearby. The window that was enough there "
    "bounds the one that the model gives.",
    "rests-tested": "No burst is faster than your port, {line} Mbit/s. By the model you need no "
    "wider window.",
    "rests-model": "The window comes from a model, which widens it for bursts of the sender. No "
    "burst is faster than your port, {line} Mbit/s.",
    "rests-widest": "Bursts at the rate of your port, {line} Mbit/s, may need more than Linux "
    "allows, by the model.",
    "rests-beyond": "By the model, with bursts of up to {line} Mbit/s, the rate of your port, "
    "{largest} packets drop more than {allowed} %.",
    "even-law": "The rule for packets that leave evenly gives {even}.",
    "even-law-beyond": "The rule for packets that leave evenly gives more than {largest}.",
    "even-measured": "At {persecond} packets per second and {delay} ms a window of {window} passed "
    "our test, and no narrower one that we tried did.",
    "even-unmeasured": "None of our tests is near your values.",
    "set-up": "{ms} ms",
    "short-name": "{method}: ",
    "short-name-group": "{method}, {group}: ",
    "short-measured": "measured in our guests",
    "short-added": "by the model, from two measurements",
    "short-model": "by the model",
    "sent": "{exchanges} exchanges of IKE, {bytes} bytes ({how}).",
    "sent-counted": "counted",
    "sent-added": "added from two counts",
    "groups": "With {way}. Times without a mark were measured in our guests.",
    "by-model": "{value} (model)",
    "by-sum": "{value} (sum)",
    "set-up-measured": "Means, measured in our guests at this round trip.",
    "set-up-model": "The model was off by {worst} ms at most where we measured ({rtts} "
    "ms).{beyond}",
    "set-up-beyond": " Your round trip is longer than any that we measured.",
    "mode-tunnel": "Tunnel mode",
    "mode-transport": "Transport mode",
    "natt-no": "plain ESP",
    "natt-yes": "ESP in UDP",
    "bytes": "{bytes} bytes",
    "fits": ", UDP payload {payload}, inner MTU {packet} ({how}).",
    "size-measured": "measured",
    "size-computed": "computed from the RFCs",
    "wire-fits": "Your packet fits: {wire} bytes on the wire ({how}).",
    "wire-cut": "Your packet does not fit, and is cut, refused or lost: {wire} bytes on the wire "
    "({how}).",
    "sizes": "{mode}, {natt}, packets of at most {mtu} bytes on the path. The largest sizes are "
    "{how}, the size of your packet is {seen}.",
    "speed": "The cipher alone, in a library, does {speed} Mbit/s a core of {machine}; a tunnel is "
    "slower.",
    "speed-yours": "The cipher alone, in a library, does {speed} Mbit/s of your core; a tunnel is "
    "slower.",
    "speed-masked": "The cipher alone, in a library, does {speed} Mbit/s a core of a fast x86 "
    "({machine}) with AES masked; a tunnel is slower. On a small router paste your own numbers: "
    "they may be far lower, and the order may differ.",
    "speed-ours": "Cipher alone: measured on {machine}, with {libraries}.",
    "speed-own": "Cipher alone: of your core. Where you gave no speed, yours for another suite "
    "times the ratio that we measured with {libraries}.",
    "mbit-given": "{speed} (yours)",
    "mbit-scaled": "{speed} (from yours)",
    "speed-none": "not measured",
    "esp": "In ESP of the kernel, from host to host on {machine}, {reference} carried {rate} "
    "Mbit/s and {other} carried {rate_other}. {other} took {ratio} times the processor time.{open} "
    "Another processor has another ratio.",
    "esp-open": " The interval contains 1, so the order is open.",
    "esp-none": "ESP of the kernel was not measured with such instructions.",
    "not-enough": "  # not enough",
}
"""name -> sentence"""
