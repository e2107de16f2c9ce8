"""The site: pages of site/, and pages made from results, built by Sphinx."""
