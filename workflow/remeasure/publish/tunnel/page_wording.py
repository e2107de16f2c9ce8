"""The sentences of My tunnel. Page and browser fill the same ones: names in braces are values."""

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
    "window": "{window} packets",
    "window-beyond": "No window is wide enough",
    "source-order": "strongSwan's default",
    "source-measured": "measured here",
    "source-bounded": "from a measurement nearby",
    "source-model": "by the model",
    "source-model-bursts": "by the model, for bursts",
    "source-beyond": "Linux takes at most {largest}",
    "source-beyond-bursts": "by the model, for bursts; Linux takes at most {largest}",
    "why-none": "You send {persecond} packets a second, and the path keeps their order.",
    "why-jitter": "You send {persecond} packets a second, {within} of them within one standard "
    "deviation of the delay.",
    "why-skew": "You send {persecond} packets a second, {within} of them within the skew. So many "
    "numbers is a packet on the slower path behind the newest if they leave evenly.",
    "why-queue": "You send {persecond} packets a second, {within} of them while a packet waits. "
    "So many numbers is it behind the newest when it leaves, if they leave evenly.",
    "rests-order": "Then the default is enough.",
    "rests-measured": "We measured this rate and jitter. Of the windows that we tried it is the "
    "narrowest that dropped at most {allowed} % in every run.",
    "rests-bounded": "The model asks for another window. We measured a rate and jitter nearby, and "
    "what was enough there bounds the advice.",
    "rests-model": "We did not measure here: this is a model, which widens the window for bursts "
    "of the sender.",
    "rests-model-bursts": "The advice is a model, which widens the window for bursts of the "
    "sender.",
    "rests-beyond": "By the model even {largest} packets drop more than {allowed} %.",
    "rests-beyond-bursts": "By the model, which widens the window for bursts of the sender, even "
    "{largest} packets drop more than {allowed} %.",
    "even-law": "If packets leave evenly, {even} are enough, by a law that we checked in virtual "
    "time.",
    "even-law-beyond": "Even if packets leave evenly, {largest} are too few, by a law that we "
    "checked in virtual time.",
    "even-measured": "Measured there at {persecond} packets a second and {delay} ms: {enough} was "
    "the narrowest window tried that refused at most {allowed} %.",
    "even-unmet": "Measured there at {persecond} packets a second and {delay} ms: no window that "
    "we tried was enough.",
    "even-unmeasured": "Nothing that we measured there is near your values.",
    "even-more": "Real senders leave in bursts, so we advise more.",
    "even-more-beyond": "Real senders leave in bursts, for which the model asks for more than "
    "{largest}.",
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
    "esp": "In ESP of the kernel {other} took {ratio} times the processor time of {reference}."
    "{open}",
    "esp-open": " The interval contains 1, so the order is open.",
    "esp-none": "ESP of the kernel was not measured with such instructions.",
    "not-enough": "  # too narrow",
}
"""name -> sentence"""


def say(name: str, **values: object) -> str:
    """The sentence with its values."""
    return TEXTS[name].format(**values)
