"""How long a training run is, how far it has come, and the learning rate that goes with it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What decides the weights.

    ``tokens``, padding included, end the run, and so do ``seconds`` if they are not 0. ``warmup``
    is the share of the run in which the rate rises to ``rate``; from its start on it falls to
    the share ``end`` of it, zero in the last stage. ``frozen_layers`` are the lowest layers, which
    stay as they are; ``two_class`` is the weight of the loss on "entailment or not" beside that on
    the classes; ``smoothing`` the share of each label that goes to all classes alike.
    """

    tokens: int
    seconds: float = 0.0
    rate: float = 8e-5
    end: float = 0.0
    warmup: float = 0.03
    batch_tokens: int = 3072
    seed: int = 1
    frozen_layers: int = 0
    two_class: float = 0.0
    smoothing: float = 0.0


DEFAULTS = Settings(tokens=1)


@dataclass(slots=True, kw_only=True)
class Progress:
    """How far a run is: whole passes, batches of the present pass, all steps, tokens, seconds."""

    passes: int = 0
    batches: int = 0
    steps: int = 0
    tokens: int = 0
    seconds: float = 0.0

    def share(self, settings: Settings) -> float:
        """Return the share of the run that is done, 1.0 or more at its end."""
        by_time = self.seconds / settings.seconds if settings.seconds else 0.0
        return max(self.tokens / settings.tokens, by_time)

    def rate(self, settings: Settings) -> float:
        """Return the learning rate of the next step."""
        done = self.share(settings)
        rising = min(1.0, (done + 1e-4) / settings.warmup)
        falling = 1 - min(1.0, done) * (1 - settings.end)
        return settings.rate * rising * falling
