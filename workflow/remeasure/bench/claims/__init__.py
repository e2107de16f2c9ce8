"""Statements of the studies as questions to trials: design, checked before anything is measured."""
