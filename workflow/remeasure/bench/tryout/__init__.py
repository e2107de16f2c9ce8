"""Two configurations of an operator's own, tried together. A layer above
`measure`, whose hosts it uses; only the command line imports it. Its face: `reading.read_pair`."""
