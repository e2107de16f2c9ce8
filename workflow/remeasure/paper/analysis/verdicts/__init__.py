"""From the answers of trials to verdicts on the studies' claims, and to the ledger."""
