"""The page of one notebook: a template of nbconvert and its contents."""
