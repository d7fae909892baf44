"""The page on which people label stored decisions, and the same by HTTP.

Blind first: what the gate thought of an answer is shown to whoever has labelled it.
"""
