"""The parts of the site's page My tunnel that notebooks hand over (publish.advisor reads them)."""
