"""gatekeeper: checks every claim of an answer against the context it should come from.

The package imports nothing heavy; take what you need from its modules.
"""

__version__ = "0.1.0"
