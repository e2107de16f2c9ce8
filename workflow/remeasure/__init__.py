"""Five published IPsec performance studies, measured again."""
