"""The paper's own words, checked against results of notebooks."""
