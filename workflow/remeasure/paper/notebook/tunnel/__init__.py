"""The parts of the site's page My tunnel that notebooks hand over (publish.tunnel reads them)."""
