"""The log against the wire."""

import pandas as pd

from notebooks.psk_rsa.model import log_minus_wire


def test_negotiations_with_a_retransmission_are_left_out():
    rows = [
        {
            "block": 1,
            "trial": 3,
            "auth": "psk",
            "probe": "ike",
            "repeat": repeat,
            "metric": metric,
            "value": value,
        }
        for repeat, values in enumerate(((10.0, 7.0, 0), (12.0, 7.0, 0), (4010.0, 8.0, 1)), 1)
        for metric, value in zip(("ike_sa", "ike_wire", "ike_retransmits"), values, strict=True)
    ]
    (found,) = log_minus_wire(pd.DataFrame(rows), ["auth"]).to_dict("records")
    assert found == {"block": 1, "trial": 3, "auth": "psk", "probe": "ike", "value": 4.0}
