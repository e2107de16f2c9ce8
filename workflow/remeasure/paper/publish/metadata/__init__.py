"""Metadata of the dataset in the forms that archives and search engines read."""
