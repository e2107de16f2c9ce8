"""How probable the losses of scenario psk-rsa are, at the loss that netem was told."""

from scipy.stats import binom

from notebooks.psk_rsa.asks import PskRsa
from notebooks.psk_rsa.fragments import Fragments


def quote_chances(of: PskRsa, fragments: Fragments) -> None:
    """Hand over how many pings the arm with RSA lost on the impaired network, how many datagrams of
    IKE passed netem there, and how probable it is that so few are lost.

    netem sits in one direction, so an echo meets it once, and a negotiation with its requests
    alone: one datagram of IKE_SA_INIT, and the packets of IKE_AUTH.
    """
    results, lost_share = of.notebook.results, fragments.loss
    pings = of.lost_pings().loc[("rsa", "impaired")]
    sent, lost = pings["sent"], pings["sent"] - pings["received"]
    results.number("PingsSent", sent, 0, source="pings of probe loss, rsa, impaired")
    results.number("PingsLost", lost, 0, source="lost pings of probe loss, rsa, impaired")
    source = "binomial: at most as many lost pings as were counted, at the loss that was set"
    results.number("PingsChance", 100 * binom.cdf(lost, sent, lost_share), 1, r"\percent", source)
    impaired = of.negotiations().query("network == 'impaired'")
    datagrams = sum(1 + fragments.packets[arm] for arm in impaired["auth"])
    results.number("ImpairedNegotiations", len(impaired), 0, source="negotiations, impaired")
    source = "datagrams of IKE requests, impaired: one for IKE_SA_INIT, the rest for IKE_AUTH"
    results.number("RequestDatagrams", datagrams, 0, source=source)
    source = "binomial: none of these datagrams lost, at the loss that was set"
    results.number(
        "NoneLostChance", 100 * binom.pmf(0, datagrams, lost_share), 1, r"\percent", source
    )
