"""A small help desk with a gate in front: documents, retrieval, a stand-in for the language model.

Tarnwell, its devices, prices and customers are invented for this demo.
"""
