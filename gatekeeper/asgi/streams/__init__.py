"""Streams: answers that are checked while they are being written.

Bytes become frames (``frames``), a dialect says what stands in a frame and how its protocol ends
(``chat``, ``responses``, ``pointed``, ``plain``), and ``flow`` holds frames back until their
sentences are decided. Held whole or only watched, a stream is a payload like any other (``whole``).
"""
