"""Pairs that are true, or false, by the way they were made from real text.

An edit is made in both directions wherever it can be: of the claim against the text as it was,
and of the text against the claim as it was. So neither the claim alone nor its overlap with the
premise tells the label.
"""
